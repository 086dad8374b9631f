//! Checks that every query is parsed and answered within a token budget. Only a query without
//! letters and digits is an error.

#![no_main]

use std::path::PathBuf;
use std::sync::LazyLock;

use chunkwright::{O200k, TextKind, TokenCounter};
use chunkwright_fuzz::{text, watch};
use chunkwright_search::{Error, Request, Snapshot, Tree, Update, render, update};
use libfuzzer_sys::fuzz_target;

const PAGES: &[(&str, &str)] = &[
    ("tea.md", "---\ntags: [tea, hot]\n---\n# Tea\n\nBoil water first.\n\n## Green tea\n\nWait.\n"),
    ("coffee.md", "# Coffee\n\nGrind the beans.\n\n## Filter\n\n`drip_rate` is not e-mail.\n"),
    ("茶.md", "# 緑茶\n\n検索語のページ。\n\n## Über Häuser\n\nKaffee und Tee.\n"),
];

static INDEX: LazyLock<Snapshot> = LazyLock::new(|| {
    let dir = tempfile::tempdir().expect("a temporary directory").keep();
    let pages = dir.join("pages");
    std::fs::create_dir(&pages).expect("a directory for pages");
    for (name, page) in PAGES {
        std::fs::write(pages.join(name), page).expect("a page");
    }
    let index: PathBuf = dir.join("index");
    update(&index, &Update::of(vec![Tree::at(pages)])).expect("an index");
    Snapshot::open(&index).expect("a snapshot")
});

fuzz_target!(init: watch(), |data: &[u8]| {
    let text = text(data);
    let mut strict = Request::default();
    strict.strict = true;
    match INDEX.search(&text, &strict) {
        Ok(_) | Err(Error::EmptyQuery | Error::Query { .. }) => {}
        Err(error) => panic!("{error}"),
    }
    let answer = |budget| {
        INDEX.search_within(&text, &Request::default(), budget, &render::markdown)
    };
    match answer(50) {
        Ok(answer) => assert!(tokens(&render::markdown(&answer)) <= 50, "{answer:?}"),
        Err(Error::EmptyQuery) => assert!(!text.contains(char::is_alphanumeric)),
        Err(Error::Budget { smallest, .. }) => {
            answer(smallest).expect("an answer of the smallest size");
        }
        Err(error) => panic!("{error}"),
    }
});

fn tokens(text: &str) -> usize {
    O200k.count(text, TextKind::Prose)
}
