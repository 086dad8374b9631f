//! The pass: units go into the open chunk one by one, and the rules say when it is sealed.

use std::collections::VecDeque;

use super::Limits;
use super::draft::{Draft, Drafts};
use super::open::{Open, Turn};
use super::parents::Parents;
use super::unit::{Unit, UnitKind};
use crate::document::BlockKind;
use crate::ids::BlockId;
use crate::plan::Plan;
use crate::split::{Cutter, Grade, Series};
use crate::strategy::Brief;

/// A share of the maximum that is worth filling with a part of a word, or that headings leave to
/// what follows them.
const LEAST_SHARE: usize = 8;

pub(super) struct Fold<'b> {
    pub(super) brief: &'b Brief<'b>,
    rules: &'b Limits,
    /// The most units in a chunk.
    pub(super) max: usize,
    pub(super) parents: Parents<'b>,
    /// Units that come before the next block.
    pub(super) queue: VecDeque<Unit>,
    next_block: BlockId,
    pub(super) open: Option<Open>,
    pub(super) drafts: Vec<Draft>,
    /// The last two chunks that were sealed.
    pub(super) sealed: [Option<Open>; 2],
    /// The block that was taken apart last.
    cutter: Option<Cutter<'b>>,
}

impl<'b> Fold<'b> {
    pub(super) fn new(brief: &'b Brief<'b>, rules: &'b Limits) -> Self {
        let max = brief.units_within(rules.max);
        Self {
            brief,
            rules,
            max,
            parents: Parents::of(brief, if rules.parents { max } else { 0 }),
            queue: VecDeque::new(),
            next_block: brief.shown().start,
            open: None,
            drafts: Vec::new(),
            sealed: [None, None],
            cutter: None,
        }
    }

    pub(super) fn plans(mut self) -> Vec<Plan> {
        loop {
            while let Some(unit) = self.next() {
                self.place(unit);
            }
            // What does not fit after all comes back.
            if self.open.is_none() {
                break;
            }
            self.seal();
        }
        self.give_headings_company();
        let Self { brief, rules, max, parents, drafts, .. } = self;
        Drafts { brief, parents: &parents, max, drafts }.finish(rules)
    }

    fn next(&mut self) -> Option<Unit> {
        if let Some(unit) = self.queue.pop_front() {
            return Some(unit);
        }
        let block = self.next_block;
        self.next_block = block.next();
        self.brief.shown().contains(block).then(|| Unit::of_block(self.brief, block))
    }

    /// Puts units before those that wait.
    pub(super) fn put_back(&mut self, units: impl DoubleEndedIterator<Item = Unit>) {
        units.rev().for_each(|unit| self.queue.push_front(unit));
    }

    /// Adds a unit to the open chunk, or makes room for it and puts it back.
    fn place(&mut self, unit: Unit) {
        if self.ends_before(&unit) {
            self.seal_before(unit);
        } else if self.fits(&unit) {
            self.add(unit);
        } else if self.recount() {
            self.queue.push_front(unit);
        } else if self.rules.lookahead && !unit.is_heading() && self.has_late_heading() {
            self.seal_at_last_heading(unit);
        } else if unit.kind == UnitKind::Block && self.may_cut(&unit) {
            let lines = self.lines(&unit);
            self.put_back(lines.into_iter());
        } else if self.has_content() && self.is_small(&unit) {
            self.seal_before_line(unit);
        } else {
            self.place_part(unit);
        }
    }

    /// Counts the open chunk anew where its parts may add up to more than it has; false if not.
    fn recount(&mut self) -> bool {
        let Some(open) = self.open.as_mut().filter(|open| open.is_in_doubt()) else { return false };
        let units = Draft::of(self.brief, &self.parents, open).units;
        open.correct(units)
    }

    /// Whether the open chunk has a heading with at least `min` tokens of content before it.
    fn has_late_heading(&self) -> bool {
        let min = self.brief.units_reaching(self.rules.min);
        self.open.as_ref().and_then(Open::before_last_heading).is_some_and(|content| content >= min)
    }

    /// Whether a heading begins a new chunk, its size aside.
    fn ends_before(&self, unit: &Unit) -> bool {
        let (UnitKind::Heading(level), Some(open)) = (unit.kind, &self.open) else { return false };
        let reaches = |tokens: usize| open.content >= self.brief.units_reaching(tokens);
        let is_due = match open.turn(level) {
            Turn::SecondPart => true,
            Turn::Level => reaches(self.rules.min),
            Turn::Deeper => reaches(self.rules.min_deeper),
        };
        is_due && !open.is_headings_only()
    }

    fn has_content(&self) -> bool {
        self.open.as_ref().is_some_and(|open| !open.is_headings_only())
    }

    fn fits(&self, unit: &Unit) -> bool {
        let units = match &self.open {
            Some(open) => open.units_with(unit),
            None => self.opened(unit).units_with(unit),
        };
        units <= self.max
    }

