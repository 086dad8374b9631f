//! Identifies blocks and their ends from the start of each line, without the parser.

use memchr::memmem;

use super::fence::Fence;
use super::line::{Line, indent, is_item, is_rule, run};
use super::{Known, html, list};

/// Returns the kind and the end of the block that starts with a line, or `None` if they are
/// uncertain.
pub(super) fn known(text: &[u8], first: Line<'_>) -> Option<(Known, usize)> {
    match first.bytes[0] {
        b'#' => heading(first.bytes).map(|level| (Known::Heading(level), first.next)),
        b'`' | b'~' => match Fence::opens(first.bytes) {
            Some(fence) => Some(fence.block(text, first.next)),
            None => paragraph_end(text, first).map(|end| (Known::Paragraph, end)),
        },
        b'-' | b'*' | b'_' if is_rule(first.bytes) => Some((Known::Rule, first.next)),
        b'>' => {
            marked_end(text, first, |line| line.starts_with(b">")).map(|end| (Known::Quote, end))
        }
        b'|' => table_end(text, first).map(|end| (Known::Table, end)),
        b'<' => html::block_end(text, first).map(|end| (Known::Html, end)),
        _ if is_item(first.bytes) => list::end(text, first).map(|end| (Known::List, end)),
        _ => paragraph_end(text, first).map(|end| (Known::Paragraph, end)),
    }
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

/// Returns the end of a table whose rows start with a pipe, or `None` if it is uncertain.
fn table_end(text: &[u8], first: Line<'_>) -> Option<usize> {
    let second = Line::at(text, first.next);
    if columns(first.bytes) != rule_columns(second.bytes)? {
        return None;
    }
    let is_row = |line: &[u8]| line.starts_with(b"|") && indent(&line[1..]) + 1 < line.len();
    marked_end(text, first, is_row)
}

/// Returns the end of consecutive marked lines. Returns `None` if the next line may be a lazy
/// continuation line or another row.
fn marked_end(text: &[u8], first: Line<'_>, is_marked: impl Fn(&[u8]) -> bool) -> Option<usize> {
    let mut line = first;
    while is_marked(line.bytes) {
        line = Line::at(text, line.next);
    }
    let ends = line.is_blank() || (indent(line.bytes) == 0 && interrupts(line.bytes));
    ends.then_some(line.start)
}

/// Returns the number of columns of a table header that starts with a pipe.
fn columns(line: &[u8]) -> usize {
    let line = line.trim_ascii_end();
    let is_escaped = |at: usize| line[at - 1] == b'\\';
    let bars = (1..line.len()).filter(|&at| line[at] == b'|' && !is_escaped(at)).count();
    if line.ends_with(b"|") && !line.ends_with(b"\\|") { bars } else { bars + 1 }
}

/// Returns the number of columns of a delimiter row that starts with a pipe.
fn rule_columns(line: &[u8]) -> Option<usize> {
    let inner = line.trim_ascii_end().strip_prefix(b"|")?;
    let inner = inner.strip_suffix(b"|").unwrap_or(inner);
    let is_cell = |cell: &[u8]| {
        let cell = cell.trim_ascii();
        let cell = cell.strip_prefix(b":").unwrap_or(cell);
        let cell = cell.strip_suffix(b":").unwrap_or(cell);
        !cell.is_empty() && cell.iter().all(|&byte| byte == b'-')
    };
    let cells = || inner.split(|&byte| byte == b'|');
    // pulldown-cmark 0.13.6 does not allow tabs in the delimiter row (`scan_table_head`).
    (!inner.contains(&b'\t') && cells().all(is_cell)).then(|| cells().count())
}

/// Returns the level of an ATX heading without indentation.
fn heading(line: &[u8]) -> Option<u8> {
    let level = run(line, b'#');
    let is_heading =
        (1..=6).contains(&level) && matches!(line.get(level), None | Some(b' ' | b'\t'));
    is_heading.then_some(level as u8)
}

/// Returns whether a line is certain to interrupt a paragraph.
pub(super) fn interrupts(line: &[u8]) -> bool {
    match line[0] {
        b'#' => heading(line).is_some(),
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
