//! Finds, reads and writes files for chunkwright, in parallel and without half-written output.
//!
//! [`walk`] finds the documents below paths, [`read()`] reads one within a size limit, and
//! [`ordered`] processes many on several threads and delivers the results in input order.
//! [`Output`] writes a file completely or not at all. [`Records`] reads a file that
//! `chunkwright chunk` wrote; with the feature `parquet`, `ParquetWriter` writes one.

mod directory;
mod entries;
mod error;
mod output;
#[cfg(feature = "parquet")]
mod parquet;
mod pipeline;
mod read;
mod records;
mod roots;
mod rules;
mod walk;

#[cfg(feature = "parquet")]
pub use self::parquet::ParquetWriter;
pub use entries::{Entries, Entry, Location, is_readable};
pub use error::{FileError, OutputError, Reason, WalkError, plain, shown};
pub use output::{Output, is_temporary, write_whole};
pub use pipeline::ordered;
pub use read::{MAX_FILE_BYTES, read, read_file};
pub use records::{Layout, Records};
pub use roots::{Naming, Place, TextRoot, place};
pub use walk::{Found, walk};
