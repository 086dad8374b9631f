//! Recognizes MDX: imports and exports, JSX elements, and expressions.

use memchr::{memchr3, memmem};

use super::scan::{ElementKey, Scanner};
use super::script::{Script, braces_end};
use super::tag::{self, JsxTag, TagKind};
use crate::document::BlockKind;
use crate::parse::line::indent;
use crate::span::{Span, next_line};

/// The maximum length of a code span in bytes.
const CODE_SPAN_BYTES: usize = 1024;
/// The minimum lookahead in bytes, even if no budget is left.
const LEAST_LIMIT: usize = 256;

/// The result of scanning the rest of a line.
pub(super) struct Rest {
    /// The end of the line on which the last tag or expression ends.
    pub(super) line_end: usize,
    /// Whether there is text outside the elements that were opened on the line.
    has_text: bool,
}

impl<'s> Scanner<'s> {
    /// Handles a line that starts with a tag, and returns the end of its lines if it is an element.
    ///
    /// Elements that are opened and closed on a line with other text, or within a paragraph, are
    /// inline and belong to that text.
    pub(super) fn jsx(&mut self, line: Span) -> Option<usize> {
        let start = line.start + indent(line.of(self.source).as_bytes());
        let tag = if self.margin.is_mdx { self.tag(start) } else { None };
        let Some(tag) = tag else {
            self.odd += usize::from(self.margin.is_mdx && looks_like_tag(&self.source[start..]));
            return None;
        };
        if tag.kind == TagKind::Closing {
            return self.closing_line(line, tag);
        }
        let depth = self.depth();
        let mut lines = Span::new(line.start, next_line(self.source, tag.end - 1));
        let kind = BlockKind::Jsx;
        match tag.kind {
            TagKind::Opening => self.open(kind, ElementKey::Tag(tag.name), lines, false),
            _ => self.leaf(kind, lines),
        }
        let rest = self.rest_of_line(tag.end, lines.start, depth);
        lines.end = rest.line_end;
        let is_closed = self.depth() <= depth;
        let is_one_line = lines.end == line.end;
        let closes_outer = self.depth() < depth;
        let is_text = is_closed && (rest.has_text || (is_one_line && self.margin.after_text));
        if closes_outer || is_text {
            self.drop_last();
            return closes_outer.then_some(lines.end);
        }
        self.lengthen_last(lines.end);
        Some(lines.end)
    }

    /// Handles a line that starts with a closing tag.
    fn closing_line(&mut self, line: Span, tag: JsxTag<'s>) -> Option<usize> {
        let key = ElementKey::Tag(tag.name);
        if !self.is_open(key) {
            // Tags that are opened within text are not tracked, so their closing tags are valid.
            let in_text = self.margin.after_text || self.margin.in_list(line.of(self.source));
            self.odd += usize::from(!in_text);
            return None;
        }
        let lines = Span::new(line.start, next_line(self.source, tag.end - 1));
        self.close(key, lines);
        let depth = self.depth();
        Some(self.rest_of_line(tag.end, line.start, depth).line_end)
    }

    /// Tracks the tags in a line of text, which are not elements themselves.
    pub(super) fn inline(&mut self, line: Span) -> Rest {
        let depth = self.depth();
        self.rest_of_line(line.start, line.start, depth)
    }

    /// Tracks tags and expressions from `at` to the end of the line. If the last of them ends on a
    /// later line, continues to the end of that line.
    fn rest_of_line(&mut self, mut at: usize, line_start: usize, depth: usize) -> Rest {
        let source = self.source;
        let mut rest = Rest {
            line_end: next_line(source, at.saturating_sub(1).max(line_start)),
            has_text: false,
        };
        while let Some(found) = memchr3(b'<', b'{', b'`', &source.as_bytes()[at..rest.line_end]) {
            let sign = at + found;
            rest.has_text |= self.depth() <= depth && !source[at..sign].trim().is_empty();
            let is_escaped = source[at..sign].ends_with('\\');
            let end = if is_escaped { None } else { self.token(sign, line_start, rest.line_end) };
            rest.has_text |= self.depth() <= depth && end.is_none();
            at = end.unwrap_or(sign + 1);
            if at > rest.line_end {
                rest.line_end = next_line(source, at - 1);
            }
        }
        rest.has_text |= self.depth() <= depth && !source[at..rest.line_end].trim().is_empty();
        rest
    }

