//! Measures, splits and names ranges of blocks by the rules of `blocks`.

use super::BlocksRules;
use crate::brief::Brief;
use crate::ids::{BlockId, BlockRange, SectionId};
use crate::plan::Plan;
use crate::seam::Seam;
use crate::split::Series;
use crate::strategy::draft::{Draft, Names};
use crate::strategy::pack::{PackLimits, Stretch, pack};

/// Measures, splits and names ranges of blocks, in units of the counter.
pub(super) struct Planner<'b> {
    pub(super) brief: &'b Brief<'b>,
    pub(super) rules: &'b BlocksRules,
    pub(super) limits: PackLimits,
    pub(super) overlap: usize,
    /// For each section, the innermost section no deeper than `heading_depth` that contains it.
    /// That can be the section itself.
    shallow: Vec<SectionId>,
}

impl<'b> Planner<'b> {
    pub(super) fn new(brief: &'b Brief<'b>, rules: &'b BlocksRules) -> Self {
        let mut shallow: Vec<SectionId> = Vec::new();
        for section in brief.document.section_ids() {
            let is_deep = brief.document[section].level > rules.heading_depth;
            let parent = if is_deep { brief.document.parent(section) } else { None };
            shallow.push(parent.map_or(section, |parent| shallow[parent.index()]));
        }
        Self {
            brief,
            rules,
            limits: PackLimits {
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

    /// Returns the units of a chunk of whole blocks, as a sum.
    pub(super) fn cost(&self, blocks: BlockRange) -> usize {
        self.brief.cost(self.naming_section(blocks.start), blocks)
    }

    /// Returns whether two sections are siblings, parent and child, or the same section.
    pub(super) fn are_related(&self, one: SectionId, other: SectionId) -> bool {
        let parent = |section: SectionId| self.brief.document.parent(section);
        one == other
            || parent(one) == parent(other)
            || parent(one) == Some(other)
            || parent(other) == Some(one)
    }

    /// Creates a draft that repeats the blocks of `echo`, which directly precede it.
    pub(super) fn draft(&self, stretch: Stretch, echo: BlockRange) -> Draft {
        let block = self.brief.document.block_at(stretch.start.at);
        let names = Names::of(self.naming_section(block));
        let echo = Some(self.brief.document.span_of(echo)).filter(|echo| !echo.is_empty());
        Draft::with_echoes(self.brief, names, stretch, echo.into_iter().collect())
    }

    /// Returns the section in which a draft starts.
    pub(super) fn first_section(&self, draft: &Draft) -> SectionId {
        self.section_at(self.brief.document.block_at(draft.stretch.start.at))
    }

    /// Returns the section in which a draft ends.
    pub(super) fn last_section(&self, draft: &Draft) -> SectionId {
        self.section_at(self.brief.document.block_at(draft.stretch.end.at - 1))
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
        pack(self.brief, stretch, trails, PackLimits { target, max: self.limits.max })
    }

    /// Returns the plans of a draft: one, unless it exceeds the maximum and may be split.
    pub(super) fn plans(&self, draft: Draft) -> Vec<Plan> {
        let max = self.limits.max;
        if draft.units <= max || !self.may_cut(draft.stretch.blocks(self.brief)) {
            return vec![draft.plan(self.brief, max)];
        }
        let names_at = |at: usize| Names::of(self.naming_section(self.brief.document.block_at(at)));
        draft.plans_named(self.brief, max, names_at)
    }

    /// Returns the seam before a block.
    pub(super) fn seam_at(&self, block: BlockId) -> Seam {
        Seam::between_blocks(self.brief.document.start_of(block))
    }
}
