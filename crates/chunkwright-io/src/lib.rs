//! What chunkwright does with files: finding them, reading them, working on many at once, writing
//! what comes out, and counting it.

#[cfg(feature = "parquet")]
pub mod arrow;
mod diff;
mod directory;
mod entries;
mod error;
mod output;
#[cfg(feature = "parquet")]
mod parquet;
mod pipeline;
mod provenance;
mod read;
mod record;
mod records;
mod roots;
mod row;
mod rules;
mod stats;
mod taken;
mod walk;

#[cfg(feature = "parquet")]
pub use self::parquet::ParquetWriter;
pub use diff::{Diff, DiffError, Fate, Move, Outcome, Summary};
pub use entries::{Entries, Entry, Source, is_readable};
pub use error::{FileError, OutputError, Reason, WalkError, plain, shown};
pub use output::{Output, WRITE_BUFFER, is_temporary, write_whole};
pub use pipeline::ordered;
pub use provenance::Provenance;
pub use read::{MAX_FILE_BYTES, read, read_file};
pub use record::{Record, With};
pub use records::{Layout, Records, RecordsError};
pub use roots::{Place, TextRoot, place};
pub use row::{Row, RowError};
pub use stats::{Blocks, ChunkStats, Stats, Subtrees};
pub use walk::{Found, Naming, walk};
