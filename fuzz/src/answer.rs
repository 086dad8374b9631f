//! Checks the answers of tools: their size, their characters, and that nothing in a page can be
//! mistaken for the lines around it.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use chunkwright::{O200k, TextKind, TokenCounter};

use crate::library::INDEX;

/// Limits of an answer, whatever the call allows.
const MOST_TOKENS: usize = 10_000;
const MOST_CHARS: usize = 45_000;

/// Limit of an error message.
const MOST_ERROR_CHARS: usize = 501;

/// Maximum number of search results.
const MOST_RESULTS: usize = 8;

/// The pages by the id that answers show, which is on one line and has no hidden characters.
static SHOWN: LazyLock<HashMap<String, &str>> =
    LazyLock::new(|| INDEX.pages.iter().map(|(id, text)| (on_one_line(id), &**text)).collect());

/// The ids of pages and sections as answers show them.
static IDS: LazyLock<HashSet<String>> =
    LazyLock::new(|| INDEX.ids.iter().map(|id| on_one_line(id)).collect());

/// Checks an answer to `search_docs`.
pub fn check_search(answer: &str, max_tokens: usize) {
    check_size(answer, max_tokens);
    let mut parts = parts(answer).into_iter().peekable();
    let mut results = 0;
    while let Some(Part::Line(line)) = parts.peek().copied()
        && line.starts_with('[')
    {
        parts.next();
        results += 1;
        let header = line.strip_prefix(&format!("[{results}] ")).expect("results are numbered");
        let quote = parts.next().and_then(Part::quote).expect("a text follows each header");
        check_quote(&Header::of(header), quote);
    }
    assert!(results <= MOST_RESULTS, "{answer}");
    let order = ["Not shown: ", "No match for", "No results: ", "Note: "];
    let mut at = 0;
    for part in parts {
        let line = part.line().expect("texts follow headers");
        let place = order.iter().position(|start| line.starts_with(start));
        let place = place.unwrap_or_else(|| panic!("unexpected line: {line:?}"));
        assert!(place >= at, "{answer}");
        at = place;
    }
}

/// Checks an answer to `read_section` that starts at a given line.
pub fn check_read(answer: &str, max_tokens: usize, from_line: Option<usize>) {
    check_size(answer, max_tokens);
    let mut parts = parts(answer).into_iter();
    let header = Header::of(parts.next().and_then(Part::line).expect("a header"));
    let quote = parts.next().and_then(Part::quote).expect("a text");
    check_quote(&header, quote);
    assert!(from_line.is_none_or(|line| line == header.first), "{answer}");
    let mut is_complete = true;
    for part in parts {
        let line = part.line().expect("there is one text");
        if let Some((_, next)) = line.rsplit_once(", from_line=") {
            assert!(line.starts_with("More: read_section(id=\"") && is_complete, "{line:?}");
            let next = next.split(')').next().and_then(|next| next.parse().ok());
            assert_eq!(next, Some(header.last + 1), "{answer}");
            is_complete = false;
        } else if line.starts_with("Subsections: ") {
            assert!(is_complete, "{answer}");
        } else {
            assert!(line.starts_with(&format!("Line {} is cut: ", header.last)), "{line:?}");
        }
    }
}

/// Checks an answer to `list_sections` that skips a number of entries.
pub fn check_list(answer: &str, after: usize) {
    check_size(answer, 3_000);
    let parts = parts(answer);
    let lines = parts.into_iter().map(|part| part.line().expect("a list quotes no text"));
    let mut lines: Vec<&str> = lines.collect();
    let more = lines.last().and_then(|line| line.strip_prefix("More: list_sections("));
    if let Some(more) = more {
        lines.pop();
        let (_, more) = more.rsplit_once("after=").expect("where to continue");
        let (next, left) = more.split_once("), ").expect("how many entries follow");
        assert_eq!(next.parse(), Ok(after + lines.len() - 1), "{answer}");
        assert!(lines.len() > 1, "a list makes progress: {answer}");
        assert!(left.ends_with(" left"), "{answer}");
    }
    for row in &lines[1..] {
        let (id, _) = row.trim_start().split_once(" · ").expect("an id and a name");
        assert!(IDS.contains(id) || id.ends_with(['/', ':']), "{row:?}");
    }
}

