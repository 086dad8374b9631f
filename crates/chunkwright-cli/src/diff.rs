//! `chunkwright diff`: two versions come in; what must be embedded again goes out.

mod git;
mod plan;
mod report;
mod side;

use std::path::PathBuf;

use anyhow::Result;
use chunkwright_records::{Diff, Summary};

use crate::options::Common;
use crate::style;
use plan::Plan;
use report::Report;
use side::Sides;

/// Compare two versions, and list what must be embedded again
///
/// Examples:
///
///   chunkwright diff old/docs docs                 two directories
///   chunkwright diff chunks.jsonl docs             output of chunk, and what it would write now
///   chunkwright diff --git HEAD docs               the last commit, and the files on disk
#[derive(clap::Args)]
#[command(
    verbatim_doc_comment,
    override_usage = "chunkwright diff [OPTIONS] <OLD> <NEW>\n       \
                      chunkwright diff [OPTIONS] --git <REF> <PATH>"
)]
pub(crate) struct Args {
    /// Old version: a directory, a file, - for standard input, or output of chunk (.jsonl, .json,
    /// .parquet)
    #[arg(value_name = "OLD")]
    old: PathBuf,
    /// New version, likewise
    #[arg(value_name = "NEW", required_unless_present = "git", conflicts_with = "git")]
    new: Option<PathBuf>,
    /// Compare PATH in a commit, branch or tag with PATH on disk
    #[arg(long, value_name = "REF")]
    git: Option<String>,
    /// Print a plan for a vector store, as one JSON object
    #[arg(long)]
    json: bool,
    /// List all changes, however many
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    common: Common,
}

/// Compares two versions; tells how many files could not be read. If there are any, nothing is
/// printed: what was not read would look as if it were gone.
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
    let (mut plan, mut report) = (Plan::default(), Report::default());
    let failed = sides.each(&sides.new, |row, record| {
        let fate = diff.compare(&row)?;
        if args.json {
            return plan.add(fate, &record);
        }
        report.add(fate, &row);
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

/// Tells if all chunks have other ids than before, which nobody wants.
fn warn_of_names(summary: &Summary) {
    if summary.moved > 0 && summary.changed + summary.updated + summary.unchanged == 0 {
        style::complain(
            "no id is in both versions; if only the name of the tree differs, set it with --tree",
        );
    }
}
