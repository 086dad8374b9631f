//! What a search gives: the records that `--json` prints.

use std::sync::Arc;

use serde::Serialize;

/// The answer to a query.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Answer {
    /// The query as it was asked.
    pub query: String,
    /// The best first.
    pub results: Vec<Found>,
    /// What did not fit into the budget.
    pub handles: Vec<Handle>,
    /// What is worth knowing about the query or the index.
    pub warnings: Vec<String>,
}

/// A result.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Found {
    /// The node, `{node}@{n}` for a part of one, `{node}@{n}-{m}` for several.
    pub id: String,
    /// The node that it is, or is a part of.
    pub node_id: String,
    /// The document: `{tree}:{path}`.
    pub doc_id: String,
    /// The path of the document in its tree.
    pub path: String,
    /// Where the document is published.
    pub url: Option<String>,
    /// The heading, or the document's title.
    pub title: Arc<str>,
    /// The document's title, then the headings that lead here.
    pub breadcrumb: Vec<Arc<str>>,
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
    /// A telling stretch of it.
    pub snippet: String,
    /// Where the words of the query are in the snippet, in bytes.
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
pub struct Source {
    /// The node.
    pub id: String,
    /// Its score.
    pub score: f64,
}

/// A result that did not fit.
#[derive(Clone, Debug, PartialEq, Serialize)]
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
pub struct Node {
    /// Its id.
    pub id: String,
    /// The node that it is, or is a part of.
    pub node_id: String,
    /// The document: `{tree}:{path}`.
    pub doc_id: String,
    /// The node above it; none for a document.
    pub parent_id: Option<String>,
    /// The path of the document in its tree.
    pub path: String,
    /// Where the document is published.
    pub url: Option<String>,
    /// The heading, or the document's title.
    pub title: Arc<str>,
    /// The document's title, then the headings that lead here.
    pub breadcrumb: Vec<Arc<str>>,
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

/// A file in the index, or a node of one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Listed {
    /// Its id.
    pub id: String,
    /// The heading, or the document's title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<Arc<str>>,
    /// The level of the heading, 0 for a document.
    pub depth: u8,
    /// The tokens of it and all below it.
    pub tokens: usize,
    /// How many nodes are in it.
    pub nodes: usize,
    /// Whether the file has changed since it was indexed.
    pub stale: bool,
}

/// How an index is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Status {
    /// Where it is.
    pub index: std::path::PathBuf,
    /// What made it.
    pub generator: String,
    /// A hash of all that decides what it holds.
    pub config_hash: String,
    /// The language whose endings are cut off.
    pub language: crate::language::Language,
    /// Its trees.
    pub trees: Vec<TreeStatus>,
    /// Bytes on the disk.
    pub bytes: u64,
    /// Whether files would be indexed otherwise today.
    pub outdated: bool,
}

/// How a tree is.
#[derive(Clone, Debug, PartialEq, Serialize)]
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
    /// Files that have changed since, or are gone.
    pub stale: usize,
}
