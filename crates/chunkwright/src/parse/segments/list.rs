//! Lists: where one ends.

use super::html::has_own_end;
use super::known::interrupts;
use super::line::{Line, indent, is_item, is_rule, margin};

/// An item at the top level of a list.
#[derive(Clone, Copy)]
struct Item {
    /// What its mark ends with: items of one list have the same.
    sign: u8,
    /// How far a line must be indented to be inside.
    inside: usize,
    /// Whether it may follow a line of text.
    interrupts: bool,
}

impl Item {
    /// The item that a line begins at byte `at`, if it is one with text on the line and no tabs.
    fn opens(line: &[u8], at: usize) -> Option<Self> {
        let digits = line[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let mark = at + digits + 1;
        let gap = indent(&line[mark..]);
        let has_text = line.get(mark + gap).is_some_and(|byte| !byte.is_ascii_control());
        if digits > 9 || !has_text || line[mark..mark + gap].contains(&b'\t') {
            return None;
        }
        // Four spaces after the first are the indent of code.
        let gap = if gap > 4 { 1 } else { gap };
        let interrupts = digits == 0 || &line[at..at + digits] == b"1";
        Some(Self { sign: line[mark - 1], inside: mark + gap, interrupts })
    }
}

/// Where the list that begins with a line ends, if that is sure.
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
                // The parser goes on with a list after definitions.
                let ends = indent == 0 && rest[0] != b'[' && (after_blank || interrupts(rest));
                return ends.then_some(end);
            }
        }
        end = line.next;
    }
}

/// The next line that is not blank, and whether blank ones stand before it.
fn next_filled<'t>(text: &'t [u8], line: Line<'t>) -> (bool, Line<'t>) {
    let mut next = Line::at(text, line.next);
    let mut after_blank = false;
    while next.is_blank() && next.start < text.len() {
        next = Line::at(text, next.next);
        after_blank = true;
    }
    (after_blank, next)
}

/// Whether HTML that may go on beyond a blank line begins on a line, inside items and quotes.
fn has_own_end_inside(line: &[u8]) -> bool {
    let inner = &line[margin(line)..];
    inner.starts_with(b"<") && has_own_end(inner)
}
