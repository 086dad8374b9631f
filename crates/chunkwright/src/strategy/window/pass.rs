//! The pass over a document, which adds fragments to the open chunk and decides when to seal it.

use std::collections::VecDeque;

use super::WindowRules;
use super::fragment::{Fragment, FragmentKind};
use super::open::{HeadingRelation, OpenChunk};
use super::parents::Parents;
use super::sealed::{Sealed, finish};
use crate::brief::Brief;
use crate::document::BlockKind;
use crate::ids::BlockId;
use crate::plan::Plan;
use crate::seam::Grade;
use crate::split::{Cutter, Series};

/// The divisor of the maximum that gives the least useful room: less isn't filled with part of a
/// word, and parent headings are left out to gain more.
const LEAST_SHARE: usize = 8;

pub(super) struct Pass<'b> {
    pub(super) brief: &'b Brief<'b>,
    rules: &'b WindowRules,
    /// The maximum units per chunk.
    pub(super) max: usize,
    pub(super) parents: Parents<'b>,
    /// The fragments to place before the next block.
    pub(super) queue: VecDeque<Fragment>,
    next_block: BlockId,
    pub(super) open: Option<OpenChunk>,
    pub(super) sealed: Vec<Sealed>,
    /// The last two sealed chunks as they were open.
    pub(super) last: [Option<OpenChunk>; 2],
    /// The cutter of the block that was split last.
    cutter: Option<Cutter<'b>>,
}

impl<'b> Pass<'b> {
    pub(super) fn new(brief: &'b Brief<'b>, rules: &'b WindowRules) -> Self {
        let max = brief.units_within(rules.max);
        Self {
            brief,
            rules,
            max,
            parents: Parents::of(brief, if rules.parents { max } else { 0 }),
            queue: VecDeque::new(),
            next_block: brief.shown().start,
            open: None,
            sealed: Vec::new(),
            last: [None, None],
            cutter: None,
        }
    }

    pub(super) fn plans(mut self) -> Vec<Plan> {
        loop {
            while let Some(fragment) = self.next() {
                self.place(fragment);
            }
            // Sealing puts fragments that don't fit back into the queue.
            if self.open.is_none() {
                break;
            }
            self.seal();
        }
        self.give_headings_company();
        finish(self.brief, self.rules, self.max, self.sealed)
    }

    fn next(&mut self) -> Option<Fragment> {
        if let Some(fragment) = self.queue.pop_front() {
            return Some(fragment);
        }
        let block = self.next_block;
        self.next_block = block.next();
        self.brief.shown().contains(block).then(|| Fragment::of_block(self.brief, block))
    }

    /// Puts fragments at the front of the queue.
    pub(super) fn put_back(&mut self, fragments: impl DoubleEndedIterator<Item = Fragment>) {
        fragments.rev().for_each(|fragment| self.queue.push_front(fragment));
    }

    /// Adds a fragment to the open chunk, or makes room and puts the fragment back into the queue.
    fn place(&mut self, fragment: Fragment) {
        if self.ends_before(&fragment) {
            self.seal_before(fragment);
        } else if self.fits(&fragment) {
            self.add(fragment);
        } else if self.recount() {
            self.queue.push_front(fragment);
        } else if self.rules.lookahead && !fragment.is_heading() && self.has_late_heading() {
            self.seal_at_last_heading(fragment);
        } else if fragment.kind == FragmentKind::Block && self.may_cut(&fragment) {
            let lines = self.lines(&fragment);
            self.put_back(lines.into_iter());
        } else if self.has_content() && self.is_small(&fragment) {
            self.seal_before_line(fragment);
        } else {
            self.place_part(fragment);
        }
    }

    /// Counts the open chunk if its sum may be too high. Returns whether that lowered the sum.
    fn recount(&mut self) -> bool {
        let Some(open) = self.open.as_mut().filter(|open| open.is_in_doubt()) else { return false };
        let units = Sealed::of(self.brief, &self.parents, open).draft.units;
        open.correct(units)
    }

    /// Returns whether at least `min` tokens precede the last heading of the open chunk.
    fn has_late_heading(&self) -> bool {
        let min = self.brief.units_reaching(self.rules.min);
        self.open
            .as_ref()
            .and_then(OpenChunk::before_last_heading)
            .is_some_and(|content| content >= min)
    }

    /// Returns whether a fragment is a heading that starts a new chunk, regardless of the maximum.
    fn ends_before(&self, fragment: &Fragment) -> bool {
        let (FragmentKind::Heading(level), Some(open)) = (fragment.kind, &self.open) else {
            return false;
        };
        let reaches = |tokens: usize| open.content >= self.brief.units_reaching(tokens);
        let is_due = match open.relation_of(level) {
            HeadingRelation::SecondPart => true,
            HeadingRelation::Level => reaches(self.rules.min),
            HeadingRelation::Deeper => reaches(self.rules.min_deeper),
        };
        is_due && !open.is_headings_only()
    }

    fn has_content(&self) -> bool {
        self.open.as_ref().is_some_and(|open| !open.is_headings_only())
    }

    fn fits(&self, fragment: &Fragment) -> bool {
        let units = match &self.open {
            Some(open) => open.units_with(fragment),
            None => self.opened(fragment).units_with(fragment),
        };
        units <= self.max
    }

