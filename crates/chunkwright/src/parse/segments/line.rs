//! Lines of a text, and tests of their first bytes.

use memchr::memchr;

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
        indent(self.bytes) == self.bytes.len()
    }
}

/// Returns whether a line may be indented too far for blocks other than indented code.
pub(super) fn is_too_deep(line: &[u8]) -> bool {
    let indent = indent(line);
    indent >= 4 || line[..indent].contains(&b'\t')
}

pub(super) fn is_rule(line: &[u8]) -> bool {
    let sign = line[0];
    matches!(sign, b'-' | b'*' | b'_')
        && line.iter().all(|byte| *byte == sign || matches!(byte, b' ' | b'\t'))
        && line.iter().filter(|byte| **byte == sign).count() >= 3
}

/// Returns whether a line may start a list item.
pub(super) fn is_item(line: &[u8]) -> bool {
    mark(line).is_some()
}

/// Returns the length of the list marker at the start of a line.
fn mark(line: &[u8]) -> Option<usize> {
    let digits = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let sign = match line.get(digits)? {
        b'-' | b'+' | b'*' => digits == 0,
        b'.' | b')' => digits > 0,
        _ => false,
    };
    let ends = matches!(line.get(digits + 1), None | Some(b' ' | b'\t'));
    (sign && ends).then_some(digits + 1)
}

/// Returns the start of the content of each list item and block quote that starts on a line.
pub(super) fn marks(line: &[u8]) -> impl Iterator<Item = usize> {
    let mut at = indent(line);
    std::iter::from_fn(move || {
        let rest = &line[at..];
        let quote = rest.starts_with(b">").then_some(1);
        at += quote.or_else(|| mark(rest))?;
        at += indent(&line[at..]);
        Some(at)
    })
}

/// Returns the length in bytes of a line's indentation and container markers.
pub(super) fn margin(line: &[u8]) -> usize {
    marks(line).last().unwrap_or_else(|| indent(line))
}

/// Returns the length of a line's indentation in bytes.
pub(super) fn indent(line: &[u8]) -> usize {
    line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

/// Returns the length of the run of `sign` at the start of a text.
pub(super) fn run(text: &[u8], sign: u8) -> usize {
    text.iter().take_while(|&&byte| byte == sign).count()
}
