//! Where the content of a chunk starts: below its headings, and after what nobody sees.

use std::cell::OnceCell;

use crate::document::Document;
use crate::render;

/// For each block, the next one that has something. Both lists are made when first asked for.
pub(crate) struct Starts<'d> {
    document: &'d Document<'d>,
    content: OnceCell<Vec<usize>>,
    visible: OnceCell<Vec<usize>>,
}

impl<'d> Starts<'d> {
    pub(crate) const fn of(document: &'d Document<'d>) -> Self {
        Self { document, content: OnceCell::new(), visible: OnceCell::new() }
    }

    /// Returns the first block from `block` on that is more than a heading; `block` itself if there
    /// is none.
    pub(crate) fn content(&self, block: usize) -> usize {
        let blocks = &self.document.blocks;
        let is_content = |block: usize| !blocks[block].kind.is_heading();
        // A heading is mostly followed by content.
        if let Some(near) = (block..blocks.len().min(block + 2)).find(|&near| is_content(near)) {
            return near;
        }
        let next = self.content.get_or_init(|| self.next(is_content));
        next.get(block).copied().filter(|&found| found < blocks.len()).unwrap_or(block)
    }

    /// Returns the start of the first block that `embed_text` shows, if a block starts at byte `at`
    /// and `embed_text` leaves it out; else `at`.
    pub(crate) fn visible(&self, at: usize) -> usize {
        let Document { blocks, elisions, .. } = self.document;
        let block = if elisions.is_empty() { blocks.len() } else { self.document.block_at(at) };
        if blocks.get(block).is_none_or(|block| block.span.start != at) {
            return at;
        }
        let is_visible = |block: usize| {
            let shown = render::stretch(self.document, blocks[block].span);
            !shown.trim_start().is_empty()
        };
        let next = self.visible.get_or_init(|| self.next(is_visible));
        blocks.get(next[block]).map_or(at, |block| block.span.start)
    }

    /// For each block, the first one from there on that `is` holds for.
    fn next(&self, is: impl Fn(usize) -> bool) -> Vec<usize> {
        let mut next = vec![self.document.blocks.len(); self.document.blocks.len() + 1];
        for block in (0..self.document.blocks.len()).rev() {
            next[block] = if is(block) { block } else { next[block + 1] };
        }
        next
    }
}