    fn add(&mut self, fragment: Fragment) {
        let mut open = self.open.take().unwrap_or_else(|| self.opened(&fragment));
        open.add(fragment);
        self.open = Some(open);
    }

    /// Returns an empty chunk that starts at a fragment.
    pub(super) fn opened(&self, fragment: &Fragment) -> OpenChunk {
        let at = fragment.span.start;
        let trail = self.brief.naming_section(fragment.block);
        let parents = self.parents.above(at);
        let mut open = OpenChunk::new(trail, self.parents.level_at(at));
        let shown = self.parents.first_byte(&parents, at);
        open.overhead = self.brief.context(trail, shown) + fragment.before.open_units();
        open.parent_units = self.parents.units(&parents);
        open.parents = parents;
        open
    }

    /// Returns the room, in units, of a chunk that starts inside a fragment.
    pub(super) fn room_inside(&self, fragment: &Fragment) -> usize {
        let trail = self.brief.document.section_of(fragment.block);
        let parents = self.parents.above(fragment.span.end - 1);
        let overhead = self.brief.context_inside(trail) + self.parents.units(&parents);
        self.max.saturating_sub(overhead)
    }

    /// Returns whether a fragment fits an empty chunk.
    fn is_small(&self, fragment: &Fragment) -> bool {
        self.opened(fragment).units_with(fragment) <= self.max
    }

    fn may_cut(&self, fragment: &Fragment) -> bool {
        self.may_cut_oversize(fragment) || self.is_small(fragment)
    }

    /// Returns whether the options allow splitting a fragment that fits no chunk.
    pub(super) fn may_cut_oversize(&self, fragment: &Fragment) -> bool {
        self.brief.split_oversized.allows(self.brief.document[fragment.block].kind)
    }

    /// Splits a line that is too long for any chunk, or for the room after headings, and fills the
    /// room with the first part.
    fn place_part(&mut self, fragment: Fragment) {
        let left = self.open.as_ref().map(|open| self.max.saturating_sub(open.all_units()));
        let is_tight = left.is_some_and(|left| left * LEAST_SHARE < self.max);
        let opens = fragment.after.grade == Grade::NEVER && self.is_small(&fragment);
        if (is_tight || opens) && self.leave_parents_out() {
            return self.queue.push_front(fragment);
        }
        // The opening of a code fence or a Markdown table is never split; an HTML caption may be.
        let is_html = self.brief.document[fragment.block].kind == BlockKind::Html;
        if opens && self.open.is_some() && (self.has_content() || !is_html) {
            return self.seal_before(fragment);
        }
        if !self.may_cut_oversize(&fragment) {
            return if self.has_content() {
                self.seal_before(fragment)
            } else {
                self.add(fragment)
            };
        }
        let room = self.room_inside(&fragment);
        let mut rooms = Series { first: left.unwrap_or(room), rest: room };
        let mut parts = self.parts(&fragment, rooms);
        // The line may exceed the room only together with its closing text, which a part doesn't
        // need.
        let is_company = self.open.as_ref().is_some_and(OpenChunk::is_headings_only);
        if is_company && parts.len() == 1 && !self.fits(&parts[0]) {
            rooms.first =
                rooms.first.min(fragment.shown()).saturating_sub(fragment.after.close_units());
            parts = self.parts(&fragment, rooms);
        }
        let mut parts = parts.into_iter();
        let Some(first) = parts.next() else { return };
        // Words are split only to fill a lot of room, or as a last resort; HTML tags never are.
        let worst = match !is_tight || !self.has_content() {
            _ if opens => Grade::INSIDE,
            true => Grade::NEVER,
            false => Grade::GRAPHEME,
        };
        let is_good = parts.as_slice().first().is_none_or(|next| next.before.grade > worst);
        if self.open.is_some() && !(is_good && self.fits(&first)) {
            return self.seal_before(fragment);
        }
        self.add(first);
        self.put_back(parts);
    }

    /// Removes the parent headings from a chunk of only headings. Returns whether it had any.
    fn leave_parents_out(&mut self) -> bool {
        let open = self.open.as_mut().filter(|open| open.is_headings_only());
        let Some(open) = open.filter(|open| !open.parents.is_empty()) else { return false };
        let at = open.fragments[0].span.start;
        let context = |shown: usize| self.brief.context(open.trail, shown);
        open.overhead -= context(self.parents.first_byte(&open.parents, at));
        open.overhead += context(at);
        (open.parents, open.parent_units) = (Vec::new(), 0);
        true
    }

    pub(super) fn lines(&mut self, fragment: &Fragment) -> Vec<Fragment> {
        let room = self.room_inside(fragment);
        fragment.lines(self.cutter(fragment.block, room), room)
    }

    pub(super) fn parts(&mut self, fragment: &Fragment, rooms: Series<usize>) -> Vec<Fragment> {
        let is_text = fragment.is_text(self.brief);
        fragment.cut(self.cutter(fragment.block, rooms.rest), rooms, is_text)
    }

    fn cutter(&mut self, block: BlockId, room: usize) -> &mut Cutter<'b> {
        let brief = self.brief;
        let made = self.cutter.take().filter(|cutter| cutter.block == block);
        self.cutter.insert(made.unwrap_or_else(|| Cutter::of(brief, block, room)))
    }
}
