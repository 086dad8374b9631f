//! Drafts, chunks that may still change, and their conversion into plans.

use std::rc::Rc;

use super::pack::{PackLimits, Stretch, pack};
use crate::brief::Brief;
use crate::ids::{BlockId, SectionId};
use crate::note::Note;
use crate::piece::Piece;
use crate::plan::Plan;
use crate::ruler::ContextLine;
use crate::seam::{CutBlock, Seam, pieces};
use crate::span::Span;
use crate::split::Series;

/// The sections that name a chunk.
#[derive(Clone, Copy, Debug)]
pub(super) struct Names {
    /// The naming section, which gives the id, the title and the depth.
    pub(super) section: SectionId,
    /// The section whose path is the breadcrumb.
    pub(super) trail: SectionId,
}

impl Names {
    /// Uses one section as both.
    pub(super) const fn of(section: SectionId) -> Self {
        Self { section, trail: section }
    }
}

/// A chunk that isn't final yet.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub(super) names: Names,
    /// Its own part of the source.
    pub(super) stretch: Stretch,
    /// The parts of the source that it repeats before its own.
    echoes: Vec<Span>,
    context: Rc<ContextLine>,
    /// Its units, including the context line.
    pub(super) units: usize,
    /// Whether the units are exact, and not the sum of two drafts.
    is_exact: bool,
}

impl Draft {
    pub(super) fn new(brief: &Brief<'_>, names: Names, stretch: Stretch) -> Self {
        Self::with_echoes(brief, names, stretch, Vec::new())
    }

    /// Creates a draft that repeats parts of the source before its own.
    pub(super) fn with_echoes(
        brief: &Brief<'_>,
        names: Names,
        stretch: Stretch,
        echoes: Vec<Span>,
    ) -> Self {
        Self::unmeasured(brief, names, stretch, echoes).measured(brief)
    }

    fn unmeasured(brief: &Brief<'_>, names: Names, stretch: Stretch, echoes: Vec<Span>) -> Self {
        let shown = echoes.first().map_or(stretch.start.at, |echo| echo.start);
        let context = Rc::clone(brief.line(names.trail, shown));
        Self { names, stretch, echoes, context, units: 0, is_exact: false }
    }

    /// Returns this draft with its exact units. Counts the text where sums may be inexact.
    pub(super) fn measured(mut self, brief: &Brief<'_>) -> Self {
        let Stretch { start, end } = &self.stretch;
        self.units = match self.echoes[..] {
            [] => brief.measure(&self.context, start, end),
            // One sum covers both the repeated blocks and the own ones.
            [echo] if echo.end == start.at => {
                brief.measure(&self.context, &Seam::between_blocks(echo.start), end)
            }
            _ => brief.ruler.chunk(&self.context, &self.pieces(brief)),
        };
        self.is_exact = true;
        self
    }

    /// Returns this draft and the next one as one. Its units are a sum, which may be slightly off.
    pub(super) fn joined(&self, brief: &Brief<'_>, next: &Self, names: Names) -> Self {
        let stretch = Stretch { start: self.stretch.start.clone(), end: next.stretch.end.clone() };
        let mut joined = Self::unmeasured(brief, names, stretch, self.echoes.clone());
        joined.units = (self.units + next.units).saturating_sub(next.context.units);
        joined
    }

    /// Returns whether it shows nothing but whitespace.
    pub(super) fn is_invisible(&self, brief: &Brief<'_>) -> bool {
        !self.has_echoes() && self.stretch.is_invisible(brief)
    }

    pub(super) fn has_echoes(&self) -> bool {
        !self.echoes.is_empty()
    }

    /// Returns the plans: one, unless the draft exceeds the maximum. Parts are named after the
    /// sections in which they start, so that their ids are unique.
    pub(super) fn plans(self, brief: &Brief<'_>, max: usize) -> Vec<Plan> {
        let (start, names) = (self.stretch.start.at, self.names);
        let names_at = |at: usize| match brief.document.section_of(brief.document.block_at(at)) {
            section if at == start && section == names.section => names,
            section => Names::of(section),
        };
        self.plans_named(brief, max, names_at)
    }

