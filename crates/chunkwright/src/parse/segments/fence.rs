//! Tracks fenced code blocks, possibly inside list items and block quotes.

use super::line::{Line, is_too_deep, margin};
use crate::parse::line::{Fence, column, indent, is_margin};

/// An open fenced code block.
#[derive(Clone, Copy)]
pub(super) struct OpenFence {
    fence: Fence,
    /// The column of the opening fence.
    column: usize,
    container: Container,
}

/// The container block of a fenced code block.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Container {
    /// None, or a list item that started on an earlier line.
    NoneOrEarlier,
    /// A list item that starts on the same line.
    Item,
    /// A block quote.
    Quote,
}

/// The relation of a line to an open fenced code block.
pub(super) enum LineRelation {
    Inside,
    Closing,
    /// The code block ended before the line, together with its container block.
    Outside,
    Unsure,
}

impl OpenFence {
    /// Recognizes an opening fence, possibly inside list items and block quotes.
    pub(super) fn of(line: &[u8]) -> Option<Self> {
        let length = margin(line);
        let container = match &line[..length] {
            margin if margin.contains(&b'>') => Container::Quote,
            margin if indent(margin) == length => Container::NoneOrEarlier,
            _ => Container::Item,
        };
        // With more indentation, it is indented code, or nested in a list item and ends with it.
        let fence = Fence::opens(&line[length..]).filter(|_| !is_too_deep(line))?;
        Some(Self { fence, column: column(line, length), container })
    }

    /// Returns the relation of a line, which must not be blank, to the code block.
    pub(super) fn relation_to(self, line: &[u8]) -> LineRelation {
        let indent = indent(line);
        match self.container {
            Container::Quote if line[indent] != b'>' => return LineRelation::Outside,
            Container::Item if line[..indent].contains(&b'\t') => return LineRelation::Unsure,
            Container::Item if indent < self.column => return LineRelation::Outside,
            Container::NoneOrEarlier if self.column > 0 && indent < self.column => {
                return LineRelation::Unsure;
            }
            _ => {}
        }
        let text = match self.container {
            Container::Quote => {
                let margin = line.iter().take_while(|&&byte| is_margin(byte.into())).count();
                &line[margin..]
            }
            _ => &line[indent..],
        };
        if !self.fence.is_closed_by(text)
            || (self.container == Container::NoneOrEarlier && is_too_deep(line))
        {
            return LineRelation::Inside;
        }
        LineRelation::Closing
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
