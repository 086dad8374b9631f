//! Merges drafts under a minimum with their neighbors.

use super::draft::Draft;
use crate::brief::Brief;

/// A neighbor that a small draft may merge with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Neighbor {
    Previous,
    Next,
}

/// Merges each draft under `min` units with a neighbor, in the given order of preference. Repeats
/// this while the result is under the minimum. `merged` returns two drafts as one if they may merge,
/// given the neighbor among them.
pub(super) fn merge_small(
    drafts: Vec<Draft>,
    min: usize,
    order: [Neighbor; 2],
    merged: impl Fn(&Draft, &Draft, Neighbor) -> Option<Draft>,
) -> Vec<Draft> {
    let mut done: Vec<Draft> = Vec::with_capacity(drafts.len());
    let mut rest = drafts.into_iter().peekable();
    while let Some(mut draft) = rest.next() {
        while draft.units < min {
            let both = order.into_iter().find_map(|neighbor| {
                let both = match neighbor {
                    Neighbor::Previous => merged(done.last()?, &draft, neighbor),
                    Neighbor::Next => merged(&draft, rest.peek()?, neighbor),
                };
                both.map(|both| (both, neighbor))
            });
            let Some((both, neighbor)) = both else { break };
            match neighbor {
                Neighbor::Previous => drop(done.pop()),
                Neighbor::Next => drop(rest.next()),
            }
            draft = both;
        }
        done.push(draft);
    }
    done
}

/// Joins adjacent invisible drafts of the same sections. Together they don't show more, and every
/// merge of one would count all text before it again.
pub(super) fn with_invisible_ones_joined(
    brief: &Brief<'_>,
    drafts: Vec<Draft>,
    are_alike: impl Fn(&Draft, &Draft) -> bool,
) -> Vec<Draft> {
    let mut joined: Vec<(Draft, bool)> = Vec::with_capacity(drafts.len());
    for draft in drafts {
        let is_invisible = draft.is_invisible(brief);
        match joined.last_mut() {
            Some((last, true)) if is_invisible && are_alike(last, &draft) => {
                last.stretch.end = draft.stretch.end;
            }
            _ => joined.push((draft, is_invisible)),
        }
    }
    joined.into_iter().map(|(draft, _)| draft).collect()
}
