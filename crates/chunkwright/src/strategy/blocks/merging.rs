//! Merges drafts under the minimum with the next draft, or else with the previous one.

use super::desk::Desk;
use crate::strategy::draft::{Draft, Names};
use crate::strategy::merge::{Neighbor, merge_small, with_invisible_ones_joined};

/// Merges each draft under `min` tokens with a neighbor, if their sections are related and both fit
/// together.
pub(super) fn merge(desk: &Desk<'_>, drafts: Vec<Draft>, min: usize) -> Vec<Draft> {
    let are_alike = |one: &Draft, other: &Draft| desk.extent(one) == desk.extent(other);
    let drafts = with_invisible_ones_joined(desk.brief, drafts, are_alike);
    let order = [Neighbor::Next, Neighbor::Previous];
    merge_small(drafts, desk.brief.units_reaching(min), order, |one, two, _| merged(desk, one, two))
}

/// Returns two drafts as one. The overlap of the second is part of the first, so it is dropped.
fn merged(desk: &Desk<'_>, one: &Draft, two: &Draft) -> Option<Draft> {
    let (before, after) = (desk.extent(one), desk.extent(two));
    let belongs = |section| desk.are_related(section, after.first);
    if !belongs(before.first) && !belongs(before.last) {
        return None;
    }
    let trail = desk.brief.document.common(one.names.trail, two.names.trail);
    let names = Names { trail, ..one.names };
    let both = one.joined(desk.brief, two, names).measured(desk.brief);
    (both.units <= desk.budget.max).then_some(both)
}