    /// Returns the plans like [`plans`](Self::plans), with the names of a part that starts at a
    /// byte. Each plan fits, if possible.
    pub(super) fn plans_named(
        self,
        brief: &Brief<'_>,
        max: usize,
        names_at: impl Fn(usize) -> Names,
    ) -> Vec<Plan> {
        let whole = if self.is_exact { self } else { self.measured(brief) };
        if whole.units <= max {
            return vec![whole.plan(brief, max)];
        }
        let Stretch { start, end } = &whole.stretch;
        let trails = Series { first: names_at(start.at).trail, rest: names_at(end.at - 1).trail };
        let mut less = whole.units - max;
        loop {
            let limits = PackLimits { target: max.saturating_sub(less), max };
            let parts = pack(brief, &whole.stretch, trails, limits).into_iter();
            let plan =
                |part: Stretch| Self::new(brief, names_at(part.start.at), part).plan(brief, max);
            let plans: Vec<Plan> = parts.map(plan).collect();
            if less >= max || plans.iter().all(|plan| plan.units <= max) {
                return plans;
            }
            less *= 2;
        }
    }

    /// Returns the plan of the draft as it is, with a note if it exceeds the maximum.
    pub(super) fn plan(self, brief: &Brief<'_>, max: usize) -> Plan {
        let tokens = |units| brief.ruler.scale().tokens(units);
        let oversize = (self.units > max).then(|| Note::oversize(tokens(self.units), tokens(max)));
        Plan {
            pieces: self.pieces(brief),
            section: self.names.section,
            trail: self.names.trail,
            units: self.units,
            cuts: self.cuts(),
            notes: oversize.into_iter().collect(),
            context: self.context,
        }
    }

    fn pieces(&self, brief: &Brief<'_>) -> Vec<Piece> {
        let mut all = pieces(brief.document.source, &self.stretch.start, &self.stretch.end);
        if self.has_echoes() {
            all.splice(0..0, self.echoes.iter().copied().map(Piece::Echo));
        }
        all
    }

    /// Returns the blocks that are split at either end, each one once.
    fn cuts(&self) -> Vec<CutBlock> {
        let seams = [&self.stretch.start, &self.stretch.end];
        let mut cuts: Vec<CutBlock> = seams.into_iter().filter_map(|seam| seam.edge.cut).collect();
        cuts.dedup();
        cuts
    }
}

/// A chunk that more blocks may join.
pub(super) struct OpenDraft {
    pub(super) start: Seam,
    /// The section that names it.
    pub(super) section: SectionId,
    /// The first whole block that it shows.
    first_whole: BlockId,
    /// The units before that block, including the context line.
    head_units: usize,
}

impl OpenDraft {
    /// Opens a chunk at a seam. Inside a block, the seam reopens code fences and tables.
    pub(super) fn at(brief: &Brief<'_>, start: Seam, section: SectionId) -> Self {
        let first_whole = brief.first_whole(&start);
        let part = Span::new(start.at, brief.document.start_of(first_whole));
        let opening = start.edge.open_units() + brief.ruler.part(part);
        let head_units = brief.context(section, start.at) + opening;
        Self { start, section, first_whole, head_units }
    }

    /// Repeats the blocks before it from `first` on.
    pub(super) fn repeating(self, brief: &Brief<'_>, first: BlockId) -> Self {
        let head_units = brief.context(self.section, brief.document.start_of(first));
        Self { first_whole: first, head_units, ..self }
    }

    /// Returns its units once it ends before a block, as a sum.
    pub(super) fn units_to(&self, brief: &Brief<'_>, end: BlockId) -> usize {
        self.head_units + brief.ruler.trimmed(self.first_whole.to(end))
    }
}