    /// Tracks a tag, an expression, a comment or a code span, and returns its end.
    fn token(&mut self, at: usize, line_start: usize, line_end: usize) -> Option<usize> {
        match self.source.as_bytes()[at] {
            b'`' => code_span_end(&self.source[at..line_end]).map(|end| at + end),
            b'{' => self.braces(at),
            _ if self.source[at..].starts_with("<!--") => self.comment(at),
            _ => {
                let tag = self.tag(at)?;
                let key = ElementKey::Tag(tag.name);
                match tag.kind {
                    TagKind::Opening => self.push(key, None),
                    TagKind::Closing if self.is_open(key) => {
                        let is_near = tag.end <= line_end;
                        let end =
                            if is_near { line_end } else { next_line(self.source, tag.end - 1) };
                        self.close(key, Span::new(line_start, end));
                    }
                    _ => {}
                }
                Some(tag.end)
            }
        }
    }

    fn comment(&mut self, at: usize) -> Option<usize> {
        if self.is_missing("-->") {
            return None;
        }
        let end = memmem::find(&self.source.as_bytes()[at..], b"-->").map(|end| at + end + 3);
        if end.is_none() {
            self.set_missing("-->");
        }
        end
    }

    /// Adds an expression that starts a line, unless other text follows it.
    pub(super) fn expression(&mut self, line: Span) -> Option<usize> {
        if !self.margin.is_mdx {
            return None;
        }
        let start = line.start + indent(line.of(self.source).as_bytes());
        let Some(end) = self.braces(start) else {
            self.odd += 1;
            return None;
        };
        let line_end = next_line(self.source, end - 1);
        let is_alone = self.source[end..line_end].trim().is_empty();
        if !is_alone || (line_end == line.end && self.margin.after_text) {
            return None;
        }
        self.leaf(BlockKind::Expression, Span::new(line.start, line_end));
        Some(line_end)
    }

    /// Adds a block of import and export statements on consecutive lines.
    pub(super) fn esm(&mut self, line: Span) -> Option<usize> {
        let is_esm = |at: usize| starts_statement(&self.source[at..]);
        if !self.margin.is_mdx || self.margin.after_text || !is_esm(line.start) {
            return None;
        }
        let mut end = self.statement(line.start)?;
        while end < self.source.len() && starts_statement(&self.source[end..]) {
            match self.statement(end) {
                Some(next) => end = next,
                None => break,
            }
        }
        self.leaf(BlockKind::Esm, Span::new(line.start, end));
        Some(end)
    }

    /// Returns the end of the line on which a statement ends.
    fn statement(&mut self, start: usize) -> Option<usize> {
        let source = self.source;
        let mut script = Script::new(source, start, self.limit());
        loop {
            let byte = script.step();
            let at_end = matches!(byte, Some(b'\n' | b'\r')) || script.at == source.len();
            if at_end && script.is_even() {
                let end = next_line(source, script.at.saturating_sub(1));
                if !goes_on(&source[start..end], &source[end..]) {
                    return Some(end);
                }
            }
            if byte.is_none() {
                break;
            }
        }
        self.lose(script.at - start);
        self.odd += 1;
        None
    }

    /// Returns the end of the expression that starts at `at`.
    fn braces(&mut self, at: usize) -> Option<usize> {
        braces_end(self.source, at, self.limit()).map_err(|bytes| self.lose(bytes)).ok()
    }

