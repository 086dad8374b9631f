//! Seams between chunks, and the text that keeps both sides valid.

use std::rc::Rc;

use crate::block::BlockKind;
use crate::piece::Piece;
use crate::span::Span;

/// The quality of a cut. Higher is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Grade(u8);

impl Grade {
    /// Not allowed, such as between a table's header and its first row.
    pub(crate) const NEVER: Self = Self(0);
    pub(crate) const GRAPHEME: Self = Self(1);
    /// Between words inside a link, a code span or another inline element.
    pub(crate) const INSIDE: Self = Self(2);
    pub(crate) const WORD: Self = Self(3);
    pub(crate) const SENTENCE: Self = Self(4);
    pub(crate) const LINE: Self = Self(5);
    pub(crate) const BLANK_LINE: Self = Self(6);
    /// Between cells of a row that doesn't fit.
    pub(crate) const CELL: Self = Self(6);
    /// Between rows of an HTML table, which may have several lines each.
    pub(crate) const ROW: Self = Self(7);
    pub(crate) const BLOCK: Self = Self(u8::MAX);

    /// Returns the grade of a cut between parts at a nesting depth in a block.
    pub(crate) fn at_depth(depth: usize) -> Self {
        let levels = u8::MAX - Self::ROW.0 - 2;
        Self(u8::MAX - 1 - u8::try_from(depth).map_or(levels, |depth| depth.min(levels)))
    }
}

/// The text that closes the part before a cut and opens the part after it: code fences, table
/// headers, HTML tags and block quote markers.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Wrap {
    pub(crate) open: Vec<Piece>,
    /// A separate line, or empty.
    pub(crate) close: String,
    pub(crate) open_units: usize,
    pub(crate) close_units: usize,
}

/// A block that would better be whole. Chunks with part of it carry a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CutBlock {
    pub(crate) kind: BlockKind,
    pub(crate) start: usize,
}

/// The properties of a cut.
#[derive(Clone, Debug)]
pub(crate) struct Edge {
    pub(crate) grade: Grade,
    /// The text that keeps both sides valid.
    pub(crate) wrap: Option<Rc<Wrap>>,
    /// The block that is split here, if that adds a note.
    pub(crate) cut: Option<CutBlock>,
}

impl Edge {
    /// Creates an edge without a wrap and a note.
    pub(crate) const fn plain(grade: Grade) -> Self {
        Self { grade, wrap: None, cut: None }
    }

    /// Returns the units of the text that opens the part after the cut.
    pub(crate) fn open_units(&self) -> usize {
        self.wrap.as_ref().map_or(0, |wrap| wrap.open_units)
    }

    /// Returns the units of the text that closes the part before the cut.
    pub(crate) fn close_units(&self) -> usize {
        self.wrap.as_ref().map_or(0, |wrap| wrap.close_units)
    }

    /// Returns the units of a chunk that ends here and sums up to `sum`: closed, and without the
    /// whitespace at its end, which has `gap` units.
    pub(crate) fn closed(&self, sum: usize, gap: usize) -> usize {
        match self.close_units() {
            0 => sum.saturating_sub(gap),
            units => sum + units,
        }
    }
}

/// A position in the source where two chunks meet.
#[derive(Clone, Debug)]
pub(crate) struct Seam {
    pub(crate) at: usize,
    pub(crate) edge: Edge,
}

impl Seam {
    pub(crate) const fn between_blocks(at: usize) -> Self {
        Self { at, edge: Edge::plain(Grade::BLOCK) }
    }
}

/// Returns the pieces of the chunk between two seams.
pub(crate) fn pieces(source: &str, start: &Seam, end: &Seam) -> Vec<Piece> {
    let mut pieces = start.edge.wrap.as_ref().map_or_else(Vec::new, |wrap| wrap.open.clone());
    pieces.push(Piece::Own(Span::new(start.at, end.at)));
    if let Some(wrap) = end.edge.wrap.as_ref().filter(|wrap| !wrap.close.is_empty()) {
        let on_new_line = source[..end.at].ends_with(['\n', '\r']);
        let close = if on_new_line { wrap.close.clone() } else { format!("\n{}", wrap.close) };
        pieces.push(Piece::Glue(close.into()));
    }
    pieces
}
