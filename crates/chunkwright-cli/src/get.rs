//! `chunkwright get`: prints the text of a search result, a page or a section.

use anyhow::Result;

use crate::index_dir::IndexFlag;
use crate::options::Colors;
use crate::sink;
use crate::style::{self, PLACE, harmless, paint};

/// Print a search result, a page or a section
///
/// Examples:
///
///   chunkwright get docs:guide.md#settings   # a section, by the id of a result
///   chunkwright get docs:guide.md#settings+  # the section with its subsections
///   chunkwright get guide.md                 # a page
///   chunkwright get guide.md:42              # the section that contains line 42
///   chunkwright get guide.md#settings        # a section, by its anchor
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// Id, path, PATH:LINE or PATH#ANCHOR; an id takes precedence over a path
    #[arg(value_name = "ID")]
    id: String,
    /// Include all subsections
    #[arg(long)]
    whole: bool,
    /// Omit the breadcrumb line
    #[arg(long)]
    raw: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    colors: Colors,
    #[command(flatten)]
    index_dir: IndexFlag,
}

pub(crate) fn run(args: &Args) -> Result<usize> {
    args.colors.apply();
    let node = args.index_dir.open()?.get(&args.id, args.whole)?;
    if args.json {
        sink::print(&format!("{}\n", serde_json::to_string(&node)?))?;
        return Ok(0);
    }
    if node.stale {
        style::warn(&format!("{} has changed since it was indexed", node.doc_id));
    }
    let breadcrumb = format!("> {}", harmless(&node.breadcrumb.join(" › ")));
    let head = if args.raw { String::new() } else { format!("{}\n\n", paint(PLACE, breadcrumb)) };
    sink::print(&format!("{head}{}\n", node.text))?;
    Ok(0)
}
