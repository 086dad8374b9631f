//! Answers, results and listings, as `--json` prints them.

use std::sync::Arc;

use serde::Serialize;

/// The fields of a result in JSON.
pub const FIELDS: &[&str] = &[
    "id",
    "node_id",
    "doc_id",
    "tree",
    "path",
    "url",
    "title",
    "breadcrumb",
    "depth",
    "position",
    "score",
    "combined_score",
    "tokens",
    "whole_tokens",
    "line_start",
    "line_end",
    "byte_start",
    "byte_end",
    "text",
    "snippet",
    "highlights",
    "merged_from",
    "stale",
    "explain",
];

/// The answer to a query.
///
/// ```
/// # use chunkwright_search::{Request, Snapshot, Tree, Update, update};
/// # let dir = tempfile::tempdir()?;
/// # std::fs::create_dir(dir.path().join("docs"))?;
/// # std::fs::write(dir.path().join("docs/tea.md"), "# Tea\n\nBoil water.\n")?;
/// # let index = dir.path().join("index");
/// # update(&index, &Update::of(vec![Tree::at(dir.path().join("docs"))]))?;
/// # let snapshot = Snapshot::open(&index)?;
/// let answer = snapshot.search("boil watter", &Request::default())?;
/// assert_eq!(answer.matched, ["boil"]);
/// assert_eq!(answer.unmatched[0].suggestion.as_deref(), Some("water"));
///
/// let best = &answer.results[0];
/// let (from, to) = best.highlights[0];
/// assert_eq!(&best.snippet[from..to], "Boil");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Answer {
    /// The query as given.
    pub query: String,
    /// The corrected query that was searched for, if no word of `query` is in the index.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub corrected: Option<String>,
    /// The query words that results contain, as typed.
    pub matched: Vec<String>,
    /// The query words that no result contains.
    pub unmatched: Vec<Unmatched>,
    /// The share of the query that the best result covers, from 0 to 1. Rare words weigh more.
    pub coverage: f64,
    /// The results, best first.
    pub results: Vec<SearchResult>,
    /// Results that did not fit the token budget.
    pub handles: Vec<Handle>,
    /// The reason for an empty answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Warnings about the query or the index.
    pub warnings: Vec<String>,
}

/// A query word that no result contains.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Unmatched {
    /// The word as typed.
    pub term: String,
    /// The most similar indexed word, if no document contains this one. Only the first eight
    /// unmatched words have one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<String>,
}

/// A search result.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SearchResult {
    /// The id of the result, for [`Snapshot::get`](crate::Snapshot::get).
    ///
    /// `{node}` is a node's own text, `{node}+` the node with its subsections, `{node}@{n}` a part
    /// of it and `{node}@{n}-{m}` several parts.
    pub id: String,
    /// The id of the node that the result is, or is a part of.
    pub node_id: String,
    /// The id of the document: `{tree}:{path}`.
    pub doc_id: String,
    /// The name of the tree.
    pub tree: String,
    /// The path of the document in its tree.
    pub path: String,
    /// The URL of the published document.
    pub url: Option<String>,
    /// The heading, or the document's title.
    pub title: Arc<str>,
    /// The document's title, followed by the heading path.
    pub breadcrumb: Vec<Arc<str>>,
    /// The level of the heading, 0 for a document.
    pub depth: u8,
    /// The index of the node in its document, in reading order from 0.
    pub position: usize,
    /// The score that results are sorted by.
    pub score: f64,
    /// The sum of the members' scores, capped; only for merged results.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub combined_score: Option<f64>,
    /// The token count of `text`.
    pub tokens: usize,
    /// The token count of the whole node, if the result is a part of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub whole_tokens: Option<usize>,
    /// The first line of `text`, from 1.
    pub line_start: usize,
    /// The last line of `text`.
    pub line_end: usize,
    /// The byte offset of `text` in the file.
    pub byte_start: usize,
    /// The byte offset of its end.
    pub byte_end: usize,
    /// The source text, including the heading line.
    pub text: String,
    /// The passage of `text` that best matches the query, on a single line of at most 240 bytes.
    ///
    /// It starts at a sentence if one begins shortly before the matches, or else at a word. It
    /// contains no markup: link targets, shortcodes, HTML tags, emphasis and list markers are
    /// removed. ` · ` separates list items, table cells and other blocks that end without
    /// punctuation. `…` marks a truncated sentence.
    pub snippet: String,
    /// The byte ranges of query words in `snippet`, in order and without overlaps.
    pub highlights: Vec<(usize, usize)>,
    /// The hits that were merged into this result.
    pub merged_from: Vec<MergedHit>,
    /// Whether the file has changed since it was indexed.
    pub stale: bool,
    /// The merging rules that applied, and the components of the score.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub explain: Vec<String>,
}

