//! Applying a diff to the old version yields the new one: every record, with the right vector.

#![allow(clippy::unwrap_used, reason = "a panic fails the test")]

use std::collections::BTreeMap;

use chunkwright::{Chunker, ConfigTable, StrategyName, counter_by_name};
use chunkwright_records::{Diff, DiffError, Fate, Move, Outcome, Record, Row, With};
use proptest::prelude::{any, prop, prop_assert, prop_assert_eq, proptest};
use proptest::strategy::Strategy as Generate;
use serde_json::Value;

/// A chunk in a vector store. The embedded text takes the place of the vector.
#[derive(Clone, Debug, PartialEq)]
struct Stored {
    record: Value,
    vector: String,
}

/// Pages by path.
type Pages = BTreeMap<String, String>;

fn chunker(strategy: StrategyName) -> Chunker {
    let mut config = ConfigTable::default().with_limits(12, 16);
    config.strategy = strategy;
    Chunker::new(config, counter_by_name("words:1").unwrap()).unwrap()
}

fn cut(pages: &Pages, strategy: StrategyName) -> Vec<Stored> {
    let chunker = chunker(strategy);
    let mut all = Vec::new();
    for (path, text) in pages {
        for chunk in &chunker.chunk(path, text).chunks {
            let mut json = Vec::new();
            Record::new(chunk, With::default()).write_json(&mut json);
            let record = serde_json::from_slice(&json).unwrap();
            all.push(Stored { record, vector: chunk.embed_text().into_owned() });
        }
    }
    all
}

fn id(chunk: &Stored) -> String {
    chunk.record["id"].as_str().unwrap().to_owned()
}

/// Returns the row of a stored chunk, from a record with or without `embed_text`.
fn row(chunk: &Stored, with_embed_text: bool) -> Row {
    let mut record = chunk.record.clone();
    if with_embed_text {
        record["embed_text"] = chunk.vector.clone().into();
    }
    Row::parse(&record.to_string()).unwrap()
}

fn compare(old: &[Row], new: &[Row]) -> (Vec<Fate>, Outcome) {
    let mut diff = Diff::new(old.to_vec()).unwrap();
    let fates = new.iter().map(|row| diff.compare(row).unwrap()).collect();
    (fates, diff.finish().unwrap())
}

/// Applies the diff to the old version, as a vector store would, and returns the result.
fn carried_out(old: &[Stored], new: &[Stored], with: (bool, bool)) -> BTreeMap<String, Stored> {
    let rows = |chunks: &[Stored], with| -> Vec<Row> {
        chunks.iter().map(|chunk| row(chunk, with)).collect()
    };
    let (fates, outcome) = compare(&rows(old, with.0), &rows(new, with.1));
    let before: BTreeMap<_, _> = old.iter().map(|chunk| (id(chunk), chunk.clone())).collect();
    let mut store = before.clone();
    let mut moves = outcome.moves.iter();
    for (chunk, fate) in new.iter().zip(fates) {
        let vector = match fate {
            Fate::Added | Fate::Changed => chunk.vector.clone(),
            Fate::Moved => {
                let Move { from, to, .. } = moves.next().unwrap();
                assert_eq!(to, &id(chunk));
                before[from].vector.clone()
            }
            Fate::Updated => before[&id(chunk)].vector.clone(),
            Fate::Unchanged => continue,
        };
        store.insert(id(chunk), Stored { record: chunk.record.clone(), vector });
    }
    for (row, _) in &outcome.gone {
        assert!(store.remove(row.id()).is_some(), "{} was not in the store", row.id());
    }
    store
}

/// Generates pages from a few lines and headings, so that many chunks are repeated or moved.
fn pages() -> impl Generate<Value = Pages> {
    let line = prop::sample::select(vec![
        "# Tea",
        "# Tea",
        "## Green",
        "## Black",
        "## Green",
        "Boil water first.",
        "Wait.",
        "Wait.",
        "Pour it away, and begin again with fresh water and a clean pot.",
        "<!-- a hidden comment -->",
        "Wait. <!-- another one -->",
        "---",
    ]);
    let text = prop::collection::vec(line, 0..12).prop_map(|lines| lines.join("\n\n"));
    let path = prop::sample::select(vec!["a.md", "b.md", "deep/a.md", "deep/b.md"]);
    prop::collection::btree_map(path.prop_map(str::to_owned), text, 0..4)
}

/// Generates front matter with values of every type.
fn front_matter() -> impl Generate<Value = String> {
    let value = prop::sample::select(vec![
        "",
        "null",
        "true",
        "3",
        "-9223372036854775808",
        "1.0",
        "1e300",
        ".inf",
        ".nan",
        "-0.0",
        "2024-05-06",
        "'quoted \"text\"'",
        "[a, 1, [b]]",
        "{b: 1, a: {d: ~, c: []}}",
        "Grüner Tee",
    ]);
    let key = prop::sample::select(vec!["title", "tags", "b", "a", "url", "ключ"]);
    let entries = prop::collection::btree_map(key, value, 0..6);
    entries.prop_map(|entries| {
        entries.iter().map(|(key, value)| format!("{key}: {value}\n")).collect()
    })
}

