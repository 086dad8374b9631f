//! Parent headings: a place comes in; the headings that are open there, and what they cost, go out.

use std::cell::OnceCell;

use crate::document::Document;
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
    above: Option<usize>,
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
            let mut above = nth.checked_sub(1);
            while let Some(other) = above.filter(|&o| document.headings[o].level >= heading.level) {
                above = headings[other].above;
            }
            let span = shown(document, document.blocks[heading.block].span);
            headings.push(Parent { span, units: OnceCell::new(), above });
        }
        Self { brief, document, headings, limit: max / SHARE }
    }

    /// The level of the innermost heading that begins at a byte or before it.
    pub(super) fn level_at(&self, at: usize) -> Option<u8> {
        self.heading_at(at).map(|heading| self.document.headings[heading].level)
    }

    /// The headings above a chunk that begins at a byte, outermost first, as far as they fit.
    pub(super) fn above(&self, at: usize) -> Vec<usize> {
        let own = |heading: &usize| self.block_span(*heading).end > at;
        let innermost = self.heading_at(at).and_then(|heading| match own(&heading) {
            true => self.headings[heading].above,
            false => Some(heading),
        });
        let mut parents: Vec<usize> =
            std::iter::successors(innermost, |&heading| self.headings[heading].above).collect();
        parents.reverse();
        // One that is too long by itself goes before those that would fit without it.
        parents.retain(|&heading| self.units(&[heading]) <= self.limit);
        while self.units(&parents) > self.limit {
            parents.remove(1.min(parents.len() - 1));
        }
        parents
    }

    pub(super) fn units(&self, parents: &[usize]) -> usize {
        let parents = parents.iter().map(|&heading| &self.headings[heading]);
        let units = |parent: &Parent| self.brief.ruler.stretch(parent.span);
        parents.map(|parent| parent.units.get_or_init(|| units(parent))).sum()
    }

    /// The first byte that is shown of a chunk that begins at a byte, below these headings.
    pub(super) fn first_byte(&self, parents: &[usize], at: usize) -> usize {
        parents.first().map_or(at, |&heading| self.headings[heading].span.start)
    }

    /// What shows the headings again.
    pub(super) fn echoes(&self, parents: &[usize]) -> impl Iterator<Item = Piece> {
        parents.iter().map(|&heading| Piece::Echo(self.headings[heading].span))
    }

    fn heading_at(&self, at: usize) -> Option<usize> {
        let headings = &self.document.headings;
        let starts = |block: usize| self.document.blocks[block].span.start;
        headings.partition_point(|heading| starts(heading.block) <= at).checked_sub(1)
    }

    fn block_span(&self, heading: usize) -> Span {
        self.document.blocks[self.document.headings[heading].block].span
    }
}

/// The lines of a heading, with the end of the last one but without blank lines around them.
fn shown(document: &Document<'_>, block: Span) -> Span {
    let text = without_leading_blank_lines(block.of(document.source));
    let start = block.end - text.len();
    Span::new(start, next_line(document.source, start + text.trim_end().len()).min(block.end))
}
