//! Quirks of pulldown-cmark 0.13.6 that the library works around or mirrors, each with its place in
//! the library and the upstream issue if there is one.
//!
//! `Cargo.toml` pins that version. A test that fails after an upgrade shows that a workaround can be
//! removed, or that `parse/segments` has to change.

use std::ops::Range;
use std::panic;

use pulldown_cmark::{Event, Options, Parser, Tag};

/// The options of the library.
const OPTIONS: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_TASKLISTS)
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_FOOTNOTES)
    .union(Options::ENABLE_GFM)
    .union(Options::ENABLE_MATH)
    .union(Options::ENABLE_HEADING_ATTRIBUTES);

/// Returns the names and ranges of the top-level blocks.
fn blocks(text: &str, options: Options) -> Vec<(&'static str, Range<usize>)> {
    let mut depth = 0;
    let mut blocks = Vec::new();
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        match event {
            Event::Start(tag) => {
                if depth == 0 {
                    blocks.push((name(&tag), range));
                }
                depth += 1;
            }
            Event::End(_) => depth -= 1,
            Event::Rule if depth == 0 => blocks.push(("rule", range)),
            _ => {}
        }
    }
    blocks
}

fn name(tag: &Tag<'_>) -> &'static str {
    match tag {
        Tag::Paragraph => "paragraph",
        Tag::Heading { .. } => "heading",
        Tag::CodeBlock(_) => "code",
        Tag::List(_) => "list",
        Tag::HtmlBlock => "html",
        Tag::MetadataBlock(_) => "metadata",
        _ => "other",
    }
}

fn panics(text: &str, options: Options) -> bool {
    panic::catch_unwind(|| Parser::new_ext(text, options).count()).is_err()
}

/// CommonMark §2.1: a carriage return ends a line. The parser ignores it in some places, such as
/// fences and headings. `parse/adapt.rs` replaces it with a line feed.
///
/// <https://github.com/pulldown-cmark/pulldown-cmark/issues/1056>,
/// <https://github.com/pulldown-cmark/pulldown-cmark/issues/1132>
#[test]
fn a_carriage_return_does_not_always_end_a_line() {
    assert_eq!(blocks("# a\rb", OPTIONS), [("heading", 0..5)]);
    assert_eq!(blocks("# a\nb", OPTIONS), [("heading", 0..4), ("paragraph", 4..5)]);
    let fences = blocks("```\ra\r```\rb\r", OPTIONS);
    assert_eq!(fences, [("paragraph", 0..6), ("code", 6..12)]);
}

/// CommonMark §4.5: spaces and tabs may follow a closing fence. The parser allows only spaces.
/// `parse/adapt.rs` replaces the tabs.
///
/// No issue found. commonmark.js had the same bug:
/// <https://github.com/commonmark/commonmark.js/issues/258>
#[test]
fn a_tab_after_a_closing_fence_keeps_the_block_open() {
    assert_eq!(blocks("```\n```\t\nb\n", OPTIONS), [("code", 0..11)]);
    assert_eq!(blocks("```\n``` \nb\n", OPTIONS), [("code", 0..8), ("paragraph", 9..11)]);
}

/// CommonMark §2.1 and §4.2: only spaces and tabs make a line blank, and follow the signs of a
/// heading. The parser also takes form feeds and vertical tabs. `parse/markdown.rs` parses a document
/// with one of them as a whole.
///
/// No issue found.
#[test]
fn form_feeds_and_vertical_tabs_are_whitespace() {
    for sign in ['\u{b}', '\u{c}'] {
        assert_eq!(blocks(&format!("#{sign}a\n"), OPTIONS), [("heading", 0..4)]);
        let html = blocks(&format!("<div>\n{sign}\na\n"), OPTIONS);
        assert_eq!(html, [("html", 0..6), ("paragraph", 8..10)]);
    }
}

/// CommonMark §4.6: `</script>`, `</pre>`, `</style>` or `</textarea>`, in any case, ends any HTML
/// block that starts with one of these elements. For the parser, only the end tag of the same element
/// in lower case does. `parse/line.rs` uses the same end; `parse/segments` leaves such blocks to the
/// parser, with everything after them.
///
/// No issue found.
#[test]
fn a_raw_html_block_ends_only_at_its_own_end_tag() {
    for end in ["</script>", "</PRE>"] {
        let text = format!("<pre>\n{end}\n\na\n");
        assert_eq!(blocks(&text, OPTIONS), [("html", 0..text.len())]);
    }
    assert_eq!(blocks("<PRE>\n</pre>\n\na\n", OPTIONS), [("html", 0..13), ("paragraph", 14..16)]);
}

/// The range of a list includes the first link reference definition after it.
/// `parse/segments/list.rs` leaves such lists to the parser.
///
/// No issue found. A formatter works around the same range:
/// <https://github.com/dprint/dprint-plugin-markdown/pull/212>
#[test]
fn a_list_includes_the_definition_after_it() {
    assert_eq!(blocks("- a\n\n[b]: /c\n[d]: /e\n", OPTIONS), [("list", 0..13)]);
}

/// The range of a list includes the indentation of the next block. `parse/markdown.rs` ends a block
/// with its last line that is not blank.
///
/// No issue found.
#[test]
fn a_list_includes_the_indentation_after_it() {
    assert_eq!(blocks("- a\n\n b\n", OPTIONS), [("list", 0..6), ("paragraph", 6..8)]);
}

/// The parser reports no link reference definitions. `parse/markdown.rs` adds a block for text that
/// no event covers.
///
/// <https://github.com/pulldown-cmark/pulldown-cmark/issues/423>
#[test]
fn link_reference_definitions_have_no_events() {
    assert_eq!(blocks("[b]: /c\n", OPTIONS), []);
}

/// The parser panics on some setext headings with attributes in list items. `parse/markdown.rs`
/// catches the panic, and treats the segment as paragraphs.
///
/// The failed assertion is that of
/// <https://github.com/pulldown-cmark/pulldown-cmark/issues/963>.
#[test]
fn heading_attributes_in_list_items_can_panic() {
    let text = " - ![i](x)\n    {x}\n   ---\n";
    assert!(panics(text, OPTIONS));
    assert!(!panics(text, OPTIONS.difference(Options::ENABLE_HEADING_ATTRIBUTES)));
}

/// With definition lists, the same assertion fails more often. The library does not enable them.
///
/// <https://github.com/pulldown-cmark/pulldown-cmark/issues/963>
#[test]
fn heading_attributes_in_definition_lists_can_panic() {
    let text = "=\n:{.c}\n\t   {.c}\n\t---\n";
    assert!(panics(text, OPTIONS.union(Options::ENABLE_DEFINITION_LIST)));
    assert!(!panics(text, OPTIONS));
}

/// The parser finds metadata blocks anywhere. The library does not enable them, because front matter
/// is at the start; `parse/frontmatter.rs` finds it.
///
/// <https://github.com/pulldown-cmark/pulldown-cmark/issues/1000>
#[test]
fn metadata_blocks_are_found_anywhere() {
    let options = OPTIONS.union(Options::ENABLE_YAML_STYLE_METADATA_BLOCKS);
    let found = blocks("a\n\n---\nb: c\n---\n", options);
    assert_eq!(found, [("paragraph", 0..2), ("metadata", 3..15)]);
}
