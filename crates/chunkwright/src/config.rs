//! Chunking options, and their validation.

mod table;

use serde::{Deserialize, Serialize};

use crate::context::Context;
use crate::hash::hash;
use crate::shortcodes::Shortcodes;
use crate::slug::Slugs;
use crate::split_oversized::SplitOversized;
use crate::strategy::{ConfigError, Strategy};

pub use table::ConfigTable;

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
        Ok(hash(&format!("{version} {counter} {}", canonical(&options))))
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
