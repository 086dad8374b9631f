//! `chunkwright diff`: compares two versions and reports the chunks to embed again.

mod git;
mod plan;
mod report;
mod side;

use std::path::PathBuf;

use anyhow::Result;
use chunkwright_records::{Diff, Summary};

use crate::options::Common;
use crate::style;
use plan::EmbeddingPlan;
use report::FileChanges;
use side::Sides;

/// Compare two versions, and list the chunks to embed again
///
/// Examples:
///
///   chunkwright diff old/docs docs           # compare two directories
///   chunkwright diff --git HEAD docs         # compare the last commit with now
///   chunkwright diff chunks.jsonl docs       # compare the last chunks with now
///   chunkwright diff chunks.jsonl docs --json > plan.json
#[derive(clap::Args)]
#[command(
    verbatim_doc_comment,
    override_usage = "chunkwright diff [OPTIONS] <OLD> <NEW>\n       \
                      chunkwright diff [OPTIONS] --git <REF> <PATH>"
)]
pub(crate) struct Args {
    /// Old version: a directory, a file, output of `chunk` (.jsonl, .json or .parquet), or - for
    /// standard input
    #[arg(value_name = "OLD")]
    old: PathBuf,
    /// New version, in one of the same forms
    #[arg(value_name = "NEW", required_unless_present = "git", conflicts_with = "git")]
    new: Option<PathBuf>,
    /// Compare PATH in this commit, branch or tag with PATH on disk
    #[arg(long, value_name = "REF")]
    git: Option<String>,
    /// Print an update plan for a vector store, as one JSON object
    #[arg(long)]
    json: bool,
    /// List all changes [default: 20 files, 8 chunks each]
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    common: Common,
}

/// Compares two versions; returns the number of files that could not be read. If there are any,
/// prints nothing, because their chunks would look removed.
pub(crate) fn run(args: &Args) -> Result<usize> {
    args.common.colors.apply();
    let settings = args.common.settings(&[])?;
    let sides = Sides::open(args, &settings)?;
    let mut old = Vec::new();
    let failed = sides.each(&sides.old, |row, _| {
        old.push(row);
        Ok(())
    })?;
    if failed > 0 {
        return Ok(failed);
    }
    let mut diff = Diff::new(old)?;
    let (mut plan, mut report) = (EmbeddingPlan::default(), FileChanges::default());
    let failed = sides.each(&sides.new, |row, json| {
        let fate = diff.compare(&row)?;
        match json {
            Some(record) => plan.add(fate, &record)?,
            None => report.add(fate, &row),
        }
        Ok(())
    })?;
    if failed > 0 {
        return Ok(failed);
    }
    let outcome = diff.finish()?;
    warn_of_names(&outcome.summary);
    if args.json {
        plan.print(&outcome, sides.config_hash())?;
    } else {
        report.print(&outcome, args.all)?;
    }
    Ok(0)
}

/// Warns if every id has changed, which is hardly intended.
fn warn_of_names(summary: &Summary) {
    if summary.moved > 0 && summary.changed + summary.updated + summary.unchanged == 0 {
        style::warn(
            "the two versions have no ids in common; if only the tree name differs, set it with --tree",
        );
    }
}
