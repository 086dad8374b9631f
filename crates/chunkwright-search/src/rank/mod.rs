//! Scores candidates: the second stage of ranking.
//!
//! A node is scored by BM25F. Occurrences of a word are weighted by index field and its length and
//! added up, and only that sum saturates. Two components are added: the same score for pairs of
//! words that are adjacent in both query and text, and the score of the whole document. Each of the
//! three is divided by its maximum over all candidates first.
//!
//! A query of a few words is often the title of a page. For such queries the document weighs more,
//! and *title coverage* is added: the share of the title that the query covers, times the share of
//! the query that the title covers. The file name counts as a second title.
//!
//! All counts are read from the posting lists of the index, file by file.

mod counts;
mod statistics;
mod worth;

use chunkwright_config::{Indexing, Ranking};
use tantivy::schema::Field;
use tantivy::{DocAddress, DocId, Searcher, Term};

use crate::compile::{Word, WordSet};
use crate::query;
use crate::schema::IndexFields;
use counts::Counts;
pub(crate) use statistics::Statistics;

/// A candidate with its score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Scored {
    pub(crate) address: DocAddress,
    /// Whether its title or body contains any query word.
    pub(crate) own: bool,
    /// The sum of the rarities of the query words in its title or body.
    pub(crate) covered: f64,
    /// The query words in its breadcrumb, title or body.
    pub(crate) words: WordSet,
    pub(crate) score: Score,
}

/// The components of a score. The first three are 1 for the best candidate.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Score {
    /// BM25F of the node.
    pub(crate) words: f64,
    /// BM25F of adjacent words in the node.
    pub(crate) bigrams: f64,
    /// BM25F of the whole document.
    pub(crate) document: f64,
    /// Title coverage of the node's heading.
    pub(crate) title: f64,
    /// Title coverage of the document's title or file name.
    pub(crate) page_title: f64,
    /// The weighted sum.
    pub(crate) total: f64,
}

/// The weights of the components of a score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ScoreWeights {
    pub(crate) bigrams: f64,
    pub(crate) document: f64,
    pub(crate) page_title: f64,
    pub(crate) title: f64,
}

impl ScoreWeights {
    /// Returns the weights for a query of these words.
    pub(crate) fn of(ranking: &Ranking, words: &[Word]) -> Self {
        Self::of_length(ranking, words.iter().filter(|word| !word.is_compound).count())
    }

    /// Returns the weights for a query with this many words.
    fn of_length(ranking: &Ranking, words: usize) -> Self {
        let Ranking { bigrams, document, keywords, .. } = *ranking;
        let (document, page_title, title) = match words <= keywords.words {
            true => (document * keywords.document, keywords.page, keywords.heading),
            false => (document, 0.0, 0.0),
        };
        let [bigrams, document, page_title, title] =
            [bigrams, document, page_title, title].map(f64::from);
        Self { bigrams, document, page_title, title }
    }

    fn total(&self, score: &Score) -> f64 {
        score.words
            + self.bigrams * score.bigrams
            + self.document * score.document
            + self.page_title * score.page_title
            + self.title * score.title
    }
}

/// The inputs of ranking, apart from the candidates.
pub(crate) struct Ranker<'a> {
    pub(crate) searcher: &'a Searcher,
    pub(crate) fields: &'a IndexFields,
    pub(crate) statistics: &'a Statistics,
    pub(crate) indexing: &'a Indexing,
    pub(crate) ranking: &'a Ranking,
    pub(crate) words: &'a [Word],
    pub(crate) pairs: &'a [(usize, usize)],
    /// The whole query as one term.
    pub(crate) key: Option<&'a Term>,
}

impl Ranker<'_> {
    /// Scores candidates, and the nodes that candidates are parts of.
    pub(crate) fn rank(
        &self,
        candidates: &[DocAddress],
        rarities: &[f32],
    ) -> tantivy::Result<Vec<Scored>> {
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
            counts.count_pairs(rarities);
            counts.find_key()?;
            scored.extend(counts.scored(segment, rarities.iter().sum()));
        }
        combine(&ScoreWeights::of(self.ranking, self.words), &mut scored);
        Ok(scored)
    }

    /// Returns the rarity of each word, times its boost.
    pub(crate) fn rarities(&self) -> tantivy::Result<Vec<f32>> {
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

    /// Returns the index fields in which a word is counted.
    fn fields_of(&self, word: &Word) -> Vec<Field> {
        let fields = self.fields;
        match word.field {
            None if self.ranking.weights.breadcrumb == 0.0 => {
                vec![fields.title, fields.body, fields.about]
            }
            None => vec![fields.title, fields.breadcrumb, fields.body, fields.about],
            Some(query::QueryField::Title) => vec![fields.title],
            Some(query::QueryField::Body) => vec![fields.body],
            Some(query::QueryField::Path) => vec![fields.path],
            Some(query::QueryField::Tag) => vec![fields.tag],
            Some(query::QueryField::Tree) => Vec::new(),
        }
    }
}

/// Normalizes words, bigrams and documents by their maxima, so that only the weights determine
/// their shares, and adds up the totals.
fn combine(weights: &ScoreWeights, scored: &mut [Scored]) {
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
        score.total = weights.total(score);
    }
}

#[cfg(test)]
mod tests;
