//! What the index keeps of a file: its text comes in, its nodes and parts go out.

use std::sync::Arc;

use chunkwright::{
    Bias, Chunker, Config, ConfigError, Context, Metadata, Source, TokenCounter, Tree, Value,
};
use serde::{Deserialize, Serialize};

use crate::options::Indexing;

/// A file with its structure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Outline {
    /// The hash of its text.
    pub(crate) hash: String,
    /// Where it is published.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) url: Option<String>,
    /// Its nodes in reading order, the document first.
    pub(crate) nodes: Vec<Node>,
    /// The parts of its large nodes, in reading order.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub(crate) parts: Vec<Part>,
}

/// A heading, or the document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Node {
    /// Its slug; empty for the document.
    pub(crate) slug: Arc<str>,
    /// The text of its heading, or the document's title.
    pub(crate) title: Arc<str>,
    /// The document's title, then the headings that lead here, its own last.
    pub(crate) breadcrumb: Vec<Arc<str>>,
    /// The place of its parent; none for the document.
    pub(crate) parent: Option<usize>,
    /// One past the last node below it.
    pub(crate) subtree_end: usize,
    /// The level of its heading, 0 for the document.
    pub(crate) depth: u8,
    /// Where its heading line starts; for the document, where what is not front matter does.
    pub(crate) start: usize,
    /// Where its body starts.
    pub(crate) body_start: usize,
    /// Where its own text ends.
    pub(crate) own_end: usize,
    /// Where all below it ends.
    pub(crate) end: usize,
    /// The tokens of its own text.
    pub(crate) tokens: usize,
    /// The tokens with all below it.
    pub(crate) tree_tokens: usize,
}

/// A part of a node that is too large to be looked at as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Part {
    /// The place of its node.
    pub(crate) node: usize,
    /// Which part of its node it is, from 1.
    pub(crate) number: usize,
    /// Its first byte.
    pub(crate) start: usize,
    /// One past its last byte.
    pub(crate) end: usize,
    /// Its tokens.
    pub(crate) tokens: usize,
}

impl Outline {
    /// The parts of a node.
    pub(crate) fn parts_of(&self, node: usize) -> impl Iterator<Item = &Part> {
        self.parts.iter().filter(move |part| part.node == node)
    }
}

/// Front matter that is looked at.
#[derive(Debug, Default)]
pub(crate) struct About {
    pub(crate) tags: Vec<String>,
    pub(crate) description: Option<String>,
    /// As JSON.
    pub(crate) metadata: Option<String>,
}

impl About {
    fn of(metadata: Option<&Metadata>) -> Self {
        let Some(metadata) = metadata.filter(|metadata| !metadata.is_empty()) else {
            return Self::default();
        };
        let named = ["tags", "tag", "keywords", "categories"].iter();
        let tags = named.filter_map(|name| metadata.get(name)).flat_map(texts).collect();
        let description = metadata.get("description").and_then(Value::as_text).map(str::to_owned);
        Self { tags, description, metadata: serde_json::to_string(metadata).ok() }
    }
}

fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::Text(text) => vec![text.clone()],
        Value::List(values) => values.iter().flat_map(texts).collect(),
        _ => Vec::new(),
    }
}

/// Makes outlines.
pub(crate) struct Outliner {
    tree: Chunker,
    parts: Chunker,
    headless_parts: Chunker,
    indexing: Indexing,
}

impl Outliner {
    pub(crate) fn new(
        indexing: &Indexing,
        counter: &Arc<dyn TokenCounter>,
    ) -> Result<Self, ConfigError> {
        let chunker = |target: Option<usize>| {
            let mut config = Config::default();
            (config.mdx, config.slugs) = (indexing.mdx, indexing.slugs);
            config.shortcodes.clone_from(&indexing.shortcodes);
            config.url_base.clone_from(&indexing.url_base);
            config.context = Some(Context::None);
            config.hierarchical.target = target;
            config.hierarchical.max = target;
            Chunker::new(config, Arc::clone(counter))
        };
        Ok(Self {
            tree: chunker(None)?,
            parts: chunker(Some(indexing.part_tokens))?,
            headless_parts: chunker(Some(indexing.headless_part_tokens))?,
            indexing: indexing.clone(),
        })
    }

    /// What decides about the structure of files.
    pub(crate) fn config_hash(&self) -> String {
        let chunkers = [&self.tree, &self.parts, &self.headless_parts];
        chunkers.map(Chunker::config_hash).join(" ")
    }

