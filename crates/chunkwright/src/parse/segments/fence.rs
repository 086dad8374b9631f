//! Tracks fenced code blocks, possibly inside list items and block quotes.

use super::line::{Line, is_too_deep, margin};
use crate::parse::line::{Fence, column, indent, is_margin};

/// An open fenced code block.
#[derive(Clone, Copy)]
pub(super) struct Open {
    fence: Fence,
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

impl Open {
    /// Recognizes an opening fence, possibly inside list items and block quotes.
    pub(super) fn of(line: &[u8]) -> Option<Self> {
        let length = margin(line);
        let place = match &line[..length] {
            margin if margin.contains(&b'>') => Place::Quote,
            margin if indent(margin) == length => Place::Open,
            _ => Place::Item,
        };
        // With more indentation, it is indented code, or nested in a list item and ends with it.
        let fence = Fence::opens(&line[length..]).filter(|_| !is_too_deep(line))?;
        Some(Self { fence, column: column(line, length), place })
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
        let text = match self.place {
            Place::Quote => {
                let margin = line.iter().take_while(|&&byte| is_margin(byte.into())).count();
                &line[margin..]
            }
            _ => &line[indent..],
        };
        if !self.fence.is_closed_by(text) || (self.place == Place::Open && is_too_deep(line)) {
            return Taken::Inside;
        }
        Taken::Closing
    }
}

/// Returns the end of a top-level fenced code block whose first line ends at `at`.
pub(super) fn end(fence: Fence, text: &[u8], mut at: usize) -> usize {
    while at < text.len() {
        let line = Line::at(text, at);
        at = line.next;
        if fence.is_closed_by(&line.bytes[indent(line.bytes)..]) && !is_too_deep(line.bytes) {
            break;
        }
    }
    at
}
