//! Identifies blocks and their ends from the start of each line, without the parser.

use memchr::memmem;

use super::line::{Line, is_item};
use super::{SegmentKind, fence, list};
use crate::parse::Shortcuts;
use crate::parse::line::{Fence, atx_level, indent, is_thematic_break, run};

/// Returns the kind and the end of the block that starts with a line, or `None` if they are
/// uncertain or none of the shortcuts.
pub(super) fn known(
    text: &[u8],
    first: Line<'_>,
    shortcuts: Shortcuts,
) -> Option<(SegmentKind, usize)> {
    let line = first.bytes;
    if let Some(level) = atx_level(line) {
        return shortcuts.headings.then_some((SegmentKind::Heading(level), first.next));
    }
    if let Some(fence) = Fence::opens(line) {
        return shortcuts.fences.then(|| (SegmentKind::Fence, fence::end(fence, text, first.next)));
    }
    if is_item(line) {
        let end = (shortcuts.lists && !is_thematic_break(line)).then(|| list::end(text, first))?;
        return end.map(|end| (SegmentKind::List, end));
    }
    let end = shortcuts.paragraphs.then(|| paragraph_end(text, first))?;
    end.map(|end| (SegmentKind::Paragraph, end))
}

/// Returns the end of a paragraph, or `None` if it is uncertain.
fn paragraph_end(text: &[u8], first: Line<'_>) -> Option<usize> {
    let is_link = |line: &[u8]| line[0] == b'[' && line.get(1) != Some(&b'^');
    if !is_running(first.bytes) && !is_link(first.bytes) {
        return None;
    }
    let mut at = first.next;
    while at < text.len() {
        let line = Line::at(text, at);
        let indent = indent(line.bytes);
        if indent == line.bytes.len() || (indent == 0 && interrupts(line.bytes)) {
            break;
        }
        // A link reference definition can't interrupt a paragraph, but a footnote definition can.
        if !is_running(&line.bytes[indent..]) && !is_link(&line.bytes[indent..]) {
            return None;
        }
        at = line.next;
    }
    let may_define = is_link(first.bytes) && memmem::find(&text[first.start..at], b"]:").is_some();
    (!may_define).then_some(at)
}

/// Returns whether a line is certain to interrupt a paragraph.
pub(super) fn interrupts(line: &[u8]) -> bool {
    match line[0] {
        b'#' => atx_level(line).is_some(),
        b'`' | b'~' => Fence::opens(line).is_some(),
        b'>' => true,
        b'-' | b'+' | b'*' => is_filled_item(&line[1..]),
        b'1' if matches!(line.get(1), Some(b'.' | b')')) => is_filled_item(&line[2..]),
        _ => false,
    }
}

/// Returns whether the text after a list marker starts a list item with content. An empty item
/// can't interrupt a paragraph.
fn is_filled_item(rest: &[u8]) -> bool {
    let indent = indent(rest);
    indent > 0 && is_wordy(rest.get(indent))
}

/// Returns whether a byte can start inline text: a letter, a digit or opening punctuation.
fn is_wordy(byte: Option<&u8>) -> bool {
    matches!(
        byte,
        Some(b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | 0x80.. | b'`' | b'[' | b'(' | b'"')
    )
}

/// Returns whether a line can only be paragraph text, both as the first line and as a later one.
fn is_running(line: &[u8]) -> bool {
    let first = line[0];
    match first {
        b'a'..=b'z' | b'A'..=b'Z' | 0x80.. => true,
        b'(' | b')' | b'"' | b'\'' | b',' | b'.' | b'/' | b';' | b'?' | b'@' | b'%' => true,
        b'!' | b'$' | b'&' | b'\\' | b'^' | b'{' | b'}' => true,
        b'0'..=b'9' => !is_item(line),
        b'`' => run(line, first) < 3,
        b'*' | b'_' => is_wordy(line.get(run(line, first))),
        _ => false,
    }
}
