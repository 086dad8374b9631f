//! The second stage of ranking: candidates come in, their scores go out.
//!
//! A node is scored by BM25F: how often a word is in each field, by the weight and the length of
//! the field, is one number, and only that number saturates. To this come the same over pairs of
//! words that are neighbours in the query too, and the score of the whole document. Each of the
//! three is divided by the best of all candidates before they are added.
//!
//! A query of a few words is likely to be the title of a page. There the document counts for more,
//! and so does how far a title and the query cover each other: the share of the title that the query
//! covers, times the share of the query that the title covers. The file name counts as a title.
//!
//! All counts are read from the postings of the index, file by file.

mod counts;
mod statistics;
mod worth;

use chunkwright_config::{Indexing, Ranking};
use tantivy::schema::Field;
use tantivy::{DocAddress, DocId, Searcher, Term};

use crate::compile::{Word, WordSet};
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
    /// The rarities of the words in its title or body, added up.
    pub(crate) covered: f64,
    /// The words in its breadcrumb, title or body.
    pub(crate) words: WordSet,
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
    /// How its title and the query cover each other.
    pub(crate) title: f64,
    /// How the title of the document and the query cover each other.
    pub(crate) page_title: f64,
    /// The weighted sum.
    pub(crate) total: f64,
}

/// What each component of a score counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ScoreWeights {
    pub(crate) bigrams: f64,
    pub(crate) document: f64,
    pub(crate) page_title: f64,
    pub(crate) title: f64,
}

impl ScoreWeights {
    /// Those for a query of these words.
    pub(crate) fn of(ranking: &Ranking, words: &[Word]) -> Self {
        Self::of_length(ranking, words.iter().filter(|word| !word.is_compound).count())
    }

    /// Those for a query with this many words.
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

/// What ranking needs besides the candidates.
pub(crate) struct Ranker<'a> {
    pub(crate) searcher: &'a Searcher,
    pub(crate) fields: &'a Fields,
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

    /// How rare each word is.
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

    /// Where a word is counted.
    fn fields_of(&self, word: &Word) -> Vec<Field> {
        let fields = self.fields;
        match word.field {
            None if self.ranking.weights.breadcrumb == 0.0 => {
                vec![fields.title, fields.body, fields.about]
            }
            None => vec![fields.title, fields.breadcrumb, fields.body, fields.about],
            Some(query::Field::Title) => vec![fields.title],
            Some(query::Field::Body) => vec![fields.body],
            Some(query::Field::Path) => vec![fields.path],
            Some(query::Field::Tag) => vec![fields.tag],
            Some(query::Field::Tree) => Vec::new(),
        }
    }
}

/// Divides words, bigrams and documents by the best of all, so that each counts by its weight alone.
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
