//! Counts tokens like OpenAI's models.
//!
//! A regular expression splits the text into words, and each word is encoded separately. Therefore
//! counts are additive wherever a word is certain to start.

mod layout;
mod vocabulary;
mod words;

use super::{TextKind, TokenCounter};
use vocabulary::{CL100K, O200K, Vocabulary};
use words::{WordRules, WordSplitter};

/// The length of the longest token of either vocabulary in bytes: a run of spaces.
const LONGEST_TOKEN: usize = 128;

/// `o200k`: counts as GPT-4o and newer models do, exactly and offline.
///
/// ```
/// use chunkwright::{O200k, TextKind, TokenCounter};
///
/// assert_eq!(O200k.count("Boil water first.", TextKind::Prose), 5);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct O200k;

/// `cl100k`: counts as GPT-4 and `text-embedding-3-*` do, exactly and offline.
///
/// ```
/// use chunkwright::{Cl100k, TextKind, TokenCounter};
///
/// assert_eq!(Cl100k.count("Boil water first.", TextKind::Prose), 5);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cl100k;

struct Encoding {
    vocabulary: &'static Vocabulary,
    rules: WordRules,
}

const O200K_BASE: Encoding = Encoding { vocabulary: &O200K, rules: WordRules::O200k };
const CL100K_BASE: Encoding = Encoding { vocabulary: &CL100K, rules: WordRules::Cl100k };

impl TokenCounter for O200k {
    fn name(&self) -> &str {
        "o200k"
    }

    fn count(&self, text: &str, _: TextKind) -> usize {
        O200K_BASE.count(text)
    }

    fn count_within(&self, text: &str, _: TextKind, limit: usize) -> Option<usize> {
        O200K_BASE.count_within(text, limit)
    }

    fn adds_at(&self, text: &str, at: usize) -> bool {
        O200K_BASE.adds_at(text, at)
    }
}

impl TokenCounter for Cl100k {
    fn name(&self) -> &str {
        "cl100k"
    }

    fn count(&self, text: &str, _: TextKind) -> usize {
        CL100K_BASE.count(text)
    }

    fn count_within(&self, text: &str, _: TextKind, limit: usize) -> Option<usize> {
        CL100K_BASE.count_within(text, limit)
    }

    fn adds_at(&self, text: &str, at: usize) -> bool {
        CL100K_BASE.adds_at(text, at)
    }
}

impl Encoding {
    fn counts(&self, text: &str) -> impl Iterator<Item = usize> {
        WordSplitter::new(text, self.rules).map(|word| self.vocabulary.count(word))
    }

    /// Returns whether a word starts at the start of `line`, which must follow a line ending.
    ///
    /// All line endings in a run of whitespace belong to the same word, so `line` must not be
    /// blank.
    fn opens_word(&self, line: &str) -> bool {
        let first = line.chars().find(|&letter| !is_space(letter));
        let joins_line_end = self.rules == WordRules::O200k && line.starts_with('/');
        first.is_some_and(|letter| !is_line_end(letter)) && !joins_line_end
    }

    /// Counts the tokens of a text. Special tokens such as `<|endoftext|>` are counted as plain
    /// text.
    fn count(&self, text: &str) -> usize {
        self.counts(text).sum()
    }

    fn count_within(&self, text: &str, limit: usize) -> Option<usize> {
        if text.len().div_ceil(LONGEST_TOKEN) > limit {
            return None;
        }
        self.counts(text).try_fold(0, |sum, tokens| {
            let sum = sum + tokens;
            (sum <= limit).then_some(sum)
        })
    }

    /// Returns whether a word is certain to start at `at`. That is the case in three places:
    ///
    /// - at the start of a line that is not blank,
    /// - at whitespace after other characters,
    /// - at punctuation or a line ending after a letter or digit, except for apostrophes (`it's`).
    ///
    /// The start of `text` counts as the start of a line.
    fn adds_at(&self, text: &str, at: usize) -> bool {
        let (before, after) = text.split_at(at);
        match before.chars().next_back() {
            None => self.opens_word(after),
            Some(last) if is_line_end(last) => self.opens_word(after),
            Some(last) => {
                let ends_word = |next: char| is_line_end(next) || next.is_ascii_punctuation();
                (!last.is_whitespace() && after.starts_with(is_space))
                    || (last.is_ascii_alphanumeric()
                        && after.starts_with(|next| next != '\'' && ends_word(next)))
            }
        }
    }
}

/// Returns whether a character is whitespace within a line. Only LF and CR end a line here, as in
/// the regular expressions.
fn is_space(letter: char) -> bool {
    letter.is_whitespace() && !is_line_end(letter)
}

fn is_line_end(letter: char) -> bool {
    matches!(letter, '\n' | '\r')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slash_after_a_line_ending_joins_the_word_in_o200k() {
        let text = ".\n/x";
        assert!(Cl100k.adds_at(text, 2));
        assert!(!O200k.adds_at(text, 2));
        assert!(O200k.adds_at(".\n /x", 2));
    }

    #[test]
    fn additivity_at_the_start_depends_on_the_following_text() {
        let counter = O200k;
        for (text, adds) in
            [("a", true), ("  a", true), ("", false), ("  ", false), (" \na", false), ("/", false)]
        {
            assert_eq!(counter.adds_at(text, 0), adds, "{text:?}");
        }
    }

    #[test]
    fn counts_are_never_additive_at_the_end() {
        for text in ["a", "a\n", "a "] {
            assert!(!Cl100k.adds_at(text, text.len()), "{text:?}");
        }
    }
}
