//! Weighs occurrences by the length of their index field, and saturates sums of them.

use tantivy::fieldnorm::FieldNormReader;
use tantivy::{DocId, SegmentReader};

use super::Ranker;
use super::counts::FileCandidates;
use crate::runs::{Runs, narrow};

/// The weight of an occurrence in each index field, by its length.
pub(super) struct Worth<'a> {
    ranker: &'a Ranker<'a>,
    lengths: [FieldNormReader; 3],
    names: FieldNormReader,
}

impl<'a> Worth<'a> {
    pub(super) fn open(ranker: &'a Ranker<'a>, reader: &SegmentReader) -> tantivy::Result<Self> {
        let [title, breadcrumb, body] = ranker.fields.ranked();
        let lengths = [
            reader.get_fieldnorms_reader(title)?,
            reader.get_fieldnorms_reader(breadcrumb)?,
            reader.get_fieldnorms_reader(body)?,
        ];
        let names = reader.get_fieldnorms_reader(ranker.fields.name)?;
        Ok(Self { ranker, lengths, names })
    }

    /// Returns the number of terms in the name of a file.
    pub(super) fn name_terms(&self, doc: DocId) -> u32 {
        self.names.fieldnorm(doc)
    }

    /// Returns the number of terms in the title of a node.
    pub(super) fn title_terms(&self, doc: DocId) -> u32 {
        self.lengths[0].fieldnorm(doc)
    }

    /// Returns the weights for a node, and the number of terms in its parts if its body is indexed
    /// only in parts.
    pub(super) fn of(
        &self,
        doc: DocId,
        file: &FileCandidates,
        columns: &Runs<'_>,
    ) -> ([f32; 3], u32) {
        let weights = self.ranker.ranking.weights;
        let means = self.ranker.statistics;
        let b = self.ranker.ranking.b;
        let worth = |weight, length: u32, mean: f32| by_length(weight, length as f32 / mean, b);
        let [title, breadcrumb, own_body] = [0, 1, 2].map(|slot| self.lengths[slot].fieldnorm(doc));
        let place = doc - file.docs.start;
        let mut part_terms = 0;
        if own_body == 0 && doc < file.nodes_end {
            let parts = (file.nodes_end..file.docs.end)
                .filter(|&part| narrow(columns.parent.get_val(part)) == place);
            part_terms = parts.map(|part| self.lengths[2].fieldnorm(part)).sum();
        }
        let worth = [
            worth(weights.title, title, means.title_terms),
            worth(weights.breadcrumb, breadcrumb, means.breadcrumb_terms),
            worth(weights.body, own_body + part_terms, means.body_terms),
        ];
        (worth, part_terms)
    }
}

/// Normalizes a weight by the length of a text, relative to the mean length.
pub(super) fn by_length(weighted: f32, length: f32, b: f32) -> f32 {
    weighted / (1.0 - b + b * length)
}

/// Saturates a weighted count: each further occurrence adds less.
pub(super) fn saturated(weighted: f32, k1: f32) -> f32 {
    weighted * (k1 + 1.0) / (k1 + weighted)
}
