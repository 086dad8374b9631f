//! The open chunk, with the running totals that the rules check.

use super::fragment::{Fragment, FragmentKind};
use crate::ids::{HeadingId, SectionId};

/// The maximum number of recounts before a chunk is sealed. Each recount gains less than the last.
const MOST_RECOUNTS: usize = 4;

/// The typical number of fragments in a chunk, for preallocation.
const TYPICAL_FRAGMENTS: usize = 24;

/// A chunk that more lines may join.
#[derive(Debug)]
pub(super) struct OpenChunk {
    /// The section in which it starts.
    pub(super) trail: SectionId,
    /// The headings shown above it.
    pub(super) parents: Vec<HeadingId>,
    /// The units of the context line, and of the text that reopens a code fence or a table.
    pub(super) overhead: usize,
    /// The units of the headings shown above it.
    pub(super) parent_units: usize,
    pub(super) fragments: Vec<Fragment>,
    /// The units of all lines.
    sum: usize,
    /// The units of all lines, without blank lines.
    pub(super) content: usize,
    /// The level at which it starts.
    level: Option<u8>,
    deepest: Option<u8>,
    has_level_2: bool,
    /// The number of fragments that are not headings.
    bodies: usize,
    recounts: usize,
}

/// The relation of a heading to the chunk before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HeadingRelation {
    /// The second heading of level 2 in a chunk that starts at level 1.
    SecondPart,
    /// No deeper than the chunk's deepest heading.
    Level,
    Deeper,
}

impl OpenChunk {
    pub(super) fn new(trail: SectionId, level: Option<u8>) -> Self {
        Self {
            trail,
            parents: Vec::new(),
            overhead: 0,
            parent_units: 0,
            fragments: Vec::new(),
            sum: 0,
            content: 0,
            level,
            deepest: level,
            has_level_2: false,
            bodies: 0,
            recounts: 0,
        }
    }

    /// Returns the total units after adding a fragment.
    pub(super) fn units_with(&self, fragment: &Fragment) -> usize {
        self.overhead + self.parent_units + fragment.closed(self.sum + fragment.measure.units)
    }

    /// Returns the total units, including trailing whitespace.
    pub(super) fn all_units(&self) -> usize {
        self.overhead + self.parent_units + self.sum
    }

    pub(super) fn add(&mut self, fragment: Fragment) {
        self.fragments.reserve(if self.fragments.is_empty() { TYPICAL_FRAGMENTS } else { 1 });
        self.sum += fragment.measure.units;
        self.content += fragment.shown();
        self.bodies += usize::from(!fragment.is_heading());
        if let FragmentKind::Heading(level) = fragment.kind {
            self.level = self.level.or(Some(level));
            self.deepest = self.deepest.max(Some(level));
            self.has_level_2 |= level == 2;
        }
        self.fragments.push(fragment);
    }

    pub(super) fn take_last(&mut self) -> Option<Fragment> {
        let fragment = self.fragments.pop()?;
        self.sum = self.sum.saturating_sub(fragment.measure.units);
        self.content = self.content.saturating_sub(fragment.shown());
        self.bodies -= usize::from(!fragment.is_heading());
        Some(fragment)
    }

    /// Returns whether the count of the whole text may be less than the sum of its parts, and
    /// another recount is worth the time.
    pub(super) fn is_in_doubt(&self) -> bool {
        let is_part = |fragment: &Fragment| {
            matches!(fragment.kind, FragmentKind::Line | FragmentKind::HeadingPart)
        };
        self.recounts < MOST_RECOUNTS && self.fragments.last().is_some_and(is_part)
    }

    /// Lowers the sum to a count of the whole text. Returns whether the count is less than the sum.
    pub(super) fn correct(&mut self, units: usize) -> bool {
        self.recounts += 1;
        let Some(last) = self.fragments.last() else { return false };
        let counted = self.overhead + self.parent_units + last.closed(self.sum);
        let less = counted.saturating_sub(units).min(self.sum);
        self.sum -= less;
        self.content = self.content.saturating_sub(less);
        less > 0
    }

    pub(super) fn relation_of(&self, level: u8) -> HeadingRelation {
        match self.level {
            Some(1) if level == 2 && self.has_level_2 => HeadingRelation::SecondPart,
            Some(_) if Some(level) <= self.deepest => HeadingRelation::Level,
            _ => HeadingRelation::Deeper,
        }
    }

    /// Returns the units of content before the last heading and the headings directly above it, or
    /// `None` if there is no such heading or only headings precede it.
    pub(super) fn before_last_heading(&self) -> Option<usize> {
        let before = &self.fragments[..self.last_heading()?];
        let has_body = before.iter().any(|fragment| !fragment.is_heading());
        has_body.then(|| before.iter().map(Fragment::shown).sum())
    }

    /// Returns the index of the last heading, or of the first of the headings directly above it.
    fn last_heading(&self) -> Option<usize> {
        let last = self.fragments.iter().rposition(Fragment::is_heading)?;
        let above = self.fragments[..last]
            .iter()
            .rev()
            .take_while(|fragment| fragment.is_heading())
            .count();
        Some(last - above)
    }

    /// Removes the last heading, the headings directly above it, and everything after it.
    pub(super) fn take_from_last_heading(&mut self) -> Vec<Fragment> {
        let kept = self.last_heading().unwrap_or(self.fragments.len());
        let mut taken = Vec::with_capacity(self.fragments.len() - kept);
        while self.fragments.len() > kept {
            taken.extend(self.take_last());
        }
        taken.reverse();
        taken
    }

    /// Returns the number of fragments that must stay: the headings at the start and the fragment
    /// after them.
    pub(super) fn least(&self) -> usize {
        let headings = self.fragments.iter().take_while(|fragment| fragment.is_heading()).count();
        (headings + 1).min(self.fragments.len())
    }

    pub(super) fn is_headings_only(&self) -> bool {
        self.bodies == 0
    }
}
