//! Options for reading files and writing records.

use std::num::NonZeroUsize;

use chunkwright::Format;
use chunkwright_io::MAX_FILE_BYTES;
use chunkwright_records::With;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Options for reading files and writing records.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Processing {
    /// Format of all input: `markdown`, `mdx` or `text`. Default: by extension.
    pub input_format: Option<Format>,
    /// Maximum file size in bytes. Default: 64000000.
    pub max_file_size: u64,
    /// Number of files to process in parallel, at most 256. Default: number of cores.
    pub jobs: Option<NonZeroUsize>,
    /// Fields to add to each record: `embed_text`, `pieces`, or both. Default: none.
    with: Vec<RequestedField>,
}

/// An optional field of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum RequestedField {
    EmbedText,
    Pieces,
}

impl Default for Processing {
    fn default() -> Self {
        Self { input_format: None, max_file_size: MAX_FILE_BYTES, jobs: None, with: Vec::new() }
    }
}

impl Processing {
    /// Maximum number of threads.
    const MOST_JOBS: usize = 256;

    /// Returns the number of files to process in parallel.
    pub fn threads(&self) -> usize {
        let cores = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        self.jobs.unwrap_or_else(cores).get().min(Self::MOST_JOBS)
    }

    /// Returns the optional fields of each record.
    pub fn with(&self) -> With {
        With {
            embed_text: self.with.contains(&RequestedField::EmbedText),
            pieces: self.with.contains(&RequestedField::Pieces),
        }
    }
}
