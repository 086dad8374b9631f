//! Wraps queries for forbidden clauses, so that tantivy can seek in them backwards.
//!
//! For exclusions, tantivy calls `seek_danger` with targets before the current document. Its phrase
//! scorer rejects these with a debug assertion (seen in tantivy 0.27.0, see
//! <https://github.com/quickwit-oss/tantivy/issues/2811>). The wrapper inherits the default
//! `seek_danger`, which accepts them.

use tantivy::query::{EnableScoring, Explanation, Query, Scorer, Weight};
use tantivy::{DocId, DocSet, Result, Score, SegmentReader, Term};

#[derive(Debug)]
pub(crate) struct Excluded(pub(crate) Box<dyn Query>);

impl Clone for Excluded {
    fn clone(&self) -> Self {
        Self(self.0.box_clone())
    }
}

impl Query for Excluded {
    fn weight(&self, scoring: EnableScoring<'_>) -> Result<Box<dyn Weight>> {
        Ok(Box::new(PlainWeight(self.0.weight(scoring)?)))
    }

    fn query_terms<'a>(&'a self, visitor: &mut dyn FnMut(&'a Term, bool)) {
        self.0.query_terms(visitor);
    }
}

struct PlainWeight(Box<dyn Weight>);

impl Weight for PlainWeight {
    fn scorer(&self, reader: &SegmentReader, boost: Score) -> Result<Box<dyn Scorer>> {
        Ok(Box::new(PlainLeaps(self.0.scorer(reader, boost)?)))
    }

    fn explain(&self, reader: &SegmentReader, doc: DocId) -> Result<Explanation> {
        self.0.explain(reader, doc)
    }
}

struct PlainLeaps(Box<dyn Scorer>);

impl DocSet for PlainLeaps {
    fn advance(&mut self) -> DocId {
        self.0.advance()
    }

    fn seek(&mut self, target: DocId) -> DocId {
        self.0.seek(target)
    }

    fn doc(&self) -> DocId {
        self.0.doc()
    }

    fn size_hint(&self) -> u32 {
        self.0.size_hint()
    }
}

impl Scorer for PlainLeaps {
    fn score(&mut self) -> Score {
        self.0.score()
    }
}
