//! `chunkwright diff`: two versions come in; what must be embedded again goes out.

mod plan;
mod report;
mod side;

use std::path::PathBuf;

use anyhow::Result;
use chunkwright_io::{Diff, Summary};

use crate::options::Common;
use crate::style;
use plan::Plan;
use report::Report;
use side::Sides;

/// Compare two versions: what must be embedded again
///
/// Examples:
///
///   chunkwright diff old/docs docs                 two directories
///   chunkwright diff chunks.jsonl docs             what chunk wrote, and what it would write now
///   git show HEAD:a.md | chunkwright diff - a.md   a file before and after
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// The old version: a directory, a file, - for standard input, or output of chunk (.jsonl,
    /// .json, .parquet)
    #[arg(value_name = "OLD")]
    old: PathBuf,
    /// The new version, likewise
    #[arg(value_name = "NEW")]
    new: PathBuf,
    /// Print what a vector store has to do, as one JSON object
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
    let failed = sides.each(&args.old, |row, _| {
        old.push(row);
        Ok(())
    })?;
    if failed > 0 {
        return Ok(failed);
    }
    let mut diff = Diff::new(old)?;
    let (mut plan, mut report) = (Plan::default(), Report::default());
    let failed = sides.each(&args.new, |row, record| {
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
        style::complain("no id is in both versions; if only the tree has another name, use --tree");
    }
}