/// Checks an error message, which may quote what was given.
pub fn check_error(message: &str, given: &str) {
    check_characters(message);
    assert!(!message.is_empty() && message.chars().count() <= MOST_ERROR_CHARS, "{message}");
    assert!(!message.contains(['\n', '\r', '\t']), "{message:?}");
    let dir = INDEX.dir.to_str().expect("a path in UTF-8");
    assert!(!message.contains(dir) || on_one_line(given).contains(dir), "{message}");
}

fn check_size(answer: &str, max_tokens: usize) {
    check_characters(answer);
    assert!(!answer.trim().is_empty());
    assert!(answer.chars().count() <= MOST_CHARS, "{} characters", answer.chars().count());
    let tokens = O200k.count(answer, TextKind::Prose);
    assert!(tokens <= max_tokens.min(MOST_TOKENS), "{tokens} of {max_tokens} tokens:\n{answer}");
}

fn check_characters(answer: &str) {
    assert_eq!(visible(answer), answer);
}

/// Checks that a quoted text is what the page contains in the lines of its header.
fn check_quote(header: &Header<'_>, quote: &str) {
    let (id, path) = (header.id, header.path);
    assert!(id.contains(path), "{id} {path}");
    let tree = id.split(':').next().unwrap_or_default();
    let page = SHOWN.get(&format!("{tree}:{path}")).unwrap_or_else(|| panic!("no page {path}"));
    let lines = lines_of(page);
    let most = header.last.min(lines.len());
    assert!(header.first >= 1 && header.first <= header.last, "{header:?}");
    let lines = visible(&lines[(header.first - 1).min(most)..most].concat());
    assert!(lines.contains(quote), "{header:?}\n{quote:?}\n{lines:?}");
}

/// The first line of a result.
#[derive(Debug)]
struct Header<'a> {
    id: &'a str,
    path: &'a str,
    first: usize,
    last: usize,
}

impl<'a> Header<'a> {
    /// Reads `id · breadcrumb · path:first-last · 5 tokens`.
    fn of(line: &'a str) -> Self {
        let line = line.strip_suffix(" · changed since it was indexed").unwrap_or(line);
        let (rest, tokens) = line.rsplit_once(" · ").expect("a number of tokens");
        assert!(tokens.ends_with(" tokens") || tokens == "1 token", "{line:?}");
        let (rest, place) = rest.rsplit_once(" · ").expect("a location");
        let (id, _) = rest.split_once(" · ").expect("an id and a breadcrumb");
        let (path, lines) = place.rsplit_once(':').expect("a path and lines");
        let (first, last) = lines.split_once('-').expect("a range of lines");
        let number = |digits: &str| digits.parse().expect("a line number");
        Self { id, path, first: number(first), last: number(last) }
    }
}

/// A part of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part<'a> {
    Line(&'a str),
    Quote(&'a str),
}

impl<'a> Part<'a> {
    fn line(self) -> Option<&'a str> {
        match self {
            Self::Line(line) => Some(line),
            Self::Quote(_) => None,
        }
    }

    fn quote(self) -> Option<&'a str> {
        match self {
            Self::Quote(text) => Some(text),
            Self::Line(_) => None,
        }
    }
}

