//! Byte ranges of the source, and line numbers of bytes.

use std::ops::Range;

use memchr::memchr_iter;
use serde::{Deserialize, Serialize};

/// A half-open byte range `[start, end)` of the source, on character boundaries.
///
/// ```
/// use chunkwright::{Chunker, Hierarchical, Words};
///
/// let chunker = Chunker::new(Hierarchical::default(), Words::default())?;
/// let text = "# Tea\n\nBoil water first.\n";
/// let span = chunker.chunk("tea.md", text).chunks[0].span;
/// assert_eq!(span.of(text), &text[span.start..span.end]);
/// # Ok::<(), chunkwright::ConfigError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// Creates a span from `start` up to, but not including, `end`.
    pub const fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// Returns the number of bytes.
    pub const fn len(self) -> usize {
        self.end - self.start
    }

    /// Returns whether the span is empty.
    pub const fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// Returns this part of `source`.
    ///
    /// # Panics
    /// If the span is not within `source` or not on character boundaries.
    pub fn of(self, source: &str) -> &str {
        &source[self.start..self.end]
    }

    /// Converts the span to a standard library range.
    pub(crate) const fn range(self) -> Range<usize> {
        self.start..self.end
    }

    /// Returns the intersection of two spans, which may be empty.
    pub(crate) fn overlap(self, other: Self) -> Self {
        let start = self.start.max(other.start);
        Self::new(start, self.end.min(other.end).max(start))
    }
}

/// Looks up line numbers as editors count them: LF, CRLF and a lone CR end a line.
///
/// Queries in ascending order take a single pass over the source.
#[derive(Debug)]
pub(crate) struct Lines<'s> {
    bytes: &'s [u8],
    /// The byte up to which lines are counted.
    counted: usize,
    /// The number of lines that end before that byte.
    ended: usize,
}

impl<'s> Lines<'s> {
    pub(crate) fn of(source: &'s str) -> Self {
        Self { bytes: source.as_bytes(), counted: 0, ended: 0 }
    }

    /// Returns the 1-based number of the line that contains `byte`.
    pub(crate) fn number(&mut self, byte: usize) -> usize {
        if byte < self.counted {
            (self.counted, self.ended) = (0, 0);
        }
        let from = self.counted;
        let feeds = memchr_iter(b'\n', &self.bytes[from..byte]).count();
        let is_lone = |&at: &usize| self.bytes.get(from + at + 1) != Some(&b'\n');
        let lone = memchr_iter(b'\r', &self.bytes[from..byte]).filter(is_lone).count();
        self.counted = byte;
        self.ended += feeds + lone;
        self.ended + 1
    }
}

/// Returns the start of the line that contains `byte`.
pub(crate) fn line_start(source: &str, byte: usize) -> usize {
    memchr::memrchr2(b'\n', b'\r', &source.as_bytes()[..byte]).map_or(0, |at| at + 1)
}

/// Returns the start of the line after the one that contains `byte`, or the end of the source.
pub(crate) fn next_line(source: &str, byte: usize) -> usize {
    let bytes = source.as_bytes();
    match memchr::memchr2(b'\n', b'\r', &bytes[byte..]) {
        Some(at) if bytes[byte + at] == b'\r' && bytes.get(byte + at + 1) == Some(&b'\n') => {
            byte + at + 2
        }
        Some(at) => byte + at + 1,
        None => bytes.len(),
    }
}

/// Returns the lines of a part of the source, including their line endings.
pub(crate) fn lines_of(source: &str, stretch: Span) -> impl Iterator<Item = Span> {
    let mut start = stretch.start;
    std::iter::from_fn(move || {
        (start < stretch.end).then(|| {
            let line = Span::new(start, next_line(source, start).min(stretch.end));
            start = line.end;
            line
        })
    })
}

/// Returns `text` without its leading blank lines.
pub(crate) fn without_leading_blank_lines(text: &str) -> &str {
    let content = text.len() - text.trim_start().len();
    &text[line_start(text, content)..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognizes_lf_crlf_and_lone_cr_as_line_endings() {
        let source = "a\nb\r\nc\rd\n";
        let mut lines = Lines::of(source);
        let numbers: Vec<_> = (0..source.len()).map(|at| lines.number(at)).collect();
        assert_eq!(numbers, [1, 1, 2, 2, 2, 3, 3, 4, 4]);
        let spans: Vec<_> =
            lines_of(source, Span::new(0, source.len())).map(|line| line.of(source)).collect();
        assert_eq!(spans, ["a\n", "b\r\n", "c\r", "d\n"]);
    }

    #[test]
    fn removes_leading_blank_lines_but_keeps_indentation() {
        assert_eq!(without_leading_blank_lines("\n  \n  x\n"), "  x\n");
        assert_eq!(without_leading_blank_lines("  x"), "  x");
    }
}
