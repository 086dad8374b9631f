//! Chunking options, and their validation.

mod split_oversized;
mod table;

use serde::{Deserialize, Serialize};

use crate::context::Context;
use crate::shortcodes::Shortcodes;
use crate::slug::Slugs;
use crate::strategy::{Strategy, StrategyName};

pub use split_oversized::SplitOversized;
pub use table::ConfigTable;

/// The largest number of tokens that an option accepts.
pub(crate) const MOST_TOKENS: usize = 1_000_000_000;

/// The treatment of front matter.
///
/// ```
/// use chunkwright::{Chunker, Config, FrontMatter, Words};
///
/// let mut config = Config::default();
/// config.frontmatter = FrontMatter::Include;
/// let chunker = Chunker::new(config, Words::default())?;
/// let chunked = chunker.chunk("tea.md", "---\ntitle: Tea\n---\n\nBoil water first.\n");
/// assert!(chunked.chunks[0].text.starts_with("---"));
/// # Ok::<(), chunkwright::ConfigError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum FrontMatter {
    /// Parse it into the metadata of each chunk, and leave it out of the text.
    #[default]
    Metadata,
    /// Parse it, and keep it at the start of the first chunk.
    Include,
    /// Discard it.
    Strip,
}

/// The files that are parsed as MDX.
///
/// ```
/// use chunkwright::{Chunker, Config, Format, Mdx, Source, Words};
///
/// let mut config = Config::default();
/// config.mdx = Mdx::On;
/// let chunker = Chunker::new(config, Words::default())?;
/// let document = chunker.read(&Source::new("tea.md", "<Kettle />\n"));
/// assert_eq!(document.format(), Format::Mdx);
/// # Ok::<(), chunkwright::ConfigError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Mdx {
    /// Files with the extension `.mdx`.
    #[default]
    Auto,
    /// All Markdown files.
    On,
    /// No files.
    Off,
}

/// An error in a configuration.
///
/// [`Chunker::new`](crate::Chunker::new) checks all options before any document is split.
///
/// ```
/// use chunkwright::{Chars, Chunker, Hierarchical};
///
/// let error = Chunker::new(Hierarchical::default().target(800).max(512), Chars).unwrap_err();
/// assert_eq!(error.option(), "target");
/// assert_eq!(error.to_string(), "target (800) is above the maximum (512)");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// A number of tokens is out of range.
    #[error("{option} ({value}) is out of range: expected 1 to {MOST_TOKENS} tokens")]
    OutOfRange {
        /// The option.
        option: &'static str,
        /// Its value.
        value: usize,
    },
    /// A number of tokens is above the maximum.
    #[error("{option} ({value}) is above the maximum ({max})")]
    AboveMaximum {
        /// The option.
        option: &'static str,
        /// Its value.
        value: usize,
        /// The maximum.
        max: usize,
    },
    /// A number of tokens is not below the maximum.
    #[error("{option} ({value}) is not below the maximum ({max})")]
    NotBelowMaximum {
        /// The option.
        option: &'static str,
        /// Its value.
        value: usize,
        /// The maximum.
        max: usize,
    },
    /// A heading level is out of range.
    #[error("{option} ({value}) is out of range: expected 1 to 6")]
    NotALevel {
        /// The option.
        option: &'static str,
        /// Its value.
        value: usize,
    },
    /// No strategy has this name.
    #[error("unknown strategy `{0}`: use {names}", names = strategy_names())]
    UnknownStrategy(String),
}

impl ConfigError {
    /// Returns the name of the invalid option: one of the chosen strategy's, or `strategy` itself.
    pub const fn option(&self) -> &'static str {
        match self {
            Self::OutOfRange { option, .. }
            | Self::AboveMaximum { option, .. }
            | Self::NotBelowMaximum { option, .. }
            | Self::NotALevel { option, .. } => option,
            Self::UnknownStrategy(_) => "strategy",
        }
    }
}

fn strategy_names() -> String {
    let names: Vec<_> = StrategyName::ALL.iter().map(|name| name.as_str()).collect();
    names.join(", ")
}

