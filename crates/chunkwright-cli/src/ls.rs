//! `chunkwright ls`: lists folders, pages and sections of the index.

use std::fmt::Write as _;

use anyhow::Result;
use chunkwright_search::answer::{Listed, ListedKind};

use crate::index_dir::IndexFlag;
use crate::options::Colors;
use crate::sink;
use crate::style::{self, DIM, PLACE, WARN, columns, fit, harmless, number, paint};

/// List the folders, pages and sections of the index
///
/// Examples:
///
///   chunkwright ls                         # list the top level
///   chunkwright ls docs:guide/             # list the contents of a folder
///   chunkwright ls docs:guide/settings.md  # list the sections of a page
///   chunkwright ls --recursive             # list all pages
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// Tree (docs:), folder, page or section to list; the tree name may be omitted
    /// [default: the top level]
    #[arg(value_name = "ID")]
    id: Option<String>,
    /// List all pages below a folder, or all sections below a page
    #[arg(short, long)]
    recursive: bool,
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    colors: Colors,
    #[command(flatten)]
    index_dir: IndexFlag,
}

pub(crate) fn run(args: &Args) -> Result<usize> {
    args.colors.apply();
    let listed = args.index_dir.open()?.list(args.id.as_deref(), args.recursive)?;
    let mut out = String::new();
    let top = listed.iter().map(|one| one.depth).min().unwrap_or_default();
    for one in &listed {
        match args.json {
            true => writeln!(out, "{}", serde_json::to_string(one)?)?,
            false => writeln!(out, "{}", row(one, top))?,
        }
    }
    sink::print(&out)?;
    Ok(0)
}

/// Returns a row with tokens, name and title. If there is not enough room, the title is shortened.
fn row(one: &Listed, top: u8) -> String {
    let indent = "  ".repeat(usize::from(one.depth - top));
    let name = harmless(&one.name);
    let style = if one.kind < ListedKind::Page { PLACE } else { style::PLAIN };
    let mut row = format!("{:>8}  {indent}{}", number(one.tokens), paint(style, &name));
    let stale = if one.stale { "  changed" } else { "" };
    let used = 10 + columns(&indent) + columns(&name) + columns(stale);
    let room = style::width().saturating_sub(used + 2);
    if let Some(title) = one.title.as_deref().filter(|_| room > 4) {
        let title = harmless(title).into_owned();
        let _ = write!(row, "  {}", paint(DIM, fit(&title, room)));
    }
    row + &paint(WARN, stale)
}
