//! Snippets: a text and the words that were looked for come in, its most telling stretch goes out.

use std::collections::HashMap;
use std::ops::Range;

use crate::analyze::{Analyzer, Term};

/// How long a snippet may be.
const SNIPPET_BYTES: usize = 240;

/// The stretch of a text that has most of the words, and where they are in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Snippet {
    pub(crate) text: String,
    /// Byte ranges of `text`.
    pub(crate) highlights: Vec<(usize, usize)>,
}

/// Cuts a snippet. `body` is where the heading ends; what follows is preferred. `worth` tells how
/// telling each term is.
pub(crate) fn snippet(
    text: &str,
    body: usize,
    analyzer: &Analyzer,
    worth: &HashMap<String, f32>,
) -> Snippet {
    let terms = analyzer.terms(text);
    let found: Vec<&Term> = terms.iter().filter(|term| worth.contains_key(&term.text)).collect();
    let start = start(text, body, &found, worth);
    let stretch = stretch(text, start);
    let cut = &text[stretch.clone()];
    let mut highlights: Vec<(usize, usize)> = Vec::new();
    let inside = found
        .iter()
        .filter(|term| stretch.start <= term.bytes.start && term.bytes.end <= stretch.end);
    for term in inside {
        let (from, to) = (term.bytes.start - stretch.start, term.bytes.end - stretch.start);
        match highlights.last_mut() {
            Some(last) if from < last.1 => last.1 = last.1.max(to),
            _ => highlights.push((from, to)),
        }
    }
    Snippet { text: cut.to_owned(), highlights }
}

/// The place from which on the most different telling words follow; the start of the body, if
/// there are none.
fn start(text: &str, body: usize, found: &[&Term], worth: &HashMap<String, f32>) -> usize {
    let mut best = (0.0, body.min(text.len()));
    for (nth, first) in found.iter().enumerate() {
        let from = first.bytes.start;
        let window = found[nth..].iter().take_while(|t| t.bytes.end <= from + SNIPPET_BYTES);
        let mut seen: Vec<&str> = Vec::new();
        let mut sum = 0.0;
        for term in window {
            if !seen.contains(&term.text.as_str()) {
                seen.push(&term.text);
                sum += worth[&term.text];
            }
        }
        // A heading is shown anyway.
        let sum = if from < body { sum * 0.5 } else { sum };
        if sum > best.0 {
            best = (sum, from);
        }
    }
    best.1
}

/// A stretch that begins at the start of the line or of a word a little before `at`.
fn stretch(text: &str, at: usize) -> Range<usize> {
    let earliest = floor(text, at.saturating_sub(SNIPPET_BYTES / 4));
    let line = text[..at].rfind('\n').map_or(0, |feed| feed + 1);
    let word = || text[earliest..at].find(' ').map_or(earliest, |space| earliest + space + 1);
    let start = if line >= earliest { line } else { word() };
    let end = floor(text, (start + SNIPPET_BYTES).min(text.len()));
    let end = match end < text.len() {
        true => text[start..end].rfind(char::is_whitespace).map_or(end, |space| start + space),
        false => end,
    };
    let cut = &text[start..end];
    let lead = cut.len() - cut.trim_start().len();
    start + lead..start + lead + cut.trim().len()
}

/// The last character boundary up to `at`.
fn floor(text: &str, at: usize) -> usize {
    (0..=at).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;

    fn cut(text: &str, words: &[&str]) -> Snippet {
        let worth = words.iter().map(|word| ((*word).to_owned(), 1.0)).collect();
        snippet(text, 0, &Analyzer::new(Language::English), &worth)
    }

    #[test]
    fn the_stretch_with_most_words_is_shown() {
        let filler = "Nothing to see here. ".repeat(30);
        let text = format!("A key. {filler}\nThe key of the kettle is round. {filler}");
        let snippet = cut(&text, &["key", "kettl"]);
        assert!(snippet.text.starts_with("The key of the kettle"), "{snippet:?}");
        let shown: Vec<_> =
            snippet.highlights.iter().map(|&(from, to)| &snippet.text[from..to]).collect();
        assert_eq!(shown, ["key", "kettle"]);
    }

    #[test]
    fn any_text_has_a_snippet() {
        assert_eq!(cut("", &["a"]), Snippet::default());
        assert_eq!(cut("Kein Wort", &["other"]).text, "Kein Wort");
        let long = "ü".repeat(1000);
        assert!(cut(&long, &[]).text.len() <= SNIPPET_BYTES);
    }
}
