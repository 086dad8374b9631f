//! The outline of a document: every section as a node, with or without a body.

use std::sync::Arc;

use crate::context::Crumbs;
use crate::document::Document;
use crate::identity::Identity;
use crate::ids::{BlockId, SectionId};
use crate::span::{Span, without_leading_blank_lines};

/// A node of an [`Outline`]: the document, or a heading with content below it.
///
/// ```
/// use chunkwright::{Chunker, Hierarchical, Source, Words};
///
/// let chunker = Chunker::new(Hierarchical::default(), Words::default())?;
/// let text = "# Tea\n\n## Green\n\nWait.\n";
/// let document = chunker.read(&Source::new("tea.md", text));
/// let node = &chunker.outline(&document).nodes[2];
/// assert_eq!((node.id.as_str(), node.body_text(text)), ("docs:tea.md#green", "Wait."));
/// # Ok::<(), chunkwright::ConfigError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Node {
    /// `{tree}:{path}` for the document, `{tree}:{path}#{slug}` for a heading.
    pub id: String,
    /// The index of its parent, or `None` for the document.
    pub parent: Option<usize>,
    /// One past the index of its last descendant.
    pub subtree_end: usize,
    /// The level of its heading, or 0 for the document.
    pub depth: u8,
    /// The text of its heading, or the document's title.
    pub title: Arc<str>,
    /// The slug of its heading, empty for the document.
    pub slug: Arc<str>,
    /// The document's title, then the path of headings down to its own.
    pub breadcrumb: Vec<Arc<str>>,
    /// The span of its heading line, its body and all its descendants.
    pub span: Span,
    /// The span of its own text after the heading line, if it has any.
    pub body: Option<Span>,
}

impl Node {
    /// Returns its own text in the source of the document, without surrounding blank lines.
    pub fn body_text<'s>(&self, source: &'s str) -> &'s str {
        let body = self.body.map_or("", |body| body.of(source));
        without_leading_blank_lines(body).trim_end()
    }
}

/// The outline of a document: all nodes in reading order, the document first.
///
/// ```
/// use chunkwright::{Chunker, Hierarchical, Source, Words};
///
/// let chunker = Chunker::new(Hierarchical::default(), Words::default())?;
/// let source = Source::new("tea.md", "# Tea\n\n## Green\n\nWait.\n");
/// let outline = chunker.outline(&chunker.read(&source));
/// assert_eq!(outline.text(2), "## Green\n\nWait.");
/// assert_eq!(outline.children(1).collect::<Vec<_>>(), [2]);
/// # Ok::<(), chunkwright::ConfigError>(())
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct Outline<'s> {
    source: &'s str,
    /// The URL of the document.
    pub url: Option<String>,
    /// The nodes, in reading order.
    pub nodes: Vec<Node>,
}

impl<'s> Outline<'s> {
    /// Creates the outline of a document whose first shown block is `first`.
    pub(crate) fn new(document: &Document<'s>, identity: &Identity<'_>, first: BlockId) -> Self {
        let crumbs = identity.crumbs(document);
        let nodes =
            document.section_ids().map(|section| node(document, identity, &crumbs, section, first));
        Self { source: document.source, url: identity.url.clone(), nodes: nodes.collect() }
    }

    /// Returns the text of a node and all its descendants, including headings.
    pub fn text(&self, node: usize) -> &'s str {
        self.nodes[node].span.of(self.source).trim_end()
    }

    /// Returns a node's own text, without heading lines.
    pub fn body(&self, node: usize) -> &'s str {
        self.nodes[node].body_text(self.source)
    }

    /// Returns the indices of a node's children.
    pub fn children(&self, node: usize) -> impl Iterator<Item = usize> {
        let end = self.nodes[node].subtree_end;
        let inside = move |child: usize| (child < end).then_some(child);
        std::iter::successors(inside(node + 1), move |&child| inside(self.nodes[child].subtree_end))
    }
}

fn node(
    document: &Document<'_>,
    identity: &Identity<'_>,
    crumbs: &Crumbs,
    section: SectionId,
    first: BlockId,
) -> Node {
    let found = &document[section];
    let heading = document.heading_of(section);
    let all = document.span_of(document.subtree_blocks(section));
    let start = heading.map_or(all.start, |heading| document.heading_span(heading).start);
    let own = document.own_blocks(section).skip_to(first);
    let body = document.body(own);
    Node {
        id: identity.section_id(document, section),
        parent: found.parent,
        subtree_end: found.subtree_end,
        depth: found.level,
        title: heading.map_or(&identity.document_title, |heading| &heading.title).clone(),
        slug: heading.map(|heading| Arc::clone(&heading.slug)).unwrap_or_default(),
        breadcrumb: crumbs.path(document, section),
        span: Span::new(start, all.end),
        body: (!body.is_empty()).then(|| document.body_span(own, body)),
    }
}

#[cfg(test)]
mod tests {
    use crate::{Chunker, Source, Tree, Words};

    fn chunker() -> Chunker {
        Chunker::new(Tree::default(), Words::with_factor(1.0).unwrap()).unwrap()
    }

    const PAGE: &str =
        "Intro\n\n# A\n\n## Empty\n\n## B\n\nb text\n\n### C\n\nc text\n\n# D\n\nd text\n";

    #[test]
    fn every_heading_with_content_in_its_subtree_is_a_node() {
        let chunker = chunker();
        let tree = chunker.outline(&chunker.read(&Source::new("x.md", PAGE)));
        let nodes: Vec<_> = tree.nodes.iter().map(|n| (n.id.as_str(), n.parent, n.depth)).collect();
        let expected = [
            ("docs:x.md", None, 0),
            ("docs:x.md#a", Some(0), 1),
            ("docs:x.md#b", Some(1), 2),
            ("docs:x.md#c", Some(2), 3),
            ("docs:x.md#d", Some(0), 1),
        ];
        assert_eq!(nodes, expected);
        assert_eq!(tree.children(0).collect::<Vec<_>>(), [1, 4]);
    }

    #[test]
    fn returns_the_text_of_a_node_and_its_descendants() {
        let chunker = chunker();
        let tree = chunker.outline(&chunker.read(&Source::new("x.md", PAGE)));
        assert_eq!(tree.text(2), "## B\n\nb text\n\n### C\n\nc text");
        assert_eq!((tree.body(0), tree.body(1), tree.body(2)), ("Intro", "", "b text"));
        assert_eq!(tree.text(0), PAGE.trim_end());
    }

    #[test]
    fn chunks_are_the_nodes_with_a_body() {
        let chunker = chunker();
        let chunks = chunker.chunk("x.md", PAGE).chunks;
        let found: Vec<_> = chunks.iter().map(|c| (c.position, &*c.text)).collect();
        assert_eq!(found, [(0, "Intro"), (2, "b text"), (3, "c text"), (4, "d text")]);
        assert_eq!(chunks[2].breadcrumb.join(" "), "A B C", "the title is not repeated");
    }

    #[test]
    fn an_edit_in_one_section_changes_no_other_chunk() {
        let chunker = chunker();
        let edited = PAGE.replace("b text", "b text, reworded\n\nand longer");
        let before = chunker.chunk("x.md", PAGE).chunks;
        let after = chunker.chunk("x.md", &edited).chunks;
        for (one, other) in before.iter().zip(&after) {
            assert_eq!(one.id, other.id);
            assert_eq!(one.content_hash() == other.content_hash(), &*one.title != "B");
        }
    }
}
