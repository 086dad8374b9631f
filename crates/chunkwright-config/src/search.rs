//! Options of the index and of ranking, with their defaults.

use std::fmt;

use chunkwright::{Format, Mdx, Shortcodes, Slugs};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Indexing options.
///
/// They are stored in the index. An update with different options rebuilds it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Indexing {
    /// Stemming language, or `none`. Default: `english`.
    pub language: Language,
    /// Maximum tokens per part. A section with more text is also indexed in parts. Default: 2000.
    pub part_tokens: usize,
    /// Maximum tokens per part in documents with few or no headings. Default: 400.
    pub headless_part_tokens: usize,
    // The options below are set at the top level, for the chunkers and the index alike.
    /// Format of all files. By default, the file extension decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub input_format: Option<Format>,
    /// Files to parse as MDX.
    #[schemars(skip)]
    pub mdx: Mdx,
    /// Characters kept in heading slugs.
    #[schemars(skip)]
    pub slugs: Slugs,
    /// Titles for shortcodes in headings.
    #[schemars(skip)]
    pub shortcodes: Shortcodes,
    /// Base URL for documents without a `url` in their front matter.
    #[schemars(skip)]
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

/// Field weights: how much an occurrence of a query word adds, by where it occurs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
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

/// Options for merging hits into results.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Merging {
    /// Share of a parent's children that must be exceeded by matching ones. Default: 0.5.
    pub aggregation_threshold: f64,
    /// Minimum number of matching children. Default: 2.
    pub min_aggregation_matches: usize,
    /// Cap on the combined score, as a multiple of the best child's score. Default: 2.
    pub score_cap_multiplier: f64,
    /// Minimum score of a match, as a share of the best score; 0 accepts every hit. Default: 0.7.
    pub match_ratio: f64,
    /// Minimum term weight that a match covers, as a share of what the best hit covers; 0 accepts
    /// every hit. Default: 0.9.
    pub match_coverage: f64,
    /// Maximum tokens of a parent that takes the place of its children; 0 is unlimited.
    /// Default: 800.
    pub max_merge_tokens: usize,
    /// Score that merged results are sorted by: `best` or `sum`. Default: `best`.
    pub order: Order,
}

/// The score that merged results are sorted by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// The score of the best member.
    #[default]
    Best,
    /// The combined score of the members.
    Sum,
}

impl Default for Merging {
    fn default() -> Self {
        Self {
            aggregation_threshold: 0.5,
            min_aggregation_matches: 2,
            score_cap_multiplier: 2.0,
            match_ratio: 0.7,
            match_coverage: 0.9,
            max_merge_tokens: 800,
            order: Order::default(),
        }
    }
}

/// A stemming language: inflected forms of a word match each other (`keys` finds `key`). With
/// `None`, words match only in the form they are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the names are self-explanatory")]
pub enum Language {
    None,
    Arabic,
    Danish,
    Dutch,
    #[default]
    English,
    Finnish,
    French,
    German,
    Greek,
    Hungarian,
    Italian,
    Norwegian,
    Portuguese,
    Romanian,
    Russian,
    Spanish,
    Swedish,
    Tamil,
    Turkish,
}

impl fmt::Display for Language {
    /// Writes the name used in configuration files.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&format!("{self:?}").to_lowercase())
    }
}
