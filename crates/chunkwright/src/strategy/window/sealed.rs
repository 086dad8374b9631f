//! Sealed chunks, and their conversion into plans.

use super::open::OpenChunk;
use super::parents::Parents;
use super::{Tail, WindowRules};
use crate::brief::Brief;
use crate::note::{Note, NoteKind};
use crate::plan::Plan;
use crate::seam::{Edge, Seam};
use crate::span::Span;
use crate::strategy::draft::{Draft, Names};
use crate::strategy::pack::Stretch;

/// A sealed chunk.
#[derive(Debug)]
pub(super) struct Sealed {
    pub(super) draft: Draft,
    /// The units of its own lines, without blank lines.
    content: usize,
    is_headings_only: bool,
}

impl Sealed {
    pub(super) fn of(brief: &Brief<'_>, parents: &Parents<'_>, open: &OpenChunk) -> Self {
        let seam = |at: usize, edge: &Edge| Seam { at, edge: edge.clone() };
        let (first, last) = (&open.fragments[0], &open.fragments[open.fragments.len() - 1]);
        let own = Span::new(first.span.start, last.span.end);
        let mut end = seam(own.end, &last.after);
        // A code fence that the document leaves open is closed only if it was reopened.
        if own.end == brief.document.source.len() && last.after.wrap != first.before.wrap {
            end.edge.wrap = None;
        }
        let is_blank = own.of(brief.document.source).trim_start().is_empty();
        let echoes = if is_blank { Vec::new() } else { parents.echoes(&open.parents) };
        let stretch = Stretch { start: seam(own.start, &first.before), end };
        Self {
            draft: Draft::with_echoes(brief, Names::of(open.trail), stretch, echoes),
            content: open.content,
            is_headings_only: open.is_headings_only(),
        }
    }

    /// Returns this chunk and the next one as one chunk.
    pub(super) fn joined(&self, brief: &Brief<'_>, next: &Self) -> Self {
        Self {
            draft: self.draft.joined(brief, &next.draft, self.draft.names).measured(brief),
            content: self.content + next.content,
            is_headings_only: self.is_headings_only && next.is_headings_only,
        }
    }
}

/// Treats the last chunk according to the rules, and returns the plans.
pub(super) fn finish(
    brief: &Brief<'_>,
    rules: &WindowRules,
    max: usize,
    mut sealed: Vec<Sealed>,
) -> Vec<Plan> {
    if sealed.last().is_some_and(|last| last.is_headings_only) {
        join_last(brief, max, &mut sealed);
    }
    let min = brief.units_reaching(rules.min);
    let has_small_tail = sealed.len() > 1 && sealed.last().is_some_and(|last| last.content < min);
    let mut dropped = None;
    match rules.tail {
        Tail::Merge if has_small_tail => join_last(brief, max, &mut sealed),
        Tail::Drop if has_small_tail => dropped = sealed.pop(),
        _ => {}
    }
    let plans = sealed.into_iter().map(|sealed| sealed.draft.plan(brief, max));
    let mut plans: Vec<Plan> = plans.collect();
    if let (Some(dropped), Some(plan)) = (dropped, plans.last_mut()) {
        let tokens = brief.ruler.scale().tokens(dropped.content);
        let message = format!("dropped {tokens} tokens after this chunk (`tail` is `drop`)");
        plan.notes.push(Note::new(NoteKind::DroppedTail, message));
    }
    plans
}

/// Merges the last chunk into the previous one, if both fit together.
fn join_last(brief: &Brief<'_>, max: usize, sealed: &mut Vec<Sealed>) {
    let [.., before, last] = &sealed[..] else { return };
    let both = before.joined(brief, last);
    if both.draft.units <= max {
        sealed.truncate(sealed.len() - 2);
        sealed.push(both);
    }
}
