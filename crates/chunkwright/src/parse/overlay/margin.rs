//! What a line stands in: lines come in one after the other; out goes whether a line is inside code
//! or HTML, where nothing is recognised, and whether it belongs to a list item.

use super::Dialect;
use super::view::indent_of;

/// Follows fences, HTML and lists. It is a good guess, not a parser: where it errs, the parser has
/// the last word.
#[derive(Debug, Default)]
pub(super) struct Margin {
    inside: Option<Inside>,
    /// Where the content of the outermost list item begins.
    list: Option<usize>,
    pub(super) is_mdx: bool,
    /// Whether the line before is running text.
    pub(super) after_text: bool,
    after_blank: bool,
}

#[derive(Debug)]
enum Inside {
    /// A fence of so many signs; in a list item it ends with the item.
    Fence { sign: u8, length: usize, in_list: bool },
    /// HTML up to a line with this text.
    Until(&'static str),
    /// HTML up to a blank line.
    UntilBlank,
}

/// HTML that ends at a text of its own.
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
    pub(super) fn new(dialect: Dialect) -> Self {
        Self { is_mdx: dialect == Dialect::Mdx, ..Self::default() }
    }

    /// Whether a line is inside code or HTML, or opens them. Other lines are to be looked at.
    pub(super) fn takes(&mut self, line: &str) -> bool {
        if line.trim().is_empty() {
            self.blank();
            return true;
        }
        if self.is_inside(line) || self.opens(line) {
            self.after_text = false;
            self.after_blank = false;
            return true;
        }
        self.follow_lists(line);
        false
    }

    /// Whether a line belongs to a list item.
    pub(super) fn in_list(&self, line: &str) -> bool {
        self.list.is_some_and(|content| indent_of(line) >= content)
    }

    /// A line that ends whatever came before it.
    pub(super) fn mark(&mut self, line: &str) {
        if !self.in_list(line) {
            self.list = None;
        }
        self.after_text = false;
        self.after_blank = false;
    }

    /// A line of Markdown.
    pub(super) fn text(&mut self, is_running: bool) {
        self.after_text = is_running;
        self.after_blank = false;
    }

    fn blank(&mut self) {
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
                if list.is_some_and(|content| indent_of(line) < content) =>
            {
                (false, true)
            }
            Some(Inside::Fence { sign, length, .. }) => (true, closes(line, sign, length)),
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
        let indent = indent_of(line);
        if indent >= 4 && !in_list && !self.is_mdx {
            return None;
        }
        let text = &line[indent..];
        let markers = markers(text);
        let text = &text[markers..];
        let sign = text.bytes().next().filter(|sign| matches!(sign, b'`' | b'~'))?;
        let length = text.bytes().take_while(|&byte| byte == sign).count();
        let info = &text[length..];
        let is_fence = length >= 3 && (sign == b'~' || !info.contains('`'));
        is_fence.then_some(Inside::Fence { sign, length, in_list: in_list || markers > 0 })
    }

    fn html(&self, line: &str) -> Option<Inside> {
        let text = line.trim_start();
        if !text.starts_with('<') || (indent_of(line) >= 4 && !self.is_mdx) {
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
        let indent = indent_of(line);
        let outside = self.list.is_none_or(|content| indent < content);
        let marker = marker(&line[indent..]);
        if outside && marker > 0 && indent < 4 {
            self.list = Some(indent + marker);
        } else if outside && self.after_blank {
            self.list = None;
        }
    }
}

fn closes(line: &str, sign: u8, length: usize) -> bool {
    let text = line.trim();
    text.len() >= length && text.bytes().all(|byte| byte == sign)
}

/// The bytes of all list markers that a text begins with.
fn markers(text: &str) -> usize {
    let mut bytes = 0;
    loop {
        match marker(&text[bytes..]) {
            0 => return bytes,
            more => bytes += more,
        }
    }
}

/// The bytes of a list marker and the space after it, or 0.
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
