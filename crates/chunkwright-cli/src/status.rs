//! `chunkwright status`: checks the index and reports its contents.

use std::fmt::Write as _;

use anyhow::Result;
use chunkwright_io::shown;
use chunkwright_search::answer::TreeStatus;

use crate::index_dir::IndexFlag;
use crate::sink;
use crate::style::{self, count, harmless, number};

/// Check the index, and show its trees and changed files
///
/// Examples:
///
///   chunkwright status         # the index of this directory
///   chunkwright status --json  # for scripts
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    index_dir: IndexFlag,
}

pub(crate) fn run(args: &Args) -> Result<usize> {
    let snapshot = args.index_dir.open()?;
    snapshot.check()?;
    let status = snapshot.status()?;
    if args.json {
        sink::print(&format!("{}\n", serde_json::to_string(&status)?))?;
        return Ok(0);
    }
    let mut out = String::new();
    let _ = writeln!(
        out,
        "{}: {}, language {}, built by {}",
        shown(&status.index),
        style::bytes(status.bytes),
        status.language,
        status.generator,
    );
    if status.outdated {
        let reason = "the index was built by a version that splits differently";
        let _ = writeln!(out, "{reason}; run `chunkwright index` to rebuild it");
    }
    for tree in &status.trees {
        let _ = writeln!(
            out,
            "{}: {}, {}, {}",
            harmless(&tree.name),
            count(tree.files, "file"),
            count(tree.nodes, "node"),
            since(tree),
        );
        let _ = writeln!(out, "  {}", shown(&tree.root));
    }
    sink::print(&out)?;
    Ok(0)
}

/// Returns what has changed on disk since a tree was indexed.
fn since(tree: &TreeStatus) -> String {
    let changes = [(tree.changed, "changed"), (tree.new, "new"), (tree.deleted, "deleted")];
    let changes = changes.iter().filter(|(files, _)| *files > 0);
    let changes: Vec<_> = changes.map(|(files, how)| format!("{} {how}", number(*files))).collect();
    match changes.is_empty() {
        true if !tree.root.is_dir() => "directory not found".to_owned(),
        true => "up to date".to_owned(),
        false => changes.join(", "),
    }
}
