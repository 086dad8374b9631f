//! Scans lines for elements, and returns them in the order of their openings.
//!
//! Open elements are on a stack. A closing tag closes the innermost element with the same
//! key, and discards elements that were opened after it and not closed. The scan takes linear
//! time and does not recurse.

use std::collections::{HashMap, HashSet};

use super::margin::Margin;
use super::{Dialect, Element};
use crate::document::BlockKind;
use crate::note::{Note, NoteKind};
use crate::parse::line::{atx_level, columns, indent, is_setext_underline};
use crate::span::{Span, next_line};

/// The name or number that an opening and its closing have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum ElementKey<'s> {
    /// The number of colons of a directive.
    Directive(usize),
    /// The column at which an indented body starts.
    Body(usize),
    Shortcode(&'s str),
    Liquid(&'s str),
    /// The name of a JSX tag, empty for a fragment.
    Tag(&'s str),
}

/// An opening without its closing so far.
#[derive(Debug)]
struct Opening<'s> {
    key: ElementKey<'s>,
    /// The index of the element, or `None` for a tag within text, which is only tracked.
    element: Option<usize>,
    has_heading: bool,
}

pub(super) struct Scanner<'s> {
    pub(super) source: &'s str,
    pub(super) margin: Margin,
    elements: Vec<Element>,
    stack: Vec<Opening<'s>>,
    /// The number of openings on the stack, by key.
    counts: HashMap<ElementKey<'s>, usize>,
    /// The number of JSX tags on the stack.
    open_tags: usize,
    /// The start columns of the open bodies.
    bodies: Vec<usize>,
    /// The end of the last line that is not blank.
    text_end: usize,
    /// Closings that do not occur in the rest of the source.
    missing: HashSet<&'s str>,
    /// The budget for fruitless lookahead, in bytes.
    pub(super) patience: usize,
    /// The number of tags and expressions that are not valid MDX.
    pub(super) odd: usize,
}

/// The budget for fruitless lookahead, as a multiple of the source's length. It keeps the scan
/// linear on hostile input.
const PATIENCE: usize = 32;

/// Finds the elements of `source` from byte `content` on. All lines are indented by `indent`
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
    /// Scans a line, and returns the offset at which to continue.
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

    /// Opens or closes an element at this line, and returns the end of its lines.
    fn element(&mut self, line: Span) -> Option<usize> {
        let text = line.of(self.source);
        let indent = indent(text.as_bytes());
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

    /// Adds an element without a closing.
    pub(super) fn leaf(&mut self, kind: BlockKind, lines: Span) {
        self.add(kind, lines, true);
    }

    /// Opens an element that ends with its body, which is indented by `indent` more columns.
    pub(super) fn body(&mut self, kind: BlockKind, line: Span, indent: usize) {
        let column = columns(line.of(self.source)) + indent;
        self.open(kind, ElementKey::Body(column), line, false);
        self.bodies.push(column);
        self.indent_content(indent);
    }

    /// Closes the bodies that start at a higher column.
    fn close_bodies(&mut self, columns: usize) {
        while let Some(&column) = self.bodies.last().filter(|&&column| column > columns) {
            self.margin.leave();
            self.close(ElementKey::Body(column), Span::new(self.text_end, self.text_end));
        }
    }

    /// Opens an element. If `alone` is set, it is kept even if it is never closed.
    pub(super) fn open(&mut self, kind: BlockKind, key: ElementKey<'s>, lines: Span, alone: bool) {
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

    /// Discards the element that was added last.
    pub(super) fn drop_last(&mut self) {
        if let Some(element) = self.elements.last_mut() {
            element.is_kept = false;
        }
    }

    /// Sets the end of the last element's opening lines.
    pub(super) fn lengthen_last(&mut self, end: usize) {
        if let Some(element) = self.elements.last_mut() {
            element.open.end = end;
        }
    }

    pub(super) fn push(&mut self, key: ElementKey<'s>, element: Option<usize>) {
        *self.counts.entry(key).or_default() += 1;
        self.open_tags += usize::from(matches!(key, ElementKey::Tag(_)));
        self.stack.push(Opening { key, element, has_heading: false });
    }

    pub(super) fn depth(&self) -> usize {
        self.stack.len()
    }

    pub(super) fn is_open(&self, key: ElementKey<'s>) -> bool {
        self.counts.get(&key).is_some_and(|&count| count > 0)
    }

    pub(super) fn innermost(&self) -> Option<ElementKey<'s>> {
        self.stack.last().map(|open| open.key)
    }

    /// Closes the innermost opening with this key, which must exist, with these lines.
    pub(super) fn close(&mut self, key: ElementKey<'s>, lines: Span) {
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

    /// Discards the innermost opening because it has no closing.
    fn give_up(&mut self) {
        if let Some(Opening { key: ElementKey::Tag(_), element: Some(_), .. }) = self.pop() {
            self.odd += 1;
        }
    }

    fn pop(&mut self) -> Option<Opening<'s>> {
        let popped = self.stack.pop()?;
        if let Some(count) = self.counts.get_mut(&popped.key) {
            *count -= 1;
        }
        match popped.key {
            ElementKey::Tag(_) => self.open_tags -= 1,
            ElementKey::Body(_) => _ = self.bodies.pop(),
            _ => {}
        }
        let indent = popped.element.and_then(|nth| self.elements[nth].indent);
        self.margin.base -= indent.unwrap_or(0);
        if let Some(above) = self.stack.last_mut() {
            above.has_heading |= popped.has_heading;
        }
        Some(popped)
    }

    /// Measures the indentation of a JSX element's content at its first line.
    fn measure_content(&mut self, text: &str) {
        let Some(nth) = self.stack.last().and_then(|open| open.element) else { return };
        let element = &self.elements[nth];
        if element.kind == BlockKind::Jsx && element.indent.is_none() {
            let open = element.open.of(self.source);
            self.indent_content(columns(text).saturating_sub(columns(open)));
        }
    }

    /// Sets the relative indentation of the innermost element's content.
    fn indent_content(&mut self, indent: usize) {
        let Some(nth) = self.stack.last().and_then(|open| open.element) else { return };
        self.elements[nth].indent = Some(indent);
        self.margin.base += indent;
    }

    /// Returns whether a line looks like an ATX heading or a setext underline.
    fn is_heading(&self, line: &str) -> bool {
        if self.margin.in_list(line) || self.margin.is_code(line) {
            return false;
        }
        let text = &line.as_bytes()[indent(line.as_bytes())..];
        atx_level(text).is_some() || (self.margin.after_text && is_setext_underline(text))
    }

    /// Returns whether a closing is known not to occur in the rest of the source.
    pub(super) fn is_missing(&self, closing: &str) -> bool {
        self.missing.contains(closing)
    }

    pub(super) fn set_missing(&mut self, closing: &'s str) {
        self.missing.insert(closing);
    }

    fn notes(&self) -> Vec<Note> {
        let message = match self.odd {
            0 => return Vec::new(),
            1 => "1 tag or expression is not valid MDX and is treated as Markdown".to_owned(),
            odd => {
                format!("{odd} tags or expressions are not valid MDX and are treated as Markdown")
            }
        };
        vec![Note::new(NoteKind::Mdx, message)]
    }
}
