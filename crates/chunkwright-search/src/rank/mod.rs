//! The second stage of ranking: candidates come in, their scores go out.
//!
//! A node is scored by BM25F: how often a word is in each field, by the weight and the length of
//! the field, is one number, and only that number saturates. To this come the same over pairs of
//! words that are neighbours in the query too, and the score of the whole document. Each of the
//! three is divided by the best of all candidates before they are added.
//!
//! All counts are read from the postings of the index, file by file.

mod counts;
mod statistics;
mod worth;

use tantivy::schema::Field;
use tantivy::{DocAddress, DocId, Searcher, Term};

use crate::compile::Word;
use crate::options::{Indexing, Ranking};
use crate::query;
use crate::schema::Fields;
use counts::Counts;
pub(crate) use statistics::Statistics;

/// A candidate with its score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Scored {
    pub(crate) address: DocAddress,
    /// Whether a word is in its title or body.
    pub(crate) own: bool,
    pub(crate) score: Score,
}

/// What a score is made of; each of the three is 1 for the best candidate.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Score {
    /// The node's own words.
    pub(crate) words: f64,
    /// Neighbouring words.
    pub(crate) bigrams: f64,
    /// The whole document.
    pub(crate) document: f64,
    /// The weighted sum.
    pub(crate) total: f64,
}

/// What ranking needs besides the candidates.
pub(crate) struct Ranker<'a> {
    pub(crate) searcher: &'a Searcher,
    pub(crate) fields: &'a Fields,
    pub(crate) statistics: &'a Statistics,
    pub(crate) indexing: &'a Indexing,
    pub(crate) ranking: &'a Ranking,
    pub(crate) words: &'a [Word],
    pub(crate) pairs: &'a [(usize, usize)],
}

impl Ranker<'_> {
    /// Scores candidates, and the nodes that candidates are parts of.
    pub(crate) fn rank(&self, candidates: &[DocAddress]) -> tantivy::Result<Vec<Scored>> {
        let rarities = self.rarities()?;
        let mut scored = Vec::new();
        for (segment, reader) in (0..).zip(self.searcher.segment_readers()) {
            let here = candidates.iter().filter(|candidate| candidate.segment_ord == segment);
            let docs: Vec<DocId> = here.map(|candidate| candidate.doc_id).collect();
            if docs.is_empty() {
                continue;
            }
            let mut counts = Counts::new(self, reader, docs)?;
            for (nth, rarity) in rarities.iter().enumerate() {
                counts.count(nth, *rarity)?;
            }
            counts.count_pairs(&rarities);
            scored.extend(counts.scored(segment));
        }
        self.combine(&mut scored);
        Ok(scored)
    }

    fn rarities(&self) -> tantivy::Result<Vec<f32>> {
        let rarity = |word: &Word| {
            let mut most = 0;
            for field in self.fields_of(word) {
                let mut nodes = 0;
                for term in &word.terms {
                    nodes += self.searcher.doc_freq(&Term::from_field_text(field, term))?;
                }
                most = most.max(nodes);
            }
            Ok(self.statistics.rarity(most) * word.boost)
        };
        self.words.iter().map(rarity).collect()
    }

    /// Where a word is counted.
    fn fields_of(&self, word: &Word) -> Vec<Field> {
        let fields = self.fields;
        match word.field {
            None => vec![fields.title, fields.breadcrumb, fields.body, fields.about],
            Some(query::Field::Title) => vec![fields.title],
            Some(query::Field::Body) => vec![fields.body],
            Some(query::Field::Path) => vec![fields.path],
            Some(query::Field::Tag) => vec![fields.tag],
            Some(query::Field::Tree) => Vec::new(),
        }
    }

    fn combine(&self, scored: &mut [Scored]) {
        let best = |part: fn(&Score) -> f64| {
            let best = scored.iter().map(|one| part(&one.score)).fold(0.0, f64::max);
            if best > 0.0 { best } else { 1.0 }
        };
        let (words, bigrams) = (best(|score| score.words), best(|score| score.bigrams));
        let document = best(|score| score.document);
        for Scored { score, .. } in scored {
            score.words /= words;
            score.bigrams /= bigrams;
            score.document /= document;
            score.total = score.words
                + f64::from(self.ranking.bigrams) * score.bigrams
                + f64::from(self.ranking.document) * score.document;
        }
    }
}

#[cfg(test)]
mod tests;
