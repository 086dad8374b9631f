//! Counting a chunk again, the slow and simple way.

use chunkwright::{Chunk, Piece, Span, TextKind};

use crate::Case;

/// Returns the tokens of a chunk's `embed_text`.
pub(crate) fn recount(case: &Case<'_>, chunk: &Chunk<'_>) -> usize {
    let embed_text = chunk.embed_text();
    let shares = match embed_text.strip_suffix(&*chunk.text) {
        _ if !case.counter.sums_pieces() => vec![(embed_text.to_string(), TextKind::Prose)],
        Some(context) => {
            let context = (context.to_owned(), TextKind::Prose);
            [vec![context], trimmed(shown(case, chunk), &chunk.text)].concat()
        }
        None => elided(&embed_text, shown(case, chunk)),
    };
    let units = shares.iter().map(|(text, kind)| case.counter.count(text, *kind)).sum();
    case.counter.scale().tokens(units)
}

/// What a chunk shows, by kind of text.
fn shown(case: &Case<'_>, chunk: &Chunk<'_>) -> Vec<(String, TextKind)> {
    let shares = |piece: &Piece| match piece {
        Piece::Own(span) | Piece::Echo(span) => by_block(case, *span),
        Piece::Glue(glue) => vec![(glue.to_string(), TextKind::Code)],
        Piece::Hidden(_) => Vec::new(),
    };
    chunk.pieces.iter().flat_map(shares).collect()
}

/// The shares of a text from which something was left out. That happens outside code only, so code
/// is in it as it is, but for white space at its ends, and everything else is prose.
fn elided(text: &str, shown: Vec<(String, TextKind)>) -> Vec<(String, TextKind)> {
    let mut rest = text;
    let mut shares = Vec::new();
    for (code, _) in shown.iter().filter(|(_, kind)| *kind == TextKind::Code) {
        let forms = [code.as_str(), code.trim_end(), code.trim_start(), code.trim()];
        let found = forms.into_iter().find_map(|code| rest.find(code).map(|at| (at, code)));
        if let Some((at, code)) = found {
            shares.push((rest[..at].to_owned(), TextKind::Prose));
            shares.push((code.to_owned(), TextKind::Code));
            rest = &rest[at + code.len()..];
        }
    }
    shares.push((rest.to_owned(), TextKind::Prose));
    shares
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
