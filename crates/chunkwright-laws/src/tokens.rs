//! Counting a chunk again, the slow and simple way.

use chunkwright::{Chunk, Piece, Span, TextKind};

use crate::Case;

/// The tokens of a chunk's `embed_text`.
pub(crate) fn recount(case: &Case<'_>, chunk: &Chunk<'_>) -> usize {
    let embed_text = chunk.embed_text();
    let scale = case.counter.scale();
    if !case.counter.sums_pieces() {
        return scale.tokens(case.counter.count(&embed_text, TextKind::Prose));
    }
    if is_elided(chunk, &embed_text) {
        return chunk.tokens;
    }
    let context = embed_text.len() - chunk.text.len();
    let mut shares = vec![(embed_text[..context].to_owned(), TextKind::Prose)];
    let mut shown = Vec::new();
    for piece in &chunk.pieces {
        match piece {
            Piece::Own(span) | Piece::Echo(span) => shown.extend(by_block(case, *span)),
            Piece::Glue(glue) => shown.push((glue.to_string(), TextKind::Code)),
            Piece::Hidden(_) => {}
        }
    }
    shares.extend(trimmed(shown, &chunk.text));
    scale.tokens(shares.iter().map(|(text, kind)| case.counter.count(text, *kind)).sum())
}

/// The tokens that a chunk would have if it went on to `end`.
pub(crate) fn if_longer(case: &Case<'_>, chunk: &Chunk<'_>, end: usize) -> usize {
    let longer = Span::new(chunk.span.start, end).of(case.document.source).trim_end();
    let line = chunk.context();
    let mut before = if line.is_empty() { String::new() } else { format!("{line}\n\n") };
    before += &case.parent_headings(chunk);
    let count = |text: &str, kind| case.counter.count(text, kind);
    let units = if case.counter.sums_pieces() {
        let span = Span::new(chunk.span.start, chunk.span.start + longer.len());
        let shares = by_block(case, span);
        let sum: usize = shares.iter().map(|(text, kind)| count(text, *kind)).sum();
        count(&before, TextKind::Prose) + sum
    } else {
        count(&(before + longer), TextKind::Prose)
    };
    case.counter.scale().tokens(units)
}

/// Whether `embed_text` leaves something out, so that pieces do not tell its length.
fn is_elided(chunk: &Chunk<'_>, embed_text: &str) -> bool {
    let marks = ["<!--", "data:", "\u{200b}", "\u{feff}", "\u{2060}"];
    !embed_text.ends_with(&*chunk.text) || marks.iter().any(|mark| chunk.text.contains(mark))
}

fn by_block(case: &Case<'_>, span: Span) -> Vec<(String, TextKind)> {
    let blocks = &case.document.blocks;
    let first = blocks.partition_point(|block| block.span.end <= span.start);
    let overlaps = blocks[first..].iter().take_while(|block| block.span.start < span.end);
    overlaps
        .map(|block| {
            let (start, end) = (block.span.start.max(span.start), block.span.end.min(span.end));
            (case.document.source[start..end].to_owned(), block.kind.text_kind())
        })
        .collect()
}

/// The shares of `text` only: white space that was trimmed off is taken off them.
fn trimmed(shares: Vec<(String, TextKind)>, text: &str) -> Vec<(String, TextKind)> {
    let all: String = shares.iter().map(|(share, _)| share.as_str()).collect();
    let start = all.find(text).unwrap_or(0);
    let end = start + text.len();
    let mut at = 0;
    let mut kept = Vec::new();
    for (share, kind) in shares {
        let (from, to) = (at.max(start), (at + share.len()).min(end));
        if from < to {
            kept.push((share[from - at..to - at].to_owned(), kind));
        }
        at += share.len();
    }
    kept
}
