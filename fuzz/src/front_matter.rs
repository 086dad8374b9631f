//! Checks the parsing of front matter.

use std::sync::LazyLock;

use chunkwright::{BlockKind, Chunker, Config, Document, NoteKind, Source, Value, counter_by_name};

/// The limits of the library for front matter.
const MAX_BYTES: usize = 64 * 1024;
const MAX_DEPTH: usize = 32;

static CHUNKER: LazyLock<Chunker> = LazyLock::new(|| {
    let counter = counter_by_name("chars").expect("the counter exists");
    Chunker::new(Config::default(), counter).expect("the defaults are valid")
});

/// Parses text as YAML and as TOML front matter. Panics if a limit is exceeded, or if the library's
/// own parser for simple YAML and the full YAML parser disagree.
pub fn check(inner: &str) {
    for fence in ["---", "+++"] {
        let page = format!("{fence}\n{inner}\n{fence}\nText.\n");
        bounded(&read(&page));
    }
    let page = format!("---\n{inner}\n---\n");
    let document = read(&page);
    // A list in brackets needs the full parser.
    let other = format!("---\n{inner}\nlast-of-all: [1]\n---\n");
    let added = read(&other);
    let (Some(plain), Some(parsed)) = (document.metadata(), added.metadata()) else { return };
    let is_same = document.blocks().len() == 1 && added.blocks().len() == 1 && !plain.is_empty();
    if is_same && parsed.get("last-of-all").is_some() && plain.get("last-of-all").is_none() {
        let kept: Vec<_> = parsed.iter().filter(|(name, _)| *name != "last-of-all").collect();
        assert_eq!(plain.iter().collect::<Vec<_>>(), kept);
    }
}

fn read(page: &str) -> Document<'_> {
    CHUNKER.read(&Source::new("page.md", page))
}

fn bounded(document: &Document<'_>) {
    let is_lead = document.blocks()[0].kind == BlockKind::FrontMatter;
    let told = document.notes().iter().any(|note| note.kind == NoteKind::FrontMatter);
    assert!(!told || document.metadata().is_none());
    let Some(metadata) = document.metadata() else {
        assert!(!is_lead || told, "front matter that is parsed as content has a note");
        return;
    };
    assert!(is_lead && document.blocks()[0].span.len() <= MAX_BYTES + 16);
    for (_, value) in metadata.iter() {
        assert!(depth(value) <= MAX_DEPTH, "{value:?}");
    }
}

fn depth(value: &Value) -> usize {
    match value {
        Value::List(values) => 1 + values.iter().map(depth).max().unwrap_or(0),
        Value::Map(values) => 1 + values.iter().map(|(_, value)| depth(value)).max().unwrap_or(0),
        _ => 0,
    }
}
