//! Reads strings, paths and functions from arguments. Errors name the argument; strings are not
//! copied.

use std::path::PathBuf;

use pyo3::exceptions::{PyTypeError, PyUnicodeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyBytes, PyString};

/// Path of a text without one, the same as for standard input.
const NAMELESS: &str = "-";

/// Default tree of texts.
const TREE: &str = "docs";

/// Reads a string.
pub(crate) fn text(argument: &str, given: &Bound<'_, PyAny>) -> PyResult<PyBackedStr> {
    let text = given.cast::<PyString>().map_err(|_| {
        let kind = kind(given);
        PyTypeError::new_err(format!("{argument}: expected a str, not {kind}"))
    })?;
    PyBackedStr::try_from(text.clone()).map_err(|fault| no_unicode(argument, given.py(), fault))
}

fn no_unicode(argument: &str, py: Python<'_>, fault: PyErr) -> PyErr {
    let wrong = PyValueError::new_err(format!("{argument}: invalid Unicode: {fault}"));
    wrong.set_cause(py, Some(fault));
    wrong
}

/// Reads an iterable of strings.
pub(crate) fn texts(argument: &str, given: &Bound<'_, PyAny>) -> PyResult<Vec<PyBackedStr>> {
    each(argument, given, text)
}

/// Reads an iterable of document paths.
pub(crate) fn paths(argument: &str, given: &Bound<'_, PyAny>) -> PyResult<Vec<PyBackedStr>> {
    each(argument, given, path)
}

/// Reads a document's path, which is text because ids contain it.
fn path(argument: &str, given: &Bound<'_, PyAny>) -> PyResult<PyBackedStr> {
    let named = given.py().import("os")?.call_method1("fspath", (given,));
    text(argument, &named.map_err(|_| no_path(argument, given))?)
}

fn no_path(argument: &str, given: &Bound<'_, PyAny>) -> PyErr {
    PyTypeError::new_err(format!("{argument}: expected a str or os.PathLike, not {}", kind(given)))
}

/// Reads a document's path, or returns the default.
pub(crate) fn path_or_none(
    given: Option<&Bound<'_, PyAny>>,
    py: Python<'_>,
) -> PyResult<PyBackedStr> {
    match given {
        Some(given) => path("path", given),
        None => PyBackedStr::try_from(PyString::new(py, NAMELESS)),
    }
}

/// Reads the name of a tree, or returns the default.
pub(crate) fn tree(given: Option<&Bound<'_, PyAny>>, py: Python<'_>) -> PyResult<PyBackedStr> {
    text_or("tree", given, TREE, py)
}

/// Reads a string, or returns a default.
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

/// Iterates over an argument. Rejects a single string, which Python would iterate by character.
pub(crate) fn several<'py>(
    argument: &str,
    given: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, pyo3::types::PyIterator>> {
    let is_one = given.is_instance_of::<PyString>() || given.is_instance_of::<PyBytes>();
    let entries = if is_one { None } else { given.try_iter().ok() };
    entries.ok_or_else(|| {
        let advice = if is_one { " (put it in a list)" } else { "" };
        let kind = kind(given);
        let message =
            format!("{argument}: expected an iterable such as a list, not {kind}{advice}");
        PyTypeError::new_err(message)
    })
}

/// Reads each entry of an iterable. Errors name the entry: `texts[1]`.
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

/// Reads one path of a file or directory, or an iterable of them.
pub(crate) fn places(argument: &str, given: &Bound<'_, PyAny>) -> PyResult<Vec<PathBuf>> {
    if given.is_instance_of::<PyString>() || given.hasattr("__fspath__")? {
        return Ok(vec![place(argument, given)?]);
    }
    each(argument, given, place)
}

/// Reads the path of a file or directory. `-` is a file name here, not standard input.
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

/// Reads an optional function.
pub(crate) fn function(
    argument: &str,
    given: Option<&Bound<'_, PyAny>>,
) -> PyResult<Option<Py<PyAny>>> {
    match given {
        Some(given) if !given.is_callable() => {
            let kind = kind(given);
            Err(PyTypeError::new_err(format!("{argument}: expected a function, not {kind}")))
        }
        given => Ok(given.cloned().map(Bound::unbind)),
    }
}

/// Returns the name of a value's type, for messages.
pub(crate) fn kind(value: &Bound<'_, PyAny>) -> String {
    let name = value.get_type().fully_qualified_name();
    name.map_or_else(|_| "an unknown type".to_owned(), |name| name.to_string())
}
