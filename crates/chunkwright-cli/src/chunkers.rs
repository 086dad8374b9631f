//! Finds the files to split, and creates the chunkers for them.

use std::panic;
use std::path::PathBuf;
use std::thread;

use anyhow::Result;
use chunkwright_config::{Chunkers, Settings};
use chunkwright_io::{Entries, Found};

use crate::options::Reading;
use crate::style;

/// Returns the files below `paths` and the chunkers for them. Unless `quiet`, warns of overrides
/// that change the tokenizer.
pub(crate) fn prepare(
    settings: &Settings,
    reading: &Reading,
    paths: &[PathBuf],
    quiet: bool,
) -> Result<(Chunkers, Found)> {
    let (chunkers, found) = found_chunkers(settings, reading, paths)?;
    if !quiet {
        chunkers.counter_changes().iter().for_each(|change| style::warn(change));
    }
    Ok((chunkers, found))
}

fn found_chunkers(
    settings: &Settings,
    reading: &Reading,
    paths: &[PathBuf],
) -> Result<(Chunkers, Found)> {
    thread::scope(|scope| {
        // Loading a `tokenizer.json` takes a while, so files are found at the same time.
        let finding = scope.spawn(|| reading.find(paths, settings));
        let chunkers = Chunkers::new(settings)?;
        let found = finding.join().unwrap_or_else(|panic| panic::resume_unwind(panic))?;
        Ok((for_all(chunkers, &found.entries)?, found))
    })
}

/// Adds the chunkers of overrides that apply to these files.
pub(crate) fn for_all(mut chunkers: Chunkers, entries: &Entries) -> Result<Chunkers> {
    chunkers.add(entries.iter().map(|entry| entry.path))?;
    Ok(chunkers)
}
