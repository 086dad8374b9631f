//! Configuration errors, with an excerpt of the line that caused them.

use std::fmt;

use anstyle::{AnsiColor, Style};
use chunkwright_io::shown;

use crate::origin::{Origin, Spot};
use unicode_width::UnicodeWidthStr;

/// An error in a configuration, and where its option was set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    message: String,
    origin: Option<Origin>,
    hint: Option<String>,
}

impl Error {
    pub(crate) fn new(origin: Option<Origin>, message: impl Into<String>) -> Self {
        Self { message: message.into(), origin, hint: None }
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
            Some(Origin::Flag(said)) => match about_value(message, said) {
                Some(message) => format!("{message}{}", after_semicolon(hint)),
                None => format!("{}: {message}{}", shown(said.as_ref()), after_semicolon(hint)),
            },
            None => format!("{message}{}", after_semicolon(hint)),
        }
    }
}

/// Names the flag in a message about its value, which already shows the rest of what was given.
fn about_value(message: &str, said: &str) -> Option<String> {
    let (kind, rest) = message.split_once(" value `")?;
    let (value, reason) = rest.split_once("`: ")?;
    let end = if said.starts_with("--set ") { '=' } else { ' ' };
    let flag = said.split(end).next().filter(|flag| flag.starts_with("--"))?;
    let is_about_value = matches!(kind, "invalid" | "unknown");
    is_about_value
        .then(|| format!("{kind} value `{value}` for `{}`: {reason}", shown(flag.as_ref())))
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
