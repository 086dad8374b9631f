//! Renders chunks for people, to show at a glance where a file was split.

use std::fmt::Write;
use std::sync::Arc;

use chunkwright::{Chunk, Piece};

use crate::style::{
    BOLD, DIM, GOOD, LAST_PLACE, PLACE, PLAIN, WARN, columns, count, fit, harmless, number, paint,
    wrap,
};

/// Cells of the gauge that shows how full a chunk is.
const GAUGE: usize = 10;

/// Maximum columns of a chunk's heading, and of each heading above it.
const TITLE: usize = 60;
const PARENT: usize = 40;

/// A view of chunks in a terminal.
pub(crate) struct PrettyView {
    pub(crate) columns: usize,
    pub(crate) max_tokens: Option<usize>,
}

impl PrettyView {
    /// Renders all chunks of one file.
    pub(crate) fn file(&self, path: &str, source: &str, chunks: &[Chunk<'_>]) -> String {
        let tokens = chunks.iter().map(|chunk| chunk.tokens).sum();
        let total = format!("{} · {}", count(chunks.len(), "chunk"), count(tokens, "token"));
        let path = harmless(path);
        let mut out = String::new();
        self.line(
            &mut out,
            &paint(BOLD, &path),
            columns(&path),
            &paint(DIM, &total),
            columns(&total),
        );
        for chunk in chunks {
            out.push('\n');
            self.chunk(&mut out, source, chunk);
        }
        out.push('\n');
        out
    }

    fn chunk(&self, out: &mut String, source: &str, chunk: &Chunk<'_>) {
        let gauge = self.gauge(chunk.tokens);
        let tokens = match self.max_tokens {
            Some(max) => format!("{} / {}", number(chunk.tokens), number(max)),
            None => number(chunk.tokens),
        };
        let (first, last) = (chunk.lines.start(), chunk.lines.end());
        let lines =
            if first == last { format!("line {first}") } else { format!("lines {first}–{last}") };
        let facts = format!("{tokens} · {lines}");
        let facts_columns = columns(&facts) + GAUGE + 1;
        let room = self.columns.saturating_sub(facts_columns + 4);
        let (trail, trail_columns) = breadcrumb(&chunk.breadcrumb, room);
        let left = format!("{} {trail}", paint(DIM, "┌"));
        self.line(
            out,
            &left,
            trail_columns + 2,
            &format!("{gauge} {}", paint(DIM, facts)),
            facts_columns,
        );
        for note in &chunk.notes {
            let _ =
                writeln!(out, "{} {}", paint(DIM, "│"), paint(WARN, format!("! {}", note.message)));
        }
        self.text(out, source, chunk);
    }

    /// Writes the text of a chunk. Everything but its own pieces is dimmed.
    fn text(&self, out: &mut String, source: &str, chunk: &Chunk<'_>) {
        let mut line = Vec::new();
        let mut left = chunk.text.len();
        for (text, style) in shown(source, chunk) {
            let text = &text[..text.len().min(left)];
            left -= text.len();
            for (nth, part) in text.split('\n').enumerate() {
                if nth > 0 {
                    self.rows(out, &std::mem::take(&mut line));
                }
                line.push((part.trim_end_matches('\r'), style));
            }
        }
        self.rows(out, &line);
    }

    /// Writes one line of text, wrapped.
    fn rows(&self, out: &mut String, line: &[(&str, anstyle::Style)]) {
        let room = self.columns - 2;
        for (part, style) in line.iter().filter(|(part, _)| line.len() == 1 || !part.is_empty()) {
            let part = harmless(part);
            for row in wrap(&part, room) {
                let row =
                    if row.is_empty() { String::new() } else { format!(" {}", paint(*style, row)) };
                let _ = writeln!(out, "{}{row}", paint(DIM, "│"));
            }
        }
    }

    fn gauge(&self, tokens: usize) -> String {
        let Some(max) = self.max_tokens else { return " ".repeat(GAUGE) };
        let full = (tokens * GAUGE).div_ceil(max.max(1)).min(GAUGE);
        let style = if tokens > max { WARN } else { GOOD };
        format!("{}{}", paint(style, "▰".repeat(full)), paint(DIM, "▱".repeat(GAUGE - full)))
    }

    /// Writes a line with text at both ends.
    fn line(
        &self,
        out: &mut String,
        left: &str,
        left_columns: usize,
        right: &str,
        right_columns: usize,
    ) {
        let space = self.columns.saturating_sub(left_columns + right_columns).max(2);
        let _ = writeln!(out, "{left}{:space$}{right}", "");
    }
}

/// Returns the breadcrumb in at most `room` columns, and the columns it takes. The headings in the
/// middle are left out first.
fn breadcrumb(elements: &[Arc<str>], room: usize) -> (String, usize) {
    let most = |nth: usize| if nth + 1 == elements.len() { TITLE } else { PARENT };
    let shown =
        |(nth, element): (usize, &Arc<str>)| fit(&harmless(element), most(nth)).into_owned();
    let elements: Vec<_> = elements.iter().enumerate().map(shown).collect();
    let Some((last, path)) = elements.split_last() else { return (String::new(), 0) };
    let path: String = path.iter().map(|element| format!("{element} › ")).collect();
    let short = elements.first().map(|first| format!("{first} › … › ")).unwrap_or_default();
    let fitting = [path, short].into_iter().find(|path| columns(path) + columns(last) <= room);
    match fitting {
        Some(path) => (
            format!("{}{}", paint(PLACE, &path), paint(LAST_PLACE, last)),
            columns(&path) + columns(last),
        ),
        None => {
            let last = fit(last, room);
            (paint(LAST_PLACE, &last), columns(&last))
        }
    }
}

/// Returns the visible pieces of a chunk with their styles, without blank lines at the start.
fn shown<'c>(source: &'c str, chunk: &'c Chunk<'_>) -> Vec<(&'c str, anstyle::Style)> {
    let parts = chunk.pieces.iter().filter_map(|piece| match piece {
        Piece::Own(span) => Some((span.of(source), PLAIN)),
        Piece::Echo(span) => Some((span.of(source), DIM)),
        Piece::Glue(glue) => Some((&**glue, DIM)),
        _ => None,
    });
    let mut parts: Vec<_> = parts.collect();
    if let Some((first, _)) = parts.first_mut() {
        let content = first.len() - first.trim_start().len();
        let blank = first[..content].rfind(['\n', '\r']).map_or(0, |at| at + 1);
        *first = &first[blank..];
    }
    parts
}
