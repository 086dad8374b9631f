//! The update plan for a vector store, which `diff --json` prints.

use std::env;
use std::io::{self, BufRead, BufReader, BufWriter, Seek, Write};

use anyhow::{Result, anyhow};
use chunkwright_io::{plain, shown};
use chunkwright_records::{Fate, Outcome};
use tempfile::SpooledTempFile;

use crate::sink::Destination;

/// Maximum bytes of a list that are kept in memory.
const IN_MEMORY: usize = 8_000_000;

/// Records, one per line. Long lists are kept in a temporary file.
type List = BufWriter<SpooledTempFile>;

/// The lists that are known before the comparison is complete.
pub(super) struct EmbeddingPlan {
    moved: List,
    upsert: List,
    update: List,
}

impl Default for EmbeddingPlan {
    fn default() -> Self {
        let list = || BufWriter::new(SpooledTempFile::new(IN_MEMORY));
        Self { moved: list(), upsert: list(), update: list() }
    }
}

impl EmbeddingPlan {
    /// Adds a record to the list for its fate.
    pub(super) fn add(&mut self, fate: Fate, record: &str) -> Result<()> {
        let list = match fate {
            Fate::Added | Fate::Changed => &mut self.upsert,
            Fate::Moved => &mut self.moved,
            Fate::Updated => &mut self.update,
            Fate::Unchanged => return Ok(()),
        };
        writeln!(list, "{record}").map_err(unwritten)
    }

    /// Prints the plan as one JSON object, with its lists in the order of execution.
    pub(super) fn print(self, outcome: &Outcome, config_hash: Option<&str>) -> Result<()> {
        let (moved, upsert, update) =
            (lines(self.moved)?, lines(self.upsert)?, lines(self.update)?);
        let mut out = Destination::stdout(false);
        let hash = serde_json::to_string(&config_hash)?;
        let summary = serde_json::to_string(&outcome.summary)?;
        write!(out, "{{\"config_hash\":{hash},\"summary\":{summary}")?;
        let mut moves = outcome.moves.iter();
        list(&mut out, "move", moved, |out, record| {
            let from = moves.next().map(|moved| &moved.from);
            write!(out, "{{\"from\":{},\"record\":{record}}}", serde_json::to_string(&from)?)
        })?;
        list(&mut out, "upsert", upsert, |out, record| write!(out, "{record}"))?;
        list(&mut out, "update", update, |out, record| write!(out, "{record}"))?;
        let gone = outcome.gone.iter().map(|(row, _)| Ok(serde_json::to_string(row.id())?));
        list(&mut out, "delete", gone, |out, id| write!(out, "{id}"))?;
        writeln!(out, "}}")?;
        out.finish()
    }
}

/// Returns the lines of a list, from the start.
fn lines(list: List) -> Result<io::Lines<BufReader<SpooledTempFile>>> {
    let list = list.into_inner().map_err(io::IntoInnerError::into_error);
    let mut list = list.map_err(unwritten)?;
    list.rewind().map_err(unwritten)?;
    Ok(BufReader::new(list).lines())
}

/// Returns the error for a temporary file that cannot be written.
fn unwritten(fault: io::Error) -> anyhow::Error {
    let folder = env::temp_dir();
    anyhow!(
        "cannot write temporary files in {}: {}; set TMPDIR to choose another directory",
        shown(&folder),
        plain(&fault)
    )
}

fn list<W: Write>(
    out: &mut W,
    name: &str,
    entries: impl Iterator<Item = io::Result<String>>,
    mut write: impl FnMut(&mut W, &str) -> io::Result<()>,
) -> io::Result<()> {
    write!(out, ",\n\"{name}\":[")?;
    for (nth, entry) in entries.enumerate() {
        out.write_all(if nth == 0 { b"\n" } else { b",\n" })?;
        write(out, &entry?)?;
    }
    out.write_all(b"]")
}
