//! The origin of an option's value: a flag, or a line of the configuration file.

use std::fmt;
use std::ops::Range;

use unicode_width::UnicodeWidthStr;

/// Maximum characters of a line in an excerpt.
const MOST_COLUMNS: usize = 100;

/// The place where an option was set.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// A flag, as the user wrote it.
    Flag(String),
    /// A location in the configuration file.
    File(Spot),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(said) => f.write_str(said),
            Self::File(spot) => write!(f, "{}, line {}", spot.file, spot.line),
        }
    }
}

/// A location in the configuration file, with the text of its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    /// The name of the file for messages.
    pub(crate) file: String,
    /// The line, counted from 1.
    pub(crate) line: usize,
    /// The display column, counted from 1.
    pub(crate) column: usize,
    /// The number of display columns.
    pub(crate) width: usize,
    /// The text of the line, without control characters.
    pub(crate) text: String,
}

impl Spot {
    /// Returns the location of a byte range in a file's text.
    pub(crate) fn of(file: &str, text: &str, bytes: Range<usize>) -> Self {
        let from = text.floor_char_boundary(bytes.start);
        let start = text[..from].rfind('\n').map_or(0, |newline| newline + 1);
        let end = text[from..].find('\n').map_or(text.len(), |newline| from + newline);
        let to = text.floor_char_boundary(bytes.end.clamp(from, end));
        Self {
            file: file.to_owned(),
            line: 1 + text[..start].matches('\n').count(),
            column: 1 + text[start..from].width(),
            width: text[from..to].width().max(1),
            text: text[start..end]
                .trim_end_matches('\r')
                .chars()
                .take(MOST_COLUMNS)
                .map(visible)
                .collect(),
        }
    }
}

fn visible(c: char) -> char {
    match c {
        '\t' => ' ',
        c if c.is_control() => char::REPLACEMENT_CHARACTER,
        c => c,
    }
}
