//! The parent headings of a chunk, and their units.

use std::cell::OnceCell;

use crate::brief::Brief;
use crate::document::{Document, Heading};
use crate::ids::HeadingId;
use crate::span::{Span, next_line, without_leading_blank_lines};

/// The divisor of the maximum that gives the limit for parent headings.
const SHARE: usize = 4;

/// A heading as chunks below it show it.
struct Parent {
    /// Its lines, without blank lines.
    span: Span,
    units: OnceCell<usize>,
    /// The heading above it.
    above: Option<HeadingId>,
}

/// All headings of a document.
pub(super) struct Parents<'b> {
    brief: &'b Brief<'b>,
    document: &'b Document<'b>,
    headings: Vec<Parent>,
    /// The maximum units of a chunk's parent headings together.
    limit: usize,
}

impl<'b> Parents<'b> {
    pub(super) fn of(brief: &'b Brief<'b>, max: usize) -> Self {
        let document = brief.document;
        let mut headings: Vec<Parent> = Vec::with_capacity(document.headings.len());
        for (nth, heading) in document.headings.iter().enumerate() {
            let mut above = nth.checked_sub(1).map(HeadingId::new);
            while let Some(other) = above.filter(|&other| document[other].level >= heading.level) {
                above = headings[other.index()].above;
            }
            let span = shown(document, document.heading_span(heading));
            headings.push(Parent { span, units: OnceCell::new(), above });
        }
        Self { brief, document, headings, limit: max / SHARE }
    }

    /// Returns the level of the innermost heading that starts at or before a byte.
    pub(super) fn level_at(&self, at: usize) -> Option<u8> {
        self.heading_at(at).map(|heading| self.document[heading].level)
    }

    /// Returns the headings above a chunk that starts at a byte, outermost first, as far as they
    /// fit.
    pub(super) fn above(&self, at: usize) -> Vec<HeadingId> {
        let is_own =
            |heading: HeadingId| self.document.heading_span(&self.document[heading]).end > at;
        let above = |&heading: &HeadingId| self.headings[heading.index()].above;
        let innermost = self.heading_at(at).and_then(|heading| match is_own(heading) {
            true => above(&heading),
            false => Some(heading),
        });
        let mut parents: Vec<HeadingId> = std::iter::successors(innermost, above).collect();
        parents.reverse();
        // Remove overlong headings first: the rest may fit without them.
        parents.retain(|&heading| self.units(&[heading]) <= self.limit);
        while self.units(&parents) > self.limit {
            parents.remove(1.min(parents.len() - 1));
        }
        parents
    }

    pub(super) fn units(&self, parents: &[HeadingId]) -> usize {
        let parents = parents.iter().map(|heading| &self.headings[heading.index()]);
        let units = |parent: &Parent| self.brief.ruler.stretch(parent.span);
        parents.map(|parent| parent.units.get_or_init(|| units(parent))).sum()
    }

    /// Returns the first shown byte of a chunk that starts at byte `at` with these parent headings.
    pub(super) fn first_byte(&self, parents: &[HeadingId], at: usize) -> usize {
        parents.first().map_or(at, |heading| self.headings[heading.index()].span.start)
    }

    /// Returns the lines that repeat the headings.
    pub(super) fn echoes(&self, parents: &[HeadingId]) -> Vec<Span> {
        parents.iter().map(|heading| self.headings[heading.index()].span).collect()
    }

    fn heading_at(&self, at: usize) -> Option<HeadingId> {
        let headings = &self.document.headings;
        let starts = |heading: &Heading| self.document.heading_span(heading).start <= at;
        headings.partition_point(starts).checked_sub(1).map(HeadingId::new)
    }
}

/// Returns the lines of a heading, including the final line ending, without surrounding blank
/// lines.
fn shown(document: &Document<'_>, block: Span) -> Span {
    let text = without_leading_blank_lines(block.of(document.source));
    let start = block.end - text.len();
    Span::new(start, next_line(document.source, start + text.trim_end().len()).min(block.end))
}
