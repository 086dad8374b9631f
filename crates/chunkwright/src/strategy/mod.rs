//! Strategies, which plan the chunks of a document.
//!
//! To add a strategy, add a file here with its options, a variant to [`Strategy`] and
//! [`StrategyName`], a table to [`ConfigTable`](crate::ConfigTable), and a directory of golden
//! pages. The compiler reports every other place. The command line and the tests derive the rest
//! from [`StrategyName::ALL`].

mod blocks;
mod draft;
mod error;
mod hierarchical;
mod merge;
mod pack;
mod size;
mod tree;
mod window;

use std::fmt::{self, Debug};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::brief::Brief;
use crate::context::Context;
use crate::plan::Plan;
pub use blocks::{Blocks, Mode, Overlap, OverlapScope, Share};
pub use error::ConfigError;
pub use hierarchical::Hierarchical;
pub use size::Size;
pub use tree::Tree;
pub use window::{Tail, Window};

#[cfg(feature = "schema")]
pub(crate) use error::MOST_TOKENS;
use error::{limit, within};
use size::target_within;

/// A strategy with its options.
///
/// ```
/// use chunkwright::{Hierarchical, Strategy, StrategyName};
///
/// let strategy = Strategy::from(Hierarchical::default().max(512));
/// assert_eq!(strategy.name(), StrategyName::Hierarchical);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Strategy {
    /// Keeps as many subsections together as the maximum allows.
    Hierarchical(Hierarchical),
    /// Reads line by line, and starts a chunk at a heading once the current one is large enough.
    Window(Window),
    /// Packs blocks up to a target size, section by section, with optional overlap.
    Blocks(Blocks),
    /// Creates one chunk for every heading with text directly under it.
    Tree(Tree),
}

/// The name of a strategy.
///
/// ```
/// use chunkwright::{Config, StrategyName};
///
/// let name: StrategyName = "window".parse()?;
/// assert_eq!(Config::from(name).strategy.name(), StrategyName::Window);
/// # Ok::<(), chunkwright::ConfigError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum StrategyName {
    /// Keeps as many subsections together as the maximum allows.
    #[default]
    Hierarchical,
    /// Reads line by line, and starts a chunk at a heading once the current one is large enough.
    Window,
    /// Packs blocks up to a target size, section by section, with optional overlap.
    Blocks,
    /// Creates one chunk for every heading with text directly under it.
    Tree,
}

impl StrategyName {
    /// All strategies, in the order they are documented.
    pub const ALL: &'static [Self] = &[Self::Hierarchical, Self::Window, Self::Blocks, Self::Tree];

    /// Returns the name in configuration files and on the command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Hierarchical => "hierarchical",
            Self::Window => "window",
            Self::Blocks => "blocks",
            Self::Tree => "tree",
        }
    }

    /// Returns the name of the default counter.
    pub const fn default_counter(self) -> &'static str {
        self.about().counter
    }

    /// Returns the default context line.
    pub(crate) const fn default_context(self) -> Context {
        self.about().context
    }

    /// Returns the version of the algorithm, which increases when the same options produce
    /// different chunks than before.
    pub const fn version(self) -> u32 {
        self.about().version
    }

    /// Returns whether chunks are nodes of the document's outline.
    pub(crate) const fn has_nodes(self) -> bool {
        self.about().has_nodes
    }

    const fn about(self) -> About {
        match self {
            Self::Hierarchical => Hierarchical::ABOUT,
            Self::Window => Window::ABOUT,
            Self::Blocks => Blocks::ABOUT,
            Self::Tree => Tree::ABOUT,
        }
    }
}

impl fmt::Display for StrategyName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for StrategyName {
    type Err = ConfigError;

    fn from_str(name: &str) -> Result<Self, ConfigError> {
        let found = Self::ALL.iter().find(|strategy| strategy.as_str() == name);
        found.copied().ok_or_else(|| ConfigError::UnknownStrategy(name.to_owned()))
    }
}

