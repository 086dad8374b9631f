//! Builds the outline of a file: its nodes, and the parts of large nodes.

use std::sync::Arc;

use chunkwright::{
    Chunker, Config, ConfigError, Context, Hierarchical, Metadata, O200k, Source, TextKind,
    TokenCounter, Value,
};
use chunkwright_config::Indexing;
use serde::{Deserialize, Serialize};

/// The outline of a file, as stored in the index.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct StoredOutline {
    /// The hash of the text.
    pub(crate) hash: String,
    /// The URL of the published document.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) url: Option<String>,
    /// The nodes in reading order, starting with the document.
    pub(crate) nodes: Vec<StoredNode>,
    /// The parts of large nodes, in reading order.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub(crate) parts: Vec<Part>,
}

/// A heading, or the document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StoredNode {
    /// The slug of the heading; empty for the document.
    pub(crate) slug: Arc<str>,
    /// The text of the heading, or the document's title.
    pub(crate) title: Arc<str>,
    /// The document's title, followed by the heading path, which includes the node's own heading.
    pub(crate) breadcrumb: Vec<Arc<str>>,
    /// The index of the parent; `None` for the document.
    pub(crate) parent: Option<usize>,
    /// The index after the last descendant.
    pub(crate) subtree_end: usize,
    /// The level of the heading, 0 for the document.
    pub(crate) depth: u8,
    /// The offset of the heading line; for the document, of the text after the front matter.
    pub(crate) start: usize,
    /// The offset of the body.
    pub(crate) body_start: usize,
    /// The offset of the end of the node's own text.
    pub(crate) own_end: usize,
    /// The offset of the end of the last descendant.
    pub(crate) end: usize,
    /// The tokens of the node's own text, as shown in results.
    pub(crate) tokens: usize,
    /// The tokens of the node with its descendants, as shown in results. Existing indexes store them
    /// as `tree_tokens`.
    #[serde(rename = "tree_tokens")]
    pub(crate) subtree_tokens: usize,
}

/// A part of a large node, which is indexed and ranked separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Part {
    /// The index of the node.
    pub(crate) node: usize,
    /// The number of the part in its node, from 1.
    pub(crate) number: usize,
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// The tokens of the part, as shown in results.
    pub(crate) tokens: usize,
}

impl StoredOutline {
    /// Iterates over the parts of a node.
    pub(crate) fn parts_of(&self, node: usize) -> impl Iterator<Item = &Part> {
        self.parts.iter().filter(move |part| part.node == node)
    }
}

/// The front matter that is indexed.
#[derive(Debug, Default)]
pub(crate) struct IndexedFrontMatter {
    pub(crate) tags: Vec<String>,
    pub(crate) description: Option<String>,
    /// All of the front matter, as JSON.
    pub(crate) metadata: Option<String>,
}

impl IndexedFrontMatter {
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

/// Returns the configurations that read the outline, split large sections, and split the sections
/// of files with few or no headings.
pub(crate) fn configs(indexing: &Indexing) -> [Config; 3] {
    let limited = |tokens| Hierarchical::default().target(tokens).max(tokens);
    let strategies = [
        Hierarchical::default(),
        limited(indexing.part_tokens),
        limited(indexing.headless_part_tokens),
    ];
    strategies.map(|strategy| {
        let mut config = Config::from(strategy);
        (config.mdx, config.slugs) = (indexing.mdx, indexing.slugs);
        config.shortcodes.clone_from(&indexing.shortcodes);
        config.url_base.clone_from(&indexing.url_base);
        config.context = Some(Context::None);
        config
    })
}

/// Builds outlines.
pub(crate) struct Outliner {
    reader: Chunker,
    parts: Chunker,
    headless_parts: Chunker,
    counter: Arc<dyn TokenCounter>,
    indexing: Indexing,
}

impl Outliner {
    pub(crate) fn new(
        indexing: &Indexing,
        counter: &Arc<dyn TokenCounter>,
    ) -> Result<Self, ConfigError> {
        let [reader, parts, headless_parts] = configs(indexing)
            .map(|config| Chunker::with_shared_counter(config, Arc::clone(counter)));
        Ok(Self {
            reader: reader?,
            parts: parts?,
            headless_parts: headless_parts?,
            counter: Arc::clone(counter),
            indexing: indexing.clone(),
        })
    }

