//! Divides a range of blocks into groups, the smallest ranges that may form a chunk.

use super::planner::Planner;
use crate::document::BlockKind;
use crate::ids::{BlockId, BlockRange};

/// Returns the ends of the groups in a range of blocks.
pub(super) fn ends(planner: &Planner<'_>, blocks: BlockRange) -> Vec<BlockId> {
    let mut ends = Vec::new();
    let content_end = content_end(planner, blocks);
    let mut group_end = blocks.end;
    for block in blocks.iter().rev() {
        let next = block.next();
        let together = is_heading(planner, block)
            || next >= content_end
            || (is_introduction(planner, block) && fits(planner, blocks, block, group_end));
        if next == blocks.end || !together {
            ends.push(next);
            group_end = next;
        }
    }
    ends.reverse();
    ends
}

/// Returns one past the last block that is not a heading.
fn content_end(planner: &Planner<'_>, blocks: BlockRange) -> BlockId {
    let last = blocks.iter().rev().find(|&block| !is_heading(planner, block));
    last.map_or(blocks.end, BlockId::next)
}

fn is_heading(planner: &Planner<'_>, block: BlockId) -> bool {
    planner.brief.document[block].kind.is_heading()
}

/// Returns whether a block is a paragraph that introduces the next block, which is not a heading.
fn is_introduction(planner: &Planner<'_>, block: BlockId) -> bool {
    let document = planner.brief.document;
    let text = document[block].span.of(document.source).trim_end();
    document[block].kind == BlockKind::Paragraph
        && text.ends_with([':', '：'])
        && !is_heading(planner, block.next())
}

/// Returns whether a block, the headings directly above it, and the blocks up to `end` fit a chunk.
fn fits(planner: &Planner<'_>, blocks: BlockRange, block: BlockId, end: BlockId) -> bool {
    let before = blocks.start.to(block).iter().rev();
    let start = before.take_while(|&block| is_heading(planner, block)).last().unwrap_or(block);
    planner.cost(start.to(end)) <= planner.limits.max
}
