//! Packs sections into drafts.

use super::groups;
use super::planner::Planner;
use super::sections::{SectionSpan, sections};
use super::{Mode, OverlapScope};
use crate::document::BlockKind;
use crate::ids::{BlockId, BlockRange};
use crate::seam::Seam;
use crate::strategy::draft::{Draft, OpenDraft};
use crate::strategy::pack::Stretch;

/// A chunk that more groups may join.
struct OpenGroups {
    open: OpenDraft,
    /// Its end if nothing joins.
    end: Seam,
    /// The block after its last one if nothing joins.
    end_block: BlockId,
    /// The blocks that it repeats, if any.
    echo: BlockRange,
}

pub(super) struct BlockPacker<'b> {
    planner: &'b Planner<'b>,
    drafts: Vec<Draft>,
}

impl<'b> BlockPacker<'b> {
    /// Packs a document into drafts.
    pub(super) fn pack(planner: &'b Planner<'b>) -> Vec<Draft> {
        let mut packer = Self { planner, drafts: Vec::new() };
        match planner.rules.mode {
            Mode::Heading => {
                let overlaps = planner.rules.overlap_scope == OverlapScope::Document;
                sections(planner)
                    .into_iter()
                    .for_each(|section| packer.pack_range(section.blocks, overlaps));
            }
            Mode::Paragraph => packer.pack_range(planner.brief.shown(), false),
            Mode::Hybrid => packer.hybrid(&sections(planner)),
        }
        packer.drafts
    }

    /// Packs sections that may share chunks.
    fn hybrid(&mut self, sections: &[SectionSpan]) {
        let mut from = 0;
        while from < sections.len() {
            let to = self.share(sections, from);
            self.pack_range(sections[from].blocks.start.to(sections[to - 1].blocks.end), true);
            from = to;
        }
    }

    /// Returns one past the last section that shares the chunk of section `from`.
    fn share(&self, sections: &[SectionSpan], from: usize) -> usize {
        let opening = &sections[from];
        let group = opening.blocks.start.to(groups::ends(self.planner, opening.blocks)[0]);
        let open = self.open_whole(group, true).open;
        let mut to = from + 1;
        while let Some(next) = sections.get(to) {
            let related = [opening.first, sections[to - 1].last]
                .iter()
                .any(|&section| self.planner.are_related(section, next.first));
            let units = open.units_to(self.planner.brief, next.blocks.end);
            if !related || units > self.planner.limits.target {
                break;
            }
            to += 1;
        }
        to
    }

    /// Packs a range of blocks. `overlaps` allows its first chunk to repeat blocks before it.
    fn pack_range(&mut self, blocks: BlockRange, overlaps: bool) {
        let ends = groups::ends(self.planner, blocks);
        let (mut start, mut packed) = (blocks.start, 0);
        while let Some(&end) = ends.get(packed) {
            let open = self.open(start.to(end), overlaps || packed > 0);
            packed = self.fill(&open, &ends, packed + 1);
            start = ends[packed - 1];
        }
    }

    /// Opens a chunk with a group. A group that doesn't fit fills several chunks, and the last one
    /// stays open.
    fn open(&mut self, group: BlockRange, overlaps: bool) -> OpenGroups {
        let fits = self.planner.cost(group) <= self.planner.limits.max;
        if fits { self.open_whole(group, overlaps) } else { self.open_parts(group) }
    }

    fn open_whole(&self, group: BlockRange, overlaps: bool) -> OpenGroups {
        let echo = if overlaps { self.echo(group) } else { group.start.to(group.start) };
        let opened = self.open_at(Stretch::of_blocks(self.planner.brief, group), group);
        if echo.is_empty() {
            return opened;
        }
        OpenGroups { open: opened.open.repeating(self.planner.brief, echo.start), echo, ..opened }
    }

    /// Returns the blocks that a chunk repeats before its first group, if any.
    fn echo(&self, group: BlockRange) -> BlockRange {
        let Planner { brief, limits, overlap, .. } = self.planner;
        let first = self.drafts.last().map(|draft| brief.first_whole(&draft.stretch.start));
        let first = first.unwrap_or(group.start);
        let section = self.planner.naming_section(group.start);
        let repeats = |block: &BlockId| {
            brief.document[*block].kind != BlockKind::FrontMatter
                && brief.ruler.run(block.to(group.start)) <= *overlap
                && brief.cost(section, block.to(group.end)) <= limits.max
        };
        let before = first.to(group.start).iter().rev();
        let start = before.take_while(repeats).last().unwrap_or(group.start);
        let echo = start.to(group.start);
        let is_bare = brief.document[echo].iter().all(|block| block.kind.is_heading());
        if is_bare { group.start.to(group.start) } else { echo }
    }

