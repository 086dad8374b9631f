//! Seals the open chunk, and moves fragments to the next chunk until the count of its text fits.

use super::fragment::{Fragment, FragmentKind};
use super::open::OpenChunk;
use super::pass::Pass;
use super::sealed::Sealed;
use crate::seam::Grade;
use crate::split::Series;

impl Pass<'_> {
    pub(super) fn seal_before(&mut self, fragment: Fragment) {
        self.queue.push_front(fragment);
        self.seal();
    }

    /// Seals the open chunk before its last heading, so that the section isn't split.
    pub(super) fn seal_at_last_heading(&mut self, fragment: Fragment) {
        self.queue.push_front(fragment);
        let moved = self.open.as_mut().map(OpenChunk::take_from_last_heading).unwrap_or_default();
        self.put_back(moved.into_iter());
        self.seal();
    }

    /// Seals the open chunk before a line, or before the lines that the line must stay with: the
    /// opening line of a code fence, or the header of a table.
    pub(super) fn seal_before_line(&mut self, fragment: Fragment) {
        let mut stays = fragment.before.grade == Grade::NEVER;
        self.queue.push_front(fragment);
        let Some(open) = &mut self.open else { return };
        let end = open.fragments.iter().rposition(|fragment| fragment.before.grade != Grade::NEVER);
        if end.is_none_or(|end| end < open.least()) {
            return self.seal();
        }
        while stays && let Some(last) = open.take_last() {
            stays = last.before.grade == Grade::NEVER;
            self.queue.push_front(last);
        }
        self.seal();
    }

    /// Seals the open chunk. If the count of its text exceeds the maximum, moves its last fragments
    /// back into the queue.
    pub(super) fn seal(&mut self) {
        let Some(mut open) = self.open.take() else { return };
        let mut step = 1;
        loop {
            let sealed = Sealed::of(self.brief, &self.parents, &open);
            let spare = open.fragments.len() - open.least();
            let may_cut = open.fragments.last().is_some_and(|last| self.may_cut_oversize(last));
            if sealed.draft.units <= self.max || (spare == 0 && !may_cut) {
                return self.finish(open, sealed);
            }
            if spare == 0 {
                return self.cut_smaller(open, sealed);
            }
            for _ in 0..step.min(spare) {
                let last = open.take_last();
                self.put_back(last.into_iter());
            }
            step *= 2;
        }
    }

    /// Splits the last fragment of a chunk that still exceeds the maximum, and starts the chunk
    /// again.
    fn cut_smaller(&mut self, mut open: OpenChunk, sealed: Sealed) {
        let Some(last) = open.take_last() else { return };
        let excess = sealed.draft.units.saturating_sub(self.max);
        let room = self.room_inside(&last);
        let less = last.shown().min(room).saturating_sub(excess).max(1);
        let parts = match last.kind {
            FragmentKind::Block => self.lines(&last),
            _ => self.parts(&last, Series { first: less, rest: room }),
        };
        if parts.len() > 1 || last.kind == FragmentKind::Block {
            self.put_back(parts.into_iter());
            self.put_back(open.fragments.into_iter());
        } else if open.fragments.is_empty() {
            open.add(last);
            self.finish(open, sealed);
        } else {
            self.open = Some(open);
            self.seal_before(last);
        }
    }

    fn finish(&mut self, open: OpenChunk, sealed: Sealed) {
        self.sealed.push(sealed);
        self.last = [self.last[1].take(), Some(open)];
    }

    /// Moves the last line of the previous chunk into a last chunk that contains only headings, if
    /// the two chunks don't fit together.
    pub(super) fn give_headings_company(&mut self) {
        let [Some(mut before), Some(last)] = std::mem::take(&mut self.last) else { return };
        let [.., one, two] = &self.sealed[..] else { return };
        let joins = || one.joined(self.brief, two).draft.units <= self.max;
        if !last.is_headings_only() || joins() {
            return;
        }
        if before.fragments.last().is_some_and(|fragment| fragment.kind == FragmentKind::Block) {
            let lines = before.take_last().map(|block| self.lines(&block)).unwrap_or_default();
            lines.into_iter().for_each(|line| before.add(line));
        }
        let mut moved = Vec::new();
        while moved.last().is_none_or(Fragment::is_heading)
            && before.fragments.len() > before.least()
        {
            moved.extend(before.take_last());
        }
        let Some(first) = moved.last().filter(|fragment| !fragment.is_heading()) else { return };
        let mut open = self.opened(first);
        moved.into_iter().rev().chain(last.fragments).for_each(|fragment| open.add(fragment));
        let both = [&before, &open].map(|open| Sealed::of(self.brief, &self.parents, open));
        if both.iter().all(|sealed| sealed.draft.units <= self.max) {
            self.sealed.truncate(self.sealed.len() - 2);
            self.sealed.extend(both);
        }
    }
}
