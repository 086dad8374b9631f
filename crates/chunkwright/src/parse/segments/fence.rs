//! Recognizes the lines of fenced code blocks.

use memchr::memchr;

use super::Known;
use super::line::{Line, indent, is_too_deep, margin, run};

/// An open fenced code block.
#[derive(Clone, Copy)]
pub(super) struct Fence {
    sign: u8,
    length: usize,
    /// The column of the opening fence.
    column: usize,
    place: Place,
}

/// The container block of a fenced code block.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// None, or a list item that started on an earlier line.
    Open,
    /// A list item that starts on the same line.
    Item,
    /// A block quote.
    Quote,
}

/// The relation of a line to an open fenced code block.
pub(super) enum Taken {
    Inside,
    Closing,
    /// The code block ended before the line, together with its container block.
    Outside,
    Unsure,
}

impl Fence {
    /// Recognizes an opening fence at the start of a line.
    pub(super) fn opens(line: &[u8]) -> Option<Self> {
        let sign = *line.first().filter(|sign| matches!(sign, b'`' | b'~'))?;
        let length = run(line, sign);
        let is_fence = length >= 3 && (sign == b'~' || memchr(b'`', &line[length..]).is_none());
        is_fence.then_some(Self { sign, length, column: 0, place: Place::Open })
    }

    /// Recognizes an opening fence, possibly inside list items and block quotes.
    pub(super) fn opens_inside(line: &[u8]) -> Option<Self> {
        let margin = &line[..margin(line)];
        let place = match margin {
            _ if margin.contains(&b'>') => Place::Quote,
            _ if indent(margin) == margin.len() => Place::Open,
            _ => Place::Item,
        };
        let column = |at: usize, byte: &u8| if *byte == b'\t' { (at | 3) + 1 } else { at + 1 };
        let column = margin.iter().fold(0, column);
        // With more indentation, it is indented code, or nested in a list item and ends with it.
        let fence = Self::opens(&line[margin.len()..]).filter(|_| !is_too_deep(line))?;
        Some(Self { column, place, ..fence })
    }

    /// Returns the relation of a line, which must not be blank, to the code block.
    pub(super) fn takes(self, line: &[u8]) -> Taken {
        let indent = indent(line);
        match self.place {
            Place::Quote if line[indent] != b'>' => return Taken::Outside,
            Place::Item if line[..indent].contains(&b'\t') => return Taken::Unsure,
            Place::Item if indent < self.column => return Taken::Outside,
            Place::Open if self.column > 0 && indent < self.column => return Taken::Unsure,
            _ => {}
        }
        let inner = line.iter().position(|byte| !matches!(byte, b' ' | b'\t' | b'>'));
        let inner = &line[inner.unwrap_or(line.len())..];
        match self.is_closing(if self.place == Place::Quote { inner } else { &line[indent..] }) {
            true if self.place == Place::Open && is_too_deep(line) => Taken::Inside,
            true => Taken::Closing,
            false => Taken::Inside,
        }
    }

    fn is_closing(self, inner: &[u8]) -> bool {
        let length = run(inner, self.sign);
        length >= self.length && length + indent(&inner[length..]) == inner.len()
    }

    /// Returns the segment of a code block whose first line ends at `at`.
    pub(super) fn block(self, text: &[u8], mut at: usize) -> (Known, usize) {
        while at < text.len() {
            let Line { bytes, next, .. } = Line::at(text, at);
            at = next;
            if self.is_closing(&bytes[indent(bytes)..]) && !is_too_deep(bytes) {
                break;
            }
        }
        (Known::Fence, at)
    }
}
