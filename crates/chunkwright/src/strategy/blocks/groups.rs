//! Divides a range of blocks into groups, the smallest ranges that may form a chunk.

use super::desk::Desk;
use crate::document::BlockKind;
use crate::ids::{BlockId, BlockRange};

/// Returns the ends of the groups in a range of blocks.
pub(super) fn ends(desk: &Desk<'_>, blocks: BlockRange) -> Vec<BlockId> {
    let mut ends = Vec::new();
    let content_end = content_end(desk, blocks);
    let mut group_end = blocks.end;
    for block in blocks.iter().rev() {
        let next = block.next();
        let together = is_heading(desk, block)
            || next >= content_end
            || (is_introduction(desk, block) && fits(desk, blocks, block, group_end));
        if next == blocks.end || !together {
            ends.push(next);
            group_end = next;
        }
    }
    ends.reverse();
    ends
}

/// Returns one past the last block that is not a heading.
fn content_end(desk: &Desk<'_>, blocks: BlockRange) -> BlockId {
    let last = blocks.iter().rev().find(|&block| !is_heading(desk, block));
    last.map_or(blocks.end, BlockId::next)
}

fn is_heading(desk: &Desk<'_>, block: BlockId) -> bool {
    desk.brief.document[block].kind.is_heading()
}

/// Returns whether a block is a paragraph that introduces the next block, which is not a heading.
fn is_introduction(desk: &Desk<'_>, block: BlockId) -> bool {
    let document = desk.brief.document;
    let text = document[block].span.of(document.source).trim_end();
    document[block].kind == BlockKind::Paragraph
        && text.ends_with([':', '：'])
        && !is_heading(desk, block.next())
}

/// Returns whether a block, the headings directly above it, and the blocks up to `end` fit a chunk.
fn fits(desk: &Desk<'_>, blocks: BlockRange, block: BlockId, end: BlockId) -> bool {
    let before = blocks.start.to(block).iter().rev();
    let start = before.take_while(|&block| is_heading(desk, block)).last().unwrap_or(block);
    desk.cost(start.to(end)) <= desk.budget.max
}
