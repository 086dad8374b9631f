//! Counting as OpenAI's models do: text comes in, the number of its BPE tokens goes out.
//!
//! A regular expression cuts the text into words first, and each word becomes tokens on its own.
//! So counts add up wherever a word is certain to begin, and that is where long texts are cut into
//! slices to count.
//!
//! One count is known to be off: o200k makes a single word of ` I'ſ`, which here has one token too
//! many, because the vocabulary's crate knows contractions with an s but not with a long s.

use chunkwright::{TextKind, TokenCounter};
use tiktoken::CoreBpe;

/// Bytes in a slice, at least. Small, because the crate looks through all the rest of its text
/// wherever it meets white space that is not ASCII.
const SLICE: usize = 1024;

/// Bytes in the longest token of either vocabulary.
const LONGEST_TOKEN: usize = 128;

/// One of OpenAI's vocabularies.
pub(crate) struct OpenAi {
    name: &'static str,
    encoding: &'static CoreBpe,
    /// Whether slashes after punctuation and line ends belong to the same word, as in `.\n/`.
    joins_slashes: bool,
}

impl OpenAi {
    pub(crate) fn cl100k() -> Self {
        Self { name: "cl100k", encoding: encoding("cl100k_base"), joins_slashes: false }
    }

    pub(crate) fn o200k() -> Self {
        Self { name: "o200k", encoding: encoding("o200k_base"), joins_slashes: true }
    }

    /// The tokens in `text`, unless they are more than `limit`.
    fn count_up_to(&self, text: &str, limit: usize) -> Option<usize> {
        let (mut rest, mut count) = (text, 0);
        while !rest.is_empty() {
            let (slice, tail) = rest.split_at(self.slice_end(rest));
            count += self.encoding.count(slice);
            if count > limit {
                return None;
            }
            rest = tail;
        }
        Some(count)
    }

    /// The first place, one slice in or later, where counts add up.
    fn slice_end(&self, text: &str) -> usize {
        (SLICE..text.len())
            .find(|&at| text.is_char_boundary(at) && self.adds_at(text, at))
            .unwrap_or(text.len())
    }

    /// Whether a word begins where `line` does, given that a line end stands before it.
    ///
    /// All line ends in a run of white space belong to one word, so there must be none between
    /// here and the line's first letter.
    fn opens_word(&self, line: &str) -> bool {
        let first = line.chars().find(|&letter| !is_space(letter));
        first.is_some_and(|letter| !is_line_end(letter))
            && !(self.joins_slashes && line.starts_with('/'))
    }
}

impl TokenCounter for OpenAi {
    fn name(&self) -> &str {
        self.name
    }

    /// Strings that look like special tokens, such as `<|endoftext|>`, count as the text they are.
    fn count(&self, text: &str, _: TextKind) -> usize {
        self.count_up_to(text, usize::MAX).expect("no count is above the largest number")
    }

    fn count_within(&self, text: &str, _: TextKind, limit: usize) -> Option<usize> {
        if text.len().div_ceil(LONGEST_TOKEN) > limit {
            return None;
        }
        self.count_up_to(text, limit)
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

fn encoding(name: &str) -> &'static CoreBpe {
    tiktoken::get_encoding(name).expect("both vocabularies are compiled in")
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
    fn no_token_is_longer_than_the_bound() {
        for encoding in [OpenAi::cl100k().encoding, OpenAi::o200k().encoding] {
            let tokens = 0..u32::try_from(encoding.vocab_size()).unwrap();
            let longest = tokens.map(|token| encoding.decode(&[token]).len()).max();
            assert_eq!(longest, Some(LONGEST_TOKEN));
        }
    }

    #[test]
    fn a_word_with_a_slash_in_it_is_not_cut() {
        let text = ".\n/x";
        assert!(OpenAi::cl100k().adds_at(text, 2));
        assert!(!OpenAi::o200k().adds_at(text, 2));
        assert!(OpenAi::o200k().adds_at(".\n /x", 2));
    }

    #[test]
    fn the_start_of_a_text_is_judged_by_what_follows() {
        let counter = OpenAi::o200k();
        for (text, adds) in
            [("a", true), ("  a", true), ("", false), ("  ", false), (" \na", false), ("/", false)]
        {
            assert_eq!(counter.adds_at(text, 0), adds, "{text:?}");
        }
    }

    #[test]
    fn the_end_of_a_text_is_never_certain() {
        for text in ["a", "a\n", "a "] {
            assert!(!OpenAi::cl100k().adds_at(text, text.len()), "{text:?}");
        }
    }
}
