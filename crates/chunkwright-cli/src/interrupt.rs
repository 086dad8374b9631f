//! Ctrl-C and its like: the work stops where it leaves nothing behind.

use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Result;

static ASKED: AtomicBool = AtomicBool::new(false);

/// What a run ends with that was interrupted, as shells expect it.
pub(crate) const EXIT_CODE: u8 = 130;

/// That the user wants the run to stop.
#[derive(Debug, thiserror::Error)]
#[error("interrupted; nothing was written")]
pub(crate) struct Interrupted;

/// From now on a first signal is a wish, which [`check`] tells; a second one ends the process.
pub(crate) fn watch() -> Result<()> {
    Ok(ctrlc::set_handler(|| {
        if ASKED.swap(true, Ordering::Relaxed) {
            std::process::exit(EXIT_CODE.into());
        }
    })?)
}

/// Whether the work may go on.
pub(crate) fn check() -> Result<()> {
    if ASKED.load(Ordering::Relaxed) { Err(Interrupted.into()) } else { Ok(()) }
}
