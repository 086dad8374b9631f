//! Compares the parser with comrak: the position and kind of top-level blocks, and heading titles.
//!
//! Pages on which the two differ by design are skipped by the rules in [`RULES`].

#![allow(clippy::unwrap_used, reason = "a panic fails the test")]
#![allow(clippy::disallowed_methods, reason = "only the library must not read files")]
#![allow(dead_code, reason = "each test uses a part of the shared modules")]

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
fn comrak_finds_the_same_blocks_in_the_corpus() {
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
    assert!(compared >= 100, "only {compared} pages were compared");
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
    fn comrak_finds_the_same_blocks_in_random_outlines(tree in tree()) {
        prop_assert_eq!(difference(&write(&tree)), None);
    }

    #[test]
    fn comrak_finds_the_same_blocks_in_random_documents(page in document()) {
        prop_assert_eq!(difference(&page), None);
    }
}

/// A reason why the parsers may differ, and a check whether it applies to a page.
type Rule = (&'static str, fn(&str) -> bool);

/// Rules for pages that are not compared.
const RULES: &[Rule] = &[
    ("it has front matter", |page| page.starts_with("---") || page.starts_with("+++")),
    ("it uses an extension of Markdown", |page| {
        has(page, &[":::", "!!!", "???", "=== \"", "{{", "{%", "$$", "{#", "{."])
    }),
    ("it has whitespace that only chunkwright treats as blank", |page| {
        has(page, &["\u{feff}", "\u{a0}", "\u{b}", "\u{c}", "\u{85}", "\u{2028}", "\u{0}"])
    }),
    ("it has footnotes, which comrak moves to the end", |page| has(page, &["[^1]: "])),
    ("it has an item that starts with a blank line, which pulldown-cmark continues", |page| {
        pairs(page).any(|(line, next)| is_bare_marker(line) && next.trim().is_empty())
    }),
    ("it has a table right after text, which pulldown-cmark reads as a paragraph", |page| {
        let lines: Vec<&str> = page.lines().collect();
        let is_interrupting =
            |three: &[&str]| !three[0].trim().is_empty() && is_delimiter(three[2]);
        lines.windows(3).any(is_interrupting)
    }),
    ("it has a delimiter row that could start a list", |page| {
        page.lines().any(|line| is_delimiter(line) && line.trim_start().starts_with("- "))
    }),
    ("it has a table row that is indented like code", |page| {
        pairs(page).any(|(line, next)| line.contains('|') && next.starts_with("    "))
    }),
];

fn has(page: &str, signs: &[&str]) -> bool {
    signs.iter().any(|sign| page.contains(sign))
}

fn pairs(page: &str) -> impl Iterator<Item = (&str, &str)> {
    page.lines().zip(page.lines().skip(1).chain([""]))
}

/// Returns whether a line consists of list markers only.
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

/// Returns the difference between the parsers on a page, unless a rule applies.
fn difference(page: &str) -> Option<String> {
    let page = &page.replace("\r\n", "\n").replace('\r', "\n");
    if RULES.iter().any(|(_, applies)| applies(page)) {
        return None;
    }
    let (ours, theirs) = (ours(page), theirs(page));
    (ours != theirs).then(|| format!("{page:?}\n  ours   {ours:?}\n  theirs {theirs:?}"))
}
