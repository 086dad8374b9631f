//! Every option of the index and of ranking, each with its default.

use chunkwright::{Format, Mdx, Shortcodes, Slugs};
use serde::{Deserialize, Serialize};

use crate::filter::Filter;
use crate::language::Language;
use crate::merge::Merging;

/// How an index is made. It is kept in the index; another one means another index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Indexing {
    /// The language whose endings are cut off. Default: `english`.
    pub language: Language,
    /// Text of more tokens under one heading is also found by its parts. Default: 2000.
    pub part_tokens: usize,
    /// The same for documents without headings, or with hardly any. Default: 400.
    pub headless_part_tokens: usize,
    /// Format of all files, instead of the one that each extension gives.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_format: Option<Format>,
    /// Which files are read as MDX.
    pub mdx: Mdx,
    /// Which characters the slugs of headings keep.
    pub slugs: Slugs,
    /// Titles for shortcodes in headings.
    pub shortcodes: Shortcodes,
    /// What a document's path is appended to where front matter has no url.
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
    /// Whether a document has so few headings that they do not tell where things are: none, or
    /// fewer than one for two parts.
    pub(crate) fn is_headless(&self, headings: usize, tokens: usize) -> bool {
        headings == 0 || tokens / headings > 2 * self.part_tokens
    }
}

/// What a field counts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Weights {
    /// The heading. Default: 8.
    pub title: f32,
    /// The headings above it, and its own. Default: 4.
    pub breadcrumb: f32,
    /// The text below the heading. Default: 1.
    pub body: f32,
    /// Of a document only: its path, tags and description. Default: 1.
    pub about: f32,
}

impl Default for Weights {
    fn default() -> Self {
        Self { title: 8.0, breadcrumb: 4.0, body: 1.0, about: 1.0 }
    }
}

/// How hits are ranked.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Ranking {
    /// How many nodes of each tree the index proposes. Default: 200.
    pub candidates: usize,
    /// What each field counts.
    pub weights: Weights,
    /// How slowly a word that comes again stops counting. It has the size of the weights.
    /// Default: 8.
    pub k1: f32,
    /// The same for documents without headings, where no title counts more. Default: 2.
    pub headless_k1: f32,
    /// How much long text is held back: from 0 to 1. Default: 0.75.
    pub b: f32,
    /// What neighbouring words count that are neighbours in the query too. Default: 0.25.
    pub bigrams: f32,
    /// What the whole document counts. Default: 0.15.
    pub document: f32,
    /// What counts more in short queries.
    pub keywords: Keywords,
}

/// What counts more in a query of a few words, which is likely to be the title of a page.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Keywords {
    /// The most words of such a query; 0: no query is one. Default: 3.
    pub words: usize,
    /// How many times as much the whole document counts. Default: 3.
    pub document: f32,
    /// What it counts that a page's title or file name and the query cover each other. Default: 1.
    pub page: f32,
    /// What it counts that a heading and the query cover each other. Default: 0.15.
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

/// How answers are made: all that can be tuned.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Tuning {
    /// A node of more tokens that has parts is returned by its parts. Default: 800.
    pub max_result_tokens: usize,
    /// When hits become one result.
    pub merging: Merging,
    /// How hits are ranked.
    pub ranking: Ranking,
}

impl Default for Tuning {
    fn default() -> Self {
        Self { max_result_tokens: 800, merging: Merging::default(), ranking: Ranking::default() }
    }
}

/// What a search is to give.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Request {
    /// The most results. Default: 10, or as many as fit into a budget.
    pub limit: Option<usize>,
    /// Whether hits are merged.
    pub merge: bool,
    /// Whether a query that does not parse is an error.
    pub strict: bool,
    /// What to look at.
    pub filter: Filter,
    /// How answers are made.
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
    /// When hits become one result, if they may.
    pub(crate) fn merging(&self) -> Option<&Merging> {
        self.merge.then_some(&self.tuning.merging)
    }
}