    pub(crate) fn outline(&self, source: &Source<'_>) -> (StoredOutline, IndexedFrontMatter) {
        let document = self.reader.read(source);
        let outline = self.reader.outline(&document);
        let mut nodes: Vec<StoredNode> = Vec::with_capacity(outline.nodes.len());
        for (place, node) in outline.nodes.iter().enumerate() {
            let first_child =
                outline.children(place).next().map(|child| outline.nodes[child].span.start);
            let own_end = node.body.map(|body| body.end).or(first_child).unwrap_or(node.span.end);
            let is_document = node.parent.is_none();
            let shown = node.body.map(|body| body.start).or(first_child);
            nodes.push(StoredNode {
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
                tokens: 0,
                subtree_tokens: 0,
            });
        }
        self.count(source.text, &mut nodes);
        let parts = self.parts(source, &outline, &nodes);
        let about = IndexedFrontMatter::of(document.metadata());
        let stored = StoredOutline { hash: hash(source.text), url: outline.url, nodes, parts };
        (stored, about)
    }

    /// Counts the tokens of each node, alone and with its descendants.
    ///
    /// The count of a subtree is the sum of its nodes if the counter guarantees that counts are
    /// additive at every boundary between them. If not, its text is counted again.
    fn count(&self, source: &str, nodes: &mut [StoredNode]) {
        let starts = nodes.iter().skip(1).map(|node| node.start);
        let ends: Vec<usize> = starts.chain(nodes.last().map(|last| last.end)).collect();
        let counts: Vec<Counted> =
            nodes.iter().zip(&ends).map(|(node, &end)| self.counted(source, node, end)).collect();
        let adds = |node: &StoredNode| self.counter.adds_at(source, node.start);
        for place in 0..nodes.len() {
            let last = nodes[place].subtree_end - 1;
            // A heading without content at the end is part of the text, but not a node.
            let is_tiled = source[nodes[last].own_end..nodes[place].end].trim().is_empty();
            let subtree_tokens = match is_tiled && nodes[place + 1..=last].iter().all(adds) {
                true => {
                    let before = counts[place..last].iter().map(|counted| counted.whole);
                    before.sum::<usize>() + counts[last].shown
                }
                false => self.tokens(shown(&source[nodes[place].start..nodes[place].end])),
            };
            nodes[place].tokens = counts[place].shown;
            nodes[place].subtree_tokens = subtree_tokens;
        }
    }

    /// Counts the text of a node up to the next one, with and without trailing white space.
    fn counted(&self, source: &str, node: &StoredNode, end: usize) -> Counted {
        let kept = source[node.start..end].trim_start_matches(LINE_ENDS);
        let text = shown(&source[node.start..node.own_end]);
        let last_line = text.rfind(LINE_ENDS).map_or(0, |at| at + 1);
        if kept.trim_end() != text || !self.counter.adds_at(kept, last_line) {
            return Counted { whole: self.tokens(kept), shown: self.tokens(text) };
        }
        // Both texts differ only in their last lines, so count the rest once.
        let before = self.tokens(&kept[..last_line]);
        Counted {
            whole: before + self.tokens(&kept[last_line..]),
            shown: before + self.tokens(&text[last_line..]),
        }
    }

    fn tokens(&self, text: &str) -> usize {
        tokens(&*self.counter, text)
    }

    fn parts(
        &self,
        source: &Source<'_>,
        outline: &chunkwright::Outline<'_>,
        nodes: &[StoredNode],
    ) -> Vec<Part> {
        let is_headless = is_headless(&self.indexing, nodes.len() - 1, nodes[0].subtree_tokens);
        let (limit, chunker) = match is_headless {
            true => (self.indexing.headless_part_tokens, &self.headless_parts),
            false => (self.indexing.part_tokens, &self.parts),
        };
        let mut parts = Vec::new();
        for (place, node) in nodes.iter().enumerate().filter(|(_, node)| node.tokens > limit) {
            let Some(body) = outline.nodes[place].body else { continue };
            let mut own = *source;
            own.text = body.of(source.text);
            let chunks = chunker.chunk_source(&own).chunks;
            if chunks.len() < 2 {
                continue;
            }
            for (nth, chunk) in chunks.iter().enumerate() {
                // The first part includes the heading.
                let start = if nth == 0 { node.start } else { body.start + chunk.span.start };
                let end = body.start + chunk.span.end;
                let tokens = self.tokens(shown(&source.text[start..end]));
                parts.push(Part { node: place, number: nth + 1, start, end, tokens });
            }
        }
        parts
    }
}

/// The tokens of a text with (`whole`) and without (`shown`) trailing white space.
struct Counted {
    whole: usize,
    shown: usize,
}

pub(crate) const LINE_ENDS: [char; 2] = ['\n', '\r'];

/// Returns a text as results show it, without surrounding blank lines.
pub(crate) fn shown(text: &str) -> &str {
    text.trim_start_matches(LINE_ENDS).trim_end()
}

/// Counts the tokens of a text.
pub(crate) fn tokens(counter: &dyn TokenCounter, text: &str) -> usize {
    counter.scale().tokens(counter.count(text, TextKind::Prose))
}

/// Returns the counter for all token counts of the index.
pub(crate) fn counter() -> Arc<dyn TokenCounter> {
    Arc::new(O200k)
}

/// Returns the first 16 bytes of the BLAKE3 hash of a text, in hexadecimal.
pub(crate) fn hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex()[..32].to_owned()
}

