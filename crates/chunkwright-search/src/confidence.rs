//! Reports which words of a query the results contain, and suggests corrections for the others.

use tantivy::query::FuzzyTermQuery;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocAddress, DocSet, SegmentReader, TERMINATED, Term};

use crate::answer::Unmatched;
use crate::compile::{Word, WordSet};
use crate::error::Error;
use crate::index::Snapshot;
use crate::runs::Runs;

/// Minimum length of a word to correct. Shorter words resemble too many others.
const SHORTEST_CORRECTED: usize = 4;

/// Minimum length of a word that may have two typos instead of one.
const LONG_WORD: usize = 7;

/// Maximum number of words to correct.
const MOST_CORRECTED: usize = 8;

/// The query words that results contain, and those that none contains.
pub(crate) struct Confidence {
    pub(crate) matched: Vec<String>,
    pub(crate) unmatched: Vec<Unmatched>,
    /// The share of the words' weight that the best result covers.
    pub(crate) coverage: f64,
}

impl Confidence {
    /// Compares the query with the words in the best result (`best`) and in any result (`any`).
    pub(crate) fn of(
        snapshot: &Snapshot,
        words: &[Word],
        rarities: &[f32],
        best: WordSet,
        any: WordSet,
    ) -> Result<Self, Error> {
        let mut all = Self { matched: Vec::new(), unmatched: Vec::new(), coverage: 0.0 };
        let (mut covered, mut total) = (0.0, 0.0);
        for (nth, (word, &rarity)) in words.iter().zip(rarities).enumerate() {
            if word.is_compound {
                continue;
            }
            total += f64::from(rarity);
            if best >> nth & 1 == 1 {
                covered += f64::from(rarity);
            }
            let term = word.typed.clone();
            if any >> nth & 1 == 1 {
                all.matched.push(term);
            } else {
                let suggestion = match all.unmatched.len() < MOST_CORRECTED {
                    true => snapshot.suggestion(word)?,
                    false => None,
                };
                all.unmatched.push(Unmatched { term, suggestion });
            }
        }
        if total > 0.0 {
            all.coverage = (covered / total * 1000.0).round() / 1000.0;
        }
        Ok(all)
    }
}

/// Replaces every unmatched word that has a suggestion. Returns `None` if none has one.
pub(crate) fn corrected(query: &str, unmatched: &[Unmatched]) -> Option<String> {
    let mut corrected = query.to_owned();
    for Unmatched { term, suggestion } in unmatched {
        if let Some(suggestion) = suggestion {
            corrected = corrected.replacen(term, suggestion, 1);
        }
    }
    (corrected != query).then_some(corrected)
}

impl Snapshot {
    /// Returns the most similar indexed word, or `None` if some document contains the word itself.
    fn suggestion(&self, word: &Word) -> Result<Option<String>, Error> {
        let [term] = &word.terms[..] else { return Ok(None) };
        let is_word = word.field.is_none() && term.chars().any(char::is_alphabetic);
        let letters = term.chars().count();
        if !is_word || letters < SHORTEST_CORRECTED {
            return Ok(None);
        }
        let engine = Error::engine(&self.place.engine());
        for field in self.fields.ranked() {
            let term = Term::from_field_text(field, term);
            if self.searcher.doc_freq(&term).map_err(&engine)? > 0 {
                return Ok(None);
            }
        }
        let most = if letters < LONG_WORD { 1 } else { 2 };
        let mut nearest: Option<SimilarTerm> = None;
        for (segment, reader) in (0..).zip(self.searcher.segment_readers()) {
            for field in [self.fields.title, self.fields.body] {
                let found = SimilarTerm::in_field(term, most, segment, reader, field);
                for found in found.map_err(&engine)? {
                    if nearest.as_ref().is_none_or(|nearest| found.is_better(nearest)) {
                        nearest = Some(found);
                    }
                }
            }
        }
        nearest.map(|neighbor| self.as_written(&neighbor, &word.typed)).transpose()
    }

    /// Returns a term as it is written in a document, in the form most similar to the typed word.
    /// The index contains only stems.
    fn as_written(&self, neighbor: &SimilarTerm, typed: &str) -> Result<String, Error> {
        let engine = Error::engine(&self.place.engine());
        let reader = self.searcher.segment_reader(neighbor.segment);
        let term = Term::from_field_text(neighbor.field, &neighbor.term);
        let index = reader.inverted_index(neighbor.field).map_err(&engine)?;
        let postings = index.read_postings(&term, IndexRecordOption::Basic);
        let mut doc = TERMINATED;
        if let Some(mut postings) = postings.map_err(Error::io(&self.place.engine()))? {
            doc = postings.doc();
            while doc != TERMINATED && reader.is_deleted(doc) {
                doc = postings.advance();
            }
        }
        if doc == TERMINATED {
            return Ok(neighbor.term.clone());
        }
        let start = Runs::open(reader).map_err(&engine)?.around(doc).start;
        let page = self.page(DocAddress { segment_ord: neighbor.segment, doc_id: start })?;
        let terms = self.analyzer.terms(&page.text);
        let same = terms.iter().filter(|term| term.text == neighbor.term);
        let written = same.map(|term| page.text[term.bytes.clone()].to_lowercase());
        let nearest = written.min_by_key(|word| strsim::osa_distance(word, typed));
        Ok(nearest.unwrap_or_else(|| neighbor.term.clone()))
    }
}

/// An indexed term similar to a query word.
struct SimilarTerm {
    term: String,
    distance: usize,
    nodes: u32,
    segment: u32,
    field: Field,
}

impl SimilarTerm {
    /// Prefers the smaller distance, then the term that occurs in more nodes.
    fn is_better(&self, other: &Self) -> bool {
        let key = |one: &Self| (one.distance, std::cmp::Reverse(one.nodes));
        (key(self), &self.term) < (key(other), &other.term)
    }

    fn in_field(
        wanted: &str,
        most: u8,
        segment: u32,
        reader: &SegmentReader,
        field: Field,
    ) -> tantivy::Result<Vec<Self>> {
        let mut found = Vec::new();
        // The automaton skips almost all terms. It knows the same typos as the distance.
        let near = FuzzyTermQuery::new(Term::from_field_text(field, wanted), most, true);
        let index = reader.inverted_index(field)?;
        let mut terms = index.terms().search(near.automaton()?).into_stream()?;
        while let Some((term, info)) = terms.next() {
            let Ok(term) = std::str::from_utf8(term) else { continue };
            let term = term.to_owned();
            let distance = strsim::osa_distance(&term, wanted);
            found.push(Self { term, distance, nodes: info.doc_freq, segment, field });
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unmatched(term: &str, suggestion: Option<&str>) -> Unmatched {
        Unmatched { term: term.to_owned(), suggestion: suggestion.map(str::to_owned) }
    }

    #[test]
    fn corrects_only_words_with_a_suggestion() {
        let words = [unmatched("ketle", Some("kettle")), unmatched("xyzzy", None)];
        assert_eq!(corrected("ketle xyzzy", &words).as_deref(), Some("kettle xyzzy"));
        assert_eq!(corrected("xyzzy", &words[1..]), None);
    }
}
