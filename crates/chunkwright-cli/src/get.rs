//! `chunkwright get`: an id comes in, its text goes out.

use anyhow::Result;

use crate::place::Place;
use crate::style;

/// Print the text behind an id that search gave
///
/// Examples:
///
///   chunkwright get docs:guide.md#settings
///   chunkwright get docs:guide.md --whole          all of the page
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// A node, or a part such as docs:guide.md#settings@2
    #[arg(value_name = "ID")]
    id: String,
    /// With everything below it
    #[arg(long)]
    whole: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    place: Place,
}

pub(crate) fn run(args: &Args) -> Result<usize> {
    let node = args.place.open()?.get(&args.id, args.whole)?;
    if args.json {
        style::print(&format!("{}\n", serde_json::to_string(&node)?))?;
        return Ok(0);
    }
    if node.stale {
        style::complain(&format!("{}: the file has changed since it was indexed", node.doc_id));
    }
    style::print(&format!("{}\n", node.text))?;
    Ok(0)
}
