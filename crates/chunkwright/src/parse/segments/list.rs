//! Finds the end of lists.

use super::html::has_own_end;
use super::known::interrupts;
use super::line::{Line, indent, is_item, is_rule, margin};

/// A top-level item of a list.
#[derive(Clone, Copy)]
struct Item {
    /// The last character of the list marker, which is the same for all items of a list.
    sign: u8,
    /// The indentation of the item's content.
    inside: usize,
    /// Whether it can interrupt a paragraph.
    interrupts: bool,
}

impl Item {
    /// Recognizes a list item at byte `at` of a line. Empty items, and tabs after the list marker,
    /// are left to the parser.
    fn opens(line: &[u8], at: usize) -> Option<Self> {
        let digits = line[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let mark = at + digits + 1;
        let gap = indent(&line[mark..]);
        let has_text = line.get(mark + gap).is_some_and(|byte| !byte.is_ascii_control());
        if digits > 9 || !has_text || line[mark..mark + gap].contains(&b'\t') {
            return None;
        }
        // With five or more spaces after the list marker, the item starts with indented code.
        let gap = if gap > 4 { 1 } else { gap };
        let interrupts = digits == 0 || &line[at..at + digits] == b"1";
        Some(Self { sign: line[mark - 1], inside: mark + gap, interrupts })
    }
}

/// Returns the end of the list that starts with a line, or `None` if it is uncertain.
pub(super) fn end(text: &[u8], first: Line<'_>) -> Option<usize> {
    let mut item = Item::opens(first.bytes, 0)?;
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
        if line.bytes[..indent].contains(&b'\t') || line.bytes[indent].is_ascii_control() {
            return None;
        }
        if indent < item.inside {
            let rest = &line.bytes[indent..];
            if indent > 3 {
                return None;
            }
            if is_rule(rest) {
                return Some(end);
            }
            if is_item(rest) {
                let next = Item::opens(line.bytes, indent)?;
                if next.sign != item.sign {
                    return (after_blank || next.interrupts).then_some(end);
                }
                item = next;
            } else {
                // pulldown-cmark 0.13.6 includes the first link reference definition after a list
                // in the list's range (also seen in
                // <https://github.com/dprint/dprint-plugin-markdown/pull/212>).
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
    let inner = &line[margin(line)..];
    inner.starts_with(b"<") && has_own_end(inner)
}
