//! Text: strings of Python come in; the same text without a copy goes out, or which argument is
//! wrong.

use std::path::PathBuf;

use pyo3::exceptions::{PyTypeError, PyUnicodeError, PyValueError};
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
    PyBackedStr::try_from(text.clone()).map_err(|fault| no_unicode(argument, given.py(), fault))
}

fn no_unicode(argument: &str, py: Python<'_>, fault: PyErr) -> PyErr {
    let wrong = PyValueError::new_err(format!("{argument}: not valid Unicode: {fault}"));
    wrong.set_cause(py, Some(fault));
    wrong
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
    text_or("tree", given, TREE, py)
}

/// The text of an argument, or another one if there is none.
pub(crate) fn text_or(
    argument: &str,
    given: Option<&Bound<'_, PyAny>>,
    other: &str,
    py: Python<'_>,
) -> PyResult<PyBackedStr> {
    match given {
        Some(given) => text(argument, given),
        None => PyBackedStr::try_from(PyString::new(py, other)),
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
    let read = |(nth, one): (usize, PyResult<Bound<'_, PyAny>>)| {
        given.py().check_signals()?;
        read(&format!("{argument}[{nth}]"), &one?)
    };
    entries.map(read).collect()
}

/// Files and directories: one, or several.
pub(crate) fn places(argument: &str, given: &Bound<'_, PyAny>) -> PyResult<Vec<PathBuf>> {
    if given.is_instance_of::<PyString>() || given.hasattr("__fspath__")? {
        return Ok(vec![place(argument, given)?]);
    }
    each(argument, given, place)
}

/// A file or a directory. It never means standard input.
pub(crate) fn place(argument: &str, given: &Bound<'_, PyAny>) -> PyResult<PathBuf> {
    let py = given.py();
    let path = given.extract::<PathBuf>().map_err(|fault| {
        if fault.is_instance_of::<PyUnicodeError>(py) {
            no_unicode(argument, py, fault)
        } else {
            no_path(argument, given)
        }
    })?;
    Ok(if path.as_os_str() == "-" { PathBuf::from("./-") } else { path })
}

/// A function, if there is one.
pub(crate) fn function(
    argument: &str,
    given: Option<&Bound<'_, PyAny>>,
) -> PyResult<Option<Py<PyAny>>> {
    match given {
        Some(given) if !given.is_callable() => {
            let kind = kind(given);
            Err(PyTypeError::new_err(format!("{argument}: it takes a function, not {kind}")))
        }
        given => Ok(given.cloned().map(Bound::unbind)),
    }
}

/// The name of a value's type.
pub(crate) fn kind(value: &Bound<'_, PyAny>) -> String {
    let name = value.get_type().fully_qualified_name();
    name.map_or_else(|_| "something".to_owned(), |name| name.to_string())
}
