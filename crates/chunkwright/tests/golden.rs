//! Compares the chunks of small documents with listings in readable Markdown pages.
//!
//! A page is `golden/<strategy>/<topic>.md`. Every `## ` heading states a claim and starts a case:
//! an explanation, a `toml` fence with options, a fence with the input document, and a `chunks`
//! fence with the expected listing. Options in a `toml` fence before the first case apply to all.
//!
//! - Besides the options of [`ConfigTable`], a case can set `path`, `tree` and `show`: the chunk
//!   fields to list in addition to the usual ones.
//! - `{400 tokens}` on its own line expands to words that, together with the lines directly above,
//!   make 400 tokens. `{9 words}` inside a line expands to nine words. Listings abbreviate such
//!   filler in the same way.
//! - In an input whose info string ends with `bytes`, only `\n` and `\r` end a line. The escapes
//!   `\t`, `\\` and `\u{…}` are recognized too.
//!
//! `UPDATE_GOLDEN=1 cargo test -p chunkwright --test golden` rewrites the listings.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests may read files, and a panic fails them"
)]

mod common;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;

use chunkwright::{Chunk, Chunker, ConfigTable, Note, Piece, Source, StrategyName};
use serde::Deserialize as _;
use toml::Value;

use common::pages::{Asked, Case, Page, entries, folder, folders};
use common::{diff, shorten, visible};

#[test]
fn chunks_match_the_golden_pages() {
    let update = std::env::var_os("UPDATE_GOLDEN").is_some();
    let mut faults = Vec::new();
    for strategy in folders() {
        for path in entries(&folder().join(&strategy)) {
            let page = Page::read(&strategy, &path);
            let listed: Vec<String> = page.cases.iter().map(|case| page.listing(case)).collect();
            if update {
                page.update(&listed);
            } else {
                faults.extend(page.faults(&listed));
            }
        }
    }
    let advice = "if the new listings are correct, run again with UPDATE_GOLDEN=1";
    assert!(faults.is_empty(), "{}\n{advice}", faults.join("\n"));
}

#[test]
fn every_strategy_has_golden_pages() {
    let names: BTreeSet<String> = StrategyName::ALL.iter().map(ToString::to_string).collect();
    assert_eq!(folders(), names, "folders of golden pages do not match the strategies");
    for name in names {
        let pages = entries(&folder().join(&name));
        assert!(!pages.is_empty(), "{name} has no golden pages");
        for page in pages {
            assert!(!Page::read(&name, &page).cases.is_empty(), "{page:?} has no cases");
        }
    }
}

impl Page {
    /// Lists the chunks of a case.
    fn listing(&self, case: &Case) -> String {
        let place = format!("{}: {}", self.name(), case.name);
        let input = case.input.as_ref().unwrap_or_else(|| panic!("{place}: no input"));
        let Asked { path, tree, show, options } = self.asked(case);
        let config = ConfigTable::deserialize(Value::Table(options))
            .unwrap_or_else(|error| panic!("{place}: {error}"));
        let counter = config.counter().unwrap();
        let chunker = Chunker::new(config, counter).unwrap_or_else(|e| panic!("{place}: {e}"));
        let chunked = chunker.chunk_source(&Source::new(&path, &input.text).in_tree(&tree));
        if chunked.chunks.is_empty() {
            return "no chunks\n".to_owned() + &notes(chunked.notes());
        }
        let listed = chunked.chunks.iter().map(|chunk| list(chunk, &show, input.is_filled));
        listed.collect::<Vec<_>>().join("\n")
    }

    fn faults(&self, listed: &[String]) -> Vec<String> {
        let cases = self.cases.iter().zip(listed);
        cases
            .filter(|(case, listed)| self.text[case.listing.clone()] != ***listed)
            .map(|(case, listed)| {
                let diff = diff(&self.text[case.listing.clone()], listed);
                format!("\n{}: {}\n{diff}", self.name(), case.name)
            })
            .collect()
    }

