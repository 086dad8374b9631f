//! `chunkwright ls`: what there is in the index.

use std::fmt::Write as _;

use anyhow::Result;

use crate::options::Colors;
use crate::place::Place;
use crate::style::{self, DIM, PLACE, WARN, harmless, number, paint};

/// List the files of the index, or the nodes of one
///
/// Examples:
///
///   chunkwright ls                                 all files, with their tokens
///   chunkwright ls docs:guide.md                   the headings of one
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// A file, or a node of one; all files if there is none
    #[arg(value_name = "ID")]
    id: Option<String>,
    /// Print one JSON object a line
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    colors: Colors,
    #[command(flatten)]
    place: Place,
}

pub(crate) fn run(args: &Args) -> Result<usize> {
    args.colors.apply();
    let listed = args.place.open()?.list(args.id.as_deref())?;
    let mut out = String::new();
    for one in &listed {
        if args.json {
            let _ = writeln!(out, "{}", serde_json::to_string(one)?);
            continue;
        }
        let indent = "  ".repeat(usize::from(one.depth));
        let stale = if one.stale { paint(WARN, "  changed") } else { String::new() };
        let title = one.title.as_deref().map(|title| format!("{}  ", harmless(title)));
        let title = title.map_or_else(String::new, |title| paint(PLACE, title));
        let id = paint(if one.title.is_some() { DIM } else { PLACE }, harmless(&one.id));
        let _ = writeln!(out, "{:>8}  {indent}{title}{id}{stale}", number(one.tokens));
    }
    style::print(&out)?;
    Ok(0)
}
