//! What a search gives: the records that `--json` prints.

use std::sync::Arc;

use serde::Serialize;

/// The answer to a query.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Answer {
    /// The query as it was asked.
    pub query: String,
    /// The query that was answered instead, because no word of the other one is in the index.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub corrected: Option<String>,
    /// The words of the query that results contain, as they were typed.
    pub matched: Vec<String>,
    /// The words that no result contains.
    pub unmatched: Vec<Unmatched>,
    /// How much of the query the best result covers, from 0 to 1. Rare words count for more.
    pub coverage: f64,
    /// The best first.
    pub results: Vec<Found>,
    /// Results that did not fit into the budget.
    pub handles: Vec<Handle>,
    /// Why there are no results.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What is worth knowing about the query or the index.
    pub warnings: Vec<String>,
}

/// A word that no result contains.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Unmatched {
    /// The word as it was typed.
    pub term: String,
    /// For a word that is in no document: the nearest one that is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<String>,
}

/// A result.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Found {
    /// The node for its own text, `{node}+` for all below it too, `{node}@{n}` for a part of it,
    /// `{node}@{n}-{m}` for several parts.
    pub id: String,
    /// The node that it is, or is a part of.
    pub node_id: String,
    /// The document: `{tree}:{path}`.
    pub doc_id: String,
    /// The tree.
    pub tree: String,
    /// The path of the document in its tree.
    pub path: String,
    /// Where the document is published.
    pub url: Option<String>,
    /// The heading, or the document's title.
    pub title: Arc<str>,
    /// The document's title, then the headings that lead here.
    pub breadcrumb: Vec<Arc<str>>,
    /// The level of the heading, 0 for a document.
    pub depth: u8,
    /// The order of the node in its document, from 0.
    pub position: usize,
    /// How good it is: what results are sorted by.
    pub score: f64,
    /// Of a merged result, the scores of its members, added up and capped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub combined_score: Option<f64>,
    /// The tokens of `text`.
    pub tokens: usize,
    /// Of a part, the tokens of its node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub whole_tokens: Option<usize>,
    /// The first line of `text`, from 1.
    pub line_start: usize,
    /// Its last line.
    pub line_end: usize,
    /// Its first byte in the file.
    pub byte_start: usize,
    /// One past its last byte.
    pub byte_end: usize,
    /// The source, heading line included.
    pub text: String,
    /// The passage of `text` that best matches the query, on a single line of at most 240 bytes.
    ///
    /// It starts with a sentence if one starts shortly before the matches, or else with a word, and
    /// contains no markup: link targets, shortcodes, HTML tags, emphasis and list markers are left
    /// out. ` · ` separates list items, table cells and other blocks that end without a punctuation
    /// mark. `…` marks a sentence that is not shown from its beginning, or not to its end.
    pub snippet: String,
    /// The words of the query in `snippet`: byte ranges in order, without overlaps.
    pub highlights: Vec<(usize, usize)>,
    /// The hits that were merged into it.
    pub merged_from: Vec<Source>,
    /// Whether the file has changed since it was indexed.
    pub stale: bool,
    /// Which rules made it, with their numbers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub explain: Vec<String>,
}

/// A hit that was merged into a result.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Source {
    /// The node.
    pub id: String,
    /// Its score.
    pub score: f64,
}

/// A result that did not fit.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Handle {
    /// What `get` takes.
    pub id: String,
    /// The document's title, then the headings that lead here.
    pub breadcrumb: Vec<Arc<str>>,
    /// How many tokens it has.
    pub tokens: usize,
}

/// A node or a part, by its id.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Node {
    /// Its id.
    pub id: String,
    /// The node that it is, or is a part of.
    pub node_id: String,
    /// The document: `{tree}:{path}`.
    pub doc_id: String,
    /// The node above it; none for a document.
    pub parent_id: Option<String>,
    /// The tree.
    pub tree: String,
    /// The path of the document in its tree.
    pub path: String,
    /// Where the document is published.
    pub url: Option<String>,
    /// The heading, or the document's title.
    pub title: Arc<str>,
    /// The document's title, then the headings that lead here.
    pub breadcrumb: Vec<Arc<str>>,
    /// The level of the heading, 0 for a document.
    pub depth: u8,
    /// The order of the node in its document, from 0.
    pub position: usize,
    /// The tokens of `text`.
    pub tokens: usize,
    /// The first line of `text`, from 1.
    pub line_start: usize,
    /// Its last line.
    pub line_end: usize,
    /// Its first byte in the file.
    pub byte_start: usize,
    /// One past its last byte.
    pub byte_end: usize,
    /// The source, heading line included.
    pub text: String,
    /// The nodes directly below it.
    pub children: Vec<String>,
    /// Whether the file has changed since it was indexed.
    pub stale: bool,
}

/// What [`Listed`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Kind {
    /// A tree.
    Tree,
    /// A directory in a tree.
    Folder,
    /// A document.
    Page,
    /// A heading.
    Section,
}

/// One line of a listing.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Listed {
    /// What it is.
    pub kind: Kind,
    /// What lists or prints it: `docs:`, `docs:guide/`, `docs:guide/tea.md`, `docs:guide/tea.md#pots`.
    pub id: String,
    /// Its name in what was listed: `guide/`, `tea.md`, `#pots`.
    pub name: String,
    /// The heading, or the document's title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<Arc<str>>,
    /// The level of the heading, 0 for anything else.
    pub depth: u8,
    /// The order of a section in its document, from 0.
    pub position: usize,
    /// Where a page or section starts in its file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub byte_start: Option<usize>,
    /// Where it ends, with everything below it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub byte_end: Option<usize>,
    /// The tokens of everything in it.
    pub tokens: usize,
    /// How many entries it has one level down.
    pub children: usize,
    /// Whether the file has changed since it was indexed.
    pub stale: bool,
}

/// How an index is.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Status {
    /// Where it is.
    pub index: std::path::PathBuf,
    /// What made it.
    pub generator: String,
    /// A hash of all that decides what it holds.
    pub config_hash: String,
    /// The language whose endings are cut off.
    pub language: chunkwright_config::Language,
    /// Its trees.
    pub trees: Vec<TreeStatus>,
    /// Bytes on the disk.
    pub bytes: u64,
    /// Whether files would be indexed otherwise today.
    pub outdated: bool,
}

/// How a tree is.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct TreeStatus {
    /// Its name.
    pub name: String,
    /// Where it is.
    pub root: std::path::PathBuf,
    /// Files in the index.
    pub files: usize,
    /// Nodes in the index.
    pub nodes: usize,
    /// Parts of large nodes.
    pub parts: usize,
    /// Files that have changed since they were indexed.
    pub changed: usize,
    /// Files that are not in the index yet.
    pub new: usize,
    /// Files in the index that have been deleted.
    pub deleted: usize,
}