proptest! {
    #[test]
    fn applying_a_diff_yields_the_new_version(
        old in pages(),
        new in pages(),
        with in any::<(bool, bool)>(),
    ) {
        for &strategy in StrategyName::ALL {
            let (old, new) = (cut(&old, strategy), cut(&new, strategy));
            let expected: BTreeMap<_, _> = new.iter().map(|c| (id(c), c.clone())).collect();
            prop_assert_eq!(carried_out(&old, &new, with), expected, "{}", strategy);
        }
    }

    #[test]
    fn a_chunk_has_the_same_row_as_its_record_in_json(
        pages in pages(),
        front_matter in front_matter(),
        with_embed_text in any::<bool>(),
        pieces in any::<bool>(),
    ) {
        let with = With { embed_text: with_embed_text, pieces };
        for text in pages.into_values() {
            // The code block is split, and not closed, so chunks have both kinds of notes.
            let code = "boil water first\n".repeat(12);
            let text = format!("---\n{front_matter}---\n\n{text}\n\n```\n{code}");
            for chunk in &chunker(StrategyName::default()).chunk("tea.md", &text).chunks {
                let record = Record::new(chunk, with);
                let json = serde_json::to_string(&record).unwrap();
                prop_assert_eq!(Row::of(&record), Row::parse(&json).unwrap());
            }
        }
    }

    #[test]
    fn comparing_a_version_with_itself_finds_no_change(pages in pages(), with in any::<bool>()) {
        let chunks = cut(&pages, StrategyName::default());
        let rows: Vec<_> = chunks.iter().map(|chunk| row(chunk, with)).collect();
        let (fates, outcome) = compare(&rows, &rows);
        prop_assert!(fates.iter().all(|fate| *fate == Fate::Unchanged));
        prop_assert!(outcome.gone.is_empty() && outcome.summary.tokens_to_embed == 0);
    }
}

/// Returns a minimal row with this id and embedded text.
fn made(id: &str, embed_text: &str) -> Row {
    let record = format!(
        r#"{{"id":"{id}","doc_id":"{id}","strategy":"tree","breadcrumb":[],"tokens":3,
            "content_hash":"{embed_text}","embed_text":"{embed_text}"}}"#
    );
    Row::parse(&record).unwrap()
}

fn moves(old: &[(&str, &str)], new: &[(&str, &str)]) -> Vec<(String, String)> {
    let rows = |all: &[(&str, &str)]| -> Vec<Row> {
        all.iter().map(|(id, text)| made(id, text)).collect()
    };
    let (_, outcome) = compare(&rows(old), &rows(new));
    outcome.moves.into_iter().map(|moved| (moved.from, moved.to)).collect()
}

fn pair(from: &str, to: &str) -> (String, String) {
    (from.to_owned(), to.to_owned())
}

#[test]
fn moves_equal_chunks_in_order_and_prefers_ids_that_are_gone() {
    let old = [("a", "same"), ("b", "same"), ("c", "same")];
    let new = [("a", "same"), ("x", "same"), ("y", "same"), ("z", "same")];
    assert_eq!(moves(&old, &new), [pair("b", "x"), pair("c", "y"), pair("a", "z")]);
}

#[test]
fn moves_a_vector_from_an_id_whose_text_changed() {
    let old = [("e", "one"), ("e-1", "two")];
    let new = [("e", "zero"), ("e-1", "one"), ("e-2", "two")];
    assert_eq!(moves(&old, &new), [pair("e", "e-1"), pair("e-1", "e-2")]);
    let swapped = [("e", "two"), ("e-1", "one")];
    assert_eq!(moves(&old, &swapped), [pair("e-1", "e"), pair("e", "e-1")]);
}

#[test]
fn rejects_duplicate_ids() {
    let twice = || vec![made("a", "one"), made("a", "two")];
    assert!(matches!(Diff::new(twice()), Err(DiffError::Twice(id)) if id == "a"));
    for old in [vec![], vec![made("a", "one")]] {
        let mut diff = Diff::new(old).unwrap();
        diff.compare(&twice()[0]).unwrap();
        assert!(matches!(diff.compare(&twice()[1]), Err(DiffError::Twice(id)) if id == "a"));
    }
}

#[test]
fn rejects_json_that_is_not_a_record() {
    for (json, part) in [
        ("", "expected a JSON object"),
        ("[]", "expected a JSON object"),
        (r#"{"text": "a"}"#, "`id` is missing"),
        (r#"{"id": "a", "doc_id": "a", "strategy": "magic", "tokens": 1}"#, "`breadcrumb`"),
    ] {
        let error = Row::parse(json).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
}
