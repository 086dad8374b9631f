//! Merging: drafts come in; as few as possible under the minimum go out.

use super::draft::{Desk, Draft, Extent};
use crate::strategy::pack::{Names, Stretch};

/// Merges drafts under `min` tokens with the next, else with the previous one; what is still small
/// then is looked at again.
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

/// Joins neighbors of which nothing is visible: together they show no more, and each merge of such
/// a draft would count all before it again.
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

/// A draft and the next one as one, if their sections belong together and they fit. What the second
/// repeats is the end of the first, so it is not repeated any more.
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
