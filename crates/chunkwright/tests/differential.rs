//! Reading against another parser: where top-level blocks begin, what they are, and what headings
//! say must be what comrak makes of the same page. Where the two may differ is told by rule.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on must stop")]
#![allow(clippy::disallowed_methods, reason = "the library reads no files, its tests do")]
#![allow(dead_code, reason = "other tests need the rest of what is shared")]

#[path = "common/documents.rs"]
mod documents;
#[path = "common/outlines.rs"]
mod outlines;

use std::path::PathBuf;

use proptest::prelude::*;
use proptest::test_runner::{RngSeed, contextualize_config};

use documents::{document, tree, write};
use outlines::{ours, theirs};

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
    let (ours, theirs) = (ours(page), theirs(page));
    (ours != theirs).then(|| format!("{page:?}\n  ours   {ours:?}\n  theirs {theirs:?}"))
}
