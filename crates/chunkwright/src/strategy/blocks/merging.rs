//! Merges drafts under the minimum with their neighbors.

use super::draft::{Desk, Draft, Extent};
use crate::strategy::pack::{Names, Stretch};

/// Merges each draft under `min` tokens with the next one, or else with the previous one. Repeats
/// this while the result is under the minimum.
pub(super) fn merge_small(desk: &Desk<'_>, drafts: Vec<Draft>, min: usize) -> Vec<Draft> {
    let min = desk.brief.units_reaching(min);
    let is_small = |draft: &Draft| draft.units < min;
    let mut done: Vec<Draft> = Vec::with_capacity(drafts.len());
    let mut rest = with_invisible_ones_joined(desk, drafts).into_iter().peekable();
    while let Some(mut draft) = rest.next() {
        while is_small(&draft) {
            if let Some(merged) = rest.peek().and_then(|next| merged(desk, &draft, next)) {
                rest.next();
                draft = merged;
            } else if let Some(merged) = done.last().and_then(|last| merged(desk, last, &draft)) {
                done.pop();
                draft = merged;
            } else {
                break;
            }
        }
        done.push(draft);
    }
    done
}

/// Joins adjacent invisible drafts. Together they don't show more, and every merge of one would
/// count all text before it again.
fn with_invisible_ones_joined(desk: &Desk<'_>, drafts: Vec<Draft>) -> Vec<Draft> {
    let is_invisible =
        |draft: &Draft| draft.echo.is_empty() && draft.stretch.is_invisible(desk.brief);
    let mut joined: Vec<(Draft, bool)> = Vec::with_capacity(drafts.len());
    for draft in drafts {
        let invisible = is_invisible(&draft);
        match joined.last_mut() {
            Some((last, true)) if invisible && last.extent == draft.extent => {
                last.stretch.end = draft.stretch.end;
            }
            _ => joined.push((draft, invisible)),
        }
    }
    joined.into_iter().map(|(draft, _)| draft).collect()
}

/// Merges a draft with the next one, if their sections are related and both fit together. The
/// overlap of the second is part of the first, so it is dropped.
fn merged(desk: &Desk<'_>, one: &Draft, two: &Draft) -> Option<Draft> {
    let belongs = |section| desk.are_related(section, two.extent.first);
    if !belongs(one.extent.first) && !belongs(one.extent.last) {
        return None;
    }
    let trail = desk.brief.document.common(one.names.trail, two.names.trail);
    let names = Names { trail, ..one.names };
    let stretch = Stretch { start: one.stretch.start.clone(), end: two.stretch.end.clone() };
    let units = desk.measure(trail, &stretch, one.echo);
    let extent = Extent { first: one.extent.first, last: two.extent.last };
    let draft = Draft { stretch, echo: one.echo, names, extent, units };
    (units <= desk.budget.max).then_some(draft)
}
