//! Checks parsed documents.

use std::collections::HashSet;
use std::sync::LazyLock;

use chunkwright::{
    BlockKind, Chunker, Config, Document, Format, NoteKind, Shortcuts, Source, counter_by_name,
};

static CHUNKER: LazyLock<Chunker> = LazyLock::new(|| {
    let counter = counter_by_name("chars").expect("the counter exists");
    Chunker::new(Config::default(), counter).expect("the defaults are valid")
});

/// Parses a page, and panics if the result is inconsistent.
pub fn check(page: &str, format: Format) {
    let mut source = Source::new("page.md", page);
    source.format = format;
    let document = CHUNKER.read(&source);
    blocks(&document);
    headings(&document);
    sections(&document);
    nodes(&document);
    shortcuts(&source, &document);
}

fn blocks(document: &Document<'_>) {
    let mut at = 0;
    for block in document.blocks() {
        assert!(block.span.start == at && !block.span.is_empty(), "{:#?}", document.blocks());
        assert!(document.source().is_char_boundary(at));
        at = block.span.end;
    }
    let is_blank = document.source().trim_start_matches('\u{feff}').trim().is_empty();
    assert!(at == document.source().len() || is_blank, "blocks end at {at}");
}

fn headings(document: &Document<'_>) {
    let kinds = document.blocks().iter().enumerate();
    let of_blocks: Vec<_> = kinds
        .filter_map(|(nth, block)| match block.kind {
            BlockKind::Heading(level) => Some((nth, level)),
            _ => None,
        })
        .collect();
    let told: Vec<_> = document.headings().iter().map(|h| (h.block, h.level)).collect();
    assert_eq!(of_blocks, told);
    let slugs: HashSet<_> = document.headings().iter().map(|heading| &heading.slug).collect();
    assert_eq!(slugs.len(), document.headings().len(), "slugs are distinct");
}

fn sections(document: &Document<'_>) {
    let mut end = 0;
    for (nth, section) in document.sections().iter().enumerate() {
        assert_eq!(section.blocks.start, end, "sections tile the blocks");
        end = section.blocks.end;
        assert!(section.subtree_end > nth && section.subtree_end <= document.sections().len());
        assert_eq!(section.parent.is_none(), nth == 0);
        if let Some(parent) = section.parent {
            assert!(parent < nth && document.sections()[parent].level < section.level);
            assert!(section.subtree_end <= document.sections()[parent].subtree_end);
        }
    }
    assert_eq!(end, document.blocks().len());
}

fn nodes(document: &Document<'_>) {
    let tree = CHUNKER.outline(document);
    assert_eq!(tree.nodes.len(), document.sections().len());
    let ids: HashSet<_> = tree.nodes.iter().map(|node| &node.id).collect();
    assert_eq!(ids.len(), tree.nodes.len(), "ids are distinct");
    for (nth, node) in tree.nodes.iter().enumerate() {
        let span = node.body.unwrap_or(node.span);
        assert!(node.span.start <= span.start && span.end <= node.span.end, "{node:?}");
        assert!(tree.text(nth).len() >= tree.body(nth).len());
    }
}

/// Checks that the shortcuts of the parser don't change the result.
fn shortcuts(source: &Source<'_>, document: &Document<'_>) {
    let parsed = CHUNKER.read_with(source, Shortcuts::NONE);
    // If the parser fails, shortcuts limit the damage to a part of the page.
    if parsed.notes().iter().any(|note| note.kind == NoteKind::Parser) {
        return;
    }
    assert_eq!(document.blocks(), parsed.blocks());
    assert_eq!(document.headings(), parsed.headings());
    assert_eq!(document.metadata(), parsed.metadata());
    assert_eq!(document.notes(), parsed.notes());
}

#[cfg(test)]
mod tests {
    use chunkwright::Format;

    #[test]
    fn accepts_a_tab_after_a_closing_fence() {
        super::check("```\n```\t\n#", Format::Markdown);
    }
}
