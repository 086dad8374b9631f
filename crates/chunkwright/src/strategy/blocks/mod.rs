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

mod groups;
mod options;
mod packing;
mod planner;
mod sections;

use super::Rules;
use super::draft::{Draft, Names};
use super::merge::{Neighbor, merge_small, with_invisible_ones_joined};
use crate::brief::Brief;
use crate::plan::Plan;
use packing::BlockPacker;
use planner::Planner;

pub use options::{Blocks, Mode, Overlap, OverlapScope, Share};

/// The validated options, in tokens.
#[derive(Debug)]
struct BlocksRules {
    target: usize,
    max: usize,
    min: usize,
    overlap: usize,
    overlap_scope: OverlapScope,
    mode: Mode,
    heading_depth: u8,
}

impl Rules for BlocksRules {
    fn max(&self) -> Option<usize> {
        Some(self.max)
    }

    fn target(&self) -> Option<usize> {
        Some(self.target)
    }

    fn plan(&self, brief: &Brief<'_>) -> Vec<Plan> {
        let planner = Planner::new(brief, self);
        let drafts = BlockPacker::pack(&planner);
        let drafts = merge(&planner, drafts, self.min);
        drafts.into_iter().flat_map(|draft| planner.plans(draft)).collect()
    }
}

/// Merges each draft under `min` tokens with the next one, or else with the previous one, if their sections are related and both fit
/// together.
fn merge(planner: &Planner<'_>, drafts: Vec<Draft>, min: usize) -> Vec<Draft> {
    let are_alike = |one: &Draft, other: &Draft| {
        planner.first_section(one) == planner.first_section(other)
            && planner.last_section(one) == planner.last_section(other)
    };
    let drafts = with_invisible_ones_joined(planner.brief, drafts, are_alike);
    let order = [Neighbor::Next, Neighbor::Previous];
    merge_small(drafts, planner.brief.units_reaching(min), order, |one, two, _| {
        merged(planner, one, two)
    })
}

/// Returns two drafts as one. The overlap of the second is part of the first, so it is dropped.
fn merged(planner: &Planner<'_>, one: &Draft, two: &Draft) -> Option<Draft> {
    let next = planner.first_section(two);
    let belongs = |section| planner.are_related(section, next);
    if !belongs(planner.first_section(one)) && !belongs(planner.last_section(one)) {
        return None;
    }
    let trail = planner.brief.document.common(one.names.trail, two.names.trail);
    let names = Names { trail, ..one.names };
    let both = one.joined(planner.brief, two, names).measured(planner.brief);
    (both.units <= planner.limits.max).then_some(both)
}
