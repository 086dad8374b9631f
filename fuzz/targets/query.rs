//! A query: it is read, and answered from a small index. No query is an error.

#![no_main]

use std::path::PathBuf;
use std::sync::LazyLock;

use chunkwright_fuzz::{text, watch};
use chunkwright_search::{Request, Snapshot, Tree, Update, query, update};
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
    let trees = vec![Tree { name: None, path: pages }];
    let all = Update {
        trees,
        only_these: true,
        indexing: None,
        rebuild: false,
        jobs: 1,
        max_file_bytes: 1 << 20,
    };
    update(&index, &all).expect("an index");
    Snapshot::open(&index).expect("a snapshot")
});

fuzz_target!(init: watch(), |data: &[u8]| {
    let text = text(data);
    for oddity in query::parse(&text).oddities {
        assert!(text.is_char_boundary(oddity.at), "{oddity:?}");
        oddity.pointed(&text);
    }
    let request = Request { max_tokens: Some(50), ..Request::default() };
    let answer = INDEX.search(&text, &request).expect("no query is an error");
    assert!(answer.results.len() <= request.limit);
});