    pub(crate) fn outline(&self, source: &Source<'_>) -> (Outline, About) {
        let document = self.tree.read(source);
        let tree = self.tree.tree_of(source, &document);
        let measures = self.tree.measure(&document);
        let mut nodes: Vec<Node> = Vec::with_capacity(tree.nodes.len());
        for (place, node) in tree.nodes.iter().enumerate() {
            let first_child = tree.children(place).next().map(|child| tree.nodes[child].span.start);
            let own_end = node.body.map(|body| body.end).or(first_child).unwrap_or(node.span.end);
            let is_document = node.parent.is_none();
            let shown = node.body.map(|body| body.start).or(first_child);
            nodes.push(Node {
                slug: node.slug.clone(),
                title: node.title.clone(),
                breadcrumb: node.breadcrumb.clone(),
                parent: node.parent,
                subtree_end: node.subtree_end,
                depth: node.depth,
                start: shown.filter(|_| is_document).unwrap_or(node.span.start),
                body_start: node.body.map_or(own_end, |body| body.start),
                own_end,
                end: node.span.end,
                tokens: measures.sections[place],
                tree_tokens: measures.subtrees[place],
            });
        }
        let parts = self.parts(source, &tree, &nodes);
        let about = About::of(document.metadata.as_deref());
        let outline = Outline { hash: hash(source.text), url: tree.url, nodes, parts };
        (outline, about)
    }

    fn parts(&self, source: &Source<'_>, tree: &Tree<'_>, nodes: &[Node]) -> Vec<Part> {
        let is_headless = self.indexing.is_headless(nodes.len() - 1, nodes[0].tree_tokens);
        let (limit, chunker) = match is_headless {
            true => (self.indexing.headless_part_tokens, &self.headless_parts),
            false => (self.indexing.part_tokens, &self.parts),
        };
        let mut parts = Vec::new();
        for (place, node) in nodes.iter().enumerate().filter(|(_, node)| node.tokens > limit) {
            let Some(body) = tree.nodes[place].body else { continue };
            let text = Source { text: body.of(source.text), ..*source };
            let chunks = chunker.chunk(&text).chunks;
            if chunks.len() < 2 {
                continue;
            }
            for (nth, chunk) in chunks.iter().enumerate() {
                // The heading goes with the first part.
                let start = if nth == 0 { node.start } else { body.start + chunk.span.start };
                let end = body.start + chunk.span.end;
                parts.push(Part { node: place, number: nth + 1, start, end, tokens: chunk.tokens });
            }
        }
        parts
    }
}

/// The counter of all results.
pub(crate) fn counter() -> Arc<dyn TokenCounter> {
    chunkwright_tokens::counter("o200k", Bias::default()).expect("it needs no file")
}

/// The first 16 bytes of the BLAKE3 hash of a text, in hexadecimal.
pub(crate) fn hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex()[..32].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outline(path: &str, text: &str, indexing: &Indexing) -> Outline {
        let outliner = Outliner::new(indexing, &counter()).unwrap();
        outliner.outline(&Source::new(path, text)).0
    }

    #[test]
    fn own_texts_tile_what_is_not_front_matter() {
        let text = "---\ntitle: T\n---\nIntro\n\n# A\n\n## B\n\nb\n\n# C\n\nc\n";
        let outline = outline("x.md", text, &Indexing::default());
        let own: Vec<_> = outline.nodes.iter().map(|n| &text[n.start..n.own_end]).collect();
        assert_eq!(own, ["Intro\n\n", "# A\n\n", "## B\n\nb\n\n", "# C\n\nc\n"]);
        assert_eq!(outline.nodes[0].end, text.len());
    }

    #[test]
    fn a_large_node_has_parts_that_tile_its_own_text() {
        let page = format!("# A\n\n{}\n\n# B\n\nb\n", "Some words in a row.\n\n".repeat(60));
        let indexing = Indexing { part_tokens: 100, ..Indexing::default() };
        let outline = outline("x.md", &page, &indexing);
        let node = &outline.nodes[1];
        assert!(outline.parts.len() > 2);
        assert_eq!(outline.parts[0].start, node.start);
        assert!(outline.parts.windows(2).all(|pair| pair[0].end == pair[1].start));
        assert!(outline.parts.iter().all(|part| part.node == 1 && part.tokens <= 100));
    }

    #[test]
    fn text_without_headings_is_cut_finer() {
        let text = "Some words in a row.\n\n".repeat(120);
        assert!(outline("x.txt", &text, &Indexing::default()).parts.len() > 1);
        let headed = format!("# A\n\n{text}");
        assert!(outline("x.md", &headed, &Indexing::default()).parts.is_empty());
        let hardly = format!("# A\n\n{}", text.repeat(8));
        let parts = outline("x.md", &hardly, &Indexing::default()).parts;
        assert!(parts.iter().all(|part| part.tokens <= 400), "one heading is as good as none");
    }
}
