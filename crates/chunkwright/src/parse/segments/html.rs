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

/// Common elements of HTML block start condition 6. Such a block ends at a blank line, and can
/// interrupt a paragraph.
const ELEMENTS: &[&[u8]] = &[
    b"article",
    b"aside",
    b"blockquote",
    b"center",
    b"dd",
    b"details",
    b"div",
    b"dl",
    b"dt",
    b"figcaption",
    b"figure",
    b"footer",
    b"h1",
    b"h2",
    b"h3",
    b"h4",
    b"h5",
    b"h6",
    b"header",
    b"hr",
    b"iframe",
    b"li",
    b"main",
    b"nav",
    b"ol",
    b"p",
    b"section",
    b"summary",
    b"table",
    b"tbody",
    b"td",
    b"tfoot",
    b"th",
    b"thead",
    b"tr",
    b"ul",
];

/// Returns the end of the HTML block that starts with a line, or `None` if it is uncertain.
pub(super) fn block_end(text: &[u8], first: Line<'_>) -> Option<usize> {
    if own_end(first.bytes).is_some_and(|(start, _)| start == COMMENT) {
        let is_odd =
            first.bytes[COMMENT.len()..].starts_with(b"-") || first.bytes.get(4) == Some(&b'>');
        return if is_odd { None } else { comment_end(text, first.start) };
    }
    let name = first.bytes[1..].strip_prefix(b"/").unwrap_or(&first.bytes[1..]);
    let length = name.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let (name, rest) = name.split_at(length);
    let is_element = ELEMENTS.iter().any(|element| element.eq_ignore_ascii_case(name));
    if !is_element || !matches!(rest.first(), None | Some(b' ' | b'>')) {
        return None;
    }
    let mut line = first;
    while !line.is_blank() && line.start < text.len() {
        // pulldown-cmark 0.13.6 also treats lines of form feeds and vertical tabs as blank.
        if line.bytes[indent(line.bytes)].is_ascii_control() {
            return None;
        }
        line = Line::at(text, line.next);
    }
    Some(line.start)
}

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
