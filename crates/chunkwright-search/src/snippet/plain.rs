//! Reduces Markdown to running text, and records the kind of block that each range comes from.

use super::inline::{collapse, run, visible};

/// Separator between two blocks, if the first does not end with a punctuation mark.
const SEPARATOR: &str = " · ";

/// The kind of a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum PlainKind {
    #[default]
    Prose,
    /// A line of code.
    Code,
    /// A table row.
    Row,
    Heading,
    /// A paragraph or list item that consists mostly of links.
    Links,
}

/// A block of the running text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PlainBlock {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) kind: PlainKind,
}

/// A text on a single line, without markup.
#[derive(Clone, Debug, Default)]
pub(super) struct Plain {
    pub(super) text: String,
    pub(super) blocks: Vec<PlainBlock>,
}

impl Plain {
    /// Converts Markdown.
    pub(super) fn of(markdown: &str) -> Self {
        let mut reader = PlainReader { is_after_blank: true, ..PlainReader::default() };
        for line in markdown.lines().flat_map(|line| line.split('\r')) {
            reader.line(line);
        }
        reader.flush();
        reader.plain
    }

    fn push(&mut self, kind: PlainKind, text: &str) {
        if text.is_empty() {
            return;
        }
        let is_code = |block: &PlainBlock| block.kind == PlainKind::Code && kind == PlainKind::Code;
        if let Some(last) = self.blocks.last() {
            let is_ended = self.text.ends_with(|c: char| {
                matches!(c, '.' | '!' | '?' | ':' | ';' | ',' | '…' | '。' | '！' | '？' | '：')
            });
            let is_joined = is_code(last) || (is_ended && last.kind != PlainKind::Code);
            self.text.push_str(if is_joined { " " } else { SEPARATOR });
        }
        let start = self.text.len();
        self.text.push_str(text);
        self.blocks.push(PlainBlock { start, end: self.text.len(), kind });
    }
}

/// Reads Markdown line by line.
#[derive(Default)]
struct PlainReader {
    plain: Plain,
    /// The lines of the current paragraph, heading or list item.
    paragraph: String,
    kind: PlainKind,
    fence: Option<PlainFence>,
    is_in_comment: bool,
    is_in_list: bool,
    is_in_table: bool,
    is_in_indented_code: bool,
    is_after_blank: bool,
}

#[derive(Clone, Copy, Debug)]
struct PlainFence {
    marker: u8,
    length: usize,
    is_quoted: bool,
}

/// A line without its list and quote markers.
struct Content<'a> {
    text: &'a str,
    is_item: bool,
    is_quoted: bool,
}

impl PlainReader {
    fn line(&mut self, line: &str) {
        if let Some(fence) = self.fence {
            return self.fenced(fence, line);
        }
        let Some(line) = self.without_comments(line) else { return };
        if line.trim().is_empty() {
            self.flush();
            self.is_after_blank = true;
            self.is_in_table = false;
            return;
        }
        let is_indented = line.starts_with('\t') || line.starts_with("    ");
        let may_be_code = self.is_after_blank || self.is_in_indented_code;
        if is_indented && may_be_code && !self.is_in_list && self.paragraph.is_empty() {
            self.is_in_indented_code = true;
            return self.plain.push(PlainKind::Code, &collapse(line));
        }
        self.is_in_indented_code = false;
        if self.is_after_blank && !line.starts_with([' ', '\t']) {
            self.is_in_list = false;
        }
        self.is_after_blank = false;
        if is_rule(line) {
            if self.paragraph.is_empty() || !is_underline(line) {
                return self.flush();
            }
            return self.flush_as(PlainKind::Heading);
        }
        let content = content(line);
        self.is_in_list |= content.is_item;
        if content.is_item {
            self.flush();
        }
        self.content(&content);
    }

    fn fenced(&mut self, fence: PlainFence, line: &str) {
        let mut code = line.trim();
        if fence.is_quoted {
            code = code.strip_prefix('>').unwrap_or(code).trim_start();
        }
        let closing = run(code, fence.marker);
        if closing >= fence.length && code.len() == closing {
            self.fence = None;
            return;
        }
        self.plain.push(PlainKind::Code, &collapse(code));
    }

