//! Segments: a text comes in; stretches of it that can be read alone go out, most of them with
//! their block already known.
//!
//! Most blocks begin at the start of a line, and a look at their lines tells where they end: these
//! need no parser. Where anything else begins, the parser reads on from there to a place at which
//! nothing can be open any more: a blank line, and after it a line that begins at its very start
//! with something other than a list item. What can be open beyond such a place (fences, and HTML
//! with an end of its own) is followed; where that is not sure, the segment only grows.

mod depth;
mod fence;
mod html;
mod known;
mod line;
mod list;

pub(super) use depth::nests_deeper;
use fence::{Fence, Taken};
use known::known;
use line::{Line, indent, is_item};

use crate::span::Span;

/// A stretch of whole lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Segment {
    pub(super) kind: Known,
    pub(super) span: Span,
}

/// What is known of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    Paragraph,
    List,
    Quote,
    Table,
    Html,
    /// A heading that opens with so many `#`.
    Heading(u8),
    /// Code between fences; the last one may be missing.
    Fence,
    Rule,
    /// Its blocks are for the parser to find.
    Nothing,
}

/// The segments of a text whose lines end with line feeds.
pub(super) fn segments(text: &str) -> impl Iterator<Item = Segment> {
    let text = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        let mut first = Line::at(text, at);
        while first.is_blank() && first.start < text.len() {
            first = Line::at(text, first.next);
        }
        (first.start < text.len()).then(|| {
            let (kind, end) =
                known(text, first).unwrap_or_else(|| (Known::Nothing, open_end(text, first)));
            at = end;
            Segment { kind, span: Span::new(first.start, end) }
        })
    })
}

/// Whether a line may begin an item with a number.
fn is_numbered(line: &[u8]) -> bool {
    line[0].is_ascii_digit() && is_item(line)
}

/// Whether a line may begin an item with another number than one.
fn is_later(line: &[u8]) -> bool {
    is_numbered(line) && !line.starts_with(b"1.") && !line.starts_with(b"1)")
}

/// Where a segment ends in which anything may begin.
fn open_end(text: &[u8], first: Line<'_>) -> usize {
    let mut at = first.start;
    let mut fence: Option<Fence> = None;
    let (mut after_blank, mut after_html, mut numbered) = (false, false, false);
    while at < text.len() {
        let line = Line::at(text, at);
        let (this, indent) = (line.bytes, indent(line.bytes));
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
                if after_blank && indent == 0 && !is_item(this) {
                    return at;
                }
                if this[indent] == b'<' {
                    let Some(end) = html::go_on(text, line, at > first.start || indent > 0) else {
                        return text.len();
                    };
                    (at, after_html, after_blank, fence) = (end, true, false, None);
                    continue;
                }
                // A number other than one begins no item in the middle of a paragraph.
                let is_text =
                    at > first.start && !after_blank && !numbered && is_later(&this[indent..]);
                if is_text { None } else { Fence::opens_inside(this) }
            }
        };
        numbered |= is_numbered(&this[indent..]);
        if fence.is_some() && after_html {
            return text.len();
        }
        after_blank = false;
        at = line.next;
    }
    at
}
