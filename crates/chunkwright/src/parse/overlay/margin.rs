//! Tracks, line by line, whether a line is inside code or HTML, where no elements are recognized,
//! and whether it belongs to a list item.

use super::Dialect;
use crate::parse::line::{
    CODE_INDENT, COMMENT_END, Fence, ListMarker, columns, html_end, indent, starts_tag,
};

/// The state of code fences, HTML and lists before a line.
///
/// This is a heuristic. Where it is wrong, the parser's result takes precedence.
#[derive(Debug, Default)]
pub(super) struct Margin {
    open: Option<OpenBlock>,
    /// The column at which the content of the outermost list item starts.
    list: Option<usize>,
    /// The indentation, in columns, that belongs to the enclosing elements.
    pub(super) base: usize,
    pub(super) is_mdx: bool,
    /// Whether the previous line is paragraph text.
    pub(super) after_text: bool,
    after_blank: bool,
}

#[derive(Debug)]
enum OpenBlock {
    /// A fenced code block. Its closing fence is indented by at most `indent` columns. In a list
    /// item, the block ends with the item.
    Fence { fence: Fence, indent: usize, in_list: bool },
    /// An HTML block that ends at a line with this text.
    Until(&'static str),
    /// An HTML block that ends at a blank line.
    UntilBlank,
}

impl Margin {
    pub(super) fn new(dialect: Dialect, base: usize) -> Self {
        Self { is_mdx: dialect == Dialect::Mdx, base, ..Self::default() }
    }

    /// Returns whether a line belongs to a code or HTML block. Other lines may open elements.
    pub(super) fn takes(&mut self, line: &str) -> bool {
        if self.is_inside(line) || self.opens(line) {
            self.after_text = false;
            self.after_blank = false;
            return true;
        }
        self.follow_lists(line);
        false
    }

    /// Returns whether a line that starts with a letter is paragraph text outside other blocks.
    pub(super) fn is_running(&self, line: &str) -> bool {
        let starts_with_letter = line.as_bytes()[0].is_ascii_alphabetic();
        starts_with_letter && !self.is_mdx && self.open.is_none() && self.list.is_none()
    }

    pub(super) fn in_list(&self, line: &str) -> bool {
        self.list.is_some_and(|content| columns(line) >= content)
    }

    /// Records a line of an element, which ends the block before it.
    pub(super) fn mark(&mut self, line: &str) {
        if !self.in_list(line) {
            self.list = None;
        }
        self.after_text = false;
        self.after_blank = false;
    }

    /// Ends the code or HTML block of the previous line.
    pub(super) fn leave(&mut self) {
        self.open = None;
    }

    /// Returns whether a line is indented code. MDX has none.
    pub(super) fn is_code(&self, line: &str) -> bool {
        !self.is_mdx && columns(line) >= self.base + CODE_INDENT
    }

    pub(super) fn text(&mut self, is_running: bool) {
        self.after_text = is_running;
        self.after_blank = false;
    }

    pub(super) fn blank(&mut self) {
        if matches!(self.open, Some(OpenBlock::UntilBlank)) {
            self.open = None;
        }
        self.after_text = false;
        self.after_blank = true;
    }

    fn is_inside(&mut self, line: &str) -> bool {
        let list = self.list;
        let (inside, ends) = match self.open {
            None => (false, false),
            Some(OpenBlock::UntilBlank) => (true, false),
            Some(OpenBlock::Until(end)) => (true, line.contains(end)),
            Some(OpenBlock::Fence { in_list: true, .. })
                if list.is_some_and(|content| columns(line) < content) =>
            {
                (false, true)
            }
            Some(OpenBlock::Fence { fence, indent, .. }) => {
                (true, columns(line) <= indent && fence.is_closed_by(unindented(line)))
            }
        };
        if ends {
            self.open = None;
        }
        inside
    }

    fn opens(&mut self, line: &str) -> bool {
        self.open = self.fence(line).or_else(|| self.html(line));
        if let Some(OpenBlock::Fence { .. }) = self.open {
            self.follow_lists(line);
        }
        if let Some(OpenBlock::Until(end)) = self.open
            && line.contains(end)
        {
            self.open = None;
            return true;
        }
        self.open.is_some()
    }

    fn fence(&self, line: &str) -> Option<OpenBlock> {
        let in_list = self.in_list(line);
        if self.is_code(line) && !in_list {
            return None;
        }
        let text = unindented(line);
        let markers = markers(text);
        let fence = Fence::opens(&text[markers..])?;
        let in_list = in_list || markers > 0;
        let is_deep = columns(line) >= self.base + CODE_INDENT;
        let start = if in_list || is_deep { columns(line) + markers } else { self.base };
        let indent = start.max(self.base) + CODE_INDENT - 1;
        Some(OpenBlock::Fence { fence, indent, in_list })
    }

    fn html(&self, line: &str) -> Option<OpenBlock> {
        let text = unindented(line);
        if text.first() != Some(&b'<') || self.is_code(line) {
            return None;
        }
        match html_end(text) {
            Some(end) if end == COMMENT_END || !self.is_mdx => Some(OpenBlock::Until(end)),
            None if starts_tag(text) && !self.is_mdx => Some(OpenBlock::UntilBlank),
            _ => None,
        }
    }

    fn follow_lists(&mut self, line: &str) {
        let indent = columns(line);
        let outside = self.list.is_none_or(|content| indent < content);
        let marker = marker(unindented(line)).filter(|_| indent < self.base + CODE_INDENT);
        if outside && let Some(content) = marker {
            self.list = Some(indent + content);
        } else if outside && self.after_blank {
            self.list = None;
        }
    }
}

/// Returns a line without its indentation.
fn unindented(line: &str) -> &[u8] {
    &line.as_bytes()[indent(line.as_bytes())..]
}

/// Returns the length in bytes of all list markers at the start of a text.
fn markers(text: &[u8]) -> usize {
    let mut bytes = 0;
    while let Some(more) = marker(&text[bytes..]) {
        bytes += more;
    }
    bytes
}

/// Returns the offset of the content of the list item that starts with a text, unless it is empty.
fn marker(text: &[u8]) -> Option<usize> {
    let marker = ListMarker::of(text)?;
    Some(marker.content(text)).filter(|&content| content > marker.length)
}
