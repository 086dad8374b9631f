//! The round through all files: each is read, worked on by one of many threads, and its result
//! handed on in order. What cannot be read is told, and the others go on.

use anyhow::Result;
use chunkwright_config::Running;
use chunkwright_io::{Entry, Found, ordered, read};

use crate::progress::Progress;
use crate::style;

/// What one file gave.
struct Done<R> {
    result: Result<R>,
    /// Bytes of the file.
    bytes: usize,
}

/// Tells the user if there is nothing to do.
pub(crate) fn warn_if_none(found: &Found) {
    if found.entries.is_empty() && found.errors.is_empty() {
        style::complain("there is no Markdown or text to read");
    }
}

/// Works on all files that were found, and hands on the results with their weights in bytes; tells
/// how many files failed.
pub(crate) fn each<R: Send>(
    found: &Found,
    running: &Running,
    mut progress: Progress,
    work: impl Fn(&Entry, &str) -> Result<R> + Sync,
    weigh: impl Fn(&R) -> usize + Sync,
    mut sink: impl FnMut(R, &Progress) -> Result<()> + Send,
) -> Result<usize> {
    found.errors.iter().for_each(|error| progress.complain(&error.to_string()));
    let mut failed = found.errors.len();
    let work = |entry: Entry| match read(&entry, running.max_file_size) {
        Ok(text) => Done { result: work(&entry, &text), bytes: text.len() },
        Err(error) => Done { result: Err(error.into()), bytes: 0 },
    };
    let weigh = |done: &Done<R>| done.result.as_ref().map_or(0, &weigh);
    ordered(found.entries.iter(), running.threads(), work, weigh, |done| {
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
