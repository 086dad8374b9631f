//! Tracks, line by line, whether a line is inside code or HTML, where no elements are recognized,
//! and whether it belongs to a list item.

use super::Dialect;

/// The state of code fences, HTML and lists before a line.
///
/// This is a heuristic. Where it is wrong, the parser's result takes precedence.
#[derive(Debug, Default)]
pub(super) struct Margin {
    inside: Option<Inside>,
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
enum Inside {
    /// A fenced code block whose fence has `length` characters. Its closing fence is indented by at
    /// most `indent` columns. In a list item, the block ends with the item.
    Fence { sign: u8, length: usize, indent: usize, in_list: bool },
    /// An HTML block that ends at a line with this text.
    Until(&'static str),
    /// An HTML block that ends at a blank line.
    UntilBlank,
}

/// The indentation of indented code in columns.
pub(crate) const CODE_INDENT: usize = 4;

/// The distance between tab stops in columns.
const TAB_COLUMNS: usize = 4;

/// HTML block start conditions that have a specific end condition.
const ENDS: &[(&str, &str)] = &[
    ("<!--", "-->"),
    ("<?", "?>"),
    ("<![CDATA[", "]]>"),
    ("<script", "</script>"),
    ("<pre", "</pre>"),
    ("<style", "</style>"),
    ("<textarea", "</textarea>"),
];

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
        starts_with_letter && !self.is_mdx && self.inside.is_none() && self.list.is_none()
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
        self.inside = None;
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
        if matches!(self.inside, Some(Inside::UntilBlank)) {
            self.inside = None;
        }
        self.after_text = false;
        self.after_blank = true;
    }

    fn is_inside(&mut self, line: &str) -> bool {
        let list = self.list;
        let (inside, ends) = match self.inside {
            None => (false, false),
            Some(Inside::UntilBlank) => (true, false),
            Some(Inside::Until(end)) => (true, line.contains(end)),
            Some(Inside::Fence { in_list: true, .. })
                if list.is_some_and(|content| columns(line) < content) =>
            {
                (false, true)
            }
            Some(Inside::Fence { sign, length, indent, .. }) => {
                (true, columns(line) <= indent && closes(line, sign, length))
            }
        };
        if ends {
            self.inside = None;
        }
        inside
    }

    fn opens(&mut self, line: &str) -> bool {
        self.inside = self.fence(line).or_else(|| self.html(line));
        if let Some(Inside::Fence { .. }) = self.inside {
            self.follow_lists(line);
        }
        if let Some(Inside::Until(end)) = self.inside
            && line.contains(end)
        {
            self.inside = None;
            return true;
        }
        self.inside.is_some()
    }

    fn fence(&self, line: &str) -> Option<Inside> {
        let in_list = self.in_list(line);
        if self.is_code(line) && !in_list {
            return None;
        }
        let text = &line[indent_of(line)..];
        let markers = markers(text);
        let text = &text[markers..];
        let sign = text.bytes().next().filter(|sign| matches!(sign, b'`' | b'~'))?;
        let length = text.bytes().take_while(|&byte| byte == sign).count();
        let info = &text[length..];
        let is_fence = length >= 3 && (sign == b'~' || !info.contains('`'));
        let in_list = in_list || markers > 0;
        let is_deep = columns(line) >= self.base + CODE_INDENT;
        let start = if in_list || is_deep { columns(line) + markers } else { self.base };
        let indent = start.max(self.base) + CODE_INDENT - 1;
        is_fence.then_some(Inside::Fence { sign, length, indent, in_list })
    }

    fn html(&self, line: &str) -> Option<Inside> {
        let text = line.trim_start();
        if !text.starts_with('<') || self.is_code(line) {
            return None;
        }
        if self.is_mdx {
            return text.starts_with("<!--").then_some(Inside::Until("-->"));
        }
        let starts = |start: &str| {
            text.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start))
        };
        if let Some((_, end)) = ENDS.iter().find(|(start, _)| starts(start)) {
            return Some(Inside::Until(end));
        }
        let name = text[1..].trim_start_matches('/');
        name.starts_with(|c: char| c.is_ascii_alphabetic()).then_some(Inside::UntilBlank)
    }

    fn follow_lists(&mut self, line: &str) {
        let indent = columns(line);
        let outside = self.list.is_none_or(|content| indent < content);
        let marker = marker(&line[indent_of(line)..]);
        if outside && marker > 0 && indent < self.base + CODE_INDENT {
            self.list = Some(indent + marker);
        } else if outside && self.after_blank {
            self.list = None;
        }
    }
}

fn closes(line: &str, sign: u8, length: usize) -> bool {
    let text = line.trim_matches([' ', '\t', '\n', '\r']);
    text.len() >= length && text.bytes().all(|byte| byte == sign)
}

/// Returns the length in bytes of all list markers at the start of a text.
fn markers(text: &str) -> usize {
    let mut bytes = 0;
    loop {
        match marker(&text[bytes..]) {
            0 => return bytes,
            more => bytes += more,
        }
    }
}

/// Returns the length in bytes of a list marker and the whitespace after it, or 0.
fn marker(text: &str) -> usize {
    let digits = text.bytes().take(10).take_while(u8::is_ascii_digit).count();
    let sign = match (digits, text.as_bytes().get(digits)) {
        (0, Some(b'-' | b'*' | b'+')) | (1..=9, Some(b'.' | b')')) => digits + 1,
        _ => return 0,
    };
    match indent_of(&text[sign..]) {
        0 => 0,
        spaces @ 1..=4 => sign + spaces,
        _ => sign + 1,
    }
}

/// Returns the length of a line's indentation in bytes.
pub(super) fn indent_of(line: &str) -> usize {
    line.bytes().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

/// Returns the width of a line's indentation in columns.
pub(crate) fn columns(line: &str) -> usize {
    indentation(line).last().map_or(0, |(_, end)| end)
}

/// Returns the number of bytes of a line's indentation up to a column.
pub(super) fn bytes_to(line: &str, column: usize) -> usize {
    indentation(line).take_while(|&(start, _)| start < column).count()
}

/// Returns the start and end column of each byte of a line's indentation.
fn indentation(line: &str) -> impl Iterator<Item = (usize, usize)> {
    let mut at = 0;
    line.bytes().map_while(move |byte| {
        let width = match byte {
            b' ' => 1,
            b'\t' => TAB_COLUMNS - at % TAB_COLUMNS,
            _ => return None,
        };
        at += width;
        Some((at - width, at))
    })
}
