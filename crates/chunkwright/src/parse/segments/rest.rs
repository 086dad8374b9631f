//! Finds the end of segments for the parser.

use super::fence::{LineRelation, OpenFence};
use super::html;
use super::line::{Line, is_item, margin};
use crate::parse::line::indent;

/// The state before a line of a segment.
#[derive(Default)]
struct SegmentState {
    fence: Option<OpenFence>,
    after_blank: bool,
    after_html: bool,
}

/// The result of advancing over a line.
enum Advance {
    /// The segment continues at this offset.
    To(usize),
    /// The segment ends before the line.
    Outside,
    /// The segment may have no end before that of the text.
    Unsure,
}

/// Returns the end of a segment for the parser that starts with a line.
pub(super) fn end(text: &[u8], first: Line<'_>) -> usize {
    let mut state = SegmentState::default();
    let mut line = first;
    while line.start < text.len() {
        match state.advance(text, line, line.start == first.start) {
            Advance::To(next) => line = Line::at(text, next),
            Advance::Outside => return line.start,
            Advance::Unsure => break,
        }
    }
    text.len()
}

impl SegmentState {
    fn advance(&mut self, text: &[u8], line: Line<'_>, is_first: bool) -> Advance {
        if line.is_blank() {
            (self.after_blank, self.after_html) = (true, false);
            return Advance::To(line.next);
        }
        let advance = match self.fence.map(|fence| fence.relation_to(line.bytes)) {
            Some(LineRelation::Inside) => Advance::To(line.next),
            Some(LineRelation::Closing) => {
                self.fence = None;
                Advance::To(line.next)
            }
            Some(LineRelation::Unsure) => Advance::Unsure,
            Some(LineRelation::Outside) | None => self.advance_outside_fence(text, line, is_first),
        };
        self.after_blank = false;
        advance
    }

    fn advance_outside_fence(&mut self, text: &[u8], line: Line<'_>, is_first: bool) -> Advance {
        let indent = indent(line.bytes);
        if self.after_blank && indent == 0 && !is_item(line.bytes) {
            return Advance::Outside;
        }
        if line.bytes[indent] == b'<' {
            (self.fence, self.after_html) = (None, true);
            let next = html::skip(text, line, !is_first || indent > 0);
            return next.map_or(Advance::Unsure, Advance::To);
        }
        self.fence = OpenFence::of(line.bytes);
        // An ordered list item can interrupt a paragraph only if its number is 1.
        let is_numbered = line.bytes[..margin(line.bytes)].iter().any(u8::is_ascii_digit);
        let may_be_text = is_numbered && !is_first && !self.after_blank;
        let is_unsure = self.fence.is_some() && (self.after_html || may_be_text);
        if is_unsure { Advance::Unsure } else { Advance::To(line.next) }
    }
}
