//! `chunkwright ls`: folders, pages and sections of the index, one level at a time.

use std::fmt::Write as _;

use anyhow::Result;
use chunkwright_search::answer::{Kind, Listed};

use crate::options::Colors;
use crate::place::Place;
use crate::style::{self, DIM, PLACE, WARN, columns, fit, harmless, number, paint};

/// Browse the index: folders, then pages, then sections, one level at a time
///
/// Examples:
///
///   chunkwright ls                                 the top level
///   chunkwright ls docs:guide/                     the folders and pages of a folder
///   chunkwright ls docs:guide/settings.md          the sections of a page
///   chunkwright ls --recursive                     all pages
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// A tree (docs:), a folder, a page or a section; the tree may be left out
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
    place: Place,
}

pub(crate) fn run(args: &Args) -> Result<usize> {
    args.colors.apply();
    let listed = args.place.open()?.list(args.id.as_deref(), args.recursive)?;
    let mut out = String::new();
    let top = listed.iter().map(|one| one.depth).min().unwrap_or_default();
    for one in &listed {
        match args.json {
            true => writeln!(out, "{}", serde_json::to_string(one)?)?,
            false => writeln!(out, "{}", row(one, top))?,
        }
    }
    style::print(&out)?;
    Ok(0)
}

/// Tokens, name and title. On a narrow terminal the title makes room for the name.
fn row(one: &Listed, top: u8) -> String {
    let indent = "  ".repeat(usize::from(one.depth - top));
    let name = harmless(&one.name);
    let style = if one.kind < Kind::Page { PLACE } else { style::PLAIN };
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
