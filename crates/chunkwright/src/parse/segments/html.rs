//! Skips HTML blocks that may contain blank lines.

use memchr::memmem;

use super::line::Line;
use crate::parse::line::{COMMENT_END, html_end, indent};

/// Returns whether a text starts HTML that may contain blank lines.
pub(super) fn has_own_end(text: &[u8]) -> bool {
    text.starts_with(b"<") && html_end(text).is_some()
}

/// Returns the offset at which to continue after a line that starts with HTML, or `None` if that is
/// uncertain. A comment is skipped up to its end.
pub(super) fn skip(text: &[u8], line: Line<'_>, is_inside: bool) -> Option<usize> {
    let start = line.start + indent(line.bytes);
    let Some(end) = html_end(&text[start..]) else { return Some(line.next) };
    if end != COMMENT_END {
        return None;
    }
    let next = Line::at(text, start + memmem::find(&text[start..], end.as_bytes())?).next;
    (!is_inside || next == line.next).then_some(next)
}
