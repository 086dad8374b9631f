//! Finds the end of HTML blocks.

use memchr::memmem;

use super::line::{Line, indent};

/// HTML block start conditions 1 to 5, each with its end condition. Such blocks may contain blank
/// lines.
const ENDS: &[(&[u8], &[u8])] = &[
    (COMMENT, b"-->"),
    (b"<?", b"?>"),
    (b"<!", b">"),
    (b"<script", b"</script>"),
    (b"<pre", b"</pre>"),
    (b"<style", b"</style>"),
    (b"<textarea", b"</textarea>"),
];

const COMMENT: &[u8] = b"<!--";

/// Returns whether a line starts HTML that may contain blank lines.
pub(super) fn has_own_end(inner: &[u8]) -> bool {
    own_end(inner).is_some()
}

/// Returns the offset at which to continue after a line that starts with HTML, or `None` if that is
/// uncertain. HTML that may contain blank lines is skipped up to its end condition.
pub(super) fn go_on(text: &[u8], line: Line<'_>, is_inside: bool) -> Option<usize> {
    let inner = &line.bytes[indent(line.bytes)..];
    let Some((start, end)) = own_end(inner) else { return Some(line.next) };
    if start == COMMENT && memmem::find(&inner[start.len()..], end).is_some() {
        return Some(line.next);
    }
    if start == COMMENT && !is_inside { comment_end(text, line.start) } else { None }
}

/// Returns the start and the end condition of HTML that may contain blank lines.
fn own_end(inner: &[u8]) -> Option<(&'static [u8], &'static [u8])> {
    let starts = |start: &[u8]| {
        inner.len() >= start.len() && inner[..start.len()].eq_ignore_ascii_case(start)
    };
    ENDS.iter().copied().find(|(start, _)| starts(start))
}

/// Returns the end of the last line of a comment that starts at `start`.
fn comment_end(text: &[u8], start: usize) -> Option<usize> {
    let from = start + COMMENT.len();
    memmem::find(&text[from..], b"-->").map(|found| Line::at(text, from + found).next)
}
