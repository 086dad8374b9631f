//! The scan: lines come in; elements go out, in the order of their openings.
//!
//! What is open stands on a stack. A closing closes the innermost opening of its kind, and what was
//! opened after that and not closed is given up. So the work is linear, and there is no recursion.

use std::collections::{HashMap, HashSet};

use super::margin::{Margin, columns, indent_of};
use super::{Dialect, Element};
use crate::document::BlockKind;
use crate::note::{Note, NoteKind};
use crate::span::{Span, next_line};

/// What a closing must match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Key<'s> {
    /// So many colons.
    Directive(usize),
    /// A body that begins at this column.
    Body(usize),
    Shortcode(&'s str),
    Liquid(&'s str),
    /// A JSX tag; a fragment has no name.
    Tag(&'s str),
}

/// Something that waits for its closing.
#[derive(Debug)]
struct Open<'s> {
    key: Key<'s>,
    /// None for a tag inside a line of text, which is only counted.
    element: Option<usize>,
    has_heading: bool,
}

pub(super) struct Scanner<'s> {
    pub(super) source: &'s str,
    pub(super) margin: Margin,
    elements: Vec<Element>,
    stack: Vec<Open<'s>>,
    /// How many of a kind are open.
    counts: HashMap<Key<'s>, usize>,
    /// How many of them are tags.
    open_tags: usize,
    /// The columns at which the bodies that are open begin.
    bodies: Vec<usize>,
    /// The end of the last line that is not blank.
    text_end: usize,
    /// Closings that do not come any more.
    missing: HashSet<&'s str>,
    /// Bytes that may still be looked at in vain.
    pub(super) patience: usize,
    /// What looked like MDX and was not.
    pub(super) odd: usize,
}

/// How many times its own length a source may be looked at in vain.
const PATIENCE: usize = 32;

/// Finds the elements of `source` from byte `content` on, where all lines are indented by so many
/// columns.
pub(super) fn scan(
    source: &str,
    content: usize,
    indent: usize,
    dialect: Dialect,
) -> (Vec<Element>, Vec<Note>) {
    let mut scanner = Scanner {
        source,
        margin: Margin::new(dialect, indent),
        elements: Vec::new(),
        stack: Vec::new(),
        counts: HashMap::new(),
        open_tags: 0,
        bodies: Vec::new(),
        text_end: content,
        missing: HashSet::new(),
        patience: (source.len() - content).saturating_mul(PATIENCE),
        odd: 0,
    };
    let mut at = content;
    while at < source.len() {
        at = scanner.line(Span::new(at, next_line(source, at)));
    }
    scanner.close_bodies(0);
    while !scanner.stack.is_empty() {
        scanner.give_up();
    }
    let notes = scanner.notes();
    (scanner.elements, notes)
}

impl<'s> Scanner<'s> {
    /// Looks at a line; where to go on.
    fn line(&mut self, line: Span) -> usize {
        let text = line.of(self.source);
        if self.stack.is_empty() && self.margin.is_running(text) {
            self.margin.text(true);
            self.text_end = line.end;
            return line.end;
        }
        if text.trim().is_empty() {
            self.margin.blank();
            return line.end;
        }
        self.close_bodies(columns(text));
        self.measure_content(text);
        self.text_end = self.text_line(line);
        self.text_end
    }

    fn text_line(&mut self, line: Span) -> usize {
        let text = line.of(self.source);
        if self.margin.takes(text) {
            return line.end;
        }
        if let Some(end) = self.element(line) {
            self.margin.mark(text);
            return end;
        }
        let is_heading = self.is_heading(text);
        if is_heading && let Some(top) = self.stack.last_mut() {
            top.has_heading = true;
        }
        self.margin.text(!is_heading);
        if self.open_tags > 0 { self.inline(line).line_end } else { line.end }
    }

    /// What begins with this line, or ends with it; where that ends.
    fn element(&mut self, line: Span) -> Option<usize> {
        let text = line.of(self.source);
        let indent = indent_of(text);
        if self.margin.is_code(text) {
            return None;
        }
        match text.as_bytes()[indent] {
            b':' => self.directive(line),
            b'!' | b'?' | b'=' => self.admonition(line),
            b'$' => self.math(line),
            b'{' => self.shortcode(line).or_else(|| self.expression(line)),
            b'<' => self.jsx(line),
            b'i' | b'e' if indent == 0 => self.esm(line),
            _ => None,
        }
    }

    /// Adds an element that needs no closing.
    pub(super) fn leaf(&mut self, kind: BlockKind, lines: Span) {
        self.add(kind, lines, true);
    }

    /// Adds an element that ends with its body, which is indented by so many columns more.
    pub(super) fn body(&mut self, kind: BlockKind, line: Span, indent: usize) {
        let column = columns(line.of(self.source)) + indent;
        self.open(kind, Key::Body(column), line, false);
        self.bodies.push(column);
        self.indent_content(indent);
    }

    /// Closes bodies that begin further to the right.
    fn close_bodies(&mut self, columns: usize) {
        while let Some(&column) = self.bodies.last().filter(|&&column| column > columns) {
            self.margin.leave();
            self.close(Key::Body(column), Span::new(self.text_end, self.text_end));
        }
    }

