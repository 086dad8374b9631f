//! The view: elements come in; the text that the Markdown parser reads goes out, with marks where
//! they stood.

use std::borrow::Cow;

use super::Element;
use super::margin::bytes_to;
use crate::document::BlockKind;
use crate::span::{Span, lines_of};

/// What a mark stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// All of an element.
    Whole,
    /// Its opening lines.
    Open,
    /// Its closing lines.
    Close,
}

/// Lines of the view that are blanked, but for a `#`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    pub(crate) kind: BlockKind,
    pub(crate) role: Role,
    /// Which element it belongs to; distinct in a view.
    pub(crate) element: usize,
    /// Whole lines of the view.
    pub(crate) span: Span,
}

/// A text as the Markdown parser is to see it.
#[derive(Debug)]
pub(crate) struct View<'s> {
    pub(crate) text: Cow<'s, str>,
    /// In order, none inside another.
    pub(crate) marks: Vec<Mark>,
    /// From which byte on the view lags behind the source, and by how many bytes.
    shifts: Vec<(usize, usize)>,
}

impl<'s> View<'s> {
    /// A text with nothing in it to blank.
    pub(crate) fn plain(text: &'s str) -> Self {
        Self { text: text.into(), marks: Vec::new(), shifts: Vec::new() }
    }

    /// A text without so many columns of indentation, in which `elements` are blanked; of those that
    /// are to be opened only the opening and the closing lines.
    pub(super) fn new(
        source: &'s str,
        elements: &[Element],
        indent: usize,
        is_opened: impl Fn(&Element) -> bool,
    ) -> Self {
        let cuts = cuts(elements, is_opened);
        if cuts.is_empty() && indent == 0 {
            return Self::plain(source);
        }
        let mut writer = Writer { source, text: String::new(), shifts: Vec::new(), indent };
        writer.text.reserve(source.len());
        let mut marks = Vec::with_capacity(cuts.len());
        let mut at = 0;
        for cut in cuts {
            writer.copy(Span::new(at, cut.span.start));
            marks.push(writer.mark(&cut));
            at = cut.span.end;
        }
        writer.copy(Span::new(at, source.len()));
        Self { text: writer.text.into(), marks, shifts: writer.shifts }
    }

    /// Where a byte of the view is in the source.
    pub(crate) fn source_at(&self, at: usize) -> usize {
        let after = self.shifts.partition_point(|&(from, _)| from <= at);
        at + self.shifts[..after].last().map_or(0, |&(_, by)| by)
    }

    /// Where a range of the view is in the source.
    pub(crate) fn source_range(&self, range: std::ops::Range<usize>) -> std::ops::Range<usize> {
        if range.is_empty() {
            let at = self.source_at(range.start);
            return at..at;
        }
        self.source_at(range.start)..self.source_at(range.end - 1) + 1
    }
}

/// Lines of the source to be blanked.
struct Cut {
    kind: BlockKind,
    role: Role,
    element: usize,
    span: Span,
    in_list: bool,
    /// How much more, or less, the lines after it are indented.
    indent: isize,
}

/// What is to be blanked, in order.
fn cuts(elements: &[Element], is_opened: impl Fn(&Element) -> bool) -> Vec<Cut> {
    let mut cuts: Vec<Cut> = Vec::new();
    let mut closings: Vec<Cut> = Vec::new();
    let kept = elements.iter().enumerate().filter(|(_, element)| element.is_kept);
    for (nth, element) in kept {
        while let Some(closing) = closings.pop_if(|cut| cut.span.end <= element.open.start) {
            push_closing(&mut cuts, closing);
        }
        if cuts.last().is_some_and(|last| element.open.start < last.span.end) {
            continue;
        }
        let indent = element.indent.unwrap_or(0).cast_signed();
        let cut = |role, span, in_list, indent| Cut {
            kind: element.kind,
            role,
            element: nth,
            span,
            in_list,
            indent,
        };
        match element.close {
            Some(close) if is_opened(element) => {
                cuts.push(cut(Role::Open, element.open, element.opens_in_list, indent));
                closings.push(cut(Role::Close, close, element.closes_in_list, -indent));
            }
            close => {
                let end = close.map_or(element.open.end, |close| close.end);
                let span = Span::new(element.open.start, end);
                cuts.push(cut(Role::Whole, span, element.opens_in_list, 0));
            }
        }
    }
    closings.into_iter().rev().for_each(|closing| push_closing(&mut cuts, closing));
    cuts
}

/// Adds a closing; of those on the same line the outermost closes all.
fn push_closing(cuts: &mut Vec<Cut>, closing: Cut) {
    match cuts.last_mut() {
        Some(last) if closing.span.start < last.span.end => {
            last.element = closing.element;
            last.indent += closing.indent;
            last.span.end = last.span.end.max(closing.span.end);
        }
        _ => cuts.push(closing),
    }
}

struct Writer<'s> {
    source: &'s str,
    text: String,
    shifts: Vec<(usize, usize)>,
    /// How many columns of indentation are taken off each line: what stands in an element is Markdown of its
    /// own, and would be code if it were indented too far.
    indent: usize,
}

impl Writer<'_> {
    fn copy(&mut self, span: Span) {
        if self.indent == 0 {
            self.text.push_str(span.of(self.source));
            return;
        }
        for line in lines_of(self.source, span) {
            let line = self.without_indent(line);
            self.text.push_str(line.of(self.source));
        }
    }

    fn mark(&mut self, cut: &Cut) -> Mark {
        if cut.role == Role::Close {
            self.indent = self.indent.saturating_add_signed(cut.indent);
        }
        let start = self.text.len();
        for line in lines_of(self.source, cut.span) {
            let is_first = self.text.len() == start;
            let line = self.without_indent(line);
            self.blank(line.of(self.source), is_first, cut.in_list);
        }
        if cut.role == Role::Open {
            self.indent = self.indent.saturating_add_signed(cut.indent);
        }
        let span = Span::new(start, self.text.len());
        Mark { kind: cut.kind, role: cut.role, element: cut.element, span }
    }

    /// Writes blanks of the same length. In a list item the `#` keeps its place, so that it stays
    /// in it; elsewhere it stands at the start of the line, where nothing can take it for code.
    fn blank(&mut self, line: &str, is_first: bool, in_list: bool) {
        let sign = match (is_first, in_list) {
            (false, _) => None,
            (true, false) => Some(0),
            (true, true) => Some(line.len() - line.trim_start().len()),
        };
        let blanks = line.bytes().enumerate().map(|(at, byte)| match byte {
            b'\n' | b'\r' => char::from(byte),
            _ if Some(at) == sign => '#',
            _ => ' ',
        });
        self.text.extend(blanks);
    }

    fn without_indent(&mut self, line: Span) -> Span {
        let spaces = bytes_to(line.of(self.source), self.indent);
        if spaces > 0 {
            let before = self.shifts.last().map_or(0, |&(_, by)| by);
            self.shifts.push((self.text.len(), before + spaces));
        }
        Span::new(line.start + spaces, line.end)
    }
}
