//! Drafts of chunks, the state that all steps share, and the conversion of drafts into plans.

use std::rc::Rc;

use super::Limits;
use crate::brief::Brief;
use crate::ids::{BlockId, BlockRange, SectionId};
use crate::piece::Piece;
use crate::plan::Plan;
use crate::seam::{Seam, pieces};
use crate::split::Series;
use crate::strategy::pack::{Budget, Names, Stretch, pack, plan, plans_within};

/// The sections in which a draft or an item starts and ends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Extent {
    pub(super) first: SectionId,
    pub(super) last: SectionId,
}

/// A chunk that isn't final yet.
#[derive(Clone)]
pub(super) struct Draft {
    /// Its own part of the source.
    pub(super) stretch: Stretch,
    /// The blocks directly before it that it repeats, if any.
    pub(super) echo: BlockRange,
    pub(super) names: Names,
    pub(super) extent: Extent,
    /// Its units, including the context line.
    pub(super) units: usize,
}

/// A document with the rules of the strategy, in units of the counter.
pub(super) struct Desk<'b> {
    pub(super) brief: &'b Brief<'b>,
    pub(super) rules: &'b Limits,
    pub(super) budget: Budget,
    pub(super) overlap: usize,
    /// For each section, the innermost section no deeper than `heading_depth` that contains it.
    /// That can be the section itself.
    shallow: Vec<SectionId>,
}

impl<'b> Desk<'b> {
    pub(super) fn new(brief: &'b Brief<'b>, rules: &'b Limits) -> Self {
        let mut shallow: Vec<SectionId> = Vec::new();
        for section in brief.document.section_ids() {
            let deep = brief.document[section].level > rules.heading_depth;
            let parent = brief.document.parent(section).filter(|_| deep);
            shallow.push(parent.map_or(section, |parent| shallow[parent.index()]));
        }
        Self {
            brief,
            rules,
            budget: Budget {
                target: brief.units_within(rules.target),
                max: brief.units_within(rules.max),
            },
            overlap: brief.units_within(rules.overlap),
            shallow,
        }
    }

    /// Returns whether a section is no deeper than `heading_depth`.
    pub(super) fn is_shallow(&self, section: SectionId) -> bool {
        self.shallow[section.index()] == section
    }

    /// Returns the innermost section no deeper than `heading_depth` that contains a block.
    pub(super) fn section_at(&self, block: BlockId) -> SectionId {
        self.shallow[self.brief.document.section_of(block).index()]
    }

    /// Returns the naming section of a chunk whose own bytes start in a block.
    pub(super) fn naming_section(&self, block: BlockId) -> SectionId {
        self.shallow[self.brief.naming_section(block).index()]
    }

    /// Returns the units of the context line of a chunk whose first own block is `own` and whose
    /// first shown block is `shown`.
    pub(super) fn context(&self, own: BlockId, shown: BlockId) -> usize {
        let start = self.brief.document[shown].span.start;
        self.brief.context(self.naming_section(own), start)
    }

    /// Returns the units of a chunk of whole blocks, as a sum.
    pub(super) fn cost(&self, blocks: BlockRange) -> usize {
        self.context(blocks.start, blocks.start) + self.brief.ruler.trimmed(blocks)
    }

    /// Returns whether two sections are siblings, parent and child, or the same section.
    pub(super) fn are_related(&self, one: SectionId, other: SectionId) -> bool {
        let parent = |section: SectionId| self.brief.document.parent(section);
        one == other
            || parent(one) == parent(other)
            || parent(one) == Some(other)
            || parent(other) == Some(one)
    }

    /// Creates a draft before any merging.
    pub(super) fn draft(&self, stretch: Stretch, echo: BlockRange) -> Draft {
        let blocks = stretch.blocks(self.brief);
        let names = Names::of(self.naming_section(blocks.start));
        let extent = Extent {
            first: self.section_at(blocks.start),
            last: self.section_at(blocks.end.before()),
        };
        let units = self.measure(names.trail, &stretch, echo);
        Draft { stretch, echo, names, extent, units }
    }

    /// Returns the units of a chunk. Counts the text where sums may be inexact.
    pub(super) fn measure(&self, trail: SectionId, stretch: &Stretch, echo: BlockRange) -> usize {
        let Stretch { start, end } = stretch;
        if echo.is_empty() {
            return self.brief.measure(trail, start, end);
        }
        let shown = self.brief.document[echo.start].span.start;
        let whole = self.brief.block_at_start(end).map(|end| echo.start.to(end));
        if let Some(blocks) = whole.filter(|blocks| self.brief.ruler.is_exact(*blocks)) {
            // The repeated blocks directly precede the own ones, so one sum covers both.
            return self.brief.context(trail, shown) + self.brief.ruler.trimmed(blocks);
        }
        let context = self.brief.line(trail, shown);
        let mut pieces = pieces(self.brief.document.source, start, end);
        pieces.insert(0, self.repeated(echo));
        self.brief.ruler.chunk(context, &pieces)
    }

    /// Returns whether the options allow splitting blocks that don't fit. The kind of the first
    /// block after the headings decides.
    pub(super) fn may_cut(&self, blocks: BlockRange) -> bool {
        let kinds = self.brief.document[blocks].iter().map(|block| block.kind);
        let first = kinds.clone().find(|kind| !kind.is_heading()).or(kinds.clone().next());
        first.is_none_or(|kind| self.brief.split_oversized.allows(kind))
    }

    /// Splits a stretch that doesn't fit into parts of at most `target` units, if possible.
    pub(super) fn cut(&self, stretch: &Stretch, target: usize) -> Vec<Stretch> {
        let blocks = stretch.blocks(self.brief);
        let trails = Series {
            first: self.naming_section(blocks.start),
            rest: self.section_at(blocks.end.before()),
        };
        pack(self.brief, stretch, trails, Budget { target, max: self.budget.max })
    }

    /// Returns the plans of a draft: one, unless its exact count exceeds the maximum.
    pub(super) fn plans(&self, draft: Draft) -> Vec<Plan> {
        let over = draft.units.saturating_sub(self.budget.max);
        if over == 0 || !self.may_cut(draft.stretch.blocks(self.brief)) {
            return vec![self.plan(&draft)];
        }
        let names_at = |at: usize| Names::of(self.naming_section(self.brief.document.block_at(at)));
        plans_within(self.brief, &draft.stretch, names_at, self.budget.max, over)
    }

    fn plan(&self, draft: &Draft) -> Plan {
        let Draft { stretch, echo, names, units, .. } = draft;
        let mut plan = plan(self.brief, stretch, *names, *units, self.budget.max);
        if !echo.is_empty() {
            let shown = self.brief.document[echo.start].span.start;
            plan.context = Rc::clone(self.brief.line(names.trail, shown));
            plan.pieces.insert(0, self.repeated(*echo));
        }
        plan
    }

    fn repeated(&self, echo: BlockRange) -> Piece {
        Piece::Echo(self.brief.document.span_of(echo))
    }

    /// Returns the seam before a block.
    pub(super) fn seam_at(&self, block: BlockId) -> Seam {
        Seam::between_blocks(self.brief.document.start_of(block))
    }
}
