//! Text: strings of Python come in; the same text without a copy goes out, or which argument is
//! wrong.

use std::path::PathBuf;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyBytes, PyString};

/// The path of a text that has none, as that of standard input.
const NAMELESS: &str = "-";

/// The tree of texts that are in none.
const TREE: &str = "docs";

/// The text of an argument.
pub(crate) fn text(argument: &str, given: &Bound<'_, PyAny>) -> PyResult<PyBackedStr> {
    let text = given.cast::<PyString>().map_err(|_| {
        let kind = kind(given);
        PyTypeError::new_err(format!("{argument}: it takes a str, not {kind}"))
    })?;
    PyBackedStr::try_from(text.clone()).map_err(|fault| {
        let wrong = PyValueError::new_err(format!("{argument}: not valid Unicode: {fault}"));
        wrong.set_cause(given.py(), Some(fault));
        wrong
    })
}

/// The texts of an argument, in order.
pub(crate) fn texts(argument: &str, given: &Bound<'_, PyAny>) -> PyResult<Vec<PyBackedStr>> {
    each(argument, given, text)
}

/// The paths of an argument, in order.
pub(crate) fn paths(argument: &str, given: &Bound<'_, PyAny>) -> PyResult<Vec<PyBackedStr>> {
    each(argument, given, path)
}

/// A document's path, as it stands in ids.
fn path(argument: &str, given: &Bound<'_, PyAny>) -> PyResult<PyBackedStr> {
    let named = given.py().import("os")?.call_method1("fspath", (given,));
    text(argument, &named.map_err(|_| no_path(argument, given))?)
}

fn no_path(argument: &str, given: &Bound<'_, PyAny>) -> PyErr {
    PyTypeError::new_err(format!("{argument}: it takes a str or a path, not {}", kind(given)))
}

/// A document's path, if it has one.
pub(crate) fn path_or_none(
    given: Option<&Bound<'_, PyAny>>,
    py: Python<'_>,
) -> PyResult<PyBackedStr> {
    match given {
        Some(given) => path("path", given),
        None => PyBackedStr::try_from(PyString::new(py, NAMELESS)),
    }
}

/// The name of a tree.
pub(crate) fn tree(given: Option<&Bound<'_, PyAny>>, py: Python<'_>) -> PyResult<PyBackedStr> {
    match given {
        Some(given) => text("tree", given),
        None => PyBackedStr::try_from(PyString::new(py, TREE)),
    }
}

/// The entries of an argument that is no text itself.
pub(crate) fn several<'py>(
    argument: &str,
    given: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, pyo3::types::PyIterator>> {
    let is_one = given.is_instance_of::<PyString>() || given.is_instance_of::<PyBytes>();
    let entries = if is_one { None } else { given.try_iter().ok() };
    entries.ok_or_else(|| {
        PyTypeError::new_err(format!("{argument}: it takes several, not one {}", kind(given)))
    })
}

/// What is read of each entry of an argument, under its own name.
pub(crate) fn each<T>(
    argument: &str,
    given: &Bound<'_, PyAny>,
    read: impl Fn(&str, &Bound<'_, PyAny>) -> PyResult<T>,
) -> PyResult<Vec<T>> {
    let entries = several(argument, given)?.enumerate();
    entries.map(|(nth, one)| read(&format!("{argument}[{nth}]"), &one?)).collect()
}

/// Files and directories: one, or several.
pub(crate) fn places(argument: &str, given: &Bound<'_, PyAny>) -> PyResult<Vec<PathBuf>> {
    if let Ok(one) = given.extract::<PathBuf>() {
        return Ok(vec![place(one)]);
    }
    each(argument, given, |argument, one| {
        one.extract::<PathBuf>().map(place).map_err(|_| no_path(argument, one))
    })
}

/// A path that never means standard input.
fn place(path: PathBuf) -> PathBuf {
    if path.as_os_str() == "-" { PathBuf::from("./-") } else { path }
}

/// The name of a value's type.
pub(crate) fn kind(value: &Bound<'_, PyAny>) -> String {
    value.get_type().name().map_or_else(|_| "something".to_owned(), |name| name.to_string())
}
