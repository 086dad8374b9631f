//! Strategies, which plan the chunks of a document.
//!
//! To add a strategy, add a file here with its options, a variant to [`Strategy`] and
//! [`StrategyName`], a table to [`ConfigTable`](crate::ConfigTable), and a directory of golden
//! pages. The compiler reports every other place. The command line and the tests derive the rest
//! from [`StrategyName::ALL`].

mod blocks;
mod hierarchical;
mod pack;
mod size;
mod starts;
mod tree;
mod window;

use std::fmt::{self, Debug};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::config::{ConfigError, SplitOversized};
use crate::context::{Context, Contexts, Line};
use crate::document::Document;
use crate::ids::{BlockId, BlockRange, SectionId};
use crate::plan::Plan;
use crate::ruler::Ruler;
use crate::span::Span;
use crate::split::{Seam, pieces};
pub use blocks::{Blocks, Mode, Overlap, OverlapScope, Share};
pub use hierarchical::Hierarchical;
pub use size::Size;
pub(crate) use size::target_within;
pub(crate) use starts::Starts;
pub use tree::Tree;
pub use window::{Tail, Window};

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
        self.settings_mut().limit(target, max);
        self
    }

    /// Validates the options. Some defaults depend on the counter's name.
    pub(crate) fn rules(&self, counter: &str) -> Result<Box<dyn Rules>, ConfigError> {
        self.settings().rules(counter)
    }

    /// Validates the options, and fills in the effective value of every option that is not set.
    pub(crate) fn filled(&self, counter: &str) -> Result<Self, ConfigError> {
        self.settings().filled(counter)
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

    fn settings(&self) -> &dyn Settings {
        match self {
            Self::Hierarchical(options) => options,
            Self::Window(options) => options,
            Self::Blocks(options) => options,
            Self::Tree(options) => options,
        }
    }

    fn settings_mut(&mut self) -> &mut dyn Settings {
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
pub(crate) trait Settings {
    /// Sets the target and the maximum, if the strategy has them.
    fn limit(&mut self, target: usize, max: usize);

    /// Validates the options. Some defaults depend on the counter's name.
    fn rules(&self, counter: &str) -> Result<Box<dyn Rules>, ConfigError>;

    /// Validates the options, and fills in those that are not set.
    fn filled(&self, counter: &str) -> Result<Strategy, ConfigError>;
}

/// A document with everything that a strategy needs to plan its chunks.
pub(crate) struct Brief<'d> {
    pub(crate) document: &'d Document<'d>,
    pub(crate) ruler: Ruler<'d>,
    pub(crate) contexts: Contexts<'d>,
    pub(crate) starts: Starts<'d>,
    /// The first shown block.
    pub(crate) first: BlockId,
    pub(crate) repeat_table_headers: bool,
    pub(crate) split_oversized: &'d SplitOversized,
}

impl Brief<'_> {
    /// Returns the blocks that chunks show.
    pub(crate) fn shown(&self) -> BlockRange {
        self.document.all_blocks().skip_to(self.first)
    }

    /// Returns a section's own blocks that chunks show.
    pub(crate) fn shown_blocks(&self, section: SectionId) -> BlockRange {
        self.document.own_blocks(section).skip_to(self.first)
    }

    /// Returns the maximum number of units within `tokens`.
    pub(crate) fn units_within(&self, tokens: usize) -> usize {
        self.ruler.scale().units_within(tokens)
    }

    /// Returns the minimum number of units that reach `tokens`.
    pub(crate) fn units_reaching(&self, tokens: usize) -> usize {
        self.ruler.scale().units_reaching(tokens)
    }

    /// Returns the naming section of a chunk that starts with a block: the section of the first
    /// content from there on.
    pub(crate) fn naming_section(&self, block: BlockId) -> SectionId {
        self.document.section_of(self.starts.content(block))
    }

    /// Returns the context line of a chunk whose shown text starts at byte `at`.
    pub(crate) fn line(&self, trail: SectionId, at: usize) -> &Line {
        self.contexts.line(&self.ruler, trail, self.starts.visible(at))
    }

    /// Returns the units of that line.
    pub(crate) fn context(&self, trail: SectionId, at: usize) -> usize {
        self.line(trail, at).units
    }

    /// Returns the units of the context line of a chunk that starts inside a block of a section.
    pub(crate) fn context_inside(&self, section: SectionId) -> usize {
        self.contexts.line_inside(&self.ruler, section).units
    }

    /// Returns the units of a chunk of whole blocks, as a sum.
    pub(crate) fn cost(&self, trail: SectionId, blocks: BlockRange) -> usize {
        let start = self.document[blocks.start].span.start;
        self.context(trail, start) + self.ruler.trimmed(blocks)
    }

    /// Returns the units of a chunk between two seams. Counts the text where sums may be inexact.
    pub(crate) fn measure(&self, trail: SectionId, start: &Seam, end: &Seam) -> usize {
        if let Some(blocks) = self.whole_blocks(start, end) {
            return self.cost(trail, blocks);
        }
        let context = self.line(trail, start.at);
        self.ruler.chunk(context, &pieces(self.document.source, start, end))
    }

    /// Returns the units from a seam inside a block to the end of that block.
    pub(crate) fn head_units(&self, start: &Seam) -> usize {
        let end = self.document[self.document.block_at(start.at)].span.end;
        let opening = start.edge.wrap.as_ref().map_or(0, |wrap| wrap.open_units);
        opening + self.ruler.part(Span::new(start.at, end))
    }

    /// Returns the blocks between two seams, if both lie between blocks and sums are exact.
    pub(crate) fn whole_blocks(&self, start: &Seam, end: &Seam) -> Option<BlockRange> {
        let blocks = self.block_at_start(start)?.to(self.block_at_start(end)?);
        self.ruler.is_exact(blocks).then_some(blocks)
    }

    /// Returns the block that starts at a seam, if any; at the end, one past the last block.
    pub(crate) fn block_at_start(&self, seam: &Seam) -> Option<BlockId> {
        let block = self.document.block_at(seam.at);
        let start = self.document.start_of(block);
        (seam.edge.wrap.is_none() && start == seam.at).then_some(block)
    }
}