    /// Replaces the listings in the page and leaves the rest unchanged.
    fn update(&self, listed: &[String]) {
        let mut text = self.text.clone();
        for (case, listed) in self.cases.iter().zip(listed).rev() {
            let fenced =
                if case.is_listed { listed.clone() } else { format!("\n```chunks\n{listed}```\n") };
            text.replace_range(case.listing.clone(), &fenced);
        }
        if text != self.text {
            fs::write(&self.path, text).unwrap();
        }
    }
}

/// Lists a chunk: a summary line, its notes, the requested fields, and its text behind a gutter.
fn list(chunk: &Chunk<'_>, show: &[String], is_filled: bool) -> String {
    let trail = visible(&chunk.breadcrumb.join(" › "));
    let Chunk { id, tokens, lines, .. } = chunk;
    let (first, last) = (lines.start(), lines.end());
    let plural = if *tokens == 1 { "" } else { "s" };
    let mut listed = format!("{id} · {tokens} token{plural} · lines {first}-{last} · {trail}\n");
    listed += &notes(chunk.notes.iter());
    for name in show.iter().filter(|name| *name != "embed_text") {
        writeln!(listed, "{name}: {}", visible(&field(chunk, name))).unwrap();
    }
    let shown = |text: &str| if is_filled { shorten(text) } else { text.to_owned() };
    listed += &behind("│", &shown(&chunk.text));
    if show.iter().any(|name| name == "embed_text") {
        listed += "embed_text:\n";
        listed += &behind("┊", &shown(&chunk.embed_text()));
    }
    listed
}

fn notes<'n>(notes: impl Iterator<Item = &'n Note>) -> String {
    let kind = |note: &Note| serde_json::to_value(note.kind).unwrap();
    let line = |note: &Note| format!("! {}: {}\n", kind(note).as_str().unwrap(), note.message);
    notes.map(line).collect()
}

fn field(chunk: &Chunk<'_>, name: &str) -> String {
    let or_none = |value: Option<&str>| value.unwrap_or("none").to_owned();
    match name {
        "anchor" => or_none(chunk.anchor.as_deref()),
        "blocks" => format!("{}-{}", chunk.blocks.start, chunk.blocks.end),
        "bytes" => format!("{}-{}", chunk.span.start, chunk.span.end),
        "depth" => chunk.depth.to_string(),
        "document_title" => chunk.document_title.to_string(),
        "metadata" => match chunk.metadata.as_deref() {
            Some(metadata) => serde_json::to_string(metadata).unwrap(),
            None => "none".to_owned(),
        },
        "parent_id" => or_none(chunk.parent_id.as_deref()),
        "pieces" => chunk.pieces.iter().map(piece).collect::<Vec<_>>().join(", "),
        "position" => chunk.position.to_string(),
        "title" => chunk.title.to_string(),
        "url" => or_none(chunk.url.as_deref()),
        _ => panic!("unknown field `{name}` in `show`"),
    }
}

fn piece(piece: &Piece) -> String {
    match piece {
        Piece::Own(span) => format!("own {}-{}", span.start, span.end),
        Piece::Echo(span) => format!("echo {}-{}", span.start, span.end),
        Piece::Hidden(span) => format!("hidden {}-{}", span.start, span.end),
        Piece::Glue(text) => format!("glue {text:?}"),
        other => format!("{other:?}"),
    }
}

/// Puts a text behind a gutter, with invisible characters escaped.
fn behind(gutter: &str, text: &str) -> String {
    let mut listed = String::new();
    for line in text.split('\n') {
        let shown = line.trim_end_matches(' ');
        let spaces = "\\u{20}".repeat(line.len() - shown.len());
        let line = format!("{gutter} {}{spaces}", visible(shown));
        writeln!(listed, "{}", line.trim_end()).unwrap();
    }
    listed
}
