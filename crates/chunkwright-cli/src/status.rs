//! `chunkwright status`: how the index is.

use std::fmt::Write as _;

use anyhow::Result;
use chunkwright_io::shown;

use crate::place::Place;
use crate::style::{self, count, harmless};

/// Check the index, and tell what is in it
///
/// Examples:
///
///   chunkwright status
///   chunkwright status --json
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    place: Place,
}

pub(crate) fn run(args: &Args) -> Result<usize> {
    let snapshot = args.place.open()?;
    snapshot.check()?;
    let status = snapshot.status()?;
    if args.json {
        style::print(&format!("{}\n", serde_json::to_string(&status)?))?;
        return Ok(0);
    }
    let mut out = String::new();
    let _ = writeln!(
        out,
        "{}: {:.1} MB, {}, made by {}",
        shown(&status.index),
        status.bytes as f64 / 1e6,
        status.language,
        status.generator,
    );
    if status.outdated {
        let reason = "the index was built by a version that splits differently";
        let _ = writeln!(out, "{reason}: run `chunkwright index` to rebuild it");
    }
    for tree in &status.trees {
        let stale = match tree.stale {
            0 => "all as they were indexed".to_owned(),
            stale => format!("{} changed or gone", style::number(stale)),
        };
        let _ = writeln!(
            out,
            "{}: {}, {}, {stale}; {}",
            harmless(&tree.name),
            count(tree.files, "file"),
            count(tree.nodes, "node"),
            shown(&tree.root),
        );
    }
    style::print(&out)?;
    Ok(0)
}
