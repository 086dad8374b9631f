//! Counts the tokens of chunks again, in the simplest way.

use std::ops::Range;

use chunkwright::{Chunk, Piece, Span, TextKind};

use super::Case;

/// Returns the tokens of a chunk's `embed_text`.
pub(crate) fn recount(case: &Case<'_>, chunk: &Chunk<'_>) -> usize {
    let embed_text = chunk.embed_text();
    let shares = match embed_text.strip_suffix(&*chunk.text) {
        _ if !case.counter.sums_pieces() => vec![(embed_text.to_string(), TextKind::Prose)],
        Some(context) => {
            let context = (context.to_owned(), TextKind::Prose);
            [vec![context], trimmed(shown(case, chunk), &chunk.text)].concat()
        }
        None => {
            let context = (chunk.context().to_owned(), TextKind::Prose);
            [vec![context], elided(&embed_text[chunk.context().len()..], shown(case, chunk))]
                .concat()
        }
    };
    let units = shares.iter().map(|(text, kind)| case.counter.count(text, *kind)).sum();
    case.counter.scale().tokens(units)
}

/// Returns the text of a chunk by kind, with payloads elided from code.
fn shown(case: &Case<'_>, chunk: &Chunk<'_>) -> Vec<(String, TextKind)> {
    let source = case.document.source();
    let share = |(span, kind): (Span, TextKind)| match kind {
        TextKind::Code => (without_payloads(source, span), kind),
        TextKind::Prose => (span.of(source).to_owned(), kind),
    };
    let shares = |piece: &Piece| match piece {
        Piece::Own(span) | Piece::Echo(span) => {
            by_block(case, *span).into_iter().map(share).collect()
        }
        Piece::Glue(glue) => vec![(glue.to_string(), TextKind::Code)],
        _ => Vec::new(),
    };
    chunk.pieces.iter().flat_map(shares).collect()
}

/// Splits an elided text into prose and code. Only payloads and surrounding white space are elided
/// from code, so each code block can be found in the text.
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

/// Returns the tokens that a chunk would have if it continued to `end`.
pub(crate) fn if_longer(case: &Case<'_>, chunk: &Chunk<'_>, end: usize) -> usize {
    let longer = Span::new(chunk.span.start, end).of(case.document.source()).trim_end();
    let line = chunk.context();
    let mut before = if line.is_empty() { String::new() } else { format!("{line}\n\n") };
    before += &case.parent_headings(chunk);
    let count = |text: &str, kind| case.counter.count(text, kind);
    let units = if case.counter.sums_pieces() {
        let span = Span::new(chunk.span.start, chunk.span.start + longer.len());
        let shares = by_block(case, span);
        let share = |(span, kind): (Span, TextKind)| count(span.of(case.document.source()), kind);
        let sum: usize = shares.into_iter().map(share).sum();
        count(&before, TextKind::Prose) + sum
    } else {
        count(&(before + longer), TextKind::Prose)
    };
    case.counter.scale().tokens(units)
}

fn by_block(case: &Case<'_>, span: Span) -> Vec<(Span, TextKind)> {
    let blocks = &case.document.blocks();
    let first = blocks.partition_point(|block| block.span.end <= span.start);
    let overlaps = blocks[first..].iter().take_while(|block| block.span.start < span.end);
    overlaps
        .map(|block| {
            let (start, end) = (block.span.start.max(span.start), block.span.end.min(span.end));
            (Span::new(start, end), block.kind.text_kind())
        })
        .collect()
}

/// Trims the same white space off the shares that was trimmed off `text`.
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

/// Returns a span of the source with `[N characters]` in place of each payload that starts in it,
/// and without the rest of a payload that starts before it.
fn without_payloads(source: &str, span: Span) -> String {
    let mut shown = String::new();
    let mut at = span.start;
    for payload in payloads(source, span) {
        if payload.start >= at {
            shown += &source[at..payload.start];
            shown += &format!("[{} characters]", payload.len());
        }
        at = payload.end.clamp(at, span.end);
    }
    shown + &source[at..span.end]
}

/// Returns the payloads that overlap a span.
fn payloads(source: &str, span: Span) -> Vec<Range<usize>> {
    let is_end = |c: char| matches!(c, '\n' | '\r');
    let first = source[..span.start].rfind(is_end).map_or(0, |end| end + 1);
    let last = source[span.end..].find(is_end).map_or(source.len(), |end| span.end + end);
    let mut found: Vec<Range<usize>> = Vec::new();
    for signs in [['+', '/'], ['-', '_']] {
        let is_digit = |c: char| c.is_ascii_alphanumeric() || signs.contains(&c);
        for run in source[first..last].split(|c| !is_digit(c)).filter(|run| run.len() >= 200) {
            let start = run.as_ptr().addr() - source.as_ptr().addr();
            let end = start + run.len();
            let padding = source[end..].bytes().take(2).take_while(|&byte| byte == b'=').count();
            let is_drawn = run.bytes().filter(u8::is_ascii_alphanumeric).count() * 4 < run.len();
            found.extend((!is_drawn).then_some(start..end + padding));
        }
    }
    found.sort_by_key(|run| run.start);
    let mut apart: Vec<Range<usize>> = Vec::new();
    for run in found {
        match apart.last_mut() {
            Some(last) if run.start < last.end => last.end = last.end.max(run.end),
            _ => apart.push(run),
        }
    }
    apart.retain(|run| run.start < span.end && run.end > span.start);
    apart
}