/// Returns whether a document has too few headings to locate text by: none, or fewer than one per
/// two parts.
pub(crate) fn is_headless(indexing: &Indexing, headings: usize, tokens: usize) -> bool {
    headings == 0 || tokens / headings > 2 * indexing.part_tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outline(path: &str, text: &str, indexing: &Indexing) -> StoredOutline {
        let outliner = Outliner::new(indexing, &counter()).unwrap();
        outliner.outline(&Source::new(path, text)).0
    }

    #[test]
    fn own_texts_tile_the_text_after_front_matter() {
        let text = "---\ntitle: T\n---\nIntro\n\n# A\n\n## B\n\nb\n\n# C\n\nc\n";
        let outline = outline("x.md", text, &Indexing::default());
        let own: Vec<_> = outline.nodes.iter().map(|n| &text[n.start..n.own_end]).collect();
        assert_eq!(own, ["Intro\n\n", "# A\n\n", "## B\n\nb\n\n", "# C\n\nc\n"]);
        assert_eq!(outline.nodes[0].end, text.len());
    }

    #[test]
    fn parts_tile_the_own_text_of_a_large_node() {
        let page = format!("# A\n\n{}\n\n# B\n\nb\n", "Some words in a row.\n\n".repeat(60));
        let mut indexing = Indexing::default();
        indexing.part_tokens = 100;
        let outline = outline("x.md", &page, &indexing);
        let node = &outline.nodes[1];
        assert!(outline.parts.len() > 2);
        assert_eq!(outline.parts[0].start, node.start);
        assert!(outline.parts.windows(2).all(|pair| pair[0].end == pair[1].start));
        assert!(outline.parts.iter().all(|part| part.node == 1 && part.tokens <= 100));
    }

    #[test]
    fn text_without_headings_has_smaller_parts() {
        let text = "Some words in a row.\n\n".repeat(120);
        assert!(outline("x.txt", &text, &Indexing::default()).parts.len() > 1);
        let headed = format!("# A\n\n{text}");
        assert!(outline("x.md", &headed, &Indexing::default()).parts.is_empty());
        let hardly = format!("# A\n\n{}", text.repeat(8));
        let parts = outline("x.md", &hardly, &Indexing::default()).parts;
        assert!(parts.iter().all(|part| part.tokens <= 400), "one heading is too few");
    }

    #[test]
    fn token_counts_match_the_text_shown_in_results() {
        let long = "A sentence about nothing in particular.\n\n".repeat(300);
        for text in [
            "",
            "\n\n",
            "No heading.\n\n\n",
            "Before.\n\n# A\n\n## B\n\n\nText.  \n\n\t\n## C\nEnd",
            "# A\r\n\r\nText.\r\n\r\n## B\r\n\r\nMore.\r\n",
            "# A\n\nText.\n\n/usr/bin\n========\n\nText.\n",
            "---\ntitle: T\n---\n\n\n# A\n\n    code\n\n## B",
            &format!("# A\n\n{long}\n## B\n\nEnd.\n"),
        ] {
            let outline = outline("a.md", text, &Indexing::default());
            let count =
                |start: usize, end: usize| tokens(&*counter(), shown(&text[start..end.max(start)]));
            for node in &outline.nodes {
                assert_eq!(node.tokens, count(node.start, node.own_end), "{:?}", node.title);
                assert_eq!(node.subtree_tokens, count(node.start, node.end), "{:?}", node.title);
            }
            for part in &outline.parts {
                assert_eq!(part.tokens, count(part.start, part.end));
            }
        }
    }
}
