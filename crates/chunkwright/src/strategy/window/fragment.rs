//! Fragments of a document: headings, blocks that fit whole, lines, and parts of lines.

use crate::brief::Brief;
use crate::document::{Block, BlockKind};
use crate::ids::BlockId;
use crate::seam::{Edge, Grade};
use crate::span::Span;
use crate::split::{Atom, Cutter, Measure, Series, Split};

/// The smallest part of the document that joins a chunk as a whole.
#[derive(Clone, Debug)]
pub(super) struct Fragment {
    pub(super) block: BlockId,
    pub(super) span: Span,
    pub(super) measure: Measure,
    /// The properties of a cut before it.
    pub(super) before: Edge,
    /// The properties of a cut after it.
    pub(super) after: Edge,
    pub(super) kind: FragmentKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FragmentKind {
    /// A heading of this level.
    Heading(u8),
    /// A block with all its lines, which is divided into lines only if it doesn't fit.
    Block,
    /// A line, or part of one.
    Line,
    /// A later part of a heading that doesn't fit.
    HeadingPart,
}

impl Fragment {
    pub(super) fn of_block(brief: &Brief<'_>, block: BlockId) -> Self {
        let Block { kind, span, .. } = brief.document[block];
        let units = brief.ruler.run(block);
        let shown = brief.ruler.trimmed(block);
        Self {
            block,
            span,
            measure: Measure { units, gap: units.saturating_sub(shown) },
            before: Edge::plain(Grade::BLOCK),
            after: Edge::plain(Grade::BLOCK),
            kind: match kind {
                BlockKind::Heading(level) => FragmentKind::Heading(level),
                _ => FragmentKind::Block,
            },
        }
    }

    pub(super) fn is_heading(&self) -> bool {
        matches!(self.kind, FragmentKind::Heading(_) | FragmentKind::HeadingPart)
    }

    /// Returns whether it is running text, which may be split anywhere.
    pub(super) fn is_text(&self, brief: &Brief<'_>) -> bool {
        use BlockKind::{Definitions, Heading, Paragraph, Quote};
        let kind = brief.document[self.block].kind;
        matches!(kind, Paragraph | Quote | Definitions | Heading(_))
    }

    /// Returns its units without trailing whitespace.
    pub(super) fn shown(&self) -> usize {
        self.measure.units.saturating_sub(self.measure.gap)
    }

    /// Returns the units of a chunk that ends here and sums up to `sum`: closed, and without
    /// trailing whitespace.
    pub(super) fn closed(&self, sum: usize) -> usize {
        self.after.closed(sum, self.measure.gap)
    }

    /// Divides a block into lines; `room` is the room of a chunk.
    pub(super) fn lines(&self, cutter: &mut Cutter<'_>, room: usize) -> Vec<Self> {
        let Split { atoms, tail } = cutter.lines(room);
        let mut after = self.after.clone();
        after.wrap = tail;
        self.parts(atoms, &after, FragmentKind::Line)
    }

    /// Splits a line into parts, each of which fits its room.
    pub(super) fn cut(
        &self,
        cutter: &mut Cutter<'_>,
        rooms: Series<usize>,
        is_text: bool,
    ) -> Vec<Self> {
        let atoms = cutter.line(self.span, &self.before, rooms, is_text);
        let part = if self.is_heading() { FragmentKind::HeadingPart } else { FragmentKind::Line };
        let mut parts = self.parts(atoms, &self.after, part);
        if let Some(first) = parts.first_mut().filter(|_| self.is_heading()) {
            first.kind = self.kind;
        }
        parts
    }

    fn parts(&self, atoms: Vec<Atom>, after: &Edge, kind: FragmentKind) -> Vec<Self> {
        let mut parts: Vec<Self> = Vec::with_capacity(atoms.len());
        let (mut end, mut after) = (self.span.end, after.clone());
        for Atom { at, measure, edge } in atoms.into_iter().rev() {
            let before = edge.clone();
            parts.push(Self {
                block: self.block,
                span: Span::new(at, end),
                measure,
                before,
                after,
                kind,
            });
            (end, after) = (at, edge);
        }
        if let Some(first) = parts.last_mut() {
            first.span.start = self.span.start;
            first.before = self.before.clone();
        }
        parts.reverse();
        parts
    }
}