/// A hit that was merged into a result.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct MergedHit {
    /// The id of the node.
    pub id: String,
    /// The score of the hit.
    pub score: f64,
}

/// A result that did not fit the token budget.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Handle {
    /// The id of the result, for [`Snapshot::get`](crate::Snapshot::get).
    pub id: String,
    /// The document's title, followed by the heading path.
    pub breadcrumb: Vec<Arc<str>>,
    /// The token count of the result.
    pub tokens: usize,
}

/// A node, or a part of one, as returned by [`Snapshot::get`](crate::Snapshot::get).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct NodeText {
    /// The id of the node or part.
    pub id: String,
    /// The id of the node that it is, or is a part of.
    pub node_id: String,
    /// The id of the document: `{tree}:{path}`.
    pub doc_id: String,
    /// The id of the parent node; `None` for a document.
    pub parent_id: Option<String>,
    /// The name of the tree.
    pub tree: String,
    /// The path of the document in its tree.
    pub path: String,
    /// The URL of the published document.
    pub url: Option<String>,
    /// The heading, or the document's title.
    pub title: Arc<str>,
    /// The document's title, followed by the heading path.
    pub breadcrumb: Vec<Arc<str>>,
    /// The level of the heading, 0 for a document.
    pub depth: u8,
    /// The index of the node in its document, in reading order from 0.
    pub position: usize,
    /// The token count of `text`.
    pub tokens: usize,
    /// The first line of `text`, from 1.
    pub line_start: usize,
    /// The last line of `text`.
    pub line_end: usize,
    /// The byte offset of `text` in the file.
    pub byte_start: usize,
    /// The byte offset of its end.
    pub byte_end: usize,
    /// The source text, including the heading line.
    pub text: String,
    /// The ids of the child nodes.
    pub children: Vec<String>,
    /// Whether the file has changed since it was indexed.
    pub stale: bool,
}

/// The kind of a [`Listed`] entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ListedKind {
    /// A named directory of documents.
    Tree,
    /// A directory in a tree.
    Folder,
    /// A document.
    Page,
    /// A heading of a document.
    Section,
}

/// An entry of a listing.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Listed {
    /// The kind of the entry.
    pub kind: ListedKind,
    /// The id of the entry: `docs:`, `docs:guide/`, `docs:guide/tea.md` or
    /// `docs:guide/tea.md#pots`.
    pub id: String,
    /// The name of the entry relative to its parent: `guide/`, `tea.md` or `#pots`.
    pub name: String,
    /// The heading, or the document's title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<Arc<str>>,
    /// The level of the heading, 0 for other kinds.
    pub depth: u8,
    /// The index of a section in its document, in reading order from 0.
    pub position: usize,
    /// The byte offset of a page or section in its file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub byte_start: Option<usize>,
    /// The byte offset of its end, including its subsections.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub byte_end: Option<usize>,
    /// The token count of the entry with everything below it.
    pub tokens: usize,
    /// The number of entries one level below.
    pub children: usize,
    /// Whether the file, or any file of a tree or folder, has changed since it was indexed.
    pub stale: bool,
}

/// The status of an index.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Status {
    /// The directory of the index.
    pub index: std::path::PathBuf,
    /// The program and version that built the index.
    pub generator: String,
    /// A hash of the options and versions that determine the contents of the index.
    pub config_hash: String,
    /// The stemming language.
    pub language: chunkwright_config::Language,
    /// The status of each tree.
    pub trees: Vec<TreeStatus>,
    /// The size of the index on disk, in bytes.
    pub bytes: u64,
    /// Whether this version would index the same files differently.
    pub outdated: bool,
}

/// The status of a tree.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct TreeStatus {
    /// The name of the tree.
    pub name: String,
    /// The directory of the tree.
    pub root: std::path::PathBuf,
    /// The number of indexed files.
    pub files: usize,
    /// The number of indexed nodes.
    pub nodes: usize,
    /// The number of parts of large nodes.
    pub parts: usize,
    /// The number of files that have changed since they were indexed.
    pub changed: usize,
    /// The number of files that are not indexed yet.
    pub new: usize,
    /// The number of indexed files that no longer exist.
    pub deleted: usize,
}
