//! Configuration: every option is a documented field, and errors are reported before any work.

mod split_oversized;
mod table;

use serde::{Deserialize, Serialize};

use crate::context::Context;
use crate::shortcodes::Shortcodes;
use crate::slug::Slugs;
use crate::strategy::{Strategy, StrategyName};

pub use split_oversized::SplitOversized;
pub use table::ConfigTable;

/// The largest number of tokens that an option takes.
const MOST_TOKENS: usize = 1_000_000_000;

/// What becomes of front matter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FrontMatter {
    /// It becomes metadata, and is not shown.
    #[default]
    Metadata,
    /// It becomes metadata, and is shown at the start of the first chunk.
    Include,
    /// It is ignored.
    Strip,
}

/// Which files are read as MDX.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mdx {
    /// Those with the extension `.mdx`.
    #[default]
    Auto,
    /// All Markdown.
    On,
    /// None.
    Off,
}

/// What is wrong with a configuration.
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
    /// A level that no heading has.
    #[error("{option} ({value}) is out of range: expected 1 to 6")]
    NotALevel {
        /// The option.
        option: &'static str,
        /// Its value.
        value: usize,
    },
    /// A strategy that does not exist.
    #[error("unknown strategy `{0}`: use {names}", names = strategy_names())]
    UnknownStrategy(String),
}

impl ConfigError {
    /// The option that is wrong: one of the chosen strategy, but for `strategy` itself.
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

/// A number of tokens as it was set, or as it is by default, if it is one.
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

/// How documents are split: a strategy, and what all strategies share.
///
/// A strategy alone is a configuration too, with the defaults for everything else.
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
    /// How documents are split, with the options of that strategy.
    pub strategy: Strategy,
    /// The context line of `embed_text`. Default: the strategy's.
    pub context: Option<Context>,
    /// What becomes of front matter.
    pub frontmatter: FrontMatter,
    /// Which files are read as MDX.
    pub mdx: Mdx,
    /// Whether each part of a table that is cut repeats the table's header. Default: yes.
    pub repeat_table_headers: bool,
    /// Whether blocks over the maximum are cut, or which kinds of them.
    pub split_oversized: SplitOversized,
    /// Which characters the slugs of headings keep.
    pub slugs: Slugs,
    /// Titles for shortcodes in headings.
    pub shortcodes: Shortcodes,
    /// What a document's path is appended to where its front matter has no `url`.
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
    /// What stands before a chunk's text.
    pub(crate) fn effective_context(&self) -> Context {
        self.context.unwrap_or(self.strategy.name().default_context())
    }

    /// A hash of all options as they take effect with a counter of this name, and of the strategy's
    /// version. Outputs with different hashes may differ, and those with equal ones do not.
    ///
    /// It is made of the names and values that configuration files use, so it outlives changes to
    /// the code.
    ///
    /// # Errors
    /// When the options contradict each other or are out of range.
    pub fn hash(&self, counter: &str) -> Result<String, ConfigError> {
        let mut config = self.clone();
        config.strategy = self.strategy.filled(counter)?.without_preset();
        config.context = Some(self.effective_context());
        let options = toml::Value::try_from(&config).expect("options are plain values");
        let version = self.strategy.name().version();
        Ok(crate::chunk::hash(&format!("{version} {counter} {}", canonical(&options))))
    }
}

/// A value as text that is equal for equal values: tables are sorted.
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
