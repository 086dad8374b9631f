//! Seams: where one chunk ends and the next begins, and what makes both ends whole again.

use std::rc::Rc;

use crate::document::BlockKind;
use crate::plan::Piece;
use crate::span::Span;

/// How good a place is to cut: the higher the better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Grade(u8);

impl Grade {
    /// Between a heading and what it heads, or a table's header and its first row.
    pub(crate) const NEVER: Self = Self(0);
    pub(crate) const GRAPHEME: Self = Self(1);
    /// Between words of a link, a code span and the like.
    pub(crate) const INSIDE: Self = Self(2);
    pub(crate) const WORD: Self = Self(3);
    pub(crate) const SENTENCE: Self = Self(4);
    pub(crate) const LINE: Self = Self(5);
    pub(crate) const BLANK_LINE: Self = Self(6);
    /// Between cells of a row that has to be cut.
    pub(crate) const CELL: Self = Self(6);
    /// Between rows of HTML, which may have several lines.
    pub(crate) const ROW: Self = Self(7);
    pub(crate) const BLOCK: Self = Self(u8::MAX);

    /// Between parts of a block that lie so many levels deep in it.
    pub(crate) fn at_depth(depth: usize) -> Self {
        let levels = u8::MAX - Self::ROW.0 - 2;
        Self(u8::MAX - 1 - u8::try_from(depth).map_or(levels, |depth| depth.min(levels)))
    }
}

/// What closes a part that is cut off, and opens the next one: fences, table headers, tags,
/// quote marks.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Wrap {
    pub(crate) open: Vec<Piece>,
    /// A line of its own, or nothing.
    pub(crate) close: String,
    pub(crate) open_units: usize,
    pub(crate) close_units: usize,
}

/// A block that should have stayed whole. Chunks that hold a part of it carry a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cut {
    pub(crate) kind: BlockKind,
    /// Where the block starts.
    pub(crate) start: usize,
}

/// What a cut is like.
#[derive(Clone, Debug)]
pub(crate) struct Edge {
    pub(crate) grade: Grade,
    /// What the two parts need to be whole.
    pub(crate) wrap: Option<Rc<Wrap>>,
    /// The block that both sides hold a part of, if that is worth a note.
    pub(crate) cut: Option<Cut>,
}

impl Edge {
    /// A cut that needs nothing.
    pub(crate) const fn plain(grade: Grade) -> Self {
        Self { grade, wrap: None, cut: None }
    }
}

/// A place between two bytes of the source where chunks meet.
#[derive(Clone, Debug)]
pub(crate) struct Seam {
    pub(crate) at: usize,
    pub(crate) edge: Edge,
}

impl Seam {
    /// A seam between blocks.
    pub(crate) const fn between_blocks(at: usize) -> Self {
        Self { at, edge: Edge::plain(Grade::BLOCK) }
    }
}

/// The pieces of the stretch between two seams.
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
