//! Stems words and recognizes stop words.

use std::collections::HashMap;
use std::sync::Arc;

use chunkwright_config::Language;
use rust_stemmers::{Algorithm, Stemmer};

/// Maximum number of cached stems.
const MOST_REMEMBERED: usize = 1 << 16;

/// English stop words, sorted for binary search.
pub(super) const STOP_WORDS: &[&str] = &[
    "a", "about", "an", "and", "any", "are", "as", "at", "be", "been", "being", "but", "by", "can",
    "could", "did", "do", "does", "for", "from", "had", "has", "have", "how", "i", "if", "in",
    "into", "is", "it", "its", "may", "me", "might", "my", "no", "nor", "not", "of", "on", "or",
    "our", "shall", "should", "so", "such", "than", "that", "the", "their", "them", "then",
    "there", "these", "they", "this", "those", "to", "was", "we", "were", "what", "when", "where",
    "which", "while", "who", "whom", "why", "will", "with", "would", "you", "your",
];

/// A stemmer with a cache: stemming is slow, and most words of a text have occurred before.
pub(super) struct Stems {
    language: Language,
    stemmer: Option<Arc<Stemmer>>,
    known: HashMap<Box<str>, Stem>,
}

struct Stem {
    term: Box<str>,
    is_stop_word: bool,
}

impl Clone for Stems {
    /// Clones the stemmer with an empty cache: a clone works on another text, or thread.
    fn clone(&self) -> Self {
        let stemmer = self.stemmer.clone();
        Self { language: self.language, stemmer, known: HashMap::new() }
    }
}

impl Stems {
    pub(super) fn new(language: Language) -> Self {
        let stemmer = algorithm(language).map(|algorithm| Arc::new(Stemmer::create(algorithm)));
        Self { language, stemmer, known: HashMap::new() }
    }

    /// Replaces a lowercase word by its stem. Returns whether it is a stop word.
    pub(super) fn stem(&mut self, word: &mut String) -> bool {
        if let Some(known) = self.known.get(word.as_str()) {
            word.clear();
            word.push_str(&known.term);
            return known.is_stop_word;
        }
        let is_stop_word = self.is_stop_word(word);
        let has_digit = word.bytes().any(|byte| byte.is_ascii_digit());
        let term = match &self.stemmer {
            Some(stemmer) if !is_stop_word && !has_digit => stemmer.stem(word).into_owned(),
            _ => word.clone(),
        };
        if self.known.len() == MOST_REMEMBERED {
            self.known.clear();
        }
        let stem = Stem { term: term.as_str().into(), is_stop_word };
        self.known.insert(word.as_str().into(), stem);
        *word = term;
        is_stop_word
    }

    fn is_stop_word(&self, word: &str) -> bool {
        self.language == Language::English && STOP_WORDS.binary_search(&word).is_ok()
    }
}

fn algorithm(language: Language) -> Option<Algorithm> {
    Some(match language {
        Language::None => return None,
        Language::Arabic => Algorithm::Arabic,
        Language::Danish => Algorithm::Danish,
        Language::Dutch => Algorithm::Dutch,
        Language::English => Algorithm::English,
        Language::Finnish => Algorithm::Finnish,
        Language::French => Algorithm::French,
        Language::German => Algorithm::German,
        Language::Greek => Algorithm::Greek,
        Language::Hungarian => Algorithm::Hungarian,
        Language::Italian => Algorithm::Italian,
        Language::Norwegian => Algorithm::Norwegian,
        Language::Portuguese => Algorithm::Portuguese,
        Language::Romanian => Algorithm::Romanian,
        Language::Russian => Algorithm::Russian,
        Language::Spanish => Algorithm::Spanish,
        Language::Swedish => Algorithm::Swedish,
        Language::Tamil => Algorithm::Tamil,
        Language::Turkish => Algorithm::Turkish,
    })
}
