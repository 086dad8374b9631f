//! Strategies: a document and its measures come in, plans go out.
//!
//! To add one: a file here with its `Options`, one line in [`for_each_strategy`], one golden
//! folder. Name, dispatch, configuration and command line follow from the list.

pub(crate) mod blocks;
pub(crate) mod hierarchical;
mod pack;
mod size;
mod starts;
pub(crate) mod tree;
pub(crate) mod window;

use std::fmt::Debug;
use std::ops::Range;

use crate::config::{ConfigError, SplitOversized};
use crate::context::{Context, Contexts, Line};
use crate::document::Document;
use crate::plan::Plan;
use crate::ruler::Ruler;
use crate::span::Span;
use crate::split::{Seam, pieces};
pub use size::Size;
pub(crate) use size::target_within;
pub(crate) use starts::Starts;

/// Hands the list of strategies to a macro: documentation, module and name of each.
macro_rules! for_each_strategy {
    ($callback:ident) => {
        $callback! {
            /// Keeps as much of the heading tree together as the maximum allows.
            hierarchical Hierarchical,
            /// One pass over the lines: chunks begin at headings, once they are large enough.
            window Window,
            /// Packs blocks to a budget, section by section, with overlap if asked for.
            blocks Blocks,
            /// One chunk for every heading that has text of its own.
            tree Tree,
        }
    };
}
pub(crate) use for_each_strategy;

/// What a strategy's options become once they are known to be sound. Their `Debug` form tells all
/// that takes effect.
pub(crate) trait Rules: Debug + Send + Sync {
    /// The most tokens a chunk may have.
    fn max(&self) -> Option<usize>;

    /// The tokens at which content is cut.
    fn target(&self) -> Option<usize>;

    /// Plans the chunks of a document that shows at least one block.
    fn plan(&self, brief: &Brief<'_>) -> Vec<Plan>;
}

/// What a strategy's options must tell.
pub(crate) trait Settings {
    /// The counter used when none is asked for.
    const COUNTER: &'static str;
    /// What stands before a chunk's text when nothing else is asked for.
    const CONTEXT: Context = Context::Title;
    /// Whether chunks are nodes: told by the document's title, and by their place among all nodes.
    const NODES: bool = false;
    /// Raised when the same options begin to give different chunks.
    const VERSION: u32;

    /// Sets the target and the maximum, as far as the strategy has them.
    fn limit(&mut self, target: usize, max: usize);

    /// Checks the options, and makes rules of them. Some defaults depend on the counter's name.
    fn rules(&self, counter: &str) -> Result<Box<dyn Rules>, ConfigError>;

    /// Checks the options, and fills in what was not set.
    fn filled(&self, counter: &str) -> Result<Self, ConfigError>
    where
        Self: Clone,
    {
        self.rules(counter).map(|_| self.clone())
    }
}

/// What a strategy works from.
pub(crate) struct Brief<'d> {
    pub(crate) document: &'d Document<'d>,
    pub(crate) ruler: Ruler<'d>,
    pub(crate) contexts: Contexts<'d>,
    pub(crate) starts: Starts<'d>,
    /// How many blocks at the start are hidden.
    pub(crate) hidden: usize,
    pub(crate) repeat_table_headers: bool,
    pub(crate) split_oversized: &'d SplitOversized,
}

impl Brief<'_> {
    /// The blocks that are shown.
    pub(crate) fn shown(&self) -> Range<usize> {
        self.hidden..self.document.blocks.len()
    }

    /// The blocks of a section that are shown.
    pub(crate) fn shown_blocks(&self, section: usize) -> Range<usize> {
        let blocks = &self.document.sections[section].blocks;
        blocks.start.max(self.hidden).min(blocks.end)..blocks.end
    }

    /// The most units that are no more than `tokens`.
    pub(crate) fn units_within(&self, tokens: usize) -> usize {
        self.ruler.scale().units_within(tokens)
    }

    /// The fewest units that are at least `tokens`.
    pub(crate) fn units_reaching(&self, tokens: usize) -> usize {
        self.ruler.scale().units_reaching(tokens)
    }

    /// The section of the first content from a block on: what names a chunk that starts there.
    pub(crate) fn naming_section(&self, block: usize) -> usize {
        self.document.section_of(self.starts.content(block))
    }

    /// The context line of a chunk that shows byte `at` first.
    pub(crate) fn line(&self, trail: usize, at: usize) -> &Line {
        self.contexts.line(&self.ruler, trail, self.starts.visible(at))
    }

    /// Units in that line.
    pub(crate) fn context(&self, trail: usize, at: usize) -> usize {
        self.line(trail, at).units
    }

    /// Units in a chunk made of whole blocks.
    pub(crate) fn cost(&self, trail: usize, blocks: Range<usize>) -> usize {
        let start = self.document.blocks[blocks.start].span.start;
        self.context(trail, start) + self.ruler.trimmed(blocks)
    }

    /// Units in a chunk between two seams, counted anew where sums cannot tell.
    pub(crate) fn measure(&self, trail: usize, start: &Seam, end: &Seam) -> usize {
        if let Some(blocks) = self.whole_blocks(start, end) {
            return self.cost(trail, blocks);
        }
        let context = self.line(trail, start.at);
        self.ruler.chunk(context, &pieces(self.document.source, start, end))
    }

    /// Units from a seam inside a block to the end of that block.
    pub(crate) fn head_units(&self, start: &Seam) -> usize {
        let end = self.document.blocks[self.document.block_at(start.at)].span.end;
        let opening = start.edge.wrap.as_ref().map_or(0, |wrap| wrap.open_units);
        opening + self.ruler.part(Span::new(start.at, end))
    }

    /// The blocks between two seams, if both lie between blocks and sums over them are exact.
    pub(crate) fn whole_blocks(&self, start: &Seam, end: &Seam) -> Option<Range<usize>> {
        let blocks = self.block_at_start(start)?..self.block_at_start(end)?;
        self.ruler.is_exact(blocks.clone()).then_some(blocks)
    }

    /// The block that begins at a seam; at the end of the document, one past the last.
    pub(crate) fn block_at_start(&self, seam: &Seam) -> Option<usize> {
        let block = self.document.block_at(seam.at);
        let start =
            self.document.blocks.get(block).map_or(self.document.source.len(), |b| b.span.start);
        (seam.edge.wrap.is_none() && start == seam.at).then_some(block)
    }
}