/// Returns the option's value or its default, after checking that it is in range.
pub(crate) fn limit(
    option: &'static str,
    set: Option<usize>,
    default: usize,
) -> Result<usize, ConfigError> {
    match set.unwrap_or(default) {
        value @ 1..=MOST_TOKENS => Ok(value),
        value => Err(ConfigError::OutOfRange { option, value }),
    }
}

/// The options of a [`Chunker`](crate::Chunker): a strategy, and the options that all strategies
/// share.
///
/// A strategy converts into a configuration with defaults for everything else.
///
/// ```
/// use chunkwright::{Chars, Chunker, Config, Context, Hierarchical};
///
/// let mut config = Config::from(Hierarchical::default().max(2000));
/// config.context = Some(Context::None);
/// let chunker = Chunker::new(config, Chars)?;
/// # Ok::<(), chunkwright::ConfigError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Config {
    /// The strategy, with its own options.
    pub strategy: Strategy,
    /// The context line of `embed_text`. Default: the strategy's.
    pub context: Option<Context>,
    /// The treatment of front matter.
    pub frontmatter: FrontMatter,
    /// The files that are parsed as MDX.
    pub mdx: Mdx,
    /// Whether each part of a split table repeats the table's header. Default: yes.
    pub repeat_table_headers: bool,
    /// The kinds of blocks that are split if they exceed the maximum. Default: all.
    pub split_oversized: SplitOversized,
    /// The characters that the slugs of headings keep.
    pub slugs: Slugs,
    /// Titles for shortcodes in headings.
    pub shortcodes: Shortcodes,
    /// The base URL for documents without a `url` in their front matter.
    pub url_base: Option<String>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            strategy: Strategy::default(),
            context: None,
            frontmatter: FrontMatter::default(),
            mdx: Mdx::default(),
            repeat_table_headers: true,
            split_oversized: SplitOversized::default(),
            slugs: Slugs::default(),
            shortcodes: Shortcodes::default(),
            url_base: None,
        }
    }
}

/// A strategy, or the options of one, with the defaults for everything else.
impl<S> From<S> for Config
where
    Strategy: From<S>,
{
    fn from(strategy: S) -> Self {
        Self { strategy: Strategy::from(strategy), ..Self::default() }
    }
}

impl Config {
    /// Returns the context line that is set, or the strategy's default.
    pub(crate) fn effective_context(&self) -> Context {
        self.context.unwrap_or(self.strategy.name().default_context())
    }

    /// Returns a hash of the effective options with a counter of this name, and of the strategy's
    /// version. Two configurations with the same hash split every document in the same way.
    ///
    /// The hash covers the names and values that configuration files use, so it survives changes to
    /// the code.
    ///
    /// # Errors
    /// If the options contradict each other or are out of range.
    pub fn hash(&self, counter: &str) -> Result<String, ConfigError> {
        let mut config = self.clone();
        config.strategy = self.strategy.filled(counter)?.without_preset();
        config.context = Some(self.effective_context());
        let options = toml::Value::try_from(&config).expect("options are plain values");
        let version = self.strategy.name().version();
        Ok(crate::chunk::hash(&format!("{version} {counter} {}", canonical(&options))))
    }
}

/// Formats a value in a canonical form: tables are sorted by key.
fn canonical(value: &toml::Value) -> String {
    match value {
        toml::Value::Table(table) => {
            let entries = table.iter().map(|(key, value)| format!("{key:?}:{}", canonical(value)));
            let mut entries: Vec<_> = entries.collect();
            entries.sort();
            format!("{{{}}}", entries.join(","))
        }
        toml::Value::Array(values) => {
            format!("[{}]", values.iter().map(canonical).collect::<Vec<_>>().join(","))
        }
        toml::Value::String(text) => format!("{text:?}"),
        toml::Value::Integer(number) => number.to_string(),
        toml::Value::Float(number) => number.to_string(),
        toml::Value::Boolean(value) => value.to_string(),
        toml::Value::Datetime(time) => time.to_string(),
    }
}
