//! `diff`: the chunks of two versions come in, what a vector store has to do goes out.

use chunkwright_records::{Diff, Fate, Outcome, Row};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::chunk::Chunk;
use crate::text::each;
use crate::value::{to_json, to_python};
use crate::watch::{Stopped, Watch, watched};

/// What becomes of the chunks of an old version to make them those of a new one.
#[pyfunction]
pub(crate) fn diff<'py>(
    py: Python<'py>,
    old: &Bound<'py, PyAny>,
    new: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyDict>> {
    let (old, new) = (each("old", old, Given::read)?, each("new", new, Given::read)?);
    let (fates, outcome) = watched(py, |watch| compare(&old, &new, watch))??;
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

/// A chunk or a record of a version.
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

    /// What a comparison needs of it.
    fn row(&self) -> Row {
        match self {
            Self::Chunk(chunk) => Row::parse(&chunk.get().json()).expect("a chunk has a record"),
            Self::Record(_, row) => row.clone(),
        }
    }

    /// The record of a chunk, with what a model needs; or the record itself.
    fn record<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Self::Chunk(chunk) => chunk.get().embeddable(py),
            Self::Record(record, _) => Ok(record.bind(py).clone()),
        }
    }
}

/// What becomes of each chunk of the new version, and what is known in the end.
fn compare(old: &[Given], new: &[Given], watch: &Watch) -> PyResult<(Vec<Fate>, Outcome)> {
    let row = |one: &Given| watch.go_on().map(|()| one.row());
    let old: Result<Vec<_>, Stopped> = old.iter().map(row).collect();
    let mut diff = Diff::new(old?).map_err(|fault| wrong("old", fault))?;
    let fate = |one| diff.compare(&row(one)?).map_err(|fault| wrong("new", fault));
    let fates: PyResult<_> = new.iter().map(fate).collect();
    Ok((fates?, diff.finish().map_err(|fault| wrong("new", fault))?))
}

fn wrong(argument: &str, fault: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(format!("{argument}: {fault}"))
}
