//! The fields of the index.
//!
//! A file is a run of documents of the engine that stays together: its nodes in reading order, the
//! file itself first, then the parts of large nodes. Each knows its place in the run, so that from
//! any of them all others can be reached. The text and the outline of a file are kept once, with
//! its first node.

use tantivy::schema::{
    FAST, Field, IndexRecordOption, STORED, STRING, Schema, TextFieldIndexing, TextOptions,
};

/// The name under which the engine knows our analyzer.
pub(crate) const ANALYZER: &str = "chunkwright";

/// Changes whenever an index of an older version cannot be read, or would be made otherwise.
pub(crate) const VERSION: u32 = 3;

/// The names of numbers that are read for many hits at once.
pub(crate) mod column {
    /// The id of the file.
    pub(crate) const DOC: &str = "doc";
    /// Front matter, as JSON.
    pub(crate) const METADATA: &str = "metadata";
    /// The place in the run of the file.
    pub(crate) const ORDINAL: &str = "ordinal";
    /// The place of the parent; of a part, its node; of the file, itself.
    pub(crate) const PARENT: &str = "parent";
    /// One past the last node below; 0 for a part.
    pub(crate) const SUBTREE_END: &str = "subtree_end";
    /// Tokens of the own text.
    pub(crate) const TOKENS: &str = "tokens";
    /// Tokens with all below.
    pub(crate) const TREE_TOKENS: &str = "tree_tokens";
    /// How long the run is; only with the file.
    pub(crate) const RUN: &str = "run";
    /// Bytes of the file; only with the file.
    pub(crate) const BYTES: &str = "bytes";
    /// When the file was changed, in nanoseconds; only with the file.
    pub(crate) const MODIFIED: &str = "modified";
}

/// The fields of the index.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fields {
    pub(crate) doc: Field,
    pub(crate) tree: Field,
    pub(crate) title: Field,
    pub(crate) breadcrumb: Field,
    pub(crate) body: Field,
    /// The path, tags and description; this one and the next seven only with the file.
    pub(crate) about: Field,
    pub(crate) path: Field,
    /// The file name, or the directory of an `index` or a `README`.
    pub(crate) name: Field,
    /// The title and the name, each as one term.
    pub(crate) key: Field,
    pub(crate) tag: Field,
    pub(crate) metadata: Field,
    pub(crate) source: Field,
    pub(crate) outline: Field,
    pub(crate) ordinal: Field,
    pub(crate) parent: Field,
    pub(crate) subtree_end: Field,
    pub(crate) tokens: Field,
    pub(crate) tree_tokens: Field,
    pub(crate) run: Field,
    pub(crate) bytes: Field,
    pub(crate) modified: Field,
}

impl Fields {
    /// The fields that nodes are ranked by, in the order of their slots.
    pub(crate) fn ranked(&self) -> [Field; 3] {
        [self.title, self.breadcrumb, self.body]
    }
}

/// The schema, and the fields in it.
pub(crate) fn schema() -> (Schema, Fields) {
    let mut schema = Schema::builder();
    let text = |record| {
        let indexing = TextFieldIndexing::default().set_tokenizer(ANALYZER);
        let norms = record != IndexRecordOption::Basic;
        let indexing = indexing.set_index_option(record).set_fieldnorms(norms);
        TextOptions::default().set_indexing_options(indexing)
    };
    let positions = || text(IndexRecordOption::WithFreqsAndPositions);
    let fields = Fields {
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
        tree_tokens: schema.add_u64_field(column::TREE_TOKENS, FAST),
        run: schema.add_u64_field(column::RUN, FAST),
        bytes: schema.add_u64_field(column::BYTES, FAST),
        modified: schema.add_u64_field(column::MODIFIED, FAST),
    };
    (schema.build(), fields)
}
