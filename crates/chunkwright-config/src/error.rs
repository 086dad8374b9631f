//! Configuration errors, with an excerpt of the line that caused them.

use std::fmt;

use anstyle::{AnsiColor, Style};
use chunkwright_io::shown;
use unicode_width::UnicodeWidthStr;

use crate::kind::WrongValue;
use crate::origin::{Origin, Spot};

/// An error in a configuration, and where its option was set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    message: Message,
    origin: Option<Origin>,
    hint: Option<String>,
}

impl Error {
    pub(crate) fn new(origin: Option<Origin>, message: impl Into<String>) -> Self {
        Self { message: Message::Text(message.into()), origin, hint: None }
    }

    /// Creates the error about the value of an option.
    pub(crate) fn of_value(origin: Origin, wrong: WrongValue) -> Self {
        let hint = wrong.near.as_deref().map(meant);
        Self { message: Message::Value(Box::new(wrong)), origin: Some(origin), hint }
    }

    pub(crate) fn with_hint(self, hint: Option<String>) -> Self {
        Self { hint, ..self }
    }

    /// Returns the message with ANSI escape codes for colors.
    pub fn painted(&self) -> String {
        let gutter = Style::new().dimmed();
        let mark = AnsiColor::Red.on_default().bold();
        self.told(gutter, mark)
    }

    fn told(&self, gutter: Style, mark: Style) -> String {
        let Self { message, origin, hint } = self;
        let hint = hint.as_deref();
        match origin {
            Some(Origin::File(spot)) => {
                let Spot { file, line, column, .. } = spot;
                let excerpt = excerpt(spot, hint, gutter, mark);
                format!("{file}:{line}:{column}: {message}{excerpt}")
            }
            Some(Origin::Flag(said)) => match (message, flag(said)) {
                (Message::Value(wrong), Some(flag)) => {
                    let message = wrong.message(&format!(" for `{}`", shown(flag.as_ref())));
                    format!("{message}{}", after_semicolon(hint))
                }
                _ => format!("{}: {message}{}", shown(said.as_ref()), after_semicolon(hint)),
            },
            None => format!("{message}{}", after_semicolon(hint)),
        }
    }
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Message {
    Text(String),
    Value(Box<WrongValue>),
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Value(wrong) => f.write_str(&wrong.message("")),
        }
    }
}

impl WrongValue {
    /// Returns the message, with a text after the value.
    fn message(&self, after: &str) -> String {
        let Self { is_unknown, shown, reason, .. } = self;
        let kind = if *is_unknown { "unknown" } else { "invalid" };
        format!("{kind} value `{shown}`{after}: {reason}")
    }
}

/// Returns the flag that was given, without its value.
fn flag(said: &str) -> Option<&str> {
    let end = if said.starts_with("--set ") { '=' } else { ' ' };
    said.split(end).next().filter(|flag| flag.starts_with("--"))
}

/// Returns the line with carets below the error.
fn excerpt(spot: &Spot, hint: Option<&str>, gutter: Style, mark: Style) -> String {
    let indent = " ".repeat(spot.line.to_string().len());
    let columns = spot.text.width();
    if spot.column > columns + 1 {
        return after_semicolon(hint);
    }
    let width = spot.width.min(columns + 1 - spot.column).max(1);
    let (before, carets) = (" ".repeat(spot.column - 1), "^".repeat(width));
    let hint = hint.map_or_else(String::new, |hint| format!(" {hint}"));
    format!(
        "\n{gutter}{indent} |{gutter:#}\n{gutter}{} |{gutter:#} {}\n{gutter}{indent} |{gutter:#} \
         {before}{mark}{carets}{hint}{mark:#}",
        spot.line, spot.text,
    )
}

fn after_semicolon(hint: Option<&str>) -> String {
    hint.map_or_else(String::new, |hint| format!("; {hint}"))
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.told(Style::new(), Style::new()))
    }
}

impl std::error::Error for Error {}

/// Returns a suggestion for a wrong name.
pub(crate) fn meant(name: &str) -> String {
    format!("did you mean `{name}`?")
}
