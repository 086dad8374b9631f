//! How things look on a terminal, and how they are kept from misbehaving there.

use std::borrow::Cow;
use std::fmt::Display;
use std::io::Write;

use anstyle::{AnsiColor, Style};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::sink::Sink;

pub(crate) const PLAIN: Style = Style::new();
pub(crate) const BOLD: Style = Style::new().bold();
pub(crate) const DIM: Style = Style::new().dimmed();
pub(crate) const PLACE: Style = AnsiColor::Cyan.on_default();
pub(crate) const LAST_PLACE: Style = AnsiColor::Cyan.on_default().bold();
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
pub(crate) const WARN: Style = AnsiColor::Yellow.on_default();
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();

/// Lines longer than this are hard to read.
const WIDEST: usize = 110;

/// A thing in a style.
pub(crate) fn paint(style: Style, thing: impl Display) -> String {
    format!("{style}{thing}{style:#}")
}

/// Tells the user what went wrong, on standard error.
pub(crate) fn complain(message: &str) {
    // There is nobody left to tell if this fails.
    let _ = writeln!(anstream::stderr(), "{}: {message}", paint(BAD, "chunkwright"));
}

/// Prints to standard output, without colours where nobody wants them.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    let mut out = Sink::stdout(true);
    out.write_all(text.as_bytes())?;
    out.finish()
}

/// How many columns there are to write in.
pub(crate) fn width() -> usize {
    let columns = terminal_size::terminal_size().map_or(100, |(width, _)| usize::from(width.0));
    columns.clamp(40, WIDEST)
}

/// How many columns a text takes.
pub(crate) fn columns(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// A line of a document, safe to show: tabs are spaces, and control characters are pictures of
/// themselves, so that no document can drive the terminal.
pub(crate) fn harmless(line: &str) -> Cow<'_, str> {
    if !line.contains(char::is_control) {
        return Cow::Borrowed(line);
    }
    let picture = |c: char| match c {
        '\t' => "    ".to_owned(),
        c if c.is_ascii_control() => {
            char::from_u32(if c == '\u{7f}' { 0x2421 } else { 0x2400 + c as u32 })
                .map_or_else(String::new, String::from)
        }
        c if c.is_control() => '\u{fffd}'.to_string(),
        c => c.to_string(),
    };
    Cow::Owned(line.chars().map(picture).collect())
}

/// A line cut into rows of at most so many columns, between words where there are any.
pub(crate) fn wrap(line: &str, columns: usize) -> Vec<&str> {
    let mut rows = Vec::new();
    let mut rest = line;
    while let Some(end) = row_end(rest, columns) {
        rows.push(rest[..end].trim_end());
        rest = rest[end..].trim_start();
    }
    rows.push(rest);
    rows
}

/// Where a row ends, if the text is longer.
fn row_end(text: &str, columns: usize) -> Option<usize> {
    let mut used = 0;
    let mut space = None;
    for (at, c) in text.char_indices() {
        used += c.width().unwrap_or(0);
        if used > columns {
            return Some(space.unwrap_or(at).max(1));
        }
        if c == ' ' && !text[..at].trim().is_empty() {
            space = Some(at + 1);
        }
    }
    None
}

/// A text of at most so many columns, its end left out if need be.
pub(crate) fn fit(text: &str, room: usize) -> Cow<'_, str> {
    if columns(text) <= room {
        return Cow::Borrowed(text);
    }
    let mut used = 1;
    let kept: String = text
        .chars()
        .take_while(|c| {
            used += c.width().unwrap_or(0);
            used <= room
        })
        .collect();
    Cow::Owned(format!("{}…", kept.trim_end()))
}

/// A number with separators: 12,345.
pub(crate) fn number(value: usize) -> String {
    let digits = value.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A count with its noun: `1 chunk`, `2 chunks`.
pub(crate) fn count(value: usize, noun: &str) -> String {
    let plural = if value == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", number(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_break_between_words() {
        assert_eq!(wrap("one two three", 8), ["one two", "three"]);
        assert_eq!(wrap("abcdefgh", 3), ["abc", "def", "gh"]);
        assert_eq!(wrap("你好吗", 4), ["你好", "吗"]);
        assert_eq!(wrap("", 4), [""]);
    }

    #[test]
    fn a_document_cannot_drive_the_terminal() {
        assert_eq!(harmless("a\u{1b}[31m\tb\u{9b}"), "a␛[31m    b\u{fffd}");
    }

    #[test]
    fn numbers_have_separators() {
        assert_eq!(number(7), "7");
        assert_eq!(number(1_234_567), "1,234,567");
        assert_eq!(count(1, "chunk"), "1 chunk");
    }
}