    /// Returns the rest of a line after comments at its start, or `None` if nothing is left.
    fn without_comments<'l>(&mut self, line: &'l str) -> Option<&'l str> {
        let mut rest = line;
        loop {
            if self.is_in_comment {
                rest = &rest[rest.find("-->")? + 3..];
                self.is_in_comment = false;
                if rest.trim().is_empty() {
                    return None;
                }
            }
            let Some(comment) = rest.trim_start().strip_prefix("<!--") else { return Some(rest) };
            self.is_in_comment = true;
            rest = comment;
        }
    }

    fn content(&mut self, content: &Content<'_>) {
        let text = content.text;
        let marker = text.bytes().next().unwrap_or_default();
        let length = run(text, marker);
        if matches!(marker, b'`' | b'~') && length >= 3 && !text[length..].contains('`') {
            self.flush();
            self.fence = Some(PlainFence { marker, length, is_quoted: content.is_quoted });
            return;
        }
        if marker == b'#'
            && length <= 6
            && (text.len() == length || text[length..].starts_with(' '))
        {
            self.flush();
            self.paragraph.push_str(text[length..].trim_end_matches(['#', ' ']));
            return self.flush_as(PlainKind::Heading);
        }
        if is_delimiter_row(text) {
            let kind = if self.paragraph.contains('|') { PlainKind::Row } else { self.kind };
            self.flush_as(kind);
            self.is_in_table = true;
            return;
        }
        let is_row = text.starts_with('|') && text.len() > 1;
        if is_row || (self.is_in_table && text.contains('|')) {
            self.flush();
            self.paragraph.push_str(text);
            return self.flush_as(PlainKind::Row);
        }
        if let Some(title) = directive(text) {
            self.flush();
            self.paragraph.push_str(title);
            return self.flush_as(PlainKind::Heading);
        }
        if is_definition(text) || (self.paragraph.is_empty() && is_import(text)) {
            return;
        }
        let footnote = text.strip_prefix("[^").and_then(|note| note.split_once("]: "));
        if footnote.is_some() {
            self.flush();
        }
        let text = footnote.map_or(text, |(_, note)| note);
        self.paragraph.push('\n');
        self.paragraph.push_str(text);
    }

    fn flush(&mut self) {
        self.flush_as(self.kind);
    }

    /// Ends the current block.
    fn flush_as(&mut self, kind: PlainKind) {
        let source = std::mem::take(&mut self.paragraph);
        self.kind = PlainKind::default();
        if kind == PlainKind::Row {
            return self.plain.push(kind, &row(&source));
        }
        let visible = visible(&source);
        let is_linked = kind == PlainKind::Prose && visible.linked * 10 > visible.text.len() * 6;
        self.plain.push(if is_linked { PlainKind::Links } else { kind }, &visible.text);
    }
}

/// Removes list and quote markers.
fn content(line: &str) -> Content<'_> {
    let mut content = Content { text: line.trim(), is_item: false, is_quoted: false };
    loop {
        if let Some(after) = content.text.strip_prefix('>') {
            content.is_quoted = true;
            content.text = after.trim_start();
        } else if let Some(after) = after_item_marker(content.text) {
            content.is_item = true;
            content.text = after.trim_start();
        } else {
            break;
        }
    }
    if content.is_item {
        let task = ["[ ] ", "[x] ", "[X] "].iter().find_map(|task| content.text.strip_prefix(task));
        content.text = task.unwrap_or(content.text);
    }
    content
}

/// Returns the text after a list or definition marker.
fn after_item_marker(text: &str) -> Option<&str> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let after = match digits {
        0 => text.strip_prefix(['-', '*', '+', ':'])?,
        // A longer number at the start of a line is more likely a year.
        1..=3 => text[digits..].strip_prefix(['.', ')'])?,
        _ => return None,
    };
    (after.is_empty() || after.starts_with([' ', '\t'])).then_some(after)
}

/// Returns the cells of a table row as running text.
fn row(source: &str) -> String {
    let mut out = String::new();
    let mut cells = Vec::new();
    let mut start = 0;
    for (at, _) in source.match_indices('|') {
        if !source[..at].ends_with('\\') {
            cells.push(&source[start..at]);
            start = at + 1;
        }
    }
    cells.push(&source[start..]);
    for cell in cells {
        let text = visible(&cell.replace("\\|", "|")).text;
        if !out.is_empty() && !text.is_empty() {
            out.push_str(SEPARATOR);
        }
        out.push_str(&text);
    }
    out
}

/// Returns whether a line is a thematic break or a setext underline.
fn is_rule(line: &str) -> bool {
    let Some(first) = line.trim_start().bytes().next() else { return false };
    let mut signs = line.bytes().filter(|byte| !byte.is_ascii_whitespace());
    let least = match first {
        b'=' => 1,
        b'-' | b'*' | b'_' => 3,
        _ => return false,
    };
    signs.all(|sign| sign == first) && line.bytes().filter(|&sign| sign == first).count() >= least
}

/// Returns whether a rule after a paragraph is a setext underline.
fn is_underline(rule: &str) -> bool {
    let rule = rule.trim();
    rule.starts_with(['=', '-']) && !rule.contains(' ')
}

fn is_delimiter_row(text: &str) -> bool {
    text.contains('|')
        && text.contains('-')
        && text.bytes().all(|byte| matches!(byte, b'|' | b'-' | b':' | b' ' | b'\t'))
}

/// Returns the title of a Docusaurus or MkDocs block: `:::note Title`, `!!! note "Title"`.
fn directive(text: &str) -> Option<&str> {
    if let Some(rest) = text.strip_prefix(":::") {
        let rest = rest.trim_start_matches(':').trim_start();
        let name = rest.find([' ', '[', '{']).unwrap_or(rest.len());
        return Some(rest[name..].trim_matches(['[', ']', ' ']));
    }
    let rest =
        ["!!! ", "??? ", "???+ ", "=== \""].iter().find(|start| text.starts_with(**start))?;
    let title = text[rest.len() - 1..].split('"').nth(1);
    Some(title.unwrap_or_default())
}

/// Returns whether a line is a link reference definition.
fn is_definition(text: &str) -> bool {
    let label = text.strip_prefix('[').filter(|label| !label.starts_with('^'));
    label.and_then(|label| label.split_once("]:")).is_some_and(|(label, _)| !label.contains('['))
}

/// Returns whether a line is an MDX import or export.
fn is_import(text: &str) -> bool {
    let end = text.trim_end_matches(';');
    (text.starts_with("import ") && end.ends_with(['"', '\'']))
        || text.starts_with("export const ")
        || text.starts_with("export default ")
}
