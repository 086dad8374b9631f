//! Finds phrases in text, word by word and without regard to case or line breaks.

use std::collections::BTreeMap;
use std::ops::Range;

/// A set of phrases, by their first word.
pub(crate) struct Matcher<'p> {
    phrases: BTreeMap<String, Vec<Phrase<'p>>>,
}

struct Phrase<'p> {
    words: Vec<String>,
    advice: &'p str,
}

/// An occurrence of a phrase.
pub(crate) struct Hit<'p> {
    /// Its bytes in the text.
    pub(crate) range: Range<usize>,
    /// What to write instead.
    pub(crate) advice: &'p str,
}

impl<'p> Matcher<'p> {
    /// Takes groups of phrases, each with its replacement.
    pub(crate) fn new(groups: &[(&[&str], &'p str)]) -> Self {
        let mut phrases: BTreeMap<String, Vec<Phrase<'p>>> = BTreeMap::new();
        for (group, advice) in groups {
            for phrase in *group {
                let words: Vec<String> = words(phrase).into_iter().map(|(word, _)| word).collect();
                let first = words.first().expect("a phrase has words").clone();
                phrases.entry(first).or_default().push(Phrase { words, advice });
            }
        }
        Self { phrases }
    }

    /// Returns the occurrences in order; of several that start with the same word, the longest.
    pub(crate) fn hits(&self, text: &str) -> Vec<Hit<'p>> {
        let words = words(text);
        let mut hits = Vec::new();
        let mut nth = 0;
        while nth < words.len() {
            let rest = &words[nth..];
            let candidates = self.phrases.get(&rest[0].0).into_iter().flatten();
            let matching = candidates.filter(|phrase| phrase.starts(rest));
            nth += match matching.max_by_key(|phrase| phrase.words.len()) {
                Some(phrase) => {
                    let last = &rest[phrase.words.len() - 1];
                    let range = rest[0].1.start..last.1.end;
                    hits.push(Hit { range, advice: phrase.advice });
                    phrase.words.len()
                }
                None => 1,
            };
        }
        hits
    }
}

impl Phrase<'_> {
    fn starts(&self, text: &[(String, Range<usize>)]) -> bool {
        let pairs = self.words.iter().zip(text);
        text.len() >= self.words.len() && pairs.into_iter().all(|(a, (b, _))| a == b)
    }
}

/// Returns the words and punctuation marks of a text with their places, in lower case. Code spans
/// and placeholders (`{name}`) are single marks.
fn words(text: &str) -> Vec<(String, Range<usize>)> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut words = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let length = match first {
            '`' => code_span(rest),
            '{' => placeholder(rest),
            c if is_word(c) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            c => c.len_utf8(),
        };
        if !first.is_whitespace() {
            let word = if is_word(first) { &rest[..length] } else { &rest[..first.len_utf8()] };
            words.push((word.to_lowercase(), at..at + length));
        }
        at += length;
    }
    words
}

/// Returns the length of the code span or fence that a text starts with. A mark without a
/// counterpart ends where it starts.
fn code_span(text: &str) -> usize {
    let marks = text.len() - text.trim_start_matches('`').len();
    let closing = &text[..marks];
    let end = text[marks..]
        .match_indices(closing)
        .map(|(at, _)| marks + at)
        .find(|&at| !text[..at].ends_with('`') && !text[at + marks..].starts_with('`'));
    end.map_or(marks, |at| at + marks)
}

fn placeholder(text: &str) -> usize {
    match text.find(['}', ' ', '\n']) {
        Some(end) if text[end..].starts_with('}') => end + 1,
        _ => 1,
    }
}

#[test]
fn finds_phrases_across_lines_and_cases() {
    let found = |text: &'static str| -> Vec<&str> {
        let matcher =
            Matcher::new(&[(&["told", "so many", "come in;"], "x"), (&["told apart"], "y")]);
        matcher.hits(text).into_iter().map(|hit| &text[hit.range]).collect()
    };
    assert_eq!(found("The user is told."), ["told"]);
    assert_eq!(found("Told apart from the rest"), ["Told apart"]);
    assert_eq!(found("in so\nmany words"), ["so\nmany"]);
    assert_eq!(found("Pages come in; chunks go out."), ["come in;"]);
    assert_eq!(found("They come in two kinds."), [""; 0]);
    assert_eq!(found("untold, so, many and so_many"), [""; 0]);
    assert_eq!(found("`told` and ``so ` many`` and {told}"), [""; 0]);
    assert_eq!(found("an open ` and told"), ["told"]);
    assert_eq!(found("```rust\ntold();\n```\ntold"), ["told"]);
}
