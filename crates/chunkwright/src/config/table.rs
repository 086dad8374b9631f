//! The options of a configuration file: a table per strategy, and a tokenizer by name.

use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize};

use super::{Config, FrontMatter, Mdx};
use crate::context::Context;
use crate::counter::{Bias, CounterError, Estimate, TokenCounter, canonical, counter_by_name};
use crate::shortcodes::Shortcodes;
use crate::slug::Slugs;
use crate::split_oversized::SplitOversized;
use crate::strategy::{Blocks, ConfigError, Hierarchical, Strategy, StrategyName, Tree, Window};

/// The chunking options of a configuration file.
///
/// It has a table for each strategy, so that switching strategies keeps the options of the others.
/// [`config`](Self::config) returns the configuration of the selected strategy.
///
/// ```
/// use chunkwright::{Chunker, ConfigTable, StrategyName};
///
/// let mut table = ConfigTable::default();
/// table.strategy = StrategyName::Window;
/// table.window.max = Some(300);
/// let chunker = Chunker::new(table.config(), table.counter()?)?;
/// assert_eq!(chunker.max_tokens(), Some(300));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct ConfigTable {
    /// Chunking strategy: `hierarchical`, `window`, `blocks` or `tree`. Default: `hierarchical`.
    pub strategy: StrategyName,
    /// Tokenizer: `estimate`, `words[:FACTOR]`, `chars`, `cl100k`, `o200k`, `hf:PATH` or a model such
    /// as `gpt-4o`. The name of a model stands for its tokenizer. Default: `o200k`; `window`:
    /// `words`; `blocks`: `estimate`.
    #[cfg_attr(feature = "schema", schemars(schema_with = "crate::counter::names"))]
    #[serde(deserialize_with = "tokenizer")]
    pub tokenizer: Option<String>,
    /// Text that `estimate` counts cautiously: `balanced` (neither), `prose` or `code`. Default:
    /// `balanced`.
    pub bias: Bias,
    /// Context line of the embedded text: `title`, `breadcrumb`, `path` or `none`. Default:
    /// `title`; `window`: `none`.
    pub context: Option<Context>,
    /// Front matter handling: `metadata`, `include` or `strip`. Default: `metadata`.
    pub frontmatter: FrontMatter,
    /// MDX parsing: `auto` (`.mdx` files), `on` (all files) or `off`. Default: `auto`.
    pub mdx: Mdx,
    /// Repeat the header in each part of a split table. Default: `true`.
    pub repeat_table_headers: bool,
    /// Split blocks over the maximum: `true`, `false`, or a list of kinds such as `["code",
    /// "table"]`. Default: `true`.
    pub split_oversized: SplitOversized,
    /// Letters that the slugs of headings keep: `ascii` or `unicode`. Default: `ascii`.
    pub slugs: Slugs,
    /// Titles for shortcodes in headings.
    pub shortcodes: Shortcodes,
    /// Base URL for documents without a `url` in their front matter.
    pub url_base: Option<String>,
    /// Options of `hierarchical`.
    pub hierarchical: Hierarchical,
    /// Options of `window`.
    pub window: Window,
    /// Options of `blocks`.
    pub blocks: Blocks,
    /// Options of `tree`.
    pub tree: Tree,
}

impl Default for ConfigTable {
    fn default() -> Self {
        let shared = Config::default();
        Self {
            strategy: shared.strategy.name(),
            tokenizer: None,
            bias: Bias::default(),
            context: shared.context,
            frontmatter: shared.frontmatter,
            mdx: shared.mdx,
            repeat_table_headers: shared.repeat_table_headers,
            split_oversized: shared.split_oversized,
            slugs: shared.slugs,
            shortcodes: shared.shortcodes,
            url_base: shared.url_base,
            hierarchical: Hierarchical::default(),
            window: Window::default(),
            blocks: Blocks::default(),
            tree: Tree::default(),
        }
    }
}

impl From<ConfigTable> for Config {
    fn from(table: ConfigTable) -> Self {
        table.config()
    }
}

impl ConfigTable {
    /// Returns the configuration with the selected strategy.
    pub fn config(&self) -> Config {
        Config {
            strategy: self.strategy_by(self.strategy),
            context: self.context,
            frontmatter: self.frontmatter,
            mdx: self.mdx,
            repeat_table_headers: self.repeat_table_headers,
            split_oversized: self.split_oversized.clone(),
            slugs: self.slugs,
            shortcodes: self.shortcodes.clone(),
            url_base: self.url_base.clone(),
        }
    }

    /// Sets the target and the maximum of every strategy that has them.
    #[must_use]
    pub fn with_limits(mut self, target: usize, max: usize) -> Self {
        for &name in StrategyName::ALL {
            let limited = self.strategy_by(name).with_limits(target, max);
            self.set(limited);
        }
        self
    }

    fn set(&mut self, strategy: Strategy) {
        match strategy {
            Strategy::Hierarchical(options) => self.hierarchical = options,
            Strategy::Window(options) => self.window = options,
            Strategy::Blocks(options) => self.blocks = options,
            Strategy::Tree(options) => self.tree = options,
        }
    }

    fn strategy_by(&self, name: StrategyName) -> Strategy {
        match name {
            StrategyName::Hierarchical => self.hierarchical.clone().into(),
            StrategyName::Window => self.window.clone().into(),
            StrategyName::Blocks => self.blocks.clone().into(),
            StrategyName::Tree => self.tree.clone().into(),
        }
    }

    /// Returns the name of the selected counter.
    pub fn counter_name(&self) -> &str {
        canonical(self.tokenizer.as_deref().unwrap_or(self.strategy.default_counter()))
    }

    /// Creates the selected counter.
    ///
    /// # Errors
    /// If there is no such counter; see [`counter_by_name`].
    pub fn counter(&self) -> Result<Arc<dyn TokenCounter>, CounterError> {
        match self.counter_name() {
            "estimate" => Ok(Arc::new(Estimate::with_bias(self.bias))),
            name => counter_by_name(name),
        }
    }

    /// Replaces every unset option with its effective value. Invalid options of strategies that are
    /// not selected stay as they are.
    ///
    /// # Errors
    /// If an option of the selected strategy is invalid.
    pub fn filled(&self) -> Result<Self, ConfigError> {
        let mut table = self.clone();
        table.tokenizer = Some(self.counter_name().to_owned());
        table.context = Some(self.context.unwrap_or(self.strategy.default_context()));
        for &name in StrategyName::ALL {
            match self.strategy_by(name).filled(self.counter_name()) {
                Ok(strategy) => table.set(strategy),
                Err(error) if name == self.strategy => return Err(error),
                Err(_) => {}
            }
        }
        Ok(table)
    }
}

/// Deserializes the name of a tokenizer, and replaces an alias, so that both give the same hash.
fn tokenizer<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let name = Option::<String>::deserialize(deserializer)?;
    Ok(name.map(|name| canonical(&name).to_owned()))
}
