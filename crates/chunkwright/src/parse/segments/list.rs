//! Finds the end of lists.

use super::html::has_own_end;
use super::known::interrupts;
use super::line::{Line, is_item, margin};
use crate::parse::line::{ListMarker, indent, is_thematic_break};

/// A top-level item of a list.
#[derive(Clone, Copy)]
struct ListItem {
    marker: ListMarker,
    /// The indentation of the item's content.
    content: usize,
}

impl ListItem {
    /// Recognizes a list item at byte `at` of a line. Empty items, and tabs after the list marker,
    /// are left to the parser.
    fn opens(line: &[u8], at: usize) -> Option<Self> {
        let text = &line[at..];
        let marker = ListMarker::of(text)?;
        let (gap, content) = text[marker.length..].split_at(indent(&text[marker.length..]));
        let is_certain = !gap.contains(&b'\t') && !content.is_empty();
        is_certain.then(|| Self { marker, content: at + marker.content(text) })
    }
}

/// Returns the end of the list that starts with a line, or `None` if it is uncertain.
pub(super) fn end(text: &[u8], first: Line<'_>) -> Option<usize> {
    let mut item = ListItem::opens(first.bytes, 0)?;
    let mut line = first;
    let mut end = first.next;
    loop {
        if has_own_end_inside(line.bytes) {
            return None;
        }
        let after_blank;
        (after_blank, line) = next_filled(text, line);
        if line.start == text.len() {
            return Some(end);
        }
        let indent = indent(line.bytes);
        if line.bytes[..indent].contains(&b'\t') {
            return None;
        }
        if indent < item.content {
            let rest = &line.bytes[indent..];
            if indent > 3 {
                return None;
            }
            if is_thematic_break(rest) {
                return Some(end);
            }
            if is_item(rest) {
                let next = ListItem::opens(line.bytes, indent)?;
                if next.marker.sign != item.marker.sign {
                    return (after_blank || next.marker.can_interrupt()).then_some(end);
                }
                item = next;
            } else {
                // To the parser, a list includes the first link reference definition after it.
                let ends = indent == 0 && rest[0] != b'[' && (after_blank || interrupts(rest));
                return ends.then_some(end);
            }
        }
        end = line.next;
    }
}

/// Returns the next line that is not blank, and whether blank lines precede it.
fn next_filled<'t>(text: &'t [u8], line: Line<'t>) -> (bool, Line<'t>) {
    let mut next = Line::at(text, line.next);
    let mut after_blank = false;
    while next.is_blank() && next.start < text.len() {
        next = Line::at(text, next.next);
        after_blank = true;
    }
    (after_blank, next)
}

/// Returns whether a line starts HTML that may contain blank lines, after any container markers.
fn has_own_end_inside(line: &[u8]) -> bool {
    has_own_end(&line[margin(line)..])
}
