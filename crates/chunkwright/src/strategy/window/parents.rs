//! Parent headings: a place comes in; the headings that are open there, and what they cost, go out.

use std::cell::OnceCell;

use crate::document::{Document, Heading};
use crate::ids::HeadingId;
use crate::plan::Piece;
use crate::span::{Span, next_line, without_leading_blank_lines};
use crate::strategy::Brief;

/// The share of the maximum that parent headings may take.
const SHARE: usize = 4;

/// A heading as it is shown above other chunks.
struct Parent {
    /// Its lines, without blank ones.
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
    /// The most units that they may take together.
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

    /// The level of the innermost heading that begins at a byte or before it.
    pub(super) fn level_at(&self, at: usize) -> Option<u8> {
        self.heading_at(at).map(|heading| self.document[heading].level)
    }

    /// The headings above a chunk that begins at a byte, outermost first, as far as they fit.
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
        // One that is too long by itself goes before those that would fit without it.
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

    /// The first byte that is shown of a chunk that begins at a byte, below these headings.
    pub(super) fn first_byte(&self, parents: &[HeadingId], at: usize) -> usize {
        parents.first().map_or(at, |heading| self.headings[heading.index()].span.start)
    }

    /// What shows the headings again.
    pub(super) fn echoes(&self, parents: &[HeadingId]) -> impl Iterator<Item = Piece> {
        parents.iter().map(|heading| Piece::Echo(self.headings[heading.index()].span))
    }

    fn heading_at(&self, at: usize) -> Option<HeadingId> {
        let headings = &self.document.headings;
        let starts = |heading: &Heading| self.document.heading_span(heading).start <= at;
        headings.partition_point(starts).checked_sub(1).map(HeadingId::new)
    }
}

/// The lines of a heading, with the end of the last one but without blank lines around them.
fn shown(document: &Document<'_>, block: Span) -> Span {
    let text = without_leading_blank_lines(block.of(document.source));
    let start = block.end - text.len();
    Span::new(start, next_line(document.source, start + text.trim_end().len()).min(block.end))
}
