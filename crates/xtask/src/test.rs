//! Everything that must pass, in the order in which it fails fastest.

use anyhow::Result;

/// What to leave out.
#[derive(clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(_: &Args) -> Result<()> {
    Ok(())
}
