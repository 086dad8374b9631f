//! Finds the start of a chunk's content: after its headings, and after invisible blocks.

use std::cell::OnceCell;

use crate::document::Document;
use crate::ids::BlockId;
use crate::render;

/// For each block, the next one with content, and the next visible one. Both lists are computed on
/// first use.
pub(crate) struct Starts<'d> {
    document: &'d Document<'d>,
    content: OnceCell<Vec<Option<BlockId>>>,
    visible: OnceCell<Vec<Option<BlockId>>>,
}

impl<'d> Starts<'d> {
    pub(crate) const fn of(document: &'d Document<'d>) -> Self {
        Self { document, content: OnceCell::new(), visible: OnceCell::new() }
    }

    /// Returns the first block from `block` on that is not a heading, or `block` if there is none.
    pub(crate) fn content(&self, block: BlockId) -> BlockId {
        let all = self.document.all_blocks();
        let is_content = |block: BlockId| !self.document[block].kind.is_heading();
        // Content directly follows most headings, so the list is rarely needed.
        let mut near = block.to(all.end.min(block.next().next())).iter();
        if let Some(near) = near.find(|&near| is_content(near)) {
            return near;
        }
        let next = self.content.get_or_init(|| self.next(is_content));
        next.get(block.index()).copied().flatten().unwrap_or(block)
    }

    /// Returns the start of the next visible block, if a block starts at byte `at` and `embed_text`
    /// leaves it out. Otherwise, returns `at`.
    pub(crate) fn visible(&self, at: usize) -> usize {
        let document = self.document;
        let all = document.all_blocks();
        let block = if document.elisions.is_empty() { all.end } else { document.block_at(at) };
        if !all.contains(block) || document[block].span.start != at {
            return at;
        }
        let is_visible = |block: BlockId| {
            let shown = render::stretch(document, document[block].span);
            !shown.trim_start().is_empty()
        };
        let next = self.visible.get_or_init(|| self.next(is_visible))[block.index()];
        next.map_or(at, |next| document[next].span.start)
    }

    /// Returns, for each block, the first block from there on for which `is` holds.
    fn next(&self, is: impl Fn(BlockId) -> bool) -> Vec<Option<BlockId>> {
        let mut next = vec![None; self.document.blocks.len()];
        let mut found = None;
        for block in self.document.all_blocks().iter().rev() {
            found = if is(block) { Some(block) } else { found };
            next[block.index()] = found;
        }
        next
    }
}
