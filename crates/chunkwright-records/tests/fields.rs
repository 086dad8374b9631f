//! Checks that every format, the documentation and the type stub for Python have the fields as
//! declared.
//!
//! `UPDATE_DOCS=1 cargo test -p chunkwright-records --test fields` updates both.

#![allow(clippy::unwrap_used, reason = "a panic fails the test")]

use std::collections::HashSet;
use std::env;
use std::fs;
use std::path::Path;

use chunkwright::{Chunk, Chunker, Source, Window, Words};
use chunkwright_records::{FIELDS, FieldKind, Presence, Record, RecordField, With};
use serde_json::{Map, Value};

const WITH: &[With] = &[
    With { embed_text: false, pieces: false },
    With { embed_text: true, pieces: false },
    With { embed_text: false, pieces: true },
    With { embed_text: true, pieces: true },
];

/// Returns chunks that together have a value in every field, and lack every optional value.
fn chunks() -> Vec<Chunk<'static>> {
    let page = "---\ntitle: Tea\nurl: https://tea.example/\n---\n\n# Green\n\n```sh\nboil water\n";
    let chunker = Chunker::new(Window::default(), Words::default()).unwrap();
    let sources = [Source::new("tea.md", page), Source::new("note.txt", "Boil water first.")];
    let chunks = sources.iter().flat_map(|source| chunker.chunk_source(source).chunks);
    chunks.map(Chunk::into_owned).collect()
}

#[test]
fn names_are_distinct_identifiers() {
    let names: HashSet<_> = FIELDS.iter().map(|field| field.name).collect();
    assert_eq!(names.len(), FIELDS.len());
    let is_plain = |name: &&str| name.bytes().all(|byte| byte == b'_' || byte.is_ascii_lowercase());
    assert!(names.iter().all(is_plain), "JSON contains names as they are");
}

#[test]
fn json_has_the_fields_in_order() {
    let chunks = chunks();
    for &with in WITH {
        let mut found = HashSet::new();
        for chunk in &chunks {
            let mut json = Vec::new();
            Record::new(chunk, with).write_json(&mut json);
            let json: Map<String, Value> = serde_json::from_slice(&json).unwrap();
            let has_value = |field: &&RecordField| match field.presence {
                Presence::IfAny => field.value(chunk).is_some(),
                _ => field.is_in(with),
            };
            let expected: Vec<_> = FIELDS.iter().filter(has_value).collect();
            let names: Vec<_> = expected.iter().map(|field| field.name).collect();
            assert_eq!(json.keys().collect::<Vec<_>>(), names);
            found.extend(names);
            for field in expected {
                let value = serde_json::to_value(field.value(chunk)).unwrap();
                assert_eq!(json[field.name], value, "{}", field.name);
            }
        }
        let all = FIELDS.iter().filter(|field| field.is_in(with));
        assert_eq!(found.len(), all.count(), "the chunks lack a value");
    }
}

#[cfg(feature = "arrow")]
#[test]
fn arrow_has_the_fields_in_order() {
    let chunks = chunks();
    for &with in WITH {
        let records: Vec<_> = chunks.iter().map(|chunk| Record::new(chunk, with)).collect();
        let [batch] = &chunkwright_records::arrow::batches(&records, with).unwrap()[..] else {
            panic!("one batch")
        };
        let schema = batch.schema();
        let columns: Vec<_> = schema.fields().iter().map(|column| column.name()).collect();
        let fields: Vec<_> = FIELDS.iter().filter(|field| field.is_in(with)).collect();
        assert_eq!(columns, fields.iter().map(|field| field.name).collect::<Vec<_>>());
        for (field, column) in fields.iter().zip(batch.columns()) {
            let nulls = chunks.iter().filter(|chunk| field.value(chunk).is_none()).count();
            assert_eq!(column.null_count(), nulls, "{}", field.name);
        }
        let json = chunkwright_records::arrow::records(batch).unwrap();
        assert_eq!(
            json,
            records.iter().map(|r| serde_json::to_string(r).unwrap()).collect::<Vec<_>>()
        );
    }
}

#[test]
fn the_reference_page_lists_every_field() {
    let rows: String = FIELDS.iter().map(row).collect();
    let head = "| Field | Type | Meaning |\n|---|---|---|\n";
    compare("docs/reference/record.md", head, "\n", &rows);
}

#[test]
fn the_type_stub_lists_every_field() {
    let properties: String = FIELDS.iter().map(property).collect();
    let head = "    # The fields of a record:\n";
    let end = "    @property\n    def uuid(self)";
    compare("crates/chunkwright-py/python/chunkwright/_native.pyi", head, end, &properties);
}

/// Checks the text between `head` and `end` in a file, or updates it.
fn compare(name: &str, head: &str, end: &str, expected: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name);
    let text = fs::read_to_string(&file).unwrap();
    let (before, rest) = text.split_once(head).unwrap();
    let (found, after) = rest.split_at(rest.find(&format!("\n{end}")).unwrap() + 1);
    if env::var_os("UPDATE_DOCS").is_some() {
        fs::write(file, format!("{before}{head}{expected}{after}")).unwrap();
    } else {
        assert_eq!(found, expected, "{name}: to update it, run again with UPDATE_DOCS=1");
    }
}

fn row(field: &RecordField) -> String {
    let kind = match field.kind() {
        FieldKind::Text => "string",
        FieldKind::Number => "integer",
        FieldKind::Texts => "list of strings",
        FieldKind::Metadata => "object",
        FieldKind::Objects => "list of objects",
        _ => panic!("a new kind"),
    };
    let (mark, kind) = match field.presence {
        Presence::Always => ("", kind.to_owned()),
        Presence::OrNull => ("", format!("{kind} or null")),
        Presence::IfAny => ("*", kind.to_owned()),
        Presence::IfRequested(_) => ("†", kind.to_owned()),
        _ => panic!("a new presence"),
    };
    let help = field.help.trim_end_matches('.');
    format!("| `{}`{mark} | {kind} | {help} |\n", field.name)
}

fn property(field: &RecordField) -> String {
    let kind = match field.kind() {
        FieldKind::Text if field.is_nullable() => "str | None",
        FieldKind::Text => "str",
        FieldKind::Number => "int",
        FieldKind::Texts => "list[str]",
        FieldKind::Metadata => "dict[str, Any]",
        FieldKind::Objects => "list[dict[str, Any]]",
        _ => panic!("a new kind"),
    };
    let RecordField { name, help, .. } = field;
    format!("    @property\n    def {name}(self) -> {kind}:\n        \"\"\"{help}\"\"\"\n")
}
