//! Plans: which bytes of the source a chunk holds and shows, before they become text.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::document::Document;
use crate::elide::Elision;
use crate::ids::SectionId;
use crate::note::{Note, NoteKind};
use crate::render;
use crate::span::{Span, line_start};
use crate::split::Cut;

/// A piece of a chunk: bytes of the source, or text that is added to them.
///
/// If a document has chunks, every byte of the source is in exactly one own or hidden piece. The
/// only exception is text that [`Tail::Drop`](crate::Tail::Drop) removes.
///
/// ```
/// use chunkwright::{Chunker, Hierarchical, Piece, Words};
///
/// let chunker = Chunker::new(Hierarchical::default().max(6), Words::with_factor(1.0)?)?;
/// let text = "```sh\nboil water\npour water\nadd tea\n```\n";
/// let first = chunker.chunk("tea.md", text).chunks.remove(0);
/// let [Piece::Own(lines), Piece::Glue(fence)] = &first.pieces[..] else { panic!("two pieces") };
/// assert_eq!((lines.start, fence.trim()), (0, "```"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Piece {
    /// Bytes of the source that belong to this chunk.
    Own(Span),
    /// Bytes of the source that are repeated: overlap, parent headings, a table's header, or an
    /// opening code fence.
    Echo(Span),
    /// Bytes of the source that belong to this chunk, but are left out of its text.
    Hidden(Span),
    /// Text that is not in the source, such as a closing code fence or a line ending.
    Glue(Cow<'static, str>),
}

impl Piece {
    /// Whether its bytes belong to this chunk.
    const fn is_owned(&self) -> bool {
        matches!(self, Self::Own(_) | Self::Hidden(_))
    }
}

/// An ordered list of pieces, and the sections that name them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    pub(crate) pieces: Vec<Piece>,
    /// The naming section, which gives the id, the title and the depth.
    pub(crate) section: SectionId,
    /// The section whose path is the breadcrumb. Mostly the naming section.
    pub(crate) trail: SectionId,
    /// The units of its chunk, context line included.
    pub(crate) units: usize,
    /// The blocks that it holds only a part of, where that is worth a note.
    pub(crate) cuts: Vec<Cut>,
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
    fn is_blank(&self, source: &str) -> bool {
        self.pieces.iter().all(|piece| match piece {
            Piece::Own(span) | Piece::Echo(span) => span.of(source).trim_start().is_empty(),
            Piece::Glue(glue) => glue.trim_start().is_empty(),
            Piece::Hidden(_) => true,
        })
    }

    /// Whether nothing of it is visible in `embed_text`: it is all HTML comments and the like. The
    /// rest of an image that had to be cut is not: the part before it shows the image.
    fn is_invisible(&self, document: &Document<'_>) -> bool {
        let start = self.own().start;
        let is_inside = |elision: &Elision| elision.span.start < start && start < elision.span.end;
        let next = document.elisions.partition_point(|elision| elision.span.end <= start);
        document.elisions.get(next).is_some_and(|elision| !is_inside(elision))
            && self.pieces.iter().all(|piece| match piece {
                Piece::Own(span) | Piece::Echo(span) => {
                    render::stretch(document, *span).trim_start().is_empty()
                }
                Piece::Glue(glue) => glue.trim_start().is_empty(),
                Piece::Hidden(_) => true,
            })
    }

    /// Adds pieces at its end; own bytes that follow own bytes are one piece.
    fn extend(&mut self, pieces: impl IntoIterator<Item = Piece>) {
        for piece in pieces {
            match (self.pieces.last_mut(), &piece) {
                (Some(Piece::Own(last)), Piece::Own(next)) if last.end == next.start => {
                    last.end = next.end;
                }
                _ => self.pieces.push(piece),
            }
        }
    }

    /// Whether it ends with a whole line.
    fn ends_a_line(&self, source: &str) -> bool {
        let end = self.own().end;
        line_start(source, end) == end
    }
}

/// What is said of the document is kept when a plan is folded into another; what is said of the
/// chunk is not.
fn lasting(notes: Vec<Note>) -> impl Iterator<Item = Note> {
    notes.into_iter().filter(|note| note.kind == NoteKind::DroppedTail)
}

/// Folds plans that are not worth a chunk into their neighbors.
///
/// The bytes of a plan of white space are hidden at the start of the next one, or at the end of the
/// last. If asked for, a plan of which an embedding model would see nothing joins the previous one,
/// or at the start of the document the next one. The `embed_text` of either stays the same.
pub(crate) fn fold(document: &Document<'_>, plans: Vec<Plan>, joins_invisible: bool) -> Vec<Plan> {
    let source = document.source;
    let is_invisible = |plan: &Plan| joins_invisible && plan.is_invisible(document);
    let mut folded: Vec<Plan> = Vec::with_capacity(plans.len());
    let mut hidden: Vec<Piece> = Vec::new();
    let mut notes: Vec<Note> = Vec::new();
    for mut plan in plans {
        if plan.is_blank(source) {
            hidden.extend(plan.own_pieces().map(Piece::Hidden));
            notes.extend(lasting(plan.notes));
            continue;
        }
        let is_first = folded.len() == 1;
        match folded.last_mut() {
            Some(last) if is_invisible(&plan) => {
                last.extend(hidden.drain(..));
                last.extend(plan.own_pieces().map(Piece::Own));
                last.notes.extend(lasting(plan.notes));
            }
            Some(lead) if is_first && is_invisible(lead) && lead.ends_a_line(source) => {
                let rest = std::mem::take(&mut plan.pieces);
                plan.extend(lead.pieces.drain(..).filter(Piece::is_owned));
                plan.extend(hidden.drain(..).chain(rest));
                *lead = plan;
            }
            _ => {
                plan.pieces.splice(0..0, hidden.drain(..));
                folded.push(plan);
            }
        }
    }
    if let Some(last) = folded.last_mut() {
        last.pieces.extend(hidden);
        last.notes.extend(notes);
    }
    folded
}
