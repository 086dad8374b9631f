//! `chunkwright get` prints the text of a search result, a page or a section.

use anyhow::Result;

use crate::options::Colors;
use crate::place::Place;
use crate::style::{self, PLACE, harmless, paint};

/// Print what a search result showed, or any page or section
///
/// Examples:
///
///   chunkwright get docs:guide.md#settings         the id of a result
///   chunkwright get docs:guide.md#settings+        with everything below it
///   chunkwright get guide.md                       a whole page
///   chunkwright get guide.md:42                    the section that line 42 is in
///   chunkwright get guide.md#settings              a section by its anchor
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// An id, a path, PATH:LINE or PATH#ANCHOR; an id wins over a path
    #[arg(value_name = "ID")]
    id: String,
    /// Include everything below the section
    #[arg(long)]
    whole: bool,
    /// Leave out the breadcrumb line
    #[arg(long)]
    raw: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    colors: Colors,
    #[command(flatten)]
    place: Place,
}

pub(crate) fn run(args: &Args) -> Result<usize> {
    args.colors.apply();
    let node = args.place.open()?.get(&args.id, args.whole)?;
    if args.json {
        style::print(&format!("{}\n", serde_json::to_string(&node)?))?;
        return Ok(0);
    }
    if node.stale {
        style::complain(&format!("{}: the file has changed since it was indexed", node.doc_id));
    }
    let breadcrumb = format!("> {}", harmless(&node.breadcrumb.join(" › ")));
    let head = if args.raw { String::new() } else { format!("{}\n\n", paint(PLACE, breadcrumb)) };
    style::print(&format!("{head}{}\n", node.text))?;
    Ok(0)
}
