//! Splits text into index terms.
//!
//! A term is a Unicode word, lowercased and stemmed. `snake_case` and `foo.bar` are indexed whole
//! and by their components; `a-b` is indexed as `ab`, `a` and `b`. Chinese, Japanese and Korean
//! text is indexed as overlapping pairs of characters.
//!
//! Positions count words that are not stop words. A stop word shares the position of the word after
//! it, so two words with only stop words between them are adjacent.

mod characters;
mod stems;
mod stream;

use std::fmt;
use std::ops::Range;

use chunkwright_config::Language;
use tantivy::tokenizer::{TokenStream, Tokenizer};

pub(crate) use characters::is_paired;
use stems::Stems;
pub(crate) use stream::Stream;

/// A term of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Term {
    /// The term as it is indexed.
    pub(crate) text: String,
    pub(crate) position: usize,
    /// Its byte range in the source.
    pub(crate) bytes: Range<usize>,
    pub(crate) is_stop_word: bool,
}

/// Turns text into terms.
#[derive(Clone)]
pub(crate) struct Analyzer {
    language: Language,
    stems: Stems,
}

impl Analyzer {
    pub(crate) fn new(language: Language) -> Self {
        Self { language, stems: Stems::new(language) }
    }

    /// Returns a text as one term, so that `NetworkPolicy` equals `Network policies`, or `None` if
    /// it has no letters or digits.
    pub(crate) fn key(&self, text: &str) -> Option<String> {
        let letters = text.chars().filter(|letter| letter.is_alphanumeric());
        let joined: String = letters.flat_map(char::to_lowercase).collect();
        let terms = self.terms(&joined);
        let key: Vec<&str> = terms.iter().map(|term| &*term.text).collect();
        (!key.is_empty()).then(|| key.join(" "))
    }

    /// Returns all terms of a text, in reading order.
    pub(crate) fn terms(&self, text: &str) -> Vec<Term> {
        let mut stems = self.stems.clone();
        let mut stream = Stream::new(&mut stems, text);
        let mut terms = Vec::new();
        while stream.advance() {
            terms.push(stream.term());
        }
        terms
    }
}

impl fmt::Debug for Analyzer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Analyzer").field("language", &self.language).finish_non_exhaustive()
    }
}

impl Tokenizer for Analyzer {
    type TokenStream<'a> = Stream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Stream<'a> {
        Stream::new(&mut self.stems, text)
    }
}

#[cfg(test)]
mod tests;
