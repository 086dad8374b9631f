//! Renders the pieces of a chunk as text.

use std::borrow::Cow;

use crate::document::Document;
use crate::elide;
use crate::piece::Piece;
use crate::span::{Span, without_leading_blank_lines};

/// Renders a chunk's text: its visible pieces, without leading blank lines and trailing whitespace.
/// The text is borrowed if it is contiguous in the source.
pub(crate) fn text<'s: 'p, 'p>(source: &'s str, pieces: &'p [Piece]) -> Cow<'s, str> {
    let mut shown = pieces.iter().filter(|piece| !matches!(piece, Piece::Hidden(_)));
    if let (Some(Piece::Own(span)), None) = (shown.next(), shown.next()) {
        return Cow::Borrowed(trim(span.of(source)));
    }
    let shown = |piece: &'p Piece| match piece {
        Piece::Own(span) | Piece::Echo(span) => span.of(source),
        Piece::Glue(glue) => glue,
        Piece::Hidden(_) => "",
    };
    let mut text = String::with_capacity(pieces.iter().map(|piece| shown(piece).len()).sum());
    pieces.iter().for_each(|piece| text.push_str(shown(piece)));
    text.truncate(text.trim_end().len());
    text.drain(..text.len() - without_leading_blank_lines(&text).len());
    Cow::Owned(text)
}

/// Renders the text to embed: the context line, a blank line, and the text with elisions applied.
pub(crate) fn embed_text(document: &Document<'_>, context: &str, pieces: &[Piece]) -> String {
    let mut body = String::new();
    for piece in pieces {
        match piece {
            Piece::Own(span) | Piece::Echo(span) => {
                elide::write(document.source, &document.elisions, *span, &mut body);
            }
            Piece::Glue(glue) => body.push_str(glue),
            Piece::Hidden(_) => {}
        }
    }
    let body = trim(&body);
    if context.is_empty() { body.to_owned() } else { format!("{context}\n\n{body}") }
}

/// Renders part of the source with elisions applied, as in `embed_text`.
pub(crate) fn stretch<'s>(document: &Document<'s>, span: Span) -> Cow<'s, str> {
    if !elide::touches(&document.elisions, span) {
        return Cow::Borrowed(span.of(document.source));
    }
    let mut text = String::new();
    elide::write(document.source, &document.elisions, span, &mut text);
    Cow::Owned(text)
}

fn trim(text: &str) -> &str {
    without_leading_blank_lines(text).trim_end()
}