    /// Adds an element that waits for its closing; some may do without.
    pub(super) fn open(&mut self, kind: BlockKind, key: Key<'s>, lines: Span, alone: bool) {
        let element = self.add(kind, lines, alone);
        self.push(key, Some(element));
    }

    fn add(&mut self, kind: BlockKind, open: Span, is_kept: bool) -> usize {
        let in_list = self.margin.in_list(open.of(self.source));
        self.elements.push(Element {
            kind,
            open,
            close: None,
            has_heading: false,
            opens_in_list: in_list,
            closes_in_list: in_list,
            indent: None,
            is_kept,
        });
        self.elements.len() - 1
    }

    /// Takes back the last element that was added.
    pub(super) fn drop_last(&mut self) {
        if let Some(element) = self.elements.last_mut() {
            element.is_kept = false;
        }
    }

    /// Moves the end of the last opening that was added.
    pub(super) fn lengthen_last(&mut self, end: usize) {
        if let Some(element) = self.elements.last_mut() {
            element.open.end = end;
        }
    }

    pub(super) fn push(&mut self, key: Key<'s>, element: Option<usize>) {
        *self.counts.entry(key).or_default() += 1;
        self.open_tags += usize::from(matches!(key, Key::Tag(_)));
        self.stack.push(Open { key, element, has_heading: false });
    }

    /// How many are open.
    pub(super) fn depth(&self) -> usize {
        self.stack.len()
    }

    pub(super) fn is_open(&self, key: Key<'s>) -> bool {
        self.counts.get(&key).is_some_and(|&count| count > 0)
    }

    pub(super) fn innermost(&self) -> Option<Key<'s>> {
        self.stack.last().map(|open| open.key)
    }

    /// Closes the innermost opening of this kind, which must be open, with these lines.
    pub(super) fn close(&mut self, key: Key<'s>, lines: Span) {
        while self.stack.last().is_some_and(|open| open.key != key) {
            self.give_up();
        }
        let Some(closed) = self.pop() else { return };
        let in_list = self.margin.in_list(lines.of(self.source));
        let Some(element) = closed.element.map(|nth| &mut self.elements[nth]) else { return };
        element.is_kept = true;
        element.closes_in_list = in_list;
        element.has_heading = closed.has_heading;
        if lines.start < element.open.end {
            element.open.end = element.open.end.max(lines.end);
        } else {
            element.close = Some(lines);
        }
    }

    /// Gives up the innermost opening: it has no closing.
    fn give_up(&mut self) {
        if let Some(Open { key: Key::Tag(_), element: Some(_), .. }) = self.pop() {
            self.odd += 1;
        }
    }

    fn pop(&mut self) -> Option<Open<'s>> {
        let popped = self.stack.pop()?;
        if let Some(count) = self.counts.get_mut(&popped.key) {
            *count -= 1;
        }
        match popped.key {
            Key::Tag(_) => self.open_tags -= 1,
            Key::Body(_) => _ = self.bodies.pop(),
            _ => {}
        }
        let indent = popped.element.and_then(|nth| self.elements[nth].indent);
        self.margin.base -= indent.unwrap_or(0);
        if let Some(above) = self.stack.last_mut() {
            above.has_heading |= popped.has_heading;
        }
        Some(popped)
    }

    /// The first line inside an element says how far its content is indented.
    fn measure_content(&mut self, text: &str) {
        let Some(nth) = self.stack.last().and_then(|open| open.element) else { return };
        let element = &self.elements[nth];
        if element.kind == BlockKind::Jsx && element.indent.is_none() {
            let open = element.open.of(self.source);
            self.indent_content(columns(text).saturating_sub(columns(open)));
        }
    }

    /// Sets how much deeper the content of the innermost element is indented.
    fn indent_content(&mut self, indent: usize) {
        let Some(nth) = self.stack.last().and_then(|open| open.element) else { return };
        self.elements[nth].indent = Some(indent);
        self.margin.base += indent;
    }

    /// Whether a line is a heading, as far as a line can tell.
    fn is_heading(&self, line: &str) -> bool {
        let text = line.trim();
        if self.margin.in_list(line) || self.margin.is_code(line) {
            return false;
        }
        let signs = text.bytes().take_while(|&byte| byte == b'#').count();
        let is_atx = (1..=6).contains(&signs)
            && text[signs..].chars().next().is_none_or(char::is_whitespace);
        let is_line = |sign: u8| text.bytes().all(|byte| byte == sign);
        is_atx || (self.margin.after_text && (is_line(b'=') || is_line(b'-')))
    }

    /// Whether it is known that nothing closes this any more.
    pub(super) fn is_missing(&self, closing: &str) -> bool {
        self.missing.contains(closing)
    }

    pub(super) fn set_missing(&mut self, closing: &'s str) {
        self.missing.insert(closing);
    }

    fn notes(&self) -> Vec<Note> {
        let message = match self.odd {
            0 => return Vec::new(),
            1 => "1 tag or expression does not parse as MDX: it is taken as Markdown".to_owned(),
            odd => {
                format!("{odd} tags or expressions do not parse as MDX: they are taken as Markdown")
            }
        };
        vec![Note::new(NoteKind::Mdx, message)]
    }
}
