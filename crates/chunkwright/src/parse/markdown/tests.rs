//! Checks that parsing with shortcuts gives the same blocks as parsing the whole text.

#![allow(clippy::disallowed_methods, reason = "only the tests read files")]

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{RngSeed, contextualize_config};

use super::*;
use crate::document::Document;
use crate::parse::{Format, read};
use crate::shortcodes::Shortcodes;
use crate::slug::Slugs;

/// Describes the difference between parsing a text with and without shortcuts, if any.
fn difference(text: &str, format: Format) -> Option<String> {
    let [short, full] = [Shortcuts::ALL, Shortcuts::NONE]
        .map(|shortcuts| read(text, format, Slugs::Ascii, &Shortcodes::default(), shortcuts));
    // If the parser panics, shortcuts limit the damage to a segment.
    let failed = full.notes().iter().any(|note| note.kind == NoteKind::Parser);
    let of = |document: &Document<'_>| {
        let Document { blocks, headings, metadata, notes, .. } = document.clone();
        (blocks, headings, metadata, notes)
    };
    let (short, full) = (of(&short), of(&full));
    (!failed && short != full).then(|| format!("with shortcuts: {short:#?}\nwithout: {full:#?}"))
}

#[test]
fn segments_match_the_parser_on_the_corpus() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/corpus");
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if let Ok(text) = std::fs::read_to_string(&path) {
            let format = Format::of_path(path.to_str().unwrap());
            assert_eq!(difference(&text, format), None, "{}", path.display());
        }
    }
}

/// Pages that fuzzing found.
#[test]
fn segments_match_the_parser_on_found_pages() {
    let pages = [
        "[a]: b\n\nc\n\nd\ne\n[a]\n-\n",
        "a\n2.\n2. ```\n   ```\n\nb",
        "> a\n> 2. ```\n> ```\n\nb\n",
        "# `a``b`",
    ];
    for page in pages {
        assert_eq!(difference(page, Format::Markdown), None, "{page:?}");
    }
}

#[test]
fn a_parser_panic_affects_only_its_segment() {
    // The parser panics on this list; see `heading_attributes_in_list_items_can_panic`.
    let text = "# One\n\n - ![i](x)\n    {x}\n   ---\n\n# Two\n\nText.\n";
    let tiles = Tiler::new(text, text, 0, &[]).by_segments(Shortcuts::ALL).unwrap();
    let kinds: Vec<BlockKind> = tiles.blocks.iter().map(|block| block.kind).collect();
    let heading = BlockKind::Heading(1);
    assert_eq!(kinds, [heading, BlockKind::Paragraph, heading, BlockKind::Paragraph]);
    assert_eq!(tiles.notes[0].kind, NoteKind::Parser);
}

#[test]
fn agrees_with_the_parser_on_closing_fences_at_top_level() {
    let closings = [
        ("```", true),
        ("````", true),
        ("```\t", true),
        ("``` \t \t", true),
        ("   ```\t", true),
        ("```\r\n\r\n\u{a0}\n", true),
        ("```\t\r\r", true),
        ("``", false),
        ("~~~\t", false),
        ("```\ta", false),
        ("```\u{a0}", false),
        ("```\u{c}\n", false),
        ("    ```\n", false),
        ("\t```\n", false),
        ("> ```\n", false),
    ];
    for (closing, closes) in closings {
        let text = format!("```\ncode\n{closing}");
        assert_eq!(is_closed(&text, Some(0)), closes, "{text:?}");
        let adapted = for_parser(&text);
        let tiler = || Tiler::new(&text, &adapted, 0, &[]);
        for tiles in tiler().by_segments(Shortcuts::ALL).into_iter().chain([tiler().at_once()]) {
            let notes: Vec<NoteKind> = tiles.notes.iter().map(|note| note.kind).collect();
            let expected = if closes { vec![] } else { vec![NoteKind::UnclosedFence] };
            assert_eq!(notes, expected, "{text:?}");
        }
    }
}

#[test]
fn an_opening_fence_alone_is_not_closed() {
    assert!(!is_closed("```", Some(0)));
    assert!(!is_closed("```\n", Some(0)));
    assert!(!is_closed("```\n", None));
    assert!(is_closed("```\n```", None));
}

/// Generates lines that start, continue and end blocks of all kinds, at several depths.
fn lines() -> impl Strategy<Value = String> {
    let indent = select(vec!["", "", "", "", " ", "  ", "   ", "    ", "      ", "\t"]);
    let margin = select(vec!["", "", "", "", "- ", "* ", "1. ", "> ", "10) ", "-   ", "+\t", ">"]);
    let inner = select(vec![
        "",
        "",
        "text",
        "more text",
        "# H",
        "## H `c` [a]",
        "## `c` d {#e-f}",
        "# `c`{#e}",
        "# a `b` `c d`",
        "# ``a` b",
        "# a ##",
        "#x",
        "```",
        "```",
        "```js",
        "~~~",
        "````",
        "``` a`b",
        "```\t",
        "~~~\t",
        "``` \t ",
        "`code` text",
        "---",
        "***",
        "___",
        "===",
        "- - -",
        "-",
        "*",
        "<div>",
        "</div>",
        "<!-- c -->",
        "<!-- open",
        "-->",
        "<pre>",
        "</pre>",
        "<b>x</b>",
        "<?x",
        "| a | b |",
        "|---|---|",
        "|---\t|:-: |",
        "|",
        "- a\n  - b",
        "1. a\n2. b",
        ":-- | --",
        "a | b",
        "[a]: /u",
        "[^1]: note",
        "[a]:",
        "[a",
        "$$",
        "**bold** x",
        "*it*",
        "_x_",
        "1) a",
        "2024 was",
        "100. a",
        "![i](x)",
        "\"q\"",
        "<x",
        "\u{a0}",
        "\u{c}",
        "\u{c}```",
        "\u{b}",
        "é",
        "\\# x",
        "&amp;",
        "{x}",
        "(a)",
        "+ a",
        "\u{0}",
        "<!X a>",
        "<!1",
        "<![CDATA[",
        "]]>",
        "<pre\u{c}>",
        "<Tag>",
        "</Tag>",
        "::: note",
        ":::",
        "!!! note",
        "{{< x >}}",
        "{% raw %}",
        "01. a",
        "1234567890. a",
    ]);
    let line = (indent, margin, inner)
        .prop_map(|(indent, margin, inner)| format!("{indent}{margin}{inner}"));
    let end = select(vec!["\n", "\n", "\n", "\n\n", "\r\n"]);
    vec((line, end), 0..14)
        .prop_map(|lines| lines.into_iter().map(|(line, end)| line + end).collect())
}

proptest! {
    #![proptest_config(contextualize_config(ProptestConfig {
        cases: 4000,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1),
        max_shrink_iters: 20_000,
        ..ProptestConfig::default()
    }))]

    #[test]
    fn segments_match_the_parser_on_generated_lines(text in lines()) {
        for format in [Format::Markdown, Format::Mdx] {
            prop_assert_eq!(difference(&text, format), None, "{:?}", text);
        }
    }
}
