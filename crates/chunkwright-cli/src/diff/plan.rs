//! The plan: records and their fates come in, what a vector store has to do goes out.

use std::env;
use std::io::{self, BufRead, BufReader, BufWriter, Seek, Write};

use anyhow::{Result, anyhow};
use chunkwright_io::{plain, shown};
use chunkwright_records::{Fate, Outcome};
use tempfile::SpooledTempFile;

use crate::sink::Sink;

/// As many bytes of a list are kept in memory.
const IN_MEMORY: usize = 8_000_000;

/// Records, one a line. Long lists wait on the disk.
type List = BufWriter<SpooledTempFile>;

/// What is to be done, as far as it is known before all is compared.
pub(super) struct Plan {
    moved: List,
    upsert: List,
    update: List,
}

impl Default for Plan {
    fn default() -> Self {
        let list = || BufWriter::new(SpooledTempFile::new(IN_MEMORY));
        Self { moved: list(), upsert: list(), update: list() }
    }
}

impl Plan {
    /// Puts a record on the list for its fate.
    pub(super) fn add(&mut self, fate: Fate, record: &str) -> Result<()> {
        let list = match fate {
            Fate::Added | Fate::Changed => &mut self.upsert,
            Fate::Moved => &mut self.moved,
            Fate::Updated => &mut self.update,
            Fate::Unchanged => return Ok(()),
        };
        writeln!(list, "{record}").map_err(unwritten)
    }

    /// Prints the plan as one object, its lists in the order in which they are to be carried out.
    pub(super) fn print(self, outcome: &Outcome, config_hash: Option<&str>) -> Result<()> {
        let (moved, upsert, update) =
            (lines(self.moved)?, lines(self.upsert)?, lines(self.update)?);
        let mut out = Sink::stdout(false);
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

/// The lines of a list, from the first.
fn lines(list: List) -> Result<io::Lines<BufReader<SpooledTempFile>>> {
    let list = list.into_inner().map_err(io::IntoInnerError::into_error);
    let mut list = list.map_err(unwritten)?;
    list.rewind().map_err(unwritten)?;
    Ok(BufReader::new(list).lines())
}

/// What is told when a list that waits on the disk cannot be written.
fn unwritten(fault: io::Error) -> anyhow::Error {
    let folder = env::temp_dir();
    anyhow!(
        "{}: temporary files cannot be written: {}; name another folder with TMPDIR",
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
