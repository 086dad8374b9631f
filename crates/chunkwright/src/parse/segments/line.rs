//! Lines of a text, and the markers of the container blocks that start on them.

use memchr::memchr;

use crate::parse::line::{self, CODE_INDENT, ListMarker, indent};

#[derive(Clone, Copy)]
pub(super) struct Line<'t> {
    /// The content without the line ending.
    pub(super) bytes: &'t [u8],
    pub(super) start: usize,
    pub(super) next: usize,
}

impl<'t> Line<'t> {
    pub(super) fn at(text: &'t [u8], start: usize) -> Self {
        let rest = &text[start..];
        let (bytes, next) = match memchr(b'\n', rest) {
            Some(end) => (&rest[..end], start + end + 1),
            None => (rest, text.len()),
        };
        Self { bytes: bytes.strip_suffix(b"\r").unwrap_or(bytes), start, next }
    }

    pub(super) fn is_blank(&self) -> bool {
        line::is_blank(self.bytes)
    }
}

/// Returns whether a line may be indented too far for blocks other than indented code.
pub(super) fn is_too_deep(line: &[u8]) -> bool {
    let indent = indent(line);
    indent >= CODE_INDENT || line[..indent].contains(&b'\t')
}

/// Returns whether a line may start a list item.
pub(super) fn is_item(text: &[u8]) -> bool {
    ListMarker::of(text).is_some()
}

/// Returns the start of the content of each list item and block quote that starts on a line.
pub(super) fn marks(line: &[u8]) -> impl Iterator<Item = usize> {
    let mut at = indent(line);
    std::iter::from_fn(move || {
        let rest = &line[at..];
        let quote = rest.starts_with(b">").then_some(1);
        at += quote.or_else(|| ListMarker::of(rest).map(|marker| marker.length))?;
        at += indent(&line[at..]);
        Some(at)
    })
}

/// Returns the length in bytes of a line's indentation and container markers.
pub(super) fn margin(line: &[u8]) -> usize {
    marks(line).last().unwrap_or_else(|| indent(line))
}