    fn tag(&mut self, at: usize) -> Option<JsxTag<'s>> {
        tag::read(self.source, at, self.limit()).map_err(|bytes| self.lose(bytes)).ok()
    }

    /// Returns the maximum lookahead: the remaining budget, but at least a small amount.
    fn limit(&self) -> usize {
        self.patience.max(LEAST_LIMIT)
    }

    /// Charges the budget for bytes that were scanned without result.
    fn lose(&mut self, bytes: usize) {
        self.patience = self.patience.saturating_sub(bytes);
    }
}

/// Returns whether text looks like a tag: `<a`, but not `<5` or an autolink.
fn looks_like_tag(text: &str) -> bool {
    let name = text[1..].trim_start_matches('/');
    let after = name.trim_start_matches(|c: char| c.is_ascii_alphanumeric());
    name.starts_with(|c: char| c.is_ascii_alphabetic()) && !after.starts_with([':', '@', '.', '+'])
}

/// Returns the end of the code span at the start of a text.
fn code_span_end(text: &str) -> Option<usize> {
    let ticks = |text: &str| text.bytes().take_while(|&byte| byte == b'`').count();
    let length = ticks(text);
    let mut at = length;
    let most = text.len().min(CODE_SPAN_BYTES + length);
    while let Some(next) = memchr::memchr(b'`', &text.as_bytes()[at.min(most)..most]) {
        let run = ticks(&text[at + next..]);
        at += next + run;
        if run == length {
            return Some(at);
        }
    }
    None
}

/// Returns whether a line starts an import or export statement, as opposed to a sentence that
/// starts with one of these words.
fn starts_statement(text: &str) -> bool {
    let line = &text[..text.find(['\n', '\r']).unwrap_or(text.len())];
    let Some((word, rest)) = line.split_once([' ', '\t', '{', '\'', '"', '*']) else {
        return matches!(line, "import" | "export");
    };
    let sign = line.as_bytes()[word.len()];
    let rest = if sign == b' ' || sign == b'\t' { rest.trim_start() } else { &line[word.len()..] };
    match word {
        "import" => is_import(rest),
        "export" => is_export(rest),
        _ => false,
    }
}

fn is_import(rest: &str) -> bool {
    let rest = rest.strip_prefix("type ").unwrap_or(rest);
    if rest.starts_with(['{', '*', '\'', '"']) {
        return true;
    }
    let after = rest.trim_start_matches(is_word).trim_start();
    let from =
        after.strip_prefix("from").is_some_and(|rest| rest.trim_start().starts_with(['\'', '"']));
    after.len() < rest.len() && (from || after.starts_with(','))
}

fn is_export(rest: &str) -> bool {
    let word = &rest[..rest.find(|c| !is_word(c)).unwrap_or(rest.len())];
    let after = rest[word.len()..].trim_start();
    match word {
        "" => rest.starts_with(['{', '*']),
        "const" | "let" | "var" => after.starts_with(['{', '[']) || has_value(after),
        "default" | "function" | "async" | "class" | "abstract" | "declare" => true,
        "type" | "interface" | "enum" => after.starts_with(char::is_alphabetic),
        _ => false,
    }
}

/// Returns whether a text starts with `name =` or `name:`, or is only a name.
fn has_value(text: &str) -> bool {
    let after = text.trim_start_matches(is_word);
    after.len() < text.len()
        && (after.trim_start().starts_with(['=', ':']) || after.trim().is_empty())
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$')
}

/// Returns whether a statement continues on the next line although its brackets are balanced.
fn goes_on(statement: &str, next: &str) -> bool {
    let next = &next[..next.find(['\n', '\r']).unwrap_or(next.len())];
    let ends_open = statement.trim_end().ends_with(['=', ',', '(', '+', '&', '|', '?', ':', '>']);
    let is_open_arrow =
        statement.trim_end().ends_with("=>") || !statement.trim_end().ends_with('>');
    let next = next.trim_start();
    if next.is_empty() {
        return false;
    }
    (ends_open && is_open_arrow)
        || next.starts_with(['.', '?', '&', ')', '}', ']'])
        || (next.starts_with("from ") && !statement.contains("from"))
}
