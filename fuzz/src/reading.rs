//! Checks parsed documents.

use std::collections::HashSet;
use std::panic;
use std::sync::LazyLock;

use chunkwright::{
    BlockKind, Chunker, Config, Document, Format, NoteKind, Source, counter_by_name,
};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

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
    let is_given_up = document.notes().iter().any(|note| note.kind == NoteKind::Parser);
    if format == Format::Markdown && is_plain(page) && !is_given_up {
        same_headings(&document);
    }
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

/// Returns whether a page is free of syntax that the library and the Markdown parser treat
/// differently.
fn is_plain(page: &str) -> bool {
    let ours = ["\u{feff}", "::", "!!!", "???", "===", "{", "$$", "<"];
    let has_lone_returns = page.replace("\r\n", "").contains('\r');
    let has_front_matter = page.starts_with("---") || page.starts_with("+++");
    !has_lone_returns && !has_front_matter && !ours.iter().any(|sign| page.contains(sign))
}

/// Checks that the Markdown parser finds the same headings when it parses the whole page.
fn same_headings(document: &Document<'_>) {
    let page = with_spaces_after_fences(document.source());
    let Ok(expected) = panic::catch_unwind(|| parsed_headings(&page)) else { return };
    let start = |block: usize| document.blocks()[block].span;
    let found: Vec<_> = document.headings().iter().map(|h| (start(h.block), h.level)).collect();
    assert_eq!(found.len(), expected.len(), "{found:?} {expected:?}");
    for ((span, level), (at, expected)) in found.into_iter().zip(expected) {
        assert!(span.start <= at && at < span.end && level == expected, "{at} in {span:?}");
    }
}

/// Replaces tabs after a code fence with spaces. Unlike CommonMark and the library, pulldown-cmark
/// 0.13 does not close a fence that is followed by a tab.
fn with_spaces_after_fences(page: &str) -> String {
    let mut is_after_fence = false;
    let letter = |letter: char| {
        is_after_fence = matches!(letter, '`' | '~') || (is_after_fence && letter == '\t');
        if is_after_fence && letter == '\t' { ' ' } else { letter }
    };
    page.chars().map(letter).collect()
}

/// Returns the offsets and levels of top-level headings.
fn parsed_headings(page: &str) -> Vec<(usize, u8)> {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_GFM
        | Options::ENABLE_MATH
        | Options::ENABLE_HEADING_ATTRIBUTES;
    let mut headings = Vec::new();
    let mut depth = 0;
    for (event, range) in Parser::new_ext(page, options).into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { level, .. }) if depth == 0 => {
                headings.push((range.start, level as u8));
            }
            Event::Start(tag) if holds_blocks(tag.to_end()) => depth += 1,
            Event::End(tag) if holds_blocks(tag) => depth -= 1,
            _ => {}
        }
    }
    headings
}

fn holds_blocks(tag: TagEnd) -> bool {
    matches!(
        tag,
        TagEnd::BlockQuote(_) | TagEnd::List(_) | TagEnd::Item | TagEnd::FootnoteDefinition
    )
}

#[cfg(test)]
mod tests {
    use chunkwright::Format;

    #[test]
    fn accepts_a_tab_after_a_closing_fence() {
        super::check("```\n```\t\n#", Format::Markdown);
    }
}