    /// Splits a group that doesn't fit, and leaves the last part open.
    fn open_parts(&mut self, group: BlockRange) -> OpenGroups {
        let stretch = Stretch::of_blocks(self.planner.brief, group);
        let mut parts = if self.planner.may_cut(group) {
            self.planner.cut(&stretch, self.planner.limits.target)
        } else {
            self.whole_parts(group)
        };
        let last = parts.pop().unwrap_or(stretch);
        self.drafts
            .extend(parts.into_iter().map(|part| self.planner.draft(part, BlockRange::EMPTY)));
        self.open_at(last, group)
    }

    /// Divides a group with a block that must not be split: up to that block, and the headings
    /// after it.
    fn whole_parts(&self, group: BlockRange) -> Vec<Stretch> {
        let brief = self.planner.brief;
        let Some(uncut) = group.iter().find(|block| !brief.document[*block].kind.is_heading())
        else {
            return self.planner.cut(&Stretch::of_blocks(brief, group), self.planner.limits.max);
        };
        let parts = [group.start.to(uncut.next()), uncut.next().to(group.end)];
        let filled = parts.into_iter().filter(|part| !part.is_empty());
        filled.map(|part| Stretch::of_blocks(brief, part)).collect()
    }

    /// Opens a chunk with a group or its last part.
    fn open_at(&self, part: Stretch, group: BlockRange) -> OpenGroups {
        let Stretch { start, end } = part;
        let block = self.planner.brief.document.block_at(start.at);
        let open = OpenDraft::at(self.planner.brief, start, self.planner.naming_section(block));
        OpenGroups { open, end, end_block: group.end, echo: BlockRange::EMPTY }
    }

    /// Adds groups from `packed` on to an open chunk, and closes it. Returns the number of packed
    /// groups.
    fn fill(&mut self, open: &OpenGroups, ends: &[BlockId], packed: usize) -> usize {
        let (mut less, mut most) = (0, ends.len());
        loop {
            let reach = self.reach(open, &ends[..most], packed, less);
            let draft = self.close(open, ends[reach - 1]);
            let over = draft.units.saturating_sub(self.planner.limits.max);
            if over == 0 || reach == packed {
                self.push(draft);
                return reach;
            }
            // The sum was too low, so the last group moves to the next chunk.
            less += over.max(less);
            most = reach - 1;
        }
    }

    /// Returns the number of packed groups once the open chunk is full, with its limits reduced by
    /// `less` units.
    fn reach(
        &self,
        OpenGroups { open, .. }: &OpenGroups,
        ends: &[BlockId],
        packed: usize,
        less: usize,
    ) -> usize {
        let target = self.planner.limits.target.saturating_sub(less);
        let max = self.planner.limits.max.saturating_sub(less);
        let units = |end: BlockId| open.units_to(self.planner.brief, end);
        if ends.last().is_some_and(|&end| units(end) <= max) {
            return ends.len();
        }
        let joins = |nth: &usize| units(ends[nth - 1]) < target && units(ends[*nth]) <= max;
        packed + (packed..ends.len()).take_while(joins).count()
    }

    fn close(&self, opened: &OpenGroups, end: BlockId) -> Draft {
        let is_alone = end == opened.end_block;
        let end = if is_alone { opened.end.clone() } else { self.planner.seam_at(end) };
        self.planner.draft(Stretch { start: opened.open.start.clone(), end }, opened.echo)
    }

    /// Adds a draft. Drops its overlap if it exceeds the maximum, because the sum was too low.
    fn push(&mut self, draft: Draft) {
        let is_crowded = draft.units > self.planner.limits.max && draft.has_echoes();
        let alone = |draft: Draft| self.planner.draft(draft.stretch, BlockRange::EMPTY);
        let draft = if is_crowded { alone(draft) } else { draft };
        self.drafts.push(draft);
    }
}
