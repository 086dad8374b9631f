//! Sealed chunks, and their conversion into plans.

use std::rc::Rc;

use super::open::Open;
use super::parents::Parents;
use super::{Limits, Tail};
use crate::brief::Brief;
use crate::ids::{HeadingId, SectionId};
use crate::note::{Note, NoteKind};
use crate::piece::Piece;
use crate::plan::Plan;
use crate::seam::{Edge, Seam, pieces};
use crate::span::Span;
use crate::strategy::pack::{cuts, oversize};

/// A sealed chunk.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    trail: SectionId,
    /// The headings shown above it.
    parents: Vec<HeadingId>,
    start: Seam,
    end: Seam,
    /// The units of its own lines, without blank lines.
    content: usize,
    is_headings_only: bool,
    /// The total units, exact.
    pub(super) units: usize,
}

impl Draft {
    pub(super) fn of(brief: &Brief<'_>, parents: &Parents<'_>, open: &Open) -> Self {
        let seam = |at: usize, edge: &Edge| Seam { at, edge: edge.clone() };
        let (first, last) = (&open.units[0], &open.units[open.units.len() - 1]);
        let own = Span::new(first.span.start, last.span.end);
        let is_blank = own.of(brief.document.source).trim_start().is_empty();
        let mut draft = Self {
            trail: open.trail,
            parents: if is_blank { Vec::new() } else { open.parents.clone() },
            start: seam(own.start, &first.before),
            end: seam(own.end, &last.after),
            content: open.content,
            is_headings_only: open.is_headings_only(),
            units: 0,
        };
        draft.units = draft.measure(brief, parents);
        draft
    }

    fn measure(&self, brief: &Brief<'_>, parents: &Parents<'_>) -> usize {
        if self.parents.is_empty() {
            return brief.measure(self.trail, &self.start, &self.end(brief));
        }
        let context = brief.line(self.trail, parents.first_byte(&self.parents, self.start.at));
        brief.ruler.chunk(context, &self.pieces(brief, parents))
    }

    fn pieces(&self, brief: &Brief<'_>, parents: &Parents<'_>) -> Vec<Piece> {
        let mut all: Vec<Piece> = parents.echoes(&self.parents).collect();
        all.extend(pieces(brief.document.source, &self.start, &self.end(brief)));
        all
    }

    /// Returns its end. A code fence that the document leaves open is closed only if it was
    /// reopened.
    fn end(&self, brief: &Brief<'_>) -> Seam {
        let mut end = self.end.clone();
        if end.at == brief.document.source.len() && end.edge.wrap != self.start.edge.wrap {
            end.edge.wrap = None;
        }
        end
    }

    /// Returns this chunk and the next one as one chunk.
    pub(super) fn joined(&self, brief: &Brief<'_>, parents: &Parents<'_>, next: &Self) -> Self {
        let mut both = self.clone();
        both.end = next.end.clone();
        both.content += next.content;
        both.is_headings_only &= next.is_headings_only;
        both.units = both.measure(brief, parents);
        both
    }
}

/// All sealed chunks of a document.
pub(super) struct Drafts<'b> {
    pub(super) brief: &'b Brief<'b>,
    pub(super) parents: &'b Parents<'b>,
    pub(super) max: usize,
    pub(super) drafts: Vec<Draft>,
}

impl Drafts<'_> {
    /// Treats the last chunk according to the rules, and returns the plans.
    pub(super) fn finish(mut self, rules: &Limits) -> Vec<Plan> {
        if self.drafts.last().is_some_and(|last| last.is_headings_only) {
            self.join_last();
        }
        let dropped = match rules.tail {
            _ if !self.has_small_tail(rules.min) => None,
            Tail::Keep => None,
            Tail::Merge => {
                self.join_last();
                None
            }
            Tail::Drop => self.drafts.pop(),
        };
        let mut plans: Vec<Plan> = self.drafts.iter().map(|draft| self.plan(draft)).collect();
        if let (Some(dropped), Some(plan)) = (dropped, plans.last_mut()) {
            let tokens = self.tokens(dropped.content);
            let message = format!("dropped {tokens} tokens after this chunk (`tail` is `drop`)");
            plan.notes.push(Note::new(NoteKind::DroppedTail, message));
        }
        plans
    }

    fn tokens(&self, units: usize) -> usize {
        self.brief.ruler.scale().tokens(units)
    }

    fn has_small_tail(&self, min: usize) -> bool {
        let min = self.brief.units_reaching(min);
        let small = self.drafts.last().is_some_and(|last| last.content < min);
        small && self.drafts.len() > 1
    }

    /// Merges the last chunk into the previous one, if both fit together.
    fn join_last(&mut self) {
        let [.., before, last] = &self.drafts[..] else { return };
        let both = before.joined(self.brief, self.parents, last);
        if both.units <= self.max {
            self.drafts.truncate(self.drafts.len() - 2);
            self.drafts.push(both);
        }
    }

    fn plan(&self, draft: &Draft) -> Plan {
        let Draft { trail, units, .. } = *draft;
        let shown = self.parents.first_byte(&draft.parents, draft.start.at);
        Plan {
            pieces: draft.pieces(self.brief, self.parents),
            section: trail,
            trail,
            context: Rc::clone(self.brief.line(trail, shown)),
            units,
            cuts: cuts(&draft.start, &draft.end),
            notes: oversize(self.brief, units, self.max).into_iter().collect(),
        }
    }
}
