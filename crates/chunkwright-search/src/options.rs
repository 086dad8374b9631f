//! Options for indexing, ranking and searching, with their defaults.

use chunkwright::{Format, Mdx, Shortcodes, Slugs};
use serde::{Deserialize, Serialize};

use crate::filter::Filter;
use crate::language::Language;
use crate::merge::Merging;

/// Indexing options.
///
/// They are stored in the index. An update with different options rebuilds it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Indexing {
    /// Stemming language. Default: `english`.
    pub language: Language,
    /// Maximum tokens per part. A section with more text is also indexed in parts. Default: 2000.
    pub part_tokens: usize,
    /// Maximum tokens per part in documents with few or no headings. Default: 400.
    pub headless_part_tokens: usize,
    /// Format of all files. By default, the file extension decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_format: Option<Format>,
    /// Files to parse as MDX.
    pub mdx: Mdx,
    /// Characters kept in heading slugs.
    pub slugs: Slugs,
    /// Titles for shortcodes in headings.
    pub shortcodes: Shortcodes,
    /// Base URL for documents without a `url` in their front matter.
    pub url_base: Option<String>,
}

impl Default for Indexing {
    fn default() -> Self {
        Self {
            language: Language::default(),
            part_tokens: 2000,
            headless_part_tokens: 400,
            input_format: None,
            mdx: Mdx::default(),
            slugs: Slugs::default(),
            shortcodes: Shortcodes::default(),
            url_base: None,
        }
    }
}

impl Indexing {
    /// Returns whether a document has too few headings to locate text by: none, or fewer than one
    /// per two parts.
    pub(crate) fn is_headless(&self, headings: usize, tokens: usize) -> bool {
        headings == 0 || tokens / headings > 2 * self.part_tokens
    }
}

/// Field weights: how much an occurrence of a query word adds, by where it occurs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Weights {
    /// Weight of the section's heading. Default: 8.
    pub title: f32,
    /// Weight of the heading path, which ends with the section's own heading. Default: 4.
    pub breadcrumb: f32,
    /// Weight of the section's text. Default: 1.
    pub body: f32,
    /// Weight of a document's path, tags and description. Default: 1.
    pub about: f32,
}

impl Default for Weights {
    fn default() -> Self {
        Self { title: 8.0, breadcrumb: 4.0, body: 1.0, about: 1.0 }
    }
}

/// Ranking options.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Ranking {
    /// Number of candidates to rank from each tree. Default: 200.
    pub candidates: usize,
    /// Field weights.
    pub weights: Weights,
    /// BM25F term saturation: a larger value lets repeated words add more. Scale it with the
    /// weights. Default: 8.
    pub k1: f32,
    /// Term saturation for documents without headings, where no title adds weight. Default: 2.
    pub headless_k1: f32,
    /// BM25F length normalization, from 0 (none) to 1 (full). Default: 0.75.
    pub b: f32,
    /// Weight of word pairs that are adjacent in both the query and the text. Default: 0.25.
    pub bigrams: f32,
    /// Weight of the whole document's score. Default: 0.15.
    pub document: f32,
    /// Options for short queries.
    pub keywords: Keywords,
}

/// Options for keyword queries: queries of a few words, which are often the title of a page.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Keywords {
    /// Maximum words in a keyword query; 0 treats no query as one. Default: 3.
    pub words: usize,
    /// Factor for the weight of the whole document. Default: 3.
    pub document: f32,
    /// Weight of the title coverage of the page's title or file name. Default: 1.
    ///
    /// Title coverage is the share of the title that the query covers, times the share of the query
    /// that the title covers.
    pub page: f32,
    /// Weight of the title coverage of the section's heading. Default: 0.15.
    pub heading: f32,
}

impl Default for Keywords {
    fn default() -> Self {
        Self { words: 3, document: 3.0, page: 1.0, heading: 0.15 }
    }
}

impl Default for Ranking {
    fn default() -> Self {
        Self {
            candidates: 200,
            weights: Weights::default(),
            k1: 8.0,
            headless_k1: 2.0,
            b: 0.75,
            bigrams: 0.25,
            document: 0.15,
            keywords: Keywords::default(),
        }
    }
}

/// Search options: result size, merging and ranking.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Tuning {
    /// Maximum tokens of a section that is returned whole; 0 is unlimited. A larger section that
    /// was indexed in parts is returned as its matching parts. Default: 800.
    pub max_result_tokens: usize,
    /// Options for merging hits into results.
    pub merging: Merging,
    /// Ranking options.
    pub ranking: Ranking,
}

impl Default for Tuning {
    fn default() -> Self {
        Self { max_result_tokens: 800, merging: Merging::default(), ranking: Ranking::default() }
    }
}

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
