//! Removes temporary files when Ctrl-C or another signal ends the run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context as _, Result};
use chunkwright_io::Output;
use tempfile::TempDir;

use crate::style;

/// Exit code of an interrupted run, as shells expect it.
const EXIT_CODE: i32 = 130;

/// The temporary file or directory of this run.
static TEMPORARY: Mutex<Option<PathBuf>> = Mutex::new(None);

/// Opens an output whose temporary file is removed when the run is interrupted.
pub(crate) fn output(path: &Path) -> Result<Output> {
    let make = || Ok(Output::create(path)?);
    let is_direct = fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir());
    if is_direct {
        // A FIFO or device has no temporary file, and opening it may wait for a reader.
        return make();
    }
    ctrlc::set_handler(end)?;
    // The handler needs this lock, so it waits until the path is known.
    let mut temporary = TEMPORARY.lock().unwrap_or_else(PoisonError::into_inner);
    let output = make()?;
    *temporary = output.temporary().map(ToOwned::to_owned);
    Ok(output)
}

/// Creates a temporary directory that is removed when the run ends or is interrupted.
pub(crate) fn temporary_directory() -> Result<TempDir> {
    ctrlc::set_handler(end)?;
    let mut temporary = TEMPORARY.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = tempfile::Builder::new().prefix("chunkwright-").tempdir();
    let folder = folder
        .context("cannot create a temporary directory; set TMPDIR to choose another location")?;
    *temporary = Some(folder.path().to_owned());
    Ok(folder)
}

fn end() {
    let temporary = TEMPORARY.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(folder) = temporary.as_ref().filter(|path| path.is_dir()) {
        // A failure is harmless: the system cleans up its directory for temporary files.
        let _ = fs::remove_dir_all(folder);
    }
    // If the temporary file is gone, it has already replaced the output file.
    let removed = temporary.as_ref().is_some_and(|file| fs::remove_file(file).is_ok());
    style::complain(if removed { "interrupted; nothing was written" } else { "interrupted" });
    process::exit(EXIT_CODE);
}
