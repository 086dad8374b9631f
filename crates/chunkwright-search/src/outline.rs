//! What the index keeps of a file: its text comes in, its nodes and parts go out.

use std::sync::Arc;

use chunkwright::{
    Chunker, Config, ConfigError, Context, Hierarchical, Metadata, O200k, Source, TextKind,
    TokenCounter, Value,
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
    /// The tokens of its own text, as results show it.
    pub(crate) tokens: usize,
    /// The tokens with all below it, as results show it.
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
    /// Its tokens, as results show it.
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

/// How the structure of files is read, how large sections are split, and how files are that have
/// hardly any headings.
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

/// Makes outlines.
pub(crate) struct Outliner {
    tree: Chunker,
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
        let [tree, parts, headless_parts] = configs(indexing)
            .map(|config| Chunker::with_shared_counter(config, Arc::clone(counter)));
        Ok(Self {
            tree: tree?,
            parts: parts?,
            headless_parts: headless_parts?,
            counter: Arc::clone(counter),
            indexing: indexing.clone(),
        })
    }

    pub(crate) fn outline(&self, source: &Source<'_>) -> (Outline, About) {
        let document = self.tree.read(source);
        let tree = self.tree.outline(&document);
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
                tokens: 0,
                tree_tokens: 0,
            });
        }
        self.count(source.text, &mut nodes);
        let parts = self.parts(source, &tree, &nodes);
        let about = About::of(document.metadata());
        let outline = Outline { hash: hash(source.text), url: tree.url, nodes, parts };
        (outline, about)
    }

    /// Counts the own text of each node, and with all below it. A subtree is a sum of own texts where
    /// the counter vouches for every place between two of them, and is counted as a whole elsewhere.
    fn count(&self, source: &str, nodes: &mut [Node]) {
        let starts = nodes.iter().skip(1).map(|node| node.start);
        let ends: Vec<usize> = starts.chain(nodes.last().map(|last| last.end)).collect();
        let counts: Vec<Counted> =
            nodes.iter().zip(&ends).map(|(node, &end)| self.counted(source, node, end)).collect();
        let adds = |node: &Node| self.counter.adds_at(source, node.start);
        for place in 0..nodes.len() {
            let last = nodes[place].subtree_end - 1;
            // A bare heading at the end is in the text, but no node.
            let is_tiled = source[nodes[last].own_end..nodes[place].end].trim().is_empty();
            let tree_tokens = match is_tiled && nodes[place + 1..=last].iter().all(adds) {
                true => {
                    let before = counts[place..last].iter().map(|counted| counted.whole);
                    before.sum::<usize>() + counts[last].shown
                }
                false => self.tokens(shown(&source[nodes[place].start..nodes[place].end])),
            };
            nodes[place].tokens = counts[place].shown;
            nodes[place].tree_tokens = tree_tokens;
        }
    }

    /// Counts the text of a node up to the next one, and what results show of it.
    fn counted(&self, source: &str, node: &Node, end: usize) -> Counted {
        let kept = source[node.start..end].trim_start_matches(LINE_ENDS);
        let text = shown(&source[node.start..node.own_end]);
        let last_line = text.rfind(LINE_ENDS).map_or(0, |at| at + 1);
        if kept.trim_end() != text || !self.counter.adds_at(kept, last_line) {
            return Counted { whole: self.tokens(kept), shown: self.tokens(text) };
        }
        // Both begin alike: that is counted once.
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
        tree: &chunkwright::Outline<'_>,
        nodes: &[Node],
    ) -> Vec<Part> {
        let is_headless = self.indexing.is_headless(nodes.len() - 1, nodes[0].tree_tokens);
        let (limit, chunker) = match is_headless {
            true => (self.indexing.headless_part_tokens, &self.headless_parts),
            false => (self.indexing.part_tokens, &self.parts),
        };
        let mut parts = Vec::new();
        for (place, node) in nodes.iter().enumerate().filter(|(_, node)| node.tokens > limit) {
            let Some(body) = tree.nodes[place].body else { continue };
            let mut own = *source;
            own.text = body.of(source.text);
            let chunks = chunker.chunk_source(&own).chunks;
            if chunks.len() < 2 {
                continue;
            }
            for (nth, chunk) in chunks.iter().enumerate() {
                // The heading goes with the first part.
                let start = if nth == 0 { node.start } else { body.start + chunk.span.start };
                let end = body.start + chunk.span.end;
                let tokens = self.tokens(shown(&source.text[start..end]));
                parts.push(Part { node: place, number: nth + 1, start, end, tokens });
            }
        }
        parts
    }
}

/// The tokens of a text, with the white space at its end and without.
struct Counted {
    whole: usize,
    shown: usize,
}

pub(crate) const LINE_ENDS: [char; 2] = ['\n', '\r'];

/// A text as results show it: without blank lines around it.
pub(crate) fn shown(text: &str) -> &str {
    text.trim_start_matches(LINE_ENDS).trim_end()
}

/// The exact number of tokens.
pub(crate) fn tokens(counter: &dyn TokenCounter, text: &str) -> usize {
    counter.scale().tokens(counter.count(text, TextKind::Prose))
}

/// The counter of all results.
pub(crate) fn counter() -> Arc<dyn TokenCounter> {
    Arc::new(O200k)
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

    #[test]
    fn tokens_are_those_of_the_text_that_results_show() {
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
                assert_eq!(node.tree_tokens, count(node.start, node.end), "{:?}", node.title);
            }
            for part in &outline.parts {
                assert_eq!(part.tokens, count(part.start, part.end));
            }
        }
    }
}
