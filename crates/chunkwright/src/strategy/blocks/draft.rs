//! Drafts: what all steps know about chunks in the making; drafts come in, plans go out.

use std::ops::Range;

use super::Limits;
use crate::plan::{Piece, Plan};
use crate::span::Span;
use crate::split::{Seam, pieces};
use crate::strategy::Brief;
use crate::strategy::pack::{Budget, Names, Stretch, pack, plan, plans_within};

/// A chunk in the making.
#[derive(Clone)]
pub(super) struct Draft {
    /// What it owns.
    pub(super) stretch: Stretch,
    /// The blocks directly before it that it repeats; may be empty.
    pub(super) echo: Range<usize>,
    pub(super) names: Names,
    /// The sections in which it begins and ends.
    pub(super) sections: (usize, usize),
    /// Its units, context line included.
    pub(super) units: usize,
}

/// A document, and the rules in units of its counter.
pub(super) struct Desk<'b> {
    pub(super) brief: &'b Brief<'b>,
    pub(super) rules: &'b Limits,
    pub(super) budget: Budget,
    pub(super) overlap: usize,
    /// For each section the innermost one no deeper than `heading_depth` that is or holds it.
    shallow: Vec<usize>,
}

impl<'b> Desk<'b> {
    pub(super) fn new(brief: &'b Brief<'b>, rules: &'b Limits) -> Self {
        let mut shallow: Vec<usize> = Vec::new();
        for (nth, section) in brief.document.sections.iter().enumerate() {
            let deep = section.level > rules.heading_depth;
            shallow.push(section.parent.filter(|_| deep).map_or(nth, |parent| shallow[parent]));
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

    /// Whether a section is no deeper than `heading_depth`.
    pub(super) fn is_shallow(&self, section: usize) -> bool {
        self.shallow[section] == section
    }

    /// The section that holds a block, or the one above it that is not too deep.
    pub(super) fn section_at(&self, block: usize) -> usize {
        self.shallow[self.brief.document.section_of(block)]
    }

    /// The section that names a chunk whose own bytes start in a block.
    pub(super) fn naming_section(&self, block: usize) -> usize {
        self.shallow[self.brief.naming_section(block)]
    }

    /// Units in the context line of a chunk whose own first block is `own`, and that shows block
    /// `shown` first.
    pub(super) fn context(&self, own: usize, shown: usize) -> usize {
        let start = self.brief.document.blocks[shown].span.start;
        self.brief.context(self.naming_section(own), start)
    }

    /// Units in a chunk made of whole blocks.
    pub(super) fn cost(&self, blocks: Range<usize>) -> usize {
        self.context(blocks.start, blocks.start) + self.brief.ruler.trimmed(blocks)
    }

    /// Whether two sections have the same parent, or are parent and child, or one.
    pub(super) fn are_related(&self, one: usize, other: usize) -> bool {
        let parent = |section: usize| self.brief.document.sections[section].parent;
        one == other
            || parent(one) == parent(other)
            || parent(one) == Some(other)
            || parent(other) == Some(one)
    }

    /// A draft that begins where no chunk has been merged in.
    pub(super) fn draft(&self, stretch: Stretch, echo: Range<usize>) -> Draft {
        let document = self.brief.document;
        let first = document.block_at(stretch.start.at);
        let last = document.block_at(stretch.end.at - 1);
        let names = Names::of(self.naming_section(first));
        let sections = (self.section_at(first), self.section_at(last));
        let units = self.measure(names.trail, &stretch, &echo);
        Draft { stretch, echo, names, sections, units }
    }

    /// Units in a chunk, counted anew where sums cannot tell.
    pub(super) fn measure(&self, trail: usize, stretch: &Stretch, echo: &Range<usize>) -> usize {
        let Stretch { start, end } = stretch;
        if echo.is_empty() {
            return self.brief.measure(trail, start, end);
        }
        let shown = self.brief.document.blocks[echo.start].span.start;
        let whole = self.brief.block_at_start(end).map(|end| echo.start..end);
        if let Some(blocks) = whole.filter(|blocks| self.brief.ruler.is_exact(blocks.clone())) {
            // What is repeated stands directly before what is owned, so they add up as one run.
            return self.brief.context(trail, shown) + self.brief.ruler.trimmed(blocks);
        }
        let context = self.brief.line(trail, shown);
        let mut pieces = pieces(self.brief.document.source, start, end);
        pieces.insert(0, self.repeated(echo));
        self.brief.ruler.chunk(context, &pieces)
    }

    /// Whether blocks that do not fit may be cut: the first one below their headings decides.
    pub(super) fn may_cut(&self, blocks: Range<usize>) -> bool {
        let kinds = self.brief.document.blocks[blocks].iter().map(|block| block.kind);
        let first = kinds.clone().find(|kind| !kind.is_heading()).or(kinds.clone().next());
        first.is_none_or(|kind| self.brief.split_oversized.allows(kind))
    }

    /// Cuts what does not fit, into parts of at most `target` units where that can be.
    pub(super) fn cut(&self, stretch: &Stretch, target: usize) -> Vec<Stretch> {
        let document = self.brief.document;
        let first = self.naming_section(document.block_at(stretch.start.at));
        let last = self.section_at(document.block_at(stretch.end.at - 1));
        pack(self.brief, stretch, [first, last], Budget { target, max: self.budget.max })
    }

    /// The plans of a draft: one, unless a count of its text is over what its sums promised.
    pub(super) fn plans(&self, draft: Draft) -> Vec<Plan> {
        let over = draft.units.saturating_sub(self.budget.max);
        let document = self.brief.document;
        let blocks = document.block_at(draft.stretch.start.at)
            ..document.block_at(draft.stretch.end.at - 1) + 1;
        if over == 0 || !self.may_cut(blocks) {
            return vec![self.plan(&draft)];
        }
        let names_at = |at: usize| Names::of(self.naming_section(self.brief.document.block_at(at)));
        plans_within(self.brief, &draft.stretch, names_at, self.budget.max, over)
    }

    fn plan(&self, draft: &Draft) -> Plan {
        let Draft { stretch, echo, names, units, .. } = draft;
        let mut plan = plan(self.brief, stretch, *names, *units, self.budget.max);
        if !echo.is_empty() {
            plan.pieces.insert(0, self.repeated(echo));
        }
        plan
    }

    fn repeated(&self, echo: &Range<usize>) -> Piece {
        let Span { start, end } = self.brief.document.span_of(echo.clone());
        Piece::Echo(Span::new(start, end))
    }

    /// The seam after the last of some blocks.
    pub(super) fn seam_at(&self, block: usize) -> Seam {
        Seam::between_blocks(self.brief.document.span_of(block..block).start)
    }
}
