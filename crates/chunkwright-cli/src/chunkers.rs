//! What there is to cut: settings and paths come in; the files, and a chunker for each, go out.

use std::panic;
use std::path::PathBuf;
use std::thread;

use anyhow::Result;
use chunkwright_config::{Chunkers, Settings};
use chunkwright_io::{Entries, Found};

use crate::options::Reading;
use crate::style;

/// The files, and chunkers for them. Files are found while a `tokenizer.json` is loaded. Unless `quiet`,
/// overrides that change the counter are reported.
pub(crate) fn prepare(
    settings: &Settings,
    reading: &Reading,
    paths: &[PathBuf],
    quiet: bool,
) -> Result<(Chunkers, Found)> {
    let (chunkers, found) = found_chunkers(settings, reading, paths)?;
    if !quiet {
        chunkers.counter_changes().iter().for_each(|change| style::complain(change));
    }
    Ok((chunkers, found))
}

fn found_chunkers(
    settings: &Settings,
    reading: &Reading,
    paths: &[PathBuf],
) -> Result<(Chunkers, Found)> {
    thread::scope(|scope| {
        let finding = scope.spawn(|| reading.find(paths, settings));
        let chunkers = Chunkers::new(settings)?;
        let found = finding.join().unwrap_or_else(|panic| panic::resume_unwind(panic))?;
        Ok((for_all(chunkers, &found.entries)?, found))
    })
}

/// These chunkers, and those that overrides about the files ask for.
pub(crate) fn for_all(mut chunkers: Chunkers, entries: &Entries) -> Result<Chunkers> {
    chunkers.add(entries.iter().map(|entry| entry.path))?;
    Ok(chunkers)
}
