//! Configuration as files write it: options of every strategy, and a counter by name.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Config, ConfigError, FrontMatter, Mdx, SplitOversized};
use crate::context::Context;
use crate::counter::{Bias, CounterError, Estimate, TokenCounter, counter_by_name};
use crate::shortcodes::Shortcodes;
use crate::slug::Slugs;
use crate::strategy::{Blocks, Hierarchical, Strategy, StrategyName, Tree, Window};

/// What a configuration file can say about splitting. It has a table for each strategy, so that
/// switching strategies keeps the options of the others; [`config`](Self::config) chooses.
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
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct ConfigTable {
    /// How documents are split.
    pub strategy: StrategyName,
    /// How tokens are counted: `estimate`, `words[:FACTOR]`, `chars`, `cl100k`, `o200k` or
    /// `hf:PATH`. The default is the strategy's.
    pub tokenizer: Option<String>,
    /// Which way `estimate` errs.
    pub bias: Bias,
    /// The context line of `embed_text`. Default: `title`; in `window`: `none`.
    pub context: Option<Context>,
    /// What becomes of front matter.
    pub frontmatter: FrontMatter,
    /// Which files are read as MDX.
    pub mdx: Mdx,
    /// Whether each part of a table that is cut repeats the table's header.
    pub repeat_table_headers: bool,
    /// Whether blocks over the maximum are cut, or which kinds of them.
    pub split_oversized: SplitOversized,
    /// Which characters the slugs of headings keep.
    pub slugs: Slugs,
    /// Titles for shortcodes in headings.
    pub shortcodes: Shortcodes,
    /// What a document's path is appended to where its front matter has no `url`.
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
        let Config {
            strategy,
            context,
            frontmatter,
            mdx,
            repeat_table_headers,
            split_oversized,
            slugs,
            shortcodes,
            url_base,
        } = Config::default();
        Self {
            strategy: strategy.name(),
            tokenizer: None,
            bias: Bias::default(),
            context,
            frontmatter,
            mdx,
            repeat_table_headers,
            split_oversized,
            slugs,
            shortcodes,
            url_base,
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
    /// The configuration with the chosen strategy.
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

    /// The same with a target and a maximum for every strategy, as far as it has them.
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

    /// The name of the counter to be used.
    pub fn counter_name(&self) -> &str {
        self.tokenizer.as_deref().unwrap_or(self.strategy.default_counter())
    }

    /// The counter to be used.
    ///
    /// # Errors
    /// When there is no such counter; see [`counter_by_name`].
    pub fn counter(&self) -> Result<Arc<dyn TokenCounter>, CounterError> {
        match self.counter_name() {
            "estimate" => Ok(Arc::new(Estimate::with_bias(self.bias))),
            name => counter_by_name(name),
        }
    }

    /// The same with everything that was not set filled in as it takes effect. Options of strategies
    /// that are not chosen stay as they are if they are wrong.
    ///
    /// # Errors
    /// When an option of the chosen strategy is wrong.
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
