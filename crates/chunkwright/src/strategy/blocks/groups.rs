//! Groups: a run of blocks comes in; the least that may stand in a chunk goes out, in order.

use std::ops::Range;

use super::draft::Desk;
use crate::document::BlockKind;

/// Where the groups of a run of blocks end.
pub(super) fn ends(desk: &Desk<'_>, blocks: Range<usize>) -> Vec<usize> {
    let mut ends = Vec::new();
    let content_end = content_end(desk, &blocks);
    let mut group_end = blocks.end;
    for block in blocks.clone().rev() {
        let next = block + 1;
        let together = is_heading(desk, block)
            || next >= content_end
            || (is_introduction(desk, block) && fits(desk, &blocks, block, group_end));
        if next == blocks.end || !together {
            ends.push(next);
            group_end = next;
        }
    }
    ends.reverse();
    ends
}

/// One past the last block that is not a heading.
fn content_end(desk: &Desk<'_>, blocks: &Range<usize>) -> usize {
    let last = blocks.clone().rev().find(|&block| !is_heading(desk, block));
    last.map_or(blocks.end, |block| block + 1)
}

fn is_heading(desk: &Desk<'_>, block: usize) -> bool {
    desk.brief.document.blocks[block].kind.is_heading()
}

/// Whether a block is a paragraph that says that something comes, and it is no heading.
fn is_introduction(desk: &Desk<'_>, block: usize) -> bool {
    let document = desk.brief.document;
    let text = document.blocks[block].span.of(document.source).trim_end();
    document.blocks[block].kind == BlockKind::Paragraph
        && text.ends_with([':', '：'])
        && !is_heading(desk, block + 1)
}

/// Whether a block, the headings directly before it, and all up to `end` fit into a chunk.
fn fits(desk: &Desk<'_>, blocks: &Range<usize>, block: usize, end: usize) -> bool {
    let before = (blocks.start..block).rev().take_while(|&block| is_heading(desk, block));
    desk.cost(before.last().unwrap_or(block)..end) <= desk.budget.max
}
