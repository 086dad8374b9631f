//! Groups: a run of blocks comes in; the least that may stand in a chunk goes out, in order.

use super::draft::Desk;
use crate::document::BlockKind;
use crate::ids::{BlockId, BlockRange};

/// Where the groups of a run of blocks end.
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

/// One past the last block that is not a heading.
fn content_end(desk: &Desk<'_>, blocks: BlockRange) -> BlockId {
    let last = blocks.iter().rev().find(|&block| !is_heading(desk, block));
    last.map_or(blocks.end, BlockId::next)
}

fn is_heading(desk: &Desk<'_>, block: BlockId) -> bool {
    desk.brief.document[block].kind.is_heading()
}

/// Whether a block is a paragraph that says that something comes, and it is no heading.
fn is_introduction(desk: &Desk<'_>, block: BlockId) -> bool {
    let document = desk.brief.document;
    let text = document[block].span.of(document.source).trim_end();
    document[block].kind == BlockKind::Paragraph
        && text.ends_with([':', '：'])
        && !is_heading(desk, block.next())
}

/// Whether a block, the headings directly before it, and all up to `end` fit into a chunk.
fn fits(desk: &Desk<'_>, blocks: BlockRange, block: BlockId, end: BlockId) -> bool {
    let before = blocks.start.to(block).iter().rev();
    let start = before.take_while(|&block| is_heading(desk, block)).last().unwrap_or(block);
    desk.cost(start.to(end)) <= desk.budget.max
}
