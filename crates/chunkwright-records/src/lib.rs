//! Turns chunks into records, compares two versions of them, and computes statistics.
//!
//! A [`Record`] is one [`Chunk`](chunkwright::Chunk) as a row. [`FIELDS`] declares its fields, which
//! are the same in every output format. [`Diff`] compares two versions of the records and reports
//! which chunks must be embedded again. [`Stats`] counts chunks, tokens and split blocks. With the
//! feature `arrow`, the module `arrow` converts records to record batches and back.
//!
//! The crate reads and writes no files; `chunkwright-io` does.
//!
//! ```
//! use chunkwright::{Chunker, Hierarchical, Words};
//! use chunkwright_records::{Record, With};
//!
//! let chunker = Chunker::new(Hierarchical::default(), Words::default())?;
//! let chunked = chunker.chunk("tea.md", "# Tea\n\nBoil water first.\n");
//! let mut json = Vec::new();
//! Record::new(&chunked.chunks[0], With::default()).write_json(&mut json);
//! assert!(json.starts_with(br##"{"id":"docs:tea.md#tea","doc_id":"docs:tea.md","##));
//! # Ok::<(), chunkwright::ConfigError>(())
//! ```

#[cfg(feature = "arrow")]
pub mod arrow;
mod diff;
mod digest;
mod field;
mod provenance;
mod record;
mod row;
mod stats;

pub use diff::{Diff, DiffError, Fate, Move, Outcome, Summary};
pub use field::{FIELDS, FieldKind, FieldValue, Presence, RecordField, With};
pub use provenance::Provenance;
pub use record::Record;
pub use row::{Row, RowError};
pub use stats::{BlockCounts, ChunkStats, Stats, Subtrees};
