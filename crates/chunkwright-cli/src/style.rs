//! Colors, widths and numbers in output for people, and protection from control characters.

use std::borrow::Cow;
use std::env;
use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::sync::LazyLock;

use anstyle::{AnsiColor, Style};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

pub(crate) const PLAIN: Style = Style::new();
pub(crate) const BOLD: Style = Style::new().bold();
pub(crate) const DIM: Style = Style::new().dimmed();
pub(crate) const PLACE: Style = AnsiColor::Cyan.on_default();
pub(crate) const LAST_PLACE: Style = AnsiColor::Cyan.on_default().bold();
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
pub(crate) const WARN: Style = AnsiColor::Yellow.on_default();
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();

/// Maximum columns of running text; longer lines are hard to read.
const WIDEST: usize = 110;

/// Columns of output that goes to a file or a pipe, unless `COLUMNS` is set.
const PIPED: usize = 100;

static ON_TERMINAL: LazyLock<bool> = LazyLock::new(|| io::stdout().is_terminal());

/// Wraps a value in the escape codes of a style.
pub(crate) fn paint(style: Style, thing: impl Display) -> String {
    format!("{style}{thing}{style:#}")
}

/// Prints an error to standard error.
pub(crate) fn complain(message: &str) {
    report(BAD, "error", message);
}

/// Prints a warning to standard error.
pub(crate) fn warn(message: &str) {
    report(WARNING, "warning", message);
}

/// Prints a note to standard error.
pub(crate) fn note(message: &str) {
    report(LAST_PLACE, "note", message);
}

/// Prints a summary to standard error, where it does not mix with data.
pub(crate) fn say(line: &str) {
    // There is no way to report that standard error cannot be written.
    let _ = writeln!(anstream::stderr(), "{line}");
}

fn report(style: Style, level: &str, message: &str) {
    say(&format!("{}: {message}", paint(style, level)));
}

/// Returns a text as [`print`](crate::sink::print) prints it: without colors if they are off.
pub(crate) fn as_printed(text: &str) -> String {
    match anstream::AutoStream::choice(&std::io::stdout()) {
        anstream::ColorChoice::Never => anstream::adapter::strip_str(text).to_string(),
        _ => text.to_owned(),
    }
}

/// Returns the number of columns for running text.
pub(crate) fn width() -> usize {
    table_width().min(WIDEST)
}

/// Returns the number of columns for tables: those of the terminal. Other output has `COLUMNS`
/// columns if that is set.
pub(crate) fn table_width() -> usize {
    let terminal = terminal_size::terminal_size_of(io::stdout());
    let columns = match terminal {
        Some((width, _)) => Some(usize::from(width.0)),
        None => env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok()),
    };
    columns.unwrap_or(PIPED).max(40)
}

/// Returns the number of columns that a text takes.
pub(crate) fn columns(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// Makes a line of a document safe to print: tabs become spaces, and control characters visible
/// symbols, so that no document can control the terminal.
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

/// Wraps a line into rows of at most `columns` columns, between words where possible.
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

/// Returns the end of the first row, if the text is longer than one row.
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

/// Shortens a text to at most `room` columns by leaving out its end.
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

/// Shortens a text to this many columns by leaving out its middle. The end of an id or a path is
/// what distinguishes it from its neighbors.
pub(crate) fn fit_middle(text: &str, room: usize) -> Cow<'_, str> {
    if columns(text) <= room {
        return Cow::Borrowed(text);
    }
    let start = fit(text, room.div_ceil(3));
    let room = room - columns(&start);
    let mut used = 0;
    let fits = |(_, c): &(usize, char)| {
        used += c.width().unwrap_or(0);
        used <= room
    };
    let end = text.char_indices().rev().take_while(fits).last().map_or(text.len(), |(at, _)| at);
    Cow::Owned(format!("{start}{}", &text[end..]))
}

/// Formats a number: `12,345` on a terminal, `12345` in a file or a pipe, where programs read it.
pub(crate) fn number(value: usize) -> String {
    if *ON_TERMINAL { grouped(value) } else { value.to_string() }
}

/// Formats a number with separators: `12,345`.
pub(crate) fn grouped(value: usize) -> String {
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

/// Formats a size: `3.6 kB`, `1.2 MB`.
pub(crate) fn bytes(value: u64) -> String {
    match value as f64 {
        few if few < 1e6 => format!("{:.1} kB", few / 1e3),
        many => format!("{:.1} MB", many / 1e6),
    }
}

/// Formats a count with its noun: `1 chunk`, `2 chunks`.
pub(crate) fn count(value: usize, noun: &str) -> String {
    format!("{} {}", number(value), plural(value, noun))
}

/// Returns a noun, in the plural unless the number is 1.
pub(crate) fn plural(value: usize, noun: &str) -> String {
    format!("{noun}{}", if value == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wraps_long_lines_between_words() {
        assert_eq!(wrap("one two three", 8), ["one two", "three"]);
        assert_eq!(wrap("abcdefgh", 3), ["abc", "def", "gh"]);
        assert_eq!(wrap("你好吗", 4), ["你好", "吗"]);
        assert_eq!(wrap("", 4), [""]);
    }

    #[test]
    fn replaces_control_characters() {
        assert_eq!(harmless("a\u{1b}[31m\tb\u{9b}"), "a␛[31m    b\u{fffd}");
    }

    #[test]
    fn shortens_ids_in_the_middle() {
        assert_eq!(fit_middle("docs:guide.md#use", 17), "docs:guide.md#use");
        assert_eq!(fit_middle("docs:reference/guide.md#use", 15), "docs…ide.md#use");
        assert_eq!(columns(&fit_middle("你好吗你好吗你好吗", 8)), 7);
    }

    #[test]
    fn groups_digits() {
        assert_eq!(grouped(7), "7");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(count(1, "chunk"), "1 chunk");
    }
}
