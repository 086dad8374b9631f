//! `blocks`: packs blocks to a budget, and knows about sections.
//!
//! 1. In `heading` mode every heading no deeper than `heading_depth` starts a section, and every
//!    section starts a chunk. A heading without content of its own, and front matter that is shown,
//!    belong to the first chunk of the section that follows.
//! 2. Blocks are appended until the next would exceed the maximum. Once the target is reached the
//!    chunk is closed, unless the whole rest of the section fits the maximum with it.
//! 3. In `paragraph` mode the document is one section.
//! 4. In `hybrid` mode consecutive sections share a chunk within the target: siblings, or a section
//!    and its children.
//! 5. A heading stays with the block after it; at the end of a section, with the block before it. A
//!    paragraph that ends with a colon stays with the block it introduces, if both fit.
//! 6. Only a block that does not fit the maximum is cut, into parts of about the target; the last
//!    part stays open for the blocks that follow.
//! 7. A chunk begins with the last whole blocks of the chunk before it, as many as fit `overlap`:
//!    not with headings only, never with front matter, and in `heading` mode with blocks of another
//!    section only if `overlap_scope` is `document`. The oldest give way where the first block of its own would not fit.
//! 8. Chunks under `min` merge with the next, else the previous one, if their sections have the
//!    same parent, or are parent and child. Overlap is chosen before that, and what it repeated of a
//!    chunk that is merged in is not shown twice.
//! 9. The breadcrumb is the path of the section in which the chunk begins, without headings deeper
//!    than `heading_depth`; of merged chunks, what their paths share.

mod draft;
mod groups;
mod merging;
mod options;
mod packing;
mod sections;

use super::Brief;
use super::Rules;
use crate::plan::Plan;
use draft::Desk;
use packing::Packer;

pub use options::{Blocks, Mode, Overlap, OverlapScope, Share};

/// Sound options, in tokens.
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
        let drafts = merging::merge_small(&desk, drafts, self.min);
        drafts.into_iter().flat_map(|draft| desk.plans(draft)).collect()
    }
}
