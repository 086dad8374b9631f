//! Divides a document into the sections of `blocks`, each of which may start a chunk.

use super::planner::Planner;
use crate::ids::{BlockId, BlockRange, SectionId};

/// A section, including preceding bare headings and subsections deeper than `heading_depth`.
pub(super) struct SectionSpan {
    pub(super) first: SectionId,
    pub(super) last: SectionId,
    pub(super) blocks: BlockRange,
}

/// Returns the sections of a document, in reading order.
pub(super) fn sections(planner: &Planner<'_>) -> Vec<SectionSpan> {
    let (document, shown) = (planner.brief.document, planner.brief.shown());
    let starts: Vec<SectionId> =
        document.section_ids().filter(|&section| planner.is_shallow(section)).collect();
    let mut sections = Vec::new();
    let mut first: Option<(SectionId, BlockId)> = None;
    for (nth, &section) in starts.iter().enumerate() {
        let next = starts.get(nth + 1).map(|&next| document.own_blocks(next).start);
        let end = next.unwrap_or(shown.end);
        let start = document.own_blocks(section).start.max(shown.start);
        if start >= end {
            continue;
        }
        let has_content = document[start.to(end)].iter().any(|block| block.kind.is_content());
        let (opening, start) = *first.get_or_insert((section, start));
        if has_content || next.is_none() {
            sections.push(SectionSpan { first: opening, last: section, blocks: start.to(end) });
            first = None;
        }
    }
    sections
}
