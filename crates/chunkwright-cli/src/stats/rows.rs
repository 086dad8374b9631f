//! Rows of `stats --chunks` and `stats --by file`.

use std::cmp::Reverse;
use std::io::Write as _;

use anyhow::Result;
use chunkwright_io::Entry;
use chunkwright_records::{ChunkStats, Stats};
use serde_json::{Value, json};

use crate::sink::Destination;
use crate::style::{DIM, PLACE, WARN, columns, fit_middle, harmless, number, paint, table_width};
use crate::table;

/// The statistics of one file.
pub(super) struct FileRow {
    tree: String,
    path: String,
    chunks: usize,
    tokens: usize,
    largest: usize,
    over_max: usize,
    code_cut: usize,
    tables_cut: usize,
}

impl FileRow {
    pub(super) fn of(entry: &Entry, stats: &Stats) -> Self {
        Self {
            tree: entry.tree.clone(),
            path: entry.path.clone(),
            chunks: stats.chunks,
            tokens: stats.tokens,
            largest: stats.percentile(100),
            over_max: stats.over_max,
            code_cut: stats.code.cut,
            tables_cut: stats.tables.cut,
        }
    }

    pub(super) fn json(&self) -> Value {
        json!({
            "doc_id": self.doc_id(), "path": self.path,
            "chunks": self.chunks, "tokens": self.tokens, "largest": self.largest,
            "over_max": self.over_max, "code_cut": self.code_cut, "tables_cut": self.tables_cut,
        })
    }

    fn doc_id(&self) -> String {
        format!("{}:{}", self.tree, self.path)
    }
}

/// Sorts files by the number of chunks over the maximum, then by the number of split blocks, largest
/// first. Files that are equal in both keep their order.
pub(super) fn sort(files: &mut [FileRow]) {
    files.sort_by_key(|file| Reverse((file.over_max, file.code_cut + file.tables_cut)));
}

/// The legend of the columns, whose names are short to leave room for paths.
const LEGEND: &str = "over: chunks over the maximum · code, tables: blocks that were split";

/// Returns a table of files.
pub(super) fn files(files: &[FileRow]) -> String {
    let is_one_tree = files.windows(2).all(|pair| pair[0].tree == pair[1].tree);
    let name = |file: &FileRow| if is_one_tree { file.path.clone() } else { file.doc_id() };
    let table = table::of(
        ["chunks", "tokens", "largest", "over", "code", "tables"],
        "file",
        files,
        |file| {
            let FileRow { chunks, tokens, largest, over_max, code_cut, tables_cut, .. } = *file;
            [chunks, tokens, largest, over_max, code_cut, tables_cut].map(number)
        },
        |file, room| {
            let is_faulty = file.over_max + file.code_cut + file.tables_cut > 0;
            let style = if is_faulty { WARN } else { PLACE };
            paint(style, fit_middle(&harmless(&name(file)), room))
        },
    );
    format!("{}\n\n{table}", paint(DIM, LEGEND))
}

/// Prints one row per chunk while files are processed, so that memory does not grow with them.
pub(super) struct ChunkRows {
    out: Destination,
    is_json: bool,
    is_empty: bool,
    tiny: usize,
    width: usize,
}

impl ChunkRows {
    pub(super) fn new(is_json: bool, tiny: usize) -> Result<Self> {
        let mut out = Destination::stdout(true);
        match is_json {
            true => out.write_all(b"{\"chunks\":[\n")?,
            false => writeln!(out, "{}", paint(DIM, " tokens  chunk"))?,
        }
        Ok(Self { out, is_json, is_empty: true, tiny, width: table_width() })
    }

    pub(super) fn add(&mut self, chunk: &ChunkStats) -> Result<()> {
        let is_first = std::mem::replace(&mut self.is_empty, false);
        match self.is_json {
            true => {
                let between = if is_first { "" } else { ",\n" };
                let flags = flags(chunk, self.tiny);
                let row = json!({"id": chunk.id, "tokens": chunk.tokens, "flags": flags});
                write!(self.out, "{between}{row}")?;
            }
            false => writeln!(self.out, "{}", self.text(chunk))?,
        }
        Ok(())
    }

    fn text(&self, chunk: &ChunkStats) -> String {
        let tokens = format!("{:>7}  ", number(chunk.tokens));
        let flags: String = flags(chunk, self.tiny)
            .iter()
            .map(|flag| format!("  {}", flag.replace("_cut", " split").replace('_', " ")))
            .collect();
        let room = self.width.saturating_sub(columns(&tokens) + columns(&flags));
        let id = harmless(&chunk.id);
        format!("{tokens}{}{}", paint(PLACE, fit_middle(&id, room)), paint(WARN, flags))
    }

    /// Ends the output. JSON also gets the statistics of each strategy.
    pub(super) fn finish(mut self, strategies: &Value) -> Result<()> {
        if self.is_json {
            writeln!(self.out, "\n],\"strategies\":{strategies}}}")?;
        }
        self.out.finish()
    }
}

/// Returns the names of the flags that are set for a chunk.
fn flags(chunk: &ChunkStats, tiny: usize) -> Vec<&'static str> {
    let all = [
        ("over_max", chunk.over_max),
        ("headings_only", chunk.headings_only),
        ("code_cut", chunk.code_cut),
        ("table_cut", chunk.table_cut),
        ("tiny", chunk.tokens < tiny),
    ];
    all.into_iter().filter(|(_, is_set)| *is_set).map(|(name, _)| name).collect()
}