    fn add(&mut self, unit: Unit) {
        let mut open = self.open.take().unwrap_or_else(|| self.opened(&unit));
        open.add(unit);
        self.open = Some(open);
    }

    /// An empty chunk that begins where a unit does.
    pub(super) fn opened(&self, unit: &Unit) -> Open {
        let at = unit.span.start;
        let trail = self.brief.naming_section(unit.block);
        let parents = self.parents.above(at);
        let mut open = Open::new(trail, self.parents.level_at(at));
        let shown = self.parents.first_byte(&parents, at);
        open.overhead = self.brief.context(trail, shown) + unit.opening();
        open.parent_units = self.parents.units(&parents);
        open.parents = parents;
        open
    }

    /// Units that a chunk has room for when it begins inside a unit.
    pub(super) fn room_inside(&self, unit: &Unit) -> usize {
        let trail = self.brief.document.section_of(unit.block);
        let parents = self.parents.above(unit.span.end - 1);
        let overhead = self.brief.context_inside(trail) + self.parents.units(&parents);
        self.max.saturating_sub(overhead)
    }

    /// Whether a unit fits a chunk of its own.
    fn is_small(&self, unit: &Unit) -> bool {
        self.opened(unit).units_with(unit) <= self.max
    }

    fn may_cut(&self, unit: &Unit) -> bool {
        self.may_cut_oversize(unit) || self.is_small(unit)
    }

    /// Whether a unit that fits no chunk may be cut.
    pub(super) fn may_cut_oversize(&self, unit: &Unit) -> bool {
        self.brief.split_oversized.allows(self.brief.document[unit.block].kind)
    }

    /// A line that is too long for any chunk, or for the room that headings leave: its first part
    /// fills the room.
    fn place_part(&mut self, unit: Unit) {
        let left = self.open.as_ref().map(|open| self.max.saturating_sub(open.all_units()));
        let is_tight = left.is_some_and(|left| left * LEAST_SHARE < self.max);
        let opens = unit.after.grade == Grade::NEVER && self.is_small(&unit);
        if (is_tight || opens) && self.leave_parents_out() {
            return self.queue.push_front(unit);
        }
        // What opens a fence or a table of Markdown is not torn. The caption of an HTML table may be.
        let is_html = self.brief.document[unit.block].kind == BlockKind::Html;
        if opens && self.open.is_some() && (self.has_content() || !is_html) {
            return self.seal_before(unit);
        }
        if !self.may_cut_oversize(&unit) {
            return if self.has_content() { self.seal_before(unit) } else { self.add(unit) };
        }
        let room = self.room_inside(&unit);
        let mut rooms = Series { first: left.unwrap_or(room), rest: room };
        let mut parts = self.parts(&unit, rooms);
        // It may be too long only for what closes it, which a part of it does not need.
        let is_company = self.open.as_ref().is_some_and(Open::is_headings_only);
        if is_company && parts.len() == 1 && !self.fits(&parts[0]) {
            rooms.first = rooms.first.min(unit.shown()).saturating_sub(unit.closing());
            parts = self.parts(&unit, rooms);
        }
        let mut parts = parts.into_iter();
        let Some(first) = parts.next() else { return };
        // A word is cut for much room only, or where nothing else helps; a tag never is.
        let worst = match !is_tight || !self.has_content() {
            _ if opens => Grade::INSIDE,
            true => Grade::NEVER,
            false => Grade::GRAPHEME,
        };
        let is_good = parts.as_slice().first().is_none_or(|next| next.before.grade > worst);
        if self.open.is_some() && !(is_good && self.fits(&first)) {
            return self.seal_before(unit);
        }
        self.add(first);
        self.put_back(parts);
    }

    /// Leaves the parent headings of a chunk of headings out; false if there are none.
    fn leave_parents_out(&mut self) -> bool {
        let open = self.open.as_mut().filter(|open| open.is_headings_only());
        let Some(open) = open.filter(|open| !open.parents.is_empty()) else { return false };
        let at = open.units[0].span.start;
        let context = |shown: usize| self.brief.context(open.trail, shown);
        open.overhead -= context(self.parents.first_byte(&open.parents, at));
        open.overhead += context(at);
        (open.parents, open.parent_units) = (Vec::new(), 0);
        true
    }

    pub(super) fn lines(&mut self, unit: &Unit) -> Vec<Unit> {
        let room = self.room_inside(unit);
        unit.lines(self.cutter(unit.block, room), room)
    }

    pub(super) fn parts(&mut self, unit: &Unit, rooms: Series<usize>) -> Vec<Unit> {
        let is_text = unit.is_text(self.brief);
        unit.cut(self.cutter(unit.block, rooms.rest), rooms, is_text)
    }

    fn cutter(&mut self, block: BlockId, room: usize) -> &mut Cutter<'b> {
        let brief = self.brief;
        let made = self.cutter.take().filter(|cutter| cutter.block == block);
        self.cutter.insert(made.unwrap_or_else(|| Cutter::of(brief, block, room)))
    }
}
