//! Plans, which define the bytes of the source that each chunk contains and shows.

use std::borrow::Cow;
use std::rc::Rc;

use crate::document::Document;
use crate::elide::Elision;
use crate::ids::{BlockId, SectionId};
use crate::note::{Note, NoteKind};
use crate::piece::Piece;
use crate::render;
use crate::ruler::ContextLine;
use crate::seam::CutBlock;
use crate::span::{Span, line_start};

/// An ordered list of pieces, with the sections that name them and the context line above them.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) pieces: Vec<Piece>,
    /// The naming section, which gives the id, the title and the depth.
    pub(crate) section: SectionId,
    /// The section whose path is the breadcrumb, usually the naming section.
    pub(crate) trail: SectionId,
    pub(crate) context: Rc<ContextLine>,
    /// The units of the chunk, including the context line.
    pub(crate) units: usize,
    /// The split blocks that it contains part of and that add a note.
    pub(crate) cuts: Vec<CutBlock>,
    pub(crate) notes: Vec<Note>,
}

impl Plan {
    /// Returns the spans of its own pieces.
    fn own_pieces(&self) -> impl Iterator<Item = Span> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Own(span) => Some(*span),
            _ => None,
        })
    }

    /// Returns the span from its first to its last own byte.
    pub(crate) fn own(&self) -> Span {
        let mut own = self.own_pieces();
        let first = own.next().unwrap_or(Span::new(0, 0));
        Span::new(first.start, own.last().map_or(first.end, |last| last.end))
    }

    /// Returns whether it shows only whitespace, given the text that a span shows.
    fn is_blank<'t>(&self, text: impl Fn(Span) -> Cow<'t, str>) -> bool {
        self.pieces.iter().all(|piece| match piece {
            Piece::Own(span) | Piece::Echo(span) => text(*span).trim_start().is_empty(),
            Piece::Glue(glue) => glue.trim_start().is_empty(),
            Piece::Hidden(_) => true,
        })
    }

    /// Returns whether `embed_text` shows nothing of it, because it consists of HTML comments or
    /// other elided text. The rest of a split image isn't invisible: the part before it shows the
    /// image.
    fn is_invisible(&self, document: &Document<'_>) -> bool {
        let start = self.own().start;
        let is_inside = |elision: &Elision| elision.span.start < start && start < elision.span.end;
        let next = document.elisions.partition_point(|elision| elision.span.end <= start);
        document.elisions.get(next).is_some_and(|elision| !is_inside(elision))
            && self.is_blank(|span| render::stretch(document, span))
    }

    /// Appends pieces. Adjacent own pieces become one.
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

    /// Returns whether it ends at a line boundary.
    fn ends_a_line(&self, source: &str) -> bool {
        let end = self.own().end;
        line_start(source, end) == end
    }
}

/// Keeps the notes that still apply when a plan is folded into another one: those about the
/// document, not those about the chunk.
fn lasting(notes: Vec<Note>) -> impl Iterator<Item = Note> {
    notes.into_iter().filter(|note| note.kind == NoteKind::DroppedTail)
}

/// Folds plans with nothing to show into their neighbors, and hides the blocks before the first
/// shown one.
pub(crate) fn finish(
    document: &Document<'_>,
    shown: BlockId,
    plans: Vec<Plan>,
    joins_invisible: bool,
) -> Vec<Plan> {
    let mut plans = fold(document, plans, joins_invisible);
    let hidden = document.span_of(document.all_blocks().start.to(shown));
    if let Some(first) = plans.first_mut()
        && !hidden.is_empty()
    {
        first.pieces.insert(0, Piece::Hidden(hidden));
    }
    plans
}

/// Folds plans with nothing to show into their neighbors.
///
/// The bytes of a blank plan become hidden pieces at the start of the next plan, or at the end of
/// the last one. With `joins_invisible`, a plan with an empty `embed_text` joins the previous plan,
/// or at the start of the document the next one. The `embed_text` of the other plan doesn't change.
fn fold(document: &Document<'_>, plans: Vec<Plan>, joins_invisible: bool) -> Vec<Plan> {
    let source = document.source;
    let is_invisible = |plan: &Plan| joins_invisible && plan.is_invisible(document);
    let mut folded: Vec<Plan> = Vec::with_capacity(plans.len());
    let mut hidden: Vec<Piece> = Vec::new();
    let mut notes: Vec<Note> = Vec::new();
    for mut plan in plans {
        if plan.is_blank(|span| Cow::Borrowed(span.of(source))) {
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
