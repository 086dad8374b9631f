//! Options of the command that say nothing about how to cut.

use std::num::NonZeroUsize;

use chunkwright::Format;
use chunkwright_io::MAX_FILE_BYTES;
use chunkwright_records::With;
use serde::{Deserialize, Serialize};

/// How files are read and records are written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Running {
    /// Format of all texts, instead of the one that each file's extension gives.
    pub input_format: Option<Format>,
    /// Files of more bytes are refused.
    pub max_file_size: u64,
    /// How many files are worked on at once, 256 at most. Default: one a core.
    pub jobs: Option<NonZeroUsize>,
    /// Fields that are added to each record.
    pub with: Vec<Field>,
}

/// A field that records have on request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Field {
    /// What an embedding model should see.
    EmbedText,
    /// What the text is made of.
    Pieces,
}

impl Default for Running {
    fn default() -> Self {
        Self { input_format: None, max_file_size: MAX_FILE_BYTES, jobs: None, with: Vec::new() }
    }
}

impl Running {
    /// More threads than this help nobody.
    const MOST_JOBS: usize = 256;

    /// How many files are worked on at once.
    pub fn threads(&self) -> usize {
        let cores = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        self.jobs.unwrap_or_else(cores).get().min(Self::MOST_JOBS)
    }

    /// The fields that are added to each record.
    pub fn with(&self) -> With {
        With {
            embed_text: self.with.contains(&Field::EmbedText),
            pieces: self.with.contains(&Field::Pieces),
        }
    }
}
