//! Builds the text for the Markdown parser, with marks in place of elements.

use std::borrow::Cow;

use super::Element;
use crate::document::BlockKind;
use crate::parse::line::bytes_to;
use crate::span::{Span, lines_of};

/// The part of an element that a mark replaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// The whole element.
    Whole,
    /// Its opening lines.
    Open,
    /// Its closing lines.
    Close,
}

/// Lines of the view that are blank except for a `#`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    pub(crate) kind: BlockKind,
    pub(crate) role: Role,
    /// The index of the element, unique in a view.
    pub(crate) element: usize,
    /// Whole lines of the view.
    pub(crate) span: Span,
}

/// A text with its elements hidden, for the Markdown parser.
#[derive(Debug)]
pub(crate) struct View<'s> {
    pub(crate) text: Cow<'s, str>,
    /// The marks, in order and without overlap.
    pub(crate) marks: Vec<Mark>,
    /// Offsets in the view, each with the distance to the source's offset from there on.
    shifts: Vec<(usize, usize)>,
}

impl<'s> View<'s> {
    /// Creates the view of a text without elements.
    pub(crate) fn plain(text: &'s str) -> Self {
        Self { text: text.into(), marks: Vec::new(), shifts: Vec::new() }
    }

    /// Creates the view of a text, with `indent` columns of indentation removed and `elements`
    /// replaced with marks. For opened elements, only the opening and closing lines are replaced.
    pub(super) fn new(
        source: &'s str,
        elements: &[Element],
        indent: usize,
        is_opened: impl Fn(&Element) -> bool,
    ) -> Self {
        let masked = masked(elements, is_opened);
        if masked.is_empty() && indent == 0 {
            return Self::plain(source);
        }
        let mut writer = ViewWriter { source, text: String::new(), shifts: Vec::new(), indent };
        writer.text.reserve(source.len());
        let mut marks = Vec::with_capacity(masked.len());
        let mut at = 0;
        for lines in masked {
            writer.copy(Span::new(at, lines.span.start));
            marks.push(writer.mark(&lines));
            at = lines.span.end;
        }
        writer.copy(Span::new(at, source.len()));
        Self { text: writer.text.into(), marks, shifts: writer.shifts }
    }

    /// Converts an offset of the view to one of the source.
    pub(crate) fn source_at(&self, at: usize) -> usize {
        let after = self.shifts.partition_point(|&(from, _)| from <= at);
        at + self.shifts[..after].last().map_or(0, |&(_, by)| by)
    }

    /// Converts a range of the view to one of the source.
    pub(crate) fn source_range(&self, range: std::ops::Range<usize>) -> std::ops::Range<usize> {
        if range.is_empty() {
            let at = self.source_at(range.start);
            return at..at;
        }
        self.source_at(range.start)..self.source_at(range.end - 1) + 1
    }
}

/// Lines of the source to replace with a mark.
struct MaskedLines {
    kind: BlockKind,
    role: Role,
    element: usize,
    span: Span,
    in_list: bool,
    /// The change in indentation after these lines, in columns.
    indent: isize,
}

/// Returns the lines to replace, in order.
fn masked(elements: &[Element], is_opened: impl Fn(&Element) -> bool) -> Vec<MaskedLines> {
    let mut masked: Vec<MaskedLines> = Vec::new();
    let mut closings: Vec<MaskedLines> = Vec::new();
    let kept = elements.iter().enumerate().filter(|(_, element)| element.is_kept);
    for (nth, element) in kept {
        while let Some(closing) = closings.pop_if(|lines| lines.span.end <= element.open.start) {
            push_closing(&mut masked, closing);
        }
        if masked.last().is_some_and(|last| element.open.start < last.span.end) {
            continue;
        }
        let indent = element.indent.unwrap_or(0).cast_signed();
        let lines = |role, span, in_list, indent| MaskedLines {
            kind: element.kind,
            role,
            element: nth,
            span,
            in_list,
            indent,
        };
        match element.close {
            Some(close) if is_opened(element) => {
                masked.push(lines(Role::Open, element.open, element.opens_in_list, indent));
                closings.push(lines(Role::Close, close, element.closes_in_list, -indent));
            }
            close => {
                let end = close.map_or(element.open.end, |close| close.end);
                let span = Span::new(element.open.start, end);
                masked.push(lines(Role::Whole, span, element.opens_in_list, 0));
            }
        }
    }
    closings.into_iter().rev().for_each(|closing| push_closing(&mut masked, closing));
    masked
}

/// Adds closing lines. If several elements close on the same line, it belongs to the outermost one.
fn push_closing(masked: &mut Vec<MaskedLines>, closing: MaskedLines) {
    match masked.last_mut() {
        Some(last) if closing.span.start < last.span.end => {
            last.element = closing.element;
            last.indent += closing.indent;
            last.span.end = last.span.end.max(closing.span.end);
        }
        _ => masked.push(closing),
    }
}

struct ViewWriter<'s> {
    source: &'s str,
    text: String,
    shifts: Vec<(usize, usize)>,
    /// The indentation to remove from each line, in columns. The content of an element is separate
    /// Markdown, and would be indented code with its full indentation.
    indent: usize,
}

impl ViewWriter<'_> {
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

    fn mark(&mut self, lines: &MaskedLines) -> Mark {
        if lines.role == Role::Close {
            self.indent = self.indent.saturating_add_signed(lines.indent);
        }
        let start = self.text.len();
        for line in lines_of(self.source, lines.span) {
            let is_first = self.text.len() == start;
            let line = self.without_indent(line);
            self.blank(line.of(self.source), is_first, lines.in_list);
        }
        if lines.role == Role::Open {
            self.indent = self.indent.saturating_add_signed(lines.indent);
        }
        let span = Span::new(start, self.text.len());
        Mark { kind: lines.kind, role: lines.role, element: lines.element, span }
    }

    /// Writes a line of blanks of the same length, with a `#` if it is the first line of a mark.
    ///
    /// In a list item, the `#` is indented like the line, so that it stays in the item. Elsewhere
    /// it is at the start of the line, where it can't be indented code.
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
