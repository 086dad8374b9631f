//! Outlines a page with chunkwright and with comrak, so that tests can compare the two.

use std::collections::BTreeMap;

use chunkwright::{BlockKind, Chunker, ConfigTable, Source, counter_by_name};
use comrak::nodes::{AstNode, NodeValue};
use comrak::{Arena, Options, parse_document};

/// The kind of each top-level block and the text of headings, by line number from 1.
pub(crate) type Outline = BTreeMap<usize, (&'static str, String)>;

/// Outlines a page with chunkwright. Definitions are left out, because comrak drops them, or makes
/// them the first lines of a paragraph that directly follows.
pub(crate) fn ours(page: &str) -> Outline {
    let document = chunker().read(&Source::new("page.md", page));
    let mut outline = Outline::new();
    let mut definitions = None;
    for (nth, block) in document.blocks().iter().enumerate() {
        let text = block.span.of(document.source());
        let blank = text.len() - trimmed_lines(text).len();
        let line = line_of(document.source(), block.span.start + blank);
        let heading = document.headings().iter().find(|heading| heading.block == nth);
        let title = heading.map_or(String::new(), |heading| plain(&heading.title));
        if block.kind == BlockKind::Definitions {
            let blank = text.rfind("\n\n").map_or(0, |at| at + 2);
            definitions =
                (blank < text.len()).then(|| line_of(document.source(), block.span.start + blank));
            continue;
        }
        let is_joined = block.kind == BlockKind::Paragraph
            || (block.kind.is_heading() && !text.trim_start().starts_with('#'));
        let line = definitions.take().filter(|_| is_joined).unwrap_or(line);
        outline.insert(line, (block.kind.name(), title));
    }
    outline
}

fn chunker() -> Chunker {
    let counter = counter_by_name("chars").unwrap();
    Chunker::new(ConfigTable::default(), counter).unwrap()
}

/// Removes leading blank lines.
fn trimmed_lines(text: &str) -> &str {
    let mut rest = text;
    while let Some(end) = rest.find('\n') {
        if !rest[..end].trim().is_empty() {
            break;
        }
        rest = &rest[end + 1..];
    }
    rest
}

fn line_of(source: &str, byte: usize) -> usize {
    1 + source[..byte].matches('\n').count()
}

/// Outlines a page with comrak.
pub(crate) fn theirs(page: &str) -> Outline {
    let arena = Arena::new();
    let mut options = Options::default();
    options.extension.table = true;
    options.extension.tasklist = true;
    options.extension.strikethrough = true;
    options.extension.footnotes = true;
    options.extension.alerts = true;
    options.extension.math_dollars = true;
    let root = parse_document(&arena, page, &options);
    let blocks = root.children().filter_map(|node| {
        let data = node.data.borrow();
        let title = match data.value {
            NodeValue::Heading(_) => plain(&title(node)),
            _ => String::new(),
        };
        kind(&data.value).map(|kind| (data.sourcepos.start.line, (kind, title)))
    });
    blocks.collect()
}

fn kind(value: &NodeValue) -> Option<&'static str> {
    Some(match value {
        NodeValue::Heading(_) => "heading",
        NodeValue::Paragraph => "paragraph",
        NodeValue::List(_) => "list",
        NodeValue::CodeBlock(_) => "code",
        NodeValue::Table(_) => "table",
        NodeValue::BlockQuote | NodeValue::Alert(_) => "quote",
        NodeValue::HtmlBlock(_) => "html",
        NodeValue::ThematicBreak => "rule",
        NodeValue::FootnoteDefinition(_) => return None,
        other => panic!("unexpected top-level block: {other:?}"),
    })
}

/// Returns the text of a heading.
fn title<'a>(node: &'a AstNode<'a>) -> String {
    let texts = node.descendants().map(|node| match &node.data.borrow().value {
        NodeValue::Text(text) => text.to_string(),
        NodeValue::Code(code) => code.literal.clone(),
        NodeValue::Math(math) => math.literal.clone(),
        NodeValue::SoftBreak | NodeValue::LineBreak => " ".to_owned(),
        _ => String::new(),
    });
    texts.collect()
}

/// Returns the letters and digits of a title, which are the same in both parsers. The length is
/// limited because chunkwright truncates titles to a thousand characters.
fn plain(title: &str) -> String {
    title.chars().filter(|c| c.is_alphanumeric()).take(500).collect()
}
