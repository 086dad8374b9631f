//! Divides Markdown into segments that can be parsed separately, and identifies most blocks without
//! the parser.
//!
//! Most blocks start at column 0, and their end is easy to find from the start of each line. The
//! scanner finds those that save at least 3 % of the time to split real pages: paragraphs, lists,
//! fenced code blocks and ATX headings.
//! Anything else becomes a segment for the parser. Such a segment ends where no block can be open:
//! at a line after a blank line that starts at column 0 and is not a list item. Fenced code blocks,
//! and HTML blocks that may contain blank lines, can be open even there, so they are tracked. In
//! doubt, a segment is extended; it is never too short.

mod depth;
mod fence;
mod html;
mod known;
mod line;
mod list;

pub(super) use depth::nests_deeper;
use fence::{Open, Taken};
use known::known;
use line::Line;

use super::Shortcuts;
use super::line::{ListMarker, indent};
use crate::span::Span;

/// A range of whole lines, and the kind of its block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Segment {
    pub(super) kind: Known,
    pub(super) span: Span,
}

/// The kind of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    Paragraph,
    List,
    /// An ATX heading of this level.
    Heading(u8),
    /// A fenced code block, possibly without a closing fence.
    Fence,
    /// Unknown: the segment needs the parser, and may contain several blocks.
    Nothing,
}

/// Returns the segments of a text whose lines end with LF or CRLF.
pub(super) fn segments(text: &str, shortcuts: Shortcuts) -> impl Iterator<Item = Segment> {
    let text = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        let mut first = Line::at(text, at);
        while first.is_blank() && first.start < text.len() {
            first = Line::at(text, first.next);
        }
        (first.start < text.len()).then(|| {
            let (kind, end) = known(text, first, shortcuts)
                .unwrap_or_else(|| (Known::Nothing, open_end(text, first)));
            at = end;
            Segment { kind, span: Span::new(first.start, end) }
        })
    })
}

/// Returns the end of a segment for the parser.
fn open_end(text: &[u8], first: Line<'_>) -> usize {
    let mut at = first.start;
    let mut fence: Option<Open> = None;
    let (mut after_blank, mut after_html, mut numbered) = (false, false, false);
    while at < text.len() {
        let line = Line::at(text, at);
        let (this, indent) = (line.bytes, indent(line.bytes));
        let marker = ListMarker::of(&this[indent..]);
        if indent == this.len() {
            (after_blank, after_html) = (true, false);
            at = line.next;
            continue;
        }
        fence = match fence.map(|fence| (fence, fence.takes(this))) {
            Some((fence, Taken::Inside)) => Some(fence),
            Some((_, Taken::Closing)) => None,
            Some((_, Taken::Unsure)) => return text.len(),
            None | Some((_, Taken::Outside)) => {
                if after_blank && indent == 0 && marker.is_none() {
                    return at;
                }
                if this[indent] == b'<' {
                    let Some(end) = html::skip(text, line, at > first.start || indent > 0) else {
                        return text.len();
                    };
                    (at, after_html, after_blank, fence) = (end, true, false, None);
                    continue;
                }
                // An ordered list item can interrupt a paragraph only if its number is 1.
                let is_text = at > first.start
                    && !after_blank
                    && !numbered
                    && marker.is_some_and(|marker| !marker.can_interrupt());
                if is_text { None } else { Open::of(this) }
            }
        };
        numbered |= marker.is_some_and(|marker| marker.number.is_some());
        if fence.is_some() && after_html {
            return text.len();
        }
        after_blank = false;
        at = line.next;
    }
    at
}
