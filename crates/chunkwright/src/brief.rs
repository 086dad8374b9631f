//! What a strategy needs to plan the chunks of a document, and the measures of possible chunks.

mod starts;

use std::rc::Rc;

use crate::context::Contexts;
use crate::document::Document;
use crate::ids::{BlockId, BlockRange, SectionId};
use crate::ruler::{ContextLine, Ruler};
use crate::seam::{Seam, pieces};
use crate::span::Span;
use crate::split_oversized::SplitOversized;
pub(crate) use starts::Starts;

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
    pub(crate) fn line(&self, trail: SectionId, at: usize) -> &Rc<ContextLine> {
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
    pub(crate) fn measure(&self, context: &ContextLine, start: &Seam, end: &Seam) -> usize {
        match self.whole_blocks(start, end) {
            Some(blocks) => context.units + self.ruler.trimmed(blocks),
            None => self.ruler.chunk(context, &pieces(self.document.source, start, end)),
        }
    }

    /// Returns the units of a chunk of whole blocks. Counts the text where sums may be inexact.
    pub(crate) fn measure_blocks(&self, trail: SectionId, blocks: BlockRange) -> usize {
        let Span { start, end } = self.document.span_of(blocks);
        let context = self.line(trail, start);
        self.measure(context, &Seam::between_blocks(start), &Seam::between_blocks(end))
    }

    /// Returns the first whole block from a seam on.
    pub(crate) fn first_whole(&self, seam: &Seam) -> BlockId {
        let next = || self.document.block_at(seam.at).next();
        self.block_at_start(seam).unwrap_or_else(next)
    }

    /// Returns the blocks between two seams, if both lie between blocks and sums are exact.
    pub(crate) fn whole_blocks(&self, start: &Seam, end: &Seam) -> Option<BlockRange> {
        let blocks = self.block_at_start(start)?.to(self.block_at_start(end)?);
        self.ruler.is_exact(blocks).then_some(blocks)
    }

    /// Returns the block that starts at a seam, if any; at the end, one past the last block.
    fn block_at_start(&self, seam: &Seam) -> Option<BlockId> {
        let block = self.document.block_at(seam.at);
        let start = self.document.start_of(block);
        (seam.edge.wrap.is_none() && start == seam.at).then_some(block)
    }
}
