//! Plans: which bytes of the source a chunk holds and shows, before they become text.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::note::Note;
use crate::span::Span;

/// A part of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Piece {
    /// Bytes of the source that belong to this chunk.
    Own(Span),
    /// Bytes of the source shown again: overlap, parent headings, a table's header, a fence's
    /// opening.
    Echo(Span),
    /// Bytes of the source that belong to this chunk but are not shown.
    Hidden(Span),
    /// Text that is not in the source: a closing fence, a line end.
    Glue(Cow<'static, str>),
}

/// An ordered list of pieces, and where in the document they stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    pub(crate) pieces: Vec<Piece>,
    /// The section whose path is the breadcrumb.
    pub(crate) trail: usize,
    /// The units of its chunk, context line included.
    pub(crate) units: usize,
    pub(crate) notes: Vec<Note>,
}

impl Plan {
    /// The stretches of the source that it owns and shows.
    pub(crate) fn own_pieces(&self) -> impl Iterator<Item = Span> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Own(span) => Some(*span),
            _ => None,
        })
    }

    /// From the first to the last byte that it owns and shows.
    pub(crate) fn own(&self) -> Span {
        let mut own = self.own_pieces();
        let first = own.next().unwrap_or(Span::new(0, 0));
        Span::new(first.start, own.last().map_or(first.end, |last| last.end))
    }

    /// The first byte of the source that it shows.
    pub(crate) fn shown_start(&self) -> usize {
        let shown = self.pieces.iter().find_map(|piece| match piece {
            Piece::Own(span) | Piece::Echo(span) => Some(span.start),
            Piece::Hidden(_) | Piece::Glue(_) => None,
        });
        shown.unwrap_or(0)
    }

    /// Whether all that it shows is white space.
    pub(crate) fn shows_nothing(&self, source: &str) -> bool {
        self.pieces.iter().all(|piece| match piece {
            Piece::Own(span) | Piece::Echo(span) => span.of(source).trim_start().is_empty(),
            Piece::Glue(glue) => glue.trim_start().is_empty(),
            Piece::Hidden(_) => true,
        })
    }
}
