//! `blocks`: packs blocks up to a target size, section by section.
//!
//! 1. In `heading` mode, every heading no deeper than `heading_depth` starts a section, and every
//!    section starts a chunk. A heading with no content directly under it, and front matter that is
//!    shown, belong to the first chunk of the section that follows.
//! 2. Blocks join a chunk until the next one would exceed the maximum. A chunk that reaches the
//!    target is closed, unless the entire rest of the section fits the maximum with it.
//! 3. In `paragraph` mode, the document is one section.
//! 4. In `hybrid` mode, consecutive sections share a chunk within the target if they are siblings,
//!    or a section and its children.
//! 5. A heading stays with the block after it; at the end of a section, with the block before it. A
//!    paragraph that ends with a colon stays with the block it introduces, if both fit.
//! 6. Only blocks that exceed the maximum are split, into parts of about the target size. The last
//!    part stays open for the blocks that follow.
//! 7. A chunk starts with the last whole blocks of the previous chunk, as many as fit `overlap`:
//!    - Overlap never consists of headings only, and never contains front matter.
//!    - In `heading` mode, it contains blocks of another section only if `overlap_scope` is
//!      `document`.
//!    - If the chunk's own first block wouldn't fit, the earliest repeated blocks are left out.
//! 8. Chunks under `min` merge with the next chunk, or else with the previous one, if their
//!    sections have the same parent, or are parent and child. Overlap is chosen before merging. A
//!    merged chunk doesn't repeat text that it already contains.
//! 9. The breadcrumb is the path of the section in which the chunk starts, without headings deeper
//!    than `heading_depth`. A merged chunk has the common part of the paths.

mod desk;
mod groups;
mod options;
mod packing;
mod sections;

use super::Rules;
use super::draft::{Draft, Names};
use super::merge::{Neighbor, merge_small, with_invisible_ones_joined};
use crate::brief::Brief;
use crate::plan::Plan;
use desk::Desk;
use packing::Packer;

pub use options::{Blocks, Mode, Overlap, OverlapScope, Share};

/// The validated options, in tokens.
#[derive(Debug)]
struct Limits {
    target: usize,
    max: usize,
    min: usize,
    overlap: usize,
    overlap_scope: OverlapScope,
    mode: Mode,
    heading_depth: u8,
}

impl Rules for Limits {
    fn max(&self) -> Option<usize> {
        Some(self.max)
    }

    fn target(&self) -> Option<usize> {
        Some(self.target)
    }

    fn plan(&self, brief: &Brief<'_>) -> Vec<Plan> {
        let desk = Desk::new(brief, self);
        let drafts = Packer::pack(&desk);
        let drafts = merge(&desk, drafts, self.min);
        drafts.into_iter().flat_map(|draft| desk.plans(draft)).collect()
    }
}

/// Merges each draft under `min` tokens with the next one, or else with the previous one, if their sections are related and both fit
/// together.
fn merge(desk: &Desk<'_>, drafts: Vec<Draft>, min: usize) -> Vec<Draft> {
    let are_alike = |one: &Draft, other: &Draft| {
        desk.first_section(one) == desk.first_section(other)
            && desk.last_section(one) == desk.last_section(other)
    };
    let drafts = with_invisible_ones_joined(desk.brief, drafts, are_alike);
    let order = [Neighbor::Next, Neighbor::Previous];
    merge_small(drafts, desk.brief.units_reaching(min), order, |one, two, _| merged(desk, one, two))
}

/// Returns two drafts as one. The overlap of the second is part of the first, so it is dropped.
fn merged(desk: &Desk<'_>, one: &Draft, two: &Draft) -> Option<Draft> {
    let next = desk.first_section(two);
    let belongs = |section| desk.are_related(section, next);
    if !belongs(desk.first_section(one)) && !belongs(desk.last_section(one)) {
        return None;
    }
    let trail = desk.brief.document.common(one.names.trail, two.names.trail);
    let names = Names { trail, ..one.names };
    let both = one.joined(desk.brief, two, names).measured(desk.brief);
    (both.units <= desk.budget.max).then_some(both)
}
