//! Where a value comes from.

use std::fmt;
use std::ops::Range;

use unicode_width::UnicodeWidthStr;

/// Lines longer than this are shown in part.
const MOST_COLUMNS: usize = 100;

/// Who said what an option is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A flag, as it was written.
    Flag(String),
    /// A place in a file.
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

/// A place in a file, with the line that it is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    /// The file, as users should see it.
    pub file: String,
    /// The line, counted from 1.
    pub line: usize,
    /// The column, counted from 1.
    pub column: usize,
    /// How many columns it takes.
    pub width: usize,
    /// The line's text, safe to show.
    pub text: String,
}

impl Spot {
    /// The place of these bytes of a file's text.
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
