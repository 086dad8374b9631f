//! Converts a file and its outline to tantivy documents.

use std::collections::BTreeSet;
use std::sync::Arc;

use chunkwright::Source;
use tantivy::TantivyDocument;

use crate::analyze::Analyzer;
use crate::outline::{IndexedFrontMatter, StoredOutline};
use crate::runs::Stamp;
use crate::schema::IndexFields;

/// Returns the tantivy documents of a file: its nodes in reading order, then the parts of large
/// nodes. The first one also stores the file.
pub(crate) fn documents(
    fields: &IndexFields,
    analyzer: &Analyzer,
    source: &Source<'_>,
    outline: &StoredOutline,
    about: &IndexedFrontMatter,
    stamp: Stamp,
) -> Vec<TantivyDocument> {
    let mut documents = nodes_and_parts(fields, source, outline);
    let run = documents.len() as u64;
    let file = &mut documents[0];
    file.add_u64(fields.run, run);
    file.add_u64(fields.bytes, stamp.bytes);
    file.add_u64(fields.modified, stamp.modified);
    file.add_text(fields.path, source.path);
    let name = name(source.path);
    file.add_text(fields.name, name);
    for text in [&*outline.nodes[0].title, name] {
        analyzer.key(text).iter().for_each(|key| file.add_text(fields.key, key));
    }
    about.tags.iter().for_each(|tag| file.add_text(fields.tag, tag));
    file.add_text(fields.about, source.path);
    about.tags.iter().chain(&about.description).for_each(|text| file.add_text(fields.about, text));
    if let Some(metadata) = &about.metadata {
        file.add_text(fields.metadata, metadata);
    }
    file.add_text(fields.source, source.text);
    let outline = serde_json::to_string(outline).expect("an outline serializes to JSON");
    file.add_text(fields.outline, outline);
    documents
}

fn nodes_and_parts(
    fields: &IndexFields,
    source: &Source<'_>,
    outline: &StoredOutline,
) -> Vec<TantivyDocument> {
    let id = format!("{}:{}", source.tree, source.path);
    let shared = |title: &str, breadcrumb: &[Arc<str>]| {
        let mut document = TantivyDocument::new();
        document.add_text(fields.doc, &id);
        document.add_text(fields.tree, source.tree);
        document.add_text(fields.title, title);
        breadcrumb.iter().for_each(|title| document.add_text(fields.breadcrumb, title));
        document
    };
    let mut documents = Vec::with_capacity(outline.nodes.len() + outline.parts.len());
    let divided: BTreeSet<usize> = outline.parts.iter().map(|part| part.node).collect();
    for (place, node) in outline.nodes.iter().enumerate() {
        let mut document = shared(&node.title, &node.breadcrumb);
        if !divided.contains(&place) {
            document.add_text(fields.body, &source.text[node.body_start..node.own_end]);
        }
        document.add_u64(fields.ordinal, place as u64);
        document.add_u64(fields.parent, node.parent.unwrap_or(0) as u64);
        document.add_u64(fields.subtree_end, node.subtree_end as u64);
        document.add_u64(fields.tokens, node.tokens as u64);
        document.add_u64(fields.subtree_tokens, node.subtree_tokens as u64);
        documents.push(document);
    }
    for (place, part) in outline.parts.iter().enumerate() {
        let node = &outline.nodes[part.node];
        let mut document = shared(&node.title, &node.breadcrumb);
        document.add_text(fields.body, &source.text[part.start.max(node.body_start)..part.end]);
        document.add_u64(fields.ordinal, (outline.nodes.len() + place) as u64);
        document.add_u64(fields.parent, part.node as u64);
        document.add_u64(fields.subtree_end, 0);
        document.add_u64(fields.tokens, part.tokens as u64);
        document.add_u64(fields.subtree_tokens, part.tokens as u64);
        documents.push(document);
    }
    documents
}

/// Returns the file name without its extension, or the directory name for `index` and `README`
/// files.
fn name(path: &str) -> &str {
    let (directory, file) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let says_nothing = ["index", "_index", "readme"].iter().any(|n| stem.eq_ignore_ascii_case(n));
    match directory.rsplit('/').next() {
        Some(parent) if says_nothing && !parent.is_empty() => parent,
        _ => stem,
    }
}

#[cfg(test)]
mod tests {
    use super::name;

    #[test]
    fn names_index_files_after_their_directory() {
        let names =
            ["a/b.md", "pods/_index.md", "guide/cors/index.md", "README.md", "x", "v1.2.md"];
        assert_eq!(names.map(name), ["b", "pods", "cors", "README", "x", "v1.2"]);
    }
}
