//! `diff`: the chunks of two versions come in, what a vector store has to do goes out.

use chunkwright_io::{Diff, Fate, Row};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::chunk::Chunk;
use crate::text::{each, several};
use crate::value::{to_json, to_python};

/// What becomes of the chunks of an old version to make them those of a new one.
#[pyfunction]
pub(crate) fn diff<'py>(
    py: Python<'py>,
    old: &Bound<'py, PyAny>,
    new: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyDict>> {
    let mut diff = Diff::new(each("old", old, row)?).map_err(|fault| wrong("old", fault))?;
    let (mut moved, upsert, update) = (Vec::new(), PyList::empty(py), PyList::empty(py));
    for (nth, one) in several("new", new)?.enumerate() {
        let one = one?;
        let row = row(&format!("new[{nth}]"), &one)?;
        let fate = diff.compare(&row).map_err(|fault| wrong("new", fault))?;
        match fate {
            Fate::Added | Fate::Changed => upsert.append(record(&one)?)?,
            Fate::Moved => moved.push(record(&one)?),
            Fate::Updated => update.append(record(&one)?)?,
            Fate::Unchanged => {}
        }
    }
    let outcome = diff.finish().map_err(|fault| wrong("new", fault))?;
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

/// What a comparison needs of a chunk or a record.
fn row(argument: &str, one: &Bound<'_, PyAny>) -> PyResult<Row> {
    let json = match one.cast::<Chunk>() {
        Ok(chunk) => chunk.get().json(),
        Err(_) => to_json(argument, one)?.to_string(),
    };
    Row::parse(&json).map_err(|fault| wrong(argument, fault))
}

/// The record of a chunk, with what a model needs; or the record itself.
fn record<'py>(one: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    match one.cast::<Chunk>() {
        Ok(chunk) => chunk.get().embeddable(one.py()),
        Err(_) => Ok(one.clone()),
    }
}

fn wrong(argument: &str, fault: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(format!("{argument}: {fault}"))
}
