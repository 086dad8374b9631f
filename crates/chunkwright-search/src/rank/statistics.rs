//! Statistics of the whole index: the number of nodes and the mean length of index fields.

use tantivy::Searcher;

use crate::runs::Runs;
use crate::schema::IndexFields;

/// Statistics of the whole index. Lengths are means.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Statistics {
    nodes: f64,
    pub(super) title_terms: f32,
    pub(super) breadcrumb_terms: f32,
    pub(super) body_terms: f32,
    pub(super) document_bytes: f32,
}

impl Statistics {
    pub(crate) fn of(searcher: &Searcher, fields: &IndexFields) -> tantivy::Result<Self> {
        let (mut nodes, mut bytes, mut documents) = (0, 0, 0);
        let mut terms = [0_u64; 3];
        for reader in searcher.segment_readers() {
            nodes += u64::from(reader.max_doc());
            for (sum, field) in terms.iter_mut().zip(fields.ranked()) {
                *sum += reader.inverted_index(field)?.total_num_tokens();
            }
            let (of_segment, count) = Runs::open(reader)?.total_bytes();
            bytes += of_segment;
            documents += count;
        }
        let mean = |sum: u64, count: u64| (sum as f64 / count.max(1) as f64).max(1.0) as f32;
        let [title, breadcrumb, body] = terms;
        Ok(Self {
            nodes: nodes as f64,
            title_terms: mean(title, nodes),
            breadcrumb_terms: mean(breadcrumb, nodes),
            body_terms: mean(body, nodes),
            document_bytes: mean(bytes, documents),
        })
    }

    /// Returns the inverse document frequency of a word that occurs in this many nodes.
    pub(super) fn rarity(&self, nodes: u64) -> f32 {
        let nodes = nodes as f64;
        (1.0 + (self.nodes - nodes + 0.5).max(0.5) / (nodes + 0.5)).ln() as f32
    }
}
