//! Processes files in parallel and delivers the results in order.
//!
//! Files that cannot be read are reported and skipped.

use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use chunkwright_config::Processing;
use chunkwright_io::{Entry, FileError, Found, Reason, ordered, read, shown};

use crate::progress::Progress;
use crate::style;

/// The result for one file.
struct FileResult<R> {
    result: Result<R>,
    /// Bytes of the file.
    bytes: usize,
}

/// Fails if there is no file at all. Otherwise, and unless `quiet`, warns of directories without
/// files.
pub(crate) fn check_any(found: &Found, quiet: bool) -> Result<()> {
    if found.entries.is_empty() && found.errors.is_empty() {
        let messages: Vec<_> =
            found.empty.iter().map(|directory| without_files(directory)).collect();
        bail!("{}", messages.join("; "));
    }
    if !quiet {
        warn_of_empty(&found.empty);
    }
    Ok(())
}

/// Warns of directories without files to read.
pub(crate) fn warn_of_empty(directories: &[PathBuf]) {
    directories.iter().for_each(|directory| style::warn(&without_files(directory)));
}

fn without_files(directory: &Path) -> String {
    format!("{}: {}", shown(directory), Reason::NoFiles)
}

/// Returns why a file cannot be read, and what to do about it.
pub(crate) fn message(error: &FileError) -> String {
    named_message(error, &error.path)
}

fn named_message(error: &FileError, name: &Path) -> String {
    format!("cannot read {}: {}", shown(name), advice(error))
}

fn advice(error: &FileError) -> String {
    let help = match error.reason {
        Reason::UnknownFormat => " (use --input-format markdown to read it anyway)",
        Reason::NotUtf8 { .. } => " (convert it to UTF-8)",
        Reason::TooLarge { .. } | Reason::PastLimit { .. } => {
            " (raise the limit with --max-file-size)"
        }
        _ => "",
    };
    format!("{}{help}", error.reason)
}

/// Processes all files that were found, and passes the results to `sink` in order. Returns the
/// number of files that failed. `weigh` returns the size of a result in bytes, which limits how many
/// results wait for their turn.
pub(crate) fn each<R: Send>(
    found: &Found,
    processing: &Processing,
    progress: Progress,
    work: impl Fn(&Entry, &str) -> Result<R> + Sync,
    weigh: impl Fn(&R) -> usize + Sync,
    sink: impl FnMut(R, &Progress) -> Result<()> + Send,
) -> Result<usize> {
    each_named(found, &Path::to_owned, processing, progress, work, weigh, sink)
}

/// Does the same as [`each`] for files that have different names in messages.
pub(crate) fn each_named<R: Send>(
    found: &Found,
    name: &(dyn Fn(&Path) -> PathBuf + Sync),
    processing: &Processing,
    mut progress: Progress,
    work: impl Fn(&Entry, &str) -> Result<R> + Sync,
    weigh: impl Fn(&R) -> usize + Sync,
    mut sink: impl FnMut(R, &Progress) -> Result<()> + Send,
) -> Result<usize> {
    let message = |error: &FileError| named_message(error, &name(&error.path));
    found.errors.iter().for_each(|error| progress.complain(&message(error)));
    let mut failed = found.errors.len();
    let work = |entry: Entry| match read(&entry, processing.max_file_size) {
        Ok(text) => FileResult { result: work(&entry, &text), bytes: text.len() },
        Err(error) => FileResult { result: Err(anyhow!(message(&error))), bytes: 0 },
    };
    let weigh = |done: &FileResult<R>| done.result.as_ref().map_or(0, &weigh);
    ordered(found.entries.iter(), processing.threads(), work, weigh, |done| {
        match done.result {
            Ok(result) => sink(result, &progress)?,
            Err(error) => {
                progress.complain(&format!("{error:#}"));
                failed += 1;
            }
        }
        progress.done(done.bytes);
        Ok::<(), anyhow::Error>(())
    })?;
    Ok(failed)
}