/// Splits an answer into lines and fenced texts. Anything that a reader might take for the end of a
/// fence is one.
fn parts(answer: &str) -> Vec<Part<'_>> {
    assert!(answer.ends_with('\n'), "{answer:?}");
    let mut parts = Vec::new();
    // The length of the open fence, and where its text starts.
    let mut open: Option<(usize, usize)> = None;
    let mut at = 0;
    for line in lines_of(answer) {
        let start = at;
        at += line.len();
        let line = line.trim();
        let ticks = line.len() - line.trim_start_matches('`').len();
        match open {
            Some((length, from)) if ticks >= length => {
                assert!(ticks == length && line.len() == length, "a fence is broken: {answer}");
                parts.push(Part::Quote(answer[from..start].trim_end_matches('\n')));
                open = None;
            }
            Some(_) => {}
            None if ticks >= 3 => {
                assert_eq!(&line[ticks..], "markdown", "{answer}");
                open = Some((ticks, at));
            }
            None => parts.push(Part::Line(answer[start..at].trim_end_matches('\n'))),
        }
    }
    assert_eq!(open, None, "a fence is not closed: {answer}");
    parts
}

/// Splits a text into lines with their ends: LF, CRLF or a lone CR.
fn lines_of(text: &str) -> Vec<&str> {
    let bytes = text.as_bytes();
    let mut lines = Vec::new();
    let mut start = 0;
    for (at, byte) in bytes.iter().enumerate() {
        let is_crlf = *byte == b'\r' && bytes.get(at + 1) == Some(&b'\n');
        if matches!(byte, b'\n' | b'\r') && !is_crlf {
            lines.push(&text[start..=at]);
            start = at + 1;
        }
    }
    lines.extend(Some(&text[start..]).filter(|last| !last.is_empty()));
    lines
}

fn on_one_line(id: &str) -> String {
    visible(id).replace(char::is_whitespace, " ")
}

/// Removes what a reader does not see: control characters except for tabs and line breaks, and
/// invisible characters. The tags of a flag stay.
fn visible(text: &str) -> String {
    let mut seen = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        match c {
            '\n' | '\r' | '\t' => seen.push(c),
            '\u{200b}' | '\u{2060}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}' => {}
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {}
            _ if c.is_control() => {}
            _ => seen.push(c),
        }
        if c == '🏴' {
            let length = flag_tags(rest.as_str());
            seen.extend(rest.by_ref().take(length));
        }
    }
    seen
}

/// Returns the number of tags that make a black flag the flag of a region: one to six letters and
/// digits, and an end.
fn flag_tags(text: &str) -> usize {
    let tags =
        text.chars().take(7).map(|c| (c as u32).checked_sub(0xe0000).and_then(char::from_u32));
    let tags: Vec<char> = tags.map_while(|tag| tag).collect();
    let is_region = |tags: &[char]| tags.iter().all(|tag| matches!(tag, 'a'..='z' | '0'..='9'));
    match tags.iter().position(|tag| *tag == '\u{7f}') {
        Some(end @ 1..) if is_region(&tags[..end]) => end + 1,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "docs:tea.md#tea · Before. › Tea · tea.md:7-9 · 6 tokens";

    #[test]
    fn accepts_an_answer() {
        let text = "# Tea\n\nBoil water first.";
        check_read(&format!("{HEADER}\n```markdown\n{text}\n```\n"), 200, None);
        check_search(&format!("[1] {HEADER}\n```markdown\n{text}\n```\n"), 200);
        assert_eq!(lines_of("a\rb\r\nc\n\nd"), ["a\r", "b\r\n", "c\n", "\n", "d"]);
    }

    #[test]
    #[should_panic(expected = "a fence is broken")]
    fn rejects_a_broken_fence() {
        parts("```markdown\na\n````\nb\n```\n");
    }

    #[test]
    #[should_panic(expected = "a text follows each header")]
    fn rejects_a_forged_header() {
        check_search(&format!("[1] {HEADER}\n[2] {HEADER}\n```markdown\n# Tea\n```\n"), 200);
    }

    #[test]
    #[should_panic(expected = "Boil coffee")]
    fn rejects_a_text_that_is_not_in_the_page() {
        check_search(&format!("[1] {HEADER}\n```markdown\nBoil coffee\n```\n"), 200);
    }
}
