//! The tantivy schema of the index.
//!
//! Each file is a run of consecutive tantivy documents: its nodes in reading order, starting with
//! the file itself, followed by the parts of large nodes. Every document stores its ordinal in the
//! run, which makes the others reachable. The text and outline of a file are stored once, with its
//! first node.

use tantivy::schema::{
    FAST, Field, IndexRecordOption, STORED, STRING, Schema, TextFieldIndexing, TextOptions,
};

/// The name of the analyzer in the schema.
pub(crate) const ANALYZER: &str = "chunkwright";

/// The version of the index format. Increase it if older indexes become unreadable, or if the same
/// files are indexed differently.
pub(crate) const VERSION: u32 = 3;

/// The names of columns, which are read for many hits at a time.
pub(crate) mod column {
    /// The id of the file.
    pub(crate) const DOC: &str = "doc";
    /// Front matter, as JSON.
    pub(crate) const METADATA: &str = "metadata";
    /// The ordinal in the run of the file.
    pub(crate) const ORDINAL: &str = "ordinal";
    /// The ordinal of the parent node, or of the node that a part belongs to; 0 for the file.
    pub(crate) const PARENT: &str = "parent";
    /// The ordinal after the last descendant; 0 for a part.
    pub(crate) const SUBTREE_END: &str = "subtree_end";
    /// The tokens of the node's own text.
    pub(crate) const TOKENS: &str = "tokens";
    /// The tokens of the node with its descendants. Existing indexes have a column of that name.
    pub(crate) const SUBTREE_TOKENS: &str = "tree_tokens";
    /// The length of the run; only for the file.
    pub(crate) const RUN: &str = "run";
    /// The size of the file in bytes; only for the file.
    pub(crate) const BYTES: &str = "bytes";
    /// The modification time of the file in nanoseconds; only for the file.
    pub(crate) const MODIFIED: &str = "modified";
}

/// The index fields.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IndexFields {
    pub(crate) doc: Field,
    pub(crate) tree: Field,
    pub(crate) title: Field,
    pub(crate) breadcrumb: Field,
    pub(crate) body: Field,
    /// The path, tags and description. This index field and the next seven are set only for the
    /// file.
    pub(crate) about: Field,
    pub(crate) path: Field,
    /// The file name, or the directory name for `index` and `README` files.
    pub(crate) name: Field,
    /// The title and the file name, each as one term.
    pub(crate) key: Field,
    pub(crate) tag: Field,
    pub(crate) metadata: Field,
    pub(crate) source: Field,
    pub(crate) outline: Field,
    pub(crate) ordinal: Field,
    pub(crate) parent: Field,
    pub(crate) subtree_end: Field,
    pub(crate) tokens: Field,
    pub(crate) subtree_tokens: Field,
    pub(crate) run: Field,
    pub(crate) bytes: Field,
    pub(crate) modified: Field,
}

impl IndexFields {
    /// Returns the index fields that nodes are ranked by, in the order used by the ranker.
    pub(crate) fn ranked(&self) -> [Field; 3] {
        [self.title, self.breadcrumb, self.body]
    }
}

/// Returns the schema and its index fields.
pub(crate) fn schema() -> (Schema, IndexFields) {
    let mut schema = Schema::builder();
    let text = |record| {
        let indexing = TextFieldIndexing::default().set_tokenizer(ANALYZER);
        let norms = record != IndexRecordOption::Basic;
        let indexing = indexing.set_index_option(record).set_fieldnorms(norms);
        TextOptions::default().set_indexing_options(indexing)
    };
    let positions = || text(IndexRecordOption::WithFreqsAndPositions);
    let fields = IndexFields {
        doc: schema.add_text_field(column::DOC, STRING | FAST),
        tree: schema.add_text_field("tree", STRING),
        title: schema.add_text_field("title", positions()),
        breadcrumb: schema.add_text_field("breadcrumb", positions()),
        body: schema.add_text_field("body", positions()),
        about: schema.add_text_field("about", text(IndexRecordOption::WithFreqs)),
        path: schema.add_text_field("path", positions()),
        name: schema.add_text_field("name", text(IndexRecordOption::WithFreqs)),
        key: schema.add_text_field("key", STRING),
        tag: schema.add_text_field("tag", positions()),
        metadata: schema.add_text_field(column::METADATA, TextOptions::default().set_fast("raw")),
        source: schema.add_text_field("source", STORED),
        outline: schema.add_text_field("outline", STORED),
        ordinal: schema.add_u64_field(column::ORDINAL, FAST),
        parent: schema.add_u64_field(column::PARENT, FAST),
        subtree_end: schema.add_u64_field(column::SUBTREE_END, FAST),
        tokens: schema.add_u64_field(column::TOKENS, FAST),
        subtree_tokens: schema.add_u64_field(column::SUBTREE_TOKENS, FAST),
        run: schema.add_u64_field(column::RUN, FAST),
        bytes: schema.add_u64_field(column::BYTES, FAST),
        modified: schema.add_u64_field(column::MODIFIED, FAST),
    };
    (schema.build(), fields)
}
