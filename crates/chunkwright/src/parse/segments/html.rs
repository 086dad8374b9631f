//! HTML: where a block of it ends.

use memchr::memmem;

use super::line::{Line, indent};

/// What has an end of its own, blank lines or not.
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

/// Elements that end at a blank line, and may end a paragraph: the common ones.
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

/// Where the block of HTML that begins with a line ends, if that is sure.
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
        // A line of other white space is blank to the parser.
        if line.bytes[indent(line.bytes)].is_ascii_control() {
            return None;
        }
        line = Line::at(text, line.next);
    }
    Some(line.start)
}

/// Whether what stands on a line is HTML that may go on beyond a blank line.
pub(super) fn has_own_end(inner: &[u8]) -> bool {
    own_end(inner).is_some()
}

/// Where to go on after a line that begins with HTML; none if that is not sure. What has an end of
/// its own goes on to there, blank lines or not.
pub(super) fn go_on(text: &[u8], line: Line<'_>, is_inside: bool) -> Option<usize> {
    let inner = &line.bytes[indent(line.bytes)..];
    let Some((start, end)) = own_end(inner) else { return Some(line.next) };
    if start == COMMENT && memmem::find(&inner[start.len()..], end).is_some() {
        return Some(line.next);
    }
    if start == COMMENT && !is_inside { comment_end(text, line.start) } else { None }
}

/// The start and the end of HTML that has an end of its own.
fn own_end(inner: &[u8]) -> Option<(&'static [u8], &'static [u8])> {
    let starts = |start: &[u8]| {
        inner.len() >= start.len() && inner[..start.len()].eq_ignore_ascii_case(start)
    };
    ENDS.iter().copied().find(|(start, _)| starts(start))
}

/// The end of the last line of a comment that begins at `start`.
fn comment_end(text: &[u8], start: usize) -> Option<usize> {
    let from = start + COMMENT.len();
    memmem::find(&text[from..], b"-->").map(|found| Line::at(text, from + found).next)
}
