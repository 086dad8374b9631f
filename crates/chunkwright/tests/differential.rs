//! Reading against another parser: where top-level blocks begin, what they are, and what headings
//! say must be what comrak makes of the same page. Where the two may differ is told by rule.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on must stop")]
#![allow(clippy::disallowed_methods, reason = "the library reads no files, its tests do")]
#![allow(dead_code, reason = "other tests need the rest of what is shared")]

#[path = "common/documents.rs"]
mod documents;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use chunkwright::{Bias, BlockKind, Chunker, Config, Document, Source, plain_counter};
use comrak::nodes::{AstNode, NodeValue};
use comrak::{Arena, Options, parse_document};
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, contextualize_config};

use documents::{document, tree, write};

/// Blocks by the line that they begin on, counted from 1: what they are, and what a heading says.
type Outline = BTreeMap<usize, (&'static str, String)>;

#[test]
fn pages_have_the_blocks_that_another_parser_finds() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let mut compared = 0;
    let mut faults = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let is_markdown = path.extension().is_some_and(|extension| extension == "md");
        let Some(page) = std::fs::read_to_string(&path).ok().filter(|_| is_markdown) else {
            continue;
        };
        compared += usize::from(!RULES.iter().any(|(_, applies)| applies(&page)));
        faults.extend(difference(&page).map(|fault| format!("{}: {fault}", path.display())));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(compared >= 100, "only {compared} pages could be compared");
}

proptest! {
    #![proptest_config(contextualize_config(ProptestConfig {
        cases: 1000,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1),
        max_shrink_iters: 20_000,
        ..ProptestConfig::default()
    }))]

    #[test]
    fn trees_have_the_blocks_that_another_parser_finds(tree in tree()) {
        prop_assert_eq!(difference(&write(&tree)), None);
    }

    #[test]
    fn documents_have_the_blocks_that_another_parser_finds(page in document()) {
        prop_assert_eq!(difference(&page), None);
    }
}

/// Why the two parsers may differ on a page, and whether that is so.
type Rule = (&'static str, fn(&str) -> bool);

/// Pages to which one of these applies are not compared.
const RULES: &[Rule] = &[
    ("it has front matter", |page| page.starts_with("---") || page.starts_with("+++")),
    ("it has what is no Markdown", |page| {
        has(page, &[":::", "!!!", "???", "=== \"", "{{", "{%", "$$", "{#", "{."])
    }),
    ("it has white space that CommonMark does not know, and that is blank to us", |page| {
        has(page, &["\u{feff}", "\u{a0}", "\u{b}", "\u{c}", "\u{85}", "\u{2028}", "\u{0}"])
    }),
    ("it has footnotes, which the other parser moves to the end", |page| has(page, &["[^1]: "])),
    ("an item begins with a blank line, and our parser still takes what follows into it", |page| {
        pairs(page).any(|(line, next)| is_bare_marker(line) && next.trim().is_empty())
    }),
    ("a table stands right after text, and is a paragraph to our parser", |page| {
        let lines: Vec<&str> = page.lines().collect();
        let is_interrupting =
            |three: &[&str]| !three[0].trim().is_empty() && is_delimiter(three[2]);
        lines.windows(3).any(is_interrupting)
    }),
    ("a delimiter row could begin a list", |page| {
        page.lines().any(|line| is_delimiter(line) && line.trim_start().starts_with("- "))
    }),
    ("a row of a table is indented like code", |page| {
        pairs(page).any(|(line, next)| line.contains('|') && next.starts_with("    "))
    }),
];

fn has(page: &str, signs: &[&str]) -> bool {
    signs.iter().any(|sign| page.contains(sign))
}

fn pairs(page: &str) -> impl Iterator<Item = (&str, &str)> {
    page.lines().zip(page.lines().skip(1).chain([""]))
}

/// Whether a line is a list marker, or several, and nothing else.
fn is_bare_marker(line: &str) -> bool {
    let rest = line.trim_start_matches([' ', '\t', '>']).trim_end();
    let is_marker = |word: &str| {
        let number = word.strip_suffix(['.', ')']);
        matches!(word, "-" | "*" | "+")
            || number.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
    };
    rest.split_whitespace().last().is_some_and(is_marker)
}

fn is_delimiter(line: &str) -> bool {
    let row = line.trim_start_matches(['>', ' ']).trim_end();
    row.contains('|') && row.contains('-') && row.chars().all(|c| " |:-".contains(c))
}

/// Where the two part, if they do and it is not by rule.
fn difference(page: &str) -> Option<String> {
    let page = &page.replace("\r\n", "\n").replace('\r', "\n");
    if RULES.iter().any(|(_, applies)| applies(page)) {
        return None;
    }
    let document = chunker().read(&Source::new("page.md", page));
    let (ours, theirs) = (ours(&document), theirs(page));
    (ours != theirs).then(|| format!("{page:?}\n  ours   {ours:?}\n  theirs {theirs:?}"))
}

fn chunker() -> Chunker {
    let counter = plain_counter("chars", Bias::default()).unwrap();
    Chunker::new(Config::default(), Arc::from(counter)).unwrap()
}

/// What we read. Definitions are blocks of our own; to the other parser they are nothing, or the
/// first lines of the paragraph that follows at once.
fn ours(document: &Document<'_>) -> Outline {
    let mut outline = Outline::new();
    let mut definitions = None;
    for (nth, block) in document.blocks.iter().enumerate() {
        let text = block.span.of(document.source);
        let blank = text.len() - trimmed_lines(text).len();
        let line = line_of(document.source, block.span.start + blank);
        let heading = document.headings.iter().find(|heading| heading.block == nth);
        let title = heading.map_or(String::new(), |heading| plain(&heading.title));
        if block.kind == BlockKind::Definitions {
            let blank = text.rfind("\n\n").map_or(0, |at| at + 2);
            definitions =
                (blank < text.len()).then(|| line_of(document.source, block.span.start + blank));
            continue;
        }
        let is_joined = block.kind == BlockKind::Paragraph
            || (block.kind.is_heading() && !text.trim_start().starts_with('#'));
        let line = definitions.take().filter(|_| is_joined).unwrap_or(line);
        outline.insert(line, (block.kind.name(), title));
    }
    outline
}

/// A text without the blank lines it begins with.
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

/// What comrak reads.
fn theirs(page: &str) -> Outline {
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
        other => panic!("a block that nobody asked for: {other:?}"),
    })
}

/// The text of a heading.
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

/// Letters and digits, which no markup changes. Our titles have at most a thousand characters.
fn plain(title: &str) -> String {
    title.chars().filter(|c| c.is_alphanumeric()).take(500).collect()
}
