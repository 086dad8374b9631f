//! `diff`: compares two versions of chunks, and returns what to change in a vector store.

use chunkwright_records::{Diff, Fate, Outcome, Row};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::chunk::Chunk;
use crate::signals::{Signals, Stopped, watched};
use crate::text::each;
use crate::value::{to_json, to_python};

/// Compare two versions of chunks, and return what to change in a vector store.
///
/// Both versions must be split with the same options.
///
/// Args:
///     old: Chunks that are stored, or their records (`Chunk.to_dict()`).
///     new: Chunks that should be stored, or their records.
///
/// Returns:
///     A dict with the following keys. Carry out the changes in this order:
///
///     - `summary`: Number of chunks added, changed, moved, and so on, and of tokens to embed.
///     - `move`: Dicts with `from`, an id in `old` whose vector can be copied, and the new
///       `record`.
///     - `upsert`: Records to embed and store.
///     - `update`: Records to store without embedding them again.
///     - `delete`: Ids to delete.
///
/// Raises:
///     ValueError: If a record is invalid, an id occurs twice, or the strategies differ.
///
/// Examples:
///     >>> import chunkwright
///     >>> old = chunkwright.chunk("# Tea\n\nBoil water first.", path="tea.md")
///     >>> new = chunkwright.chunk("# Tea\n\nBoil milk first.", path="tea.md")
///     >>> plan = chunkwright.diff(old, new)
///     >>> [record["id"] for record in plan["upsert"]], plan["delete"]
///     (['docs:tea.md#tea'], [])
#[pyfunction]
pub(crate) fn diff<'py>(
    py: Python<'py>,
    old: &Bound<'py, PyAny>,
    new: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyDict>> {
    let (old, new) = (each("old", old, Given::read)?, each("new", new, Given::read)?);
    let (fates, outcome) = watched(py, |signals| compare(&old, &new, signals))??;
    let (mut moved, upsert, update) = (Vec::new(), PyList::empty(py), PyList::empty(py));
    for (one, fate) in new.iter().zip(fates) {
        py.check_signals()?;
        match fate {
            Fate::Added | Fate::Changed => upsert.append(one.record(py)?)?,
            Fate::Moved => moved.push(one.record(py)?),
            Fate::Updated => update.append(one.record(py)?)?,
            Fate::Unchanged => {}
        }
    }
    let moves = PyList::empty(py);
    for (record, one) in moved.iter().zip(&outcome.moves) {
        let entry = PyDict::new(py);
        entry.set_item("from", &one.from)?;
        entry.set_item("record", record)?;
        moves.append(entry)?;
    }
    let gone: Vec<&str> = outcome.gone.iter().map(|(row, _)| row.id()).collect();
    let plan = PyDict::new(py);
    plan.set_item("summary", to_python(py, &outcome.summary)?)?;
    plan.set_item("move", moves)?;
    plan.set_item("upsert", upsert)?;
    plan.set_item("update", update)?;
    plan.set_item("delete", gone)?;
    Ok(plan)
}

/// An element of a version: a chunk or a record.
enum Given {
    Chunk(Py<Chunk>),
    Record(Py<PyAny>, Row),
}

impl Given {
    fn read(argument: &str, one: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(chunk) = one.cast::<Chunk>() {
            return Ok(Self::Chunk(chunk.clone().unbind()));
        }
        let row = Row::parse(&to_json(argument, one)?.to_string());
        Ok(Self::Record(one.clone().unbind(), row.map_err(|fault| wrong(argument, fault))?))
    }

    /// Returns the fields that a comparison needs.
    fn row(&self) -> Row {
        match self {
            Self::Chunk(chunk) => Row::of(&chunk.get().embeddable()),
            Self::Record(_, row) => row.clone(),
        }
    }

    /// Returns the record of a chunk, with `embed_text`; or the record itself.
    fn record<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Self::Chunk(chunk) => to_python(py, &chunk.get().embeddable()),
            Self::Record(record, _) => Ok(record.bind(py).clone()),
        }
    }
}

/// Returns the fate of each new chunk, and the outcome of the whole comparison.
fn compare(old: &[Given], new: &[Given], signals: &Signals) -> PyResult<(Vec<Fate>, Outcome)> {
    let row = |one: &Given| signals.go_on().map(|()| one.row());
    let old: Result<Vec<_>, Stopped> = old.iter().map(row).collect();
    let mut diff = Diff::new(old?).map_err(|fault| wrong("old", fault))?;
    let fate = |one| diff.compare(&row(one)?).map_err(|fault| wrong("new", fault));
    let fates: PyResult<_> = new.iter().map(fate).collect();
    Ok((fates?, diff.finish().map_err(|fault| wrong("new", fault))?))
}

fn wrong(argument: &str, fault: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(format!("{argument}: {fault}"))
}