impl Strategy {
    /// Returns the name of the strategy.
    pub const fn name(&self) -> StrategyName {
        match self {
            Self::Hierarchical(_) => StrategyName::Hierarchical,
            Self::Window(_) => StrategyName::Window,
            Self::Blocks(_) => StrategyName::Blocks,
            Self::Tree(_) => StrategyName::Tree,
        }
    }

    /// Sets the target and the maximum, if the strategy has them.
    #[must_use]
    pub(crate) fn with_limits(mut self, target: usize, max: usize) -> Self {
        self.options_mut().limit(target, max);
        self
    }

    /// Validates the options. Some defaults depend on the counter's name.
    pub(crate) fn rules(&self, counter: &str) -> Result<Box<dyn Rules>, ConfigError> {
        self.options().rules(counter)
    }

    /// Validates the options, and fills in the effective value of every option that is not set.
    pub(crate) fn filled(&self, counter: &str) -> Result<Self, ConfigError> {
        self.options().filled(counter)
    }

    /// Removes the preset, which has no effect once all options are filled in.
    pub(crate) fn without_preset(mut self) -> Self {
        match &mut self {
            Self::Hierarchical(options) => options.size = None,
            Self::Window(options) => options.size = None,
            Self::Blocks(options) => options.size = None,
            Self::Tree(_) => {}
        }
        self
    }

    fn options(&self) -> &dyn StrategyOptions {
        match self {
            Self::Hierarchical(options) => options,
            Self::Window(options) => options,
            Self::Blocks(options) => options,
            Self::Tree(options) => options,
        }
    }

    fn options_mut(&mut self) -> &mut dyn StrategyOptions {
        match self {
            Self::Hierarchical(options) => options,
            Self::Window(options) => options,
            Self::Blocks(options) => options,
            Self::Tree(options) => options,
        }
    }
}

impl Default for Strategy {
    fn default() -> Self {
        Self::Hierarchical(Hierarchical::default())
    }
}

/// Returns the strategy with its default options.
impl From<StrategyName> for Strategy {
    fn from(name: StrategyName) -> Self {
        match name {
            StrategyName::Hierarchical => Hierarchical::default().into(),
            StrategyName::Window => Window::default().into(),
            StrategyName::Blocks => Blocks::default().into(),
            StrategyName::Tree => Tree::default().into(),
        }
    }
}

impl From<Hierarchical> for Strategy {
    fn from(options: Hierarchical) -> Self {
        Self::Hierarchical(options)
    }
}

impl From<Window> for Strategy {
    fn from(options: Window) -> Self {
        Self::Window(options)
    }
}

impl From<Blocks> for Strategy {
    fn from(options: Blocks) -> Self {
        Self::Blocks(options)
    }
}

impl From<Tree> for Strategy {
    fn from(options: Tree) -> Self {
        Self::Tree(options)
    }
}

/// The validated options of a strategy.
pub(crate) trait Rules: Debug + Send + Sync {
    /// Returns the maximum tokens per chunk.
    fn max(&self) -> Option<usize>;

    /// Returns the preferred tokens per chunk.
    fn target(&self) -> Option<usize>;

    /// Plans the chunks of a document with at least one shown block.
    fn plan(&self, brief: &Brief<'_>) -> Vec<Plan>;
}

/// The properties of a strategy that don't depend on its options.
pub(crate) struct About {
    /// The name of the default counter.
    pub(crate) counter: &'static str,
    /// The default context line.
    pub(crate) context: Context,
    /// Whether chunks are nodes of the document's outline. Their breadcrumbs start with the
    /// document's title, and their positions are node indices.
    pub(crate) has_nodes: bool,
    /// The version of the algorithm. Increase it when the same options produce different chunks.
    pub(crate) version: u32,
}

/// The options of a strategy.
pub(crate) trait StrategyOptions {
    /// Sets the target and the maximum, if the strategy has them.
    fn limit(&mut self, target: usize, max: usize);

    /// Validates the options. Some defaults depend on the counter's name.
    fn rules(&self, counter: &str) -> Result<Box<dyn Rules>, ConfigError>;

    /// Validates the options, and fills in those that are not set.
    fn filled(&self, counter: &str) -> Result<Strategy, ConfigError>;
}
