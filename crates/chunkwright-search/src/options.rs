//! The options of one search.

use chunkwright_config::{Merging, Tuning};

use crate::filter::Filter;

/// Options of one search.
///
/// ```
/// use chunkwright_search::Request;
///
/// let mut request = Request::default();
/// request.limit = Some(3);
/// request.filter.trees.push("docs".to_owned());
/// request.tuning.ranking.bigrams = 0.0;
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Request {
    /// Maximum number of results. Default: 10, or as many as fit the token budget.
    pub limit: Option<usize>,
    /// Whether hits are merged along the outline. Default: true.
    pub merge: bool,
    /// Whether a query with a syntax error fails. By default, it is read as plain words with a
    /// warning.
    pub strict: bool,
    /// Documents to search. Default: all.
    pub filter: Filter,
    /// Result size, merging and ranking.
    pub tuning: Tuning,
}

impl Default for Request {
    fn default() -> Self {
        Self {
            limit: None,
            merge: true,
            strict: false,
            filter: Filter::default(),
            tuning: Tuning::default(),
        }
    }
}

impl Request {
    /// Returns the merging options, or `None` if hits are not merged.
    pub(crate) fn merging(&self) -> Option<&Merging> {
        self.merge.then_some(&self.tuning.merging)
    }
}
