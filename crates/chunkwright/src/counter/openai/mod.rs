//! Counts tokens as OpenAI's models do.
//!
//! A regular expression cuts a text into words, and each word becomes tokens on its own. So counts
//! add up wherever a word is certain to begin.

mod layout;
mod vocabulary;
mod words;

use super::{TextKind, TokenCounter};
use vocabulary::{CL100K, O200K, Vocabulary};
use words::{Rules, Words};

/// Bytes in the longest token of either vocabulary, which is all spaces.
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

/// A vocabulary, and the rules for words that belong to it.
struct Encoding {
    vocabulary: &'static Vocabulary,
    rules: Rules,
}

const O200K_BASE: Encoding = Encoding { vocabulary: &O200K, rules: Rules::O200k };
const CL100K_BASE: Encoding = Encoding { vocabulary: &CL100K, rules: Rules::Cl100k };

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
    /// The tokens in each word.
    fn counts(&self, text: &str) -> impl Iterator<Item = usize> {
        Words::new(text, self.rules).map(|word| self.vocabulary.count(word))
    }

    /// Whether a word begins where `line` does, given that a line end stands before it.
    ///
    /// All line ends in a run of white space belong to one word, so there must be none between
    /// here and the line's first letter.
    fn opens_word(&self, line: &str) -> bool {
        let first = line.chars().find(|&letter| !is_space(letter));
        let joins_line_end = self.rules == Rules::O200k && line.starts_with('/');
        first.is_some_and(|letter| !is_line_end(letter)) && !joins_line_end
    }

    /// Strings that look like special tokens, such as `<|endoftext|>`, count as the text they are.
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

    /// Three places are certain: the start of a line that is not blank, white space after something
    /// that is not, and a sign or a line end after a letter or a digit; but for an apostrophe, as in
    /// `it's`. At the start of `text` a line end is taken to stand before it.
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

/// White space within a line, as the words' regular expression sees lines.
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
    fn a_word_with_a_slash_in_it_is_not_cut() {
        let text = ".\n/x";
        assert!(Cl100k.adds_at(text, 2));
        assert!(!O200k.adds_at(text, 2));
        assert!(O200k.adds_at(".\n /x", 2));
    }

    #[test]
    fn the_start_of_a_text_is_judged_by_what_follows() {
        let counter = O200k;
        for (text, adds) in
            [("a", true), ("  a", true), ("", false), ("  ", false), (" \na", false), ("/", false)]
        {
            assert_eq!(counter.adds_at(text, 0), adds, "{text:?}");
        }
    }

    #[test]
    fn the_end_of_a_text_is_never_certain() {
        for text in ["a", "a\n", "a "] {
            assert!(!Cl100k.adds_at(text, text.len()), "{text:?}");
        }
    }
}
