//! Checks that JSON records and Arrow batches have the same fields, for every chunk and strategy.

#![cfg(feature = "parquet")]
#![allow(clippy::unwrap_used, reason = "a panic fails the test")]

use std::fs;
use std::path::Path;

use chunkwright::{Chunk, Chunker, ConfigTable, StrategyName, counter_by_name};
use chunkwright_io::ParquetWriter;
use chunkwright_records::{Provenance, Record, With, arrow};

const WITHS: [With; 3] = [
    With { embed_text: false, pieces: false },
    With { embed_text: true, pieces: false },
    With { embed_text: true, pieces: true },
];

fn chunker(strategy: StrategyName) -> Chunker {
    let mut config = ConfigTable::default().with_limits(60, 100);
    config.strategy = strategy;
    config.url_base = Some("https://kettle.example".to_owned());
    Chunker::new(config, counter_by_name("words:1").unwrap()).unwrap()
}

/// Returns the pages of the corpus, which together use every field of a record.
fn pages() -> Vec<(String, String)> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../chunkwright/tests/corpus");
    let mut pages: Vec<_> = fs::read_dir(corpus)
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| (entry.file_name().into_string().unwrap(), fs::read_to_string(entry.path())))
        .filter_map(|(name, text)| Some((name, text.ok()?)))
        .collect();
    pages.sort();
    pages
}

fn records<'c>(chunks: &'c [Chunk<'_>], with: With) -> Vec<Record<'c>> {
    chunks.iter().map(|chunk| Record::new(chunk, with)).collect()
}

fn json(record: &Record<'_>) -> String {
    let mut json = Vec::new();
    record.write_json(&mut json);
    String::from_utf8(json).unwrap()
}

#[test]
fn a_row_has_the_fields_of_the_record_in_order() {
    let mut rows = 0;
    for &strategy in StrategyName::ALL {
        let chunker = chunker(strategy);
        for (name, text) in &pages() {
            let chunked = chunker.chunk(name, text);
            for with in WITHS {
                let records = records(&chunked.chunks, with);
                let batches = arrow::batches(&records, with).unwrap();
                let back = batches.iter().flat_map(|batch| arrow::records(batch).unwrap());
                let back: Vec<String> = back.collect();
                let expected: Vec<String> = records.iter().map(json).collect();
                assert_eq!(back, expected, "{strategy}, {name}");
                rows += back.len();
            }
        }
    }
    assert!(rows > 5000, "{rows}");
}

#[test]
fn all_batches_have_the_same_schema() {
    let pages = pages();
    for with in WITHS {
        let schema = arrow::schema(with);
        for (name, text) in &pages {
            let chunker = chunker(StrategyName::default());
            let chunked = chunker.chunk(name, text);
            for batch in arrow::batches(&records(&chunked.chunks, with), with).unwrap() {
                assert_eq!(batch.schema(), schema);
            }
        }
    }
}

#[test]
fn large_documents_are_written_in_several_small_batches() {
    let text = format!("# {}\n\n", "long heading ".repeat(40_000)) + &"a b c d\n\n".repeat(5_000);
    let chunker = chunker(StrategyName::default());
    let chunked = chunker.chunk("long.md", &text);
    let with = WITHS[2];
    let records = records(&chunked.chunks, with);
    let batches = arrow::batches(&records, with).unwrap();
    let rows: usize = batches.iter().map(arrow::RecordBatch::num_rows).sum();
    assert_eq!(rows, records.len());
    assert!(batches.len() > 1);
    assert!(batches.iter().all(|batch| batch.get_array_memory_size() < 40_000_000));
}

#[test]
fn a_file_without_chunks_is_valid() {
    let file = ParquetWriter::new(Vec::new(), With::default(), &Provenance::default())
        .unwrap()
        .finish()
        .unwrap();
    assert!(file.starts_with(b"PAR1") && file.ends_with(b"PAR1"));
    assert!(String::from_utf8_lossy(&file).contains("chunkwright.config_hash"));
}
