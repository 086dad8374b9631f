//! Answers for language models: search results, sections and listings as Markdown.
//!
//! Every answer is one text within a token budget. Texts of documents are in code fences longer than
//! any inside, so that a page cannot imitate the lines around it, and without invisible characters.
//! The MCP server and the Python package return these answers.

mod instructions;
mod list;
mod read;
mod search;

use std::borrow::Cow;
use std::fmt::Write as _;
use std::time::SystemTime;

use chunkwright::remove_invisible;
use tantivy::time::OffsetDateTime;

use crate::error::Error;
use crate::outline;

pub use instructions::{MAX_INSTRUCTION_TOKENS, instructions};
pub use list::{ListSections, list_sections};
pub use read::{ReadSection, read_section};
pub use search::{SearchDocs, search_docs};

/// Maximum tokens of an answer, counted with `o200k`.
pub const MAX_TOKENS: usize = 10_000;

/// Maximum characters of an answer. Some clients write longer answers to a file.
pub const MAX_CHARS: usize = 45_000;

/// Default token budget of [`search_docs`].
pub const SEARCH_TOKENS: usize = 3_000;

/// Maximum number of results of [`search_docs`].
pub const SEARCH_RESULTS: usize = 8;

/// Maximum characters of a query, an id, and every part of a filter.
pub const MAX_QUERY_CHARS: usize = 2_000;

/// Default token budget of [`read_section`].
pub const READ_TOKENS: usize = 6_000;

/// Token budget of [`list_sections`].
pub const LIST_TOKENS: usize = 3_000;

/// Maximum number of entries in one answer of [`list_sections`].
pub const LIST_ENTRIES: usize = 200;

/// Maximum characters of a title in an answer.
const TITLE_CHARS: usize = 80;

/// Maximum characters of a breadcrumb in an answer.
const BREADCRUMB_CHARS: usize = 200;

/// Returns the token budget of a call.
fn budget(given: Option<usize>, default: usize) -> Result<usize, Error> {
    match given {
        Some(given) if given > MAX_TOKENS => {
            Err(Error::Limit { what: "`max_tokens`", given, most: MAX_TOKENS })
        }
        given => Ok(given.unwrap_or(default)),
    }
}

/// Checks the length of an argument. The work for some of them grows with its square.
fn check_length(what: &'static str, text: &str) -> Result<(), Error> {
    match text.chars().count() {
        given if given > MAX_QUERY_CHARS => {
            Err(Error::Limit { what, given, most: MAX_QUERY_CHARS })
        }
        _ => Ok(()),
    }
}

/// Returns the cost of an answer: its tokens, or its share of [`MAX_CHARS`] if that is larger.
fn cost(text: &str, max_tokens: usize) -> usize {
    let share = (text.chars().count() * max_tokens).div_ceil(MAX_CHARS);
    share.max(tokens(text))
}

fn tokens(text: &str) -> usize {
    outline::tokens(&*outline::counter(), text)
}

/// Returns a document's text as it is quoted: without invisible characters, and without control
/// characters except tabs and line breaks.
fn quotable(text: &str) -> Cow<'_, str> {
    let is_odd = |c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t');
    match remove_invisible(text) {
        visible if visible.contains(is_odd) => Cow::Owned(visible.replace(is_odd, "")),
        visible => visible,
    }
}

/// Appends a text in a code fence that is longer than any run of backticks in it.
fn push_fenced(out: &mut String, text: &str) {
    let text = quotable(text);
    let runs = text.split(|c| c != '`').map(str::len);
    let fence = "`".repeat(runs.max().unwrap_or(0).max(2) + 1);
    let _ = writeln!(out, "{fence}markdown\n{}\n{fence}", text.trim_end_matches(['\n', '\r']));
}

/// Returns a text for use within a line: on a single line, without invisible characters, and of at
/// most `most` characters.
///
/// ```
/// assert_eq!(chunkwright_search::agent::inline("pot of\n\u{202e}tea", 5), "pot o…");
/// ```
pub fn inline(text: &str, most: usize) -> String {
    let text = quotable(text);
    let breaks = |c: char| c.is_whitespace() || c.is_control();
    let text: String = text.chars().map(|c| if breaks(c) { ' ' } else { c }).collect();
    match text.char_indices().nth(most) {
        None => text,
        // A part of a flag is invisible.
        Some((end, _)) => format!("{}…", quotable(text[..end].trim_end())),
    }
}

/// Returns the headings that lead to a section, on a single line.
fn breadcrumb(titles: &[impl AsRef<str>]) -> String {
    let titles: Vec<String> =
        titles.iter().map(|title| inline(title.as_ref(), TITLE_CHARS)).collect();
    inline(&titles.join(" › "), BREADCRUMB_CHARS)
}

/// Returns an id on a single line. Ids are not shortened, since they must stay usable.
fn id(id: &str) -> String {
    inline(id, usize::MAX)
}

/// Returns the date of a moment in UTC: `2026-11-18`.
fn date(moment: SystemTime) -> String {
    OffsetDateTime::from(moment).date().to_string()
}

fn count(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_is_longer_than_any_inside() {
        let fenced = |text: &str| {
            let mut out = String::new();
            push_fenced(&mut out, text);
            out
        };
        assert_eq!(fenced("a\n"), "```markdown\na\n```\n");
        assert_eq!(fenced("```\na\n```"), "````markdown\n```\na\n```\n````\n");
        // Removing a character must not make a longer run.
        assert_eq!(fenced("``\u{200b}``"), "`````markdown\n````\n`````\n");
    }

    #[test]
    fn titles_stay_on_one_line() {
        assert_eq!(inline("a\n[2] docs:b\u{2028}c\u{1b}[0m\u{202e}", 80), "a [2] docs:b c[0m");
        assert_eq!(inline("äöü äöü", 4), "äöü…");
        let flag = "🏴\u{e0067}\u{e0062}\u{e007f}";
        assert_eq!(inline(&flag.repeat(2), 6), format!("{flag}🏴…"));
    }

    #[test]
    fn an_answer_costs_at_least_its_share_of_the_characters() {
        assert_eq!(cost(&" ".repeat(MAX_CHARS), 1_000), 1_000);
        assert_eq!(cost("a", 1_000), 1);
    }
}
