//! `Index`: an index of pages is opened and asked; what comes out is what the command prints in
//! JSON.

use std::path::PathBuf;

use chunkwright_config::Settings;
use chunkwright_search::render::{self, Fields};
use chunkwright_search::{Answer, Error, Request, Snapshot, Tree, Tuning, Update, update};
use pyo3::exceptions::{PyFileNotFoundError, PyLookupError, PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::options::set;
use crate::text::{place, places, text, texts};
use crate::value::to_python;

/// Options that say how answers are made.
const OF_ANSWERS: [&str; 1] = ["search"];

/// Options that say how an index is made.
const OF_INDEXES: [&str; 7] =
    ["index", "input_format", "mdx", "slugs", "url_base", "jobs", "max_file_size"];

/// An index as it was when it was opened.
#[pyclass(frozen, module = "chunkwright")]
pub(crate) struct Index {
    snapshot: Snapshot,
    tuning: Tuning,
    path: PathBuf,
}

#[pymethods]
impl Index {
    #[new]
    #[pyo3(signature = (path, **options))]
    fn new(
        py: Python<'_>,
        path: &Bound<'_, PyAny>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let path = place("path", path)?;
        let settings = settings(options, &OF_ANSWERS)?;
        let snapshot = py.detach(|| Snapshot::open(&path)).map_err(wrong)?;
        Ok(Self { snapshot, tuning: settings.tuning(), path })
    }

    /// Searches. Without a format it returns a dict, as `chunkwright search --json` prints it.
    #[pyo3(signature = (
        query, *, limit=None, max_tokens=None, format=None, fields=None, trees=None, paths=None,
        r#where=None, merge=true, strict=false, explain=false
    ))]
    #[expect(clippy::too_many_arguments, reason = "they are keywords to those who call it")]
    fn search<'py>(
        &self,
        py: Python<'py>,
        query: &Bound<'py, PyAny>,
        limit: Option<i64>,
        max_tokens: Option<i64>,
        format: Option<&Bound<'py, PyAny>>,
        fields: Option<&Bound<'py, PyAny>>,
        trees: Option<&Bound<'py, PyAny>>,
        paths: Option<&Bound<'py, PyAny>>,
        r#where: Option<&Bound<'py, PyAny>>,
        merge: bool,
        strict: bool,
        explain: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut request = Request::default();
        request.filter.trees = list("trees", trees)?;
        request.filter.paths = list("paths", paths)?;
        request.filter.conditions = list("where", r#where)?;
        request.limit = limit.map(|limit| count("limit", limit)).transpose()?;
        (request.merge, request.strict, request.tuning) = (merge, strict, self.tuning);
        let max_tokens = max_tokens.map(|tokens| count("max_tokens", tokens)).transpose()?;
        let fields = fields.map(|fields| texts("fields", fields)).transpose()?;
        let fields = fields.map(Fields::named).transpose().map_err(wrong)?;
        let format = format.map(|format| text("format", format)).transpose()?;
        let format = Format::named(format.as_deref())?;
        let query = text("query", query)?;
        let clean = |answer: &Answer| {
            let mut answer = answer.clone();
            if !explain {
                answer.results.iter_mut().for_each(|found| found.explain.clear());
            }
            answer
        };
        let printed = |answer: &Answer| match format {
            Format::Markdown => render::markdown(&clean(answer)),
            Format::Json | Format::Dict => {
                render::json(&clean(answer), fields.as_ref()).to_string()
            }
        };
        let answer = py.detach(|| match max_tokens {
            None => self.snapshot.search(&query, &request),
            Some(most) => self.snapshot.search_within(&query, &request, most, &printed),
        });
        let answer = answer.map_err(wrong)?;
        match format {
            Format::Dict => to_python(py, &render::json(&clean(&answer), fields.as_ref())),
            _ => Ok(printed(&answer).into_pyobject(py)?.into_any()),
        }
    }

    /// What a result showed, by its id; or a page or section by path, `path:line` or `path#anchor`.
    #[pyo3(signature = (id, *, whole=false))]
    fn get<'py>(
        &self,
        py: Python<'py>,
        id: &Bound<'py, PyAny>,
        whole: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let id = text("id", id)?;
        let node = py.detach(|| self.snapshot.get(&id, whole));
        to_python(py, &node.map_err(wrong)?)
    }

    /// Folders, pages or sections, one level at a time.
    #[pyo3(signature = (id=None, *, recursive=false))]
    fn list<'py>(
        &self,
        py: Python<'py>,
        id: Option<&Bound<'py, PyAny>>,
        recursive: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let id = id.map(|id| text("id", id)).transpose()?;
        let listed = py.detach(|| self.snapshot.list(id.as_deref(), recursive));
        to_python(py, &listed.map_err(wrong)?)
    }

    /// Checks every byte, and tells what is in it.
    fn status<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let status = py.detach(|| self.snapshot.check().and_then(|()| self.snapshot.status()));
        to_python(py, &status.map_err(wrong)?)
    }

    fn __repr__(&self) -> String {
        format!("Index({:?})", self.path)
    }
}

/// What an answer is returned as.
#[derive(Clone, Copy)]
enum Format {
    Dict,
    Markdown,
    Json,
}

impl Format {
    fn named(name: Option<&str>) -> PyResult<Self> {
        match name {
            None => Ok(Self::Dict),
            Some("markdown") => Ok(Self::Markdown),
            Some("json") => Ok(Self::Json),
            Some(name) => Err(PyValueError::new_err(format!(
                "format: expected \"markdown\" or \"json\", not {name:?}"
            ))),
        }
    }
}

/// Brings an index up to date, or makes it.
#[pyfunction]
#[pyo3(signature = (path, trees, *, rebuild=false, **options))]
pub(crate) fn update_index<'py>(
    py: Python<'py>,
    path: &Bound<'py, PyAny>,
    trees: &Bound<'py, PyAny>,
    rebuild: bool,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let path = place("path", path)?;
    let settings = settings(options, &OF_INDEXES)?;
    let running = settings.running();
    let trees = named(trees)?;
    if let Some(missing) = trees.iter().find(|tree| !tree.path.exists()) {
        let message = format!("trees: there is no {}", missing.path.display());
        return Err(PyFileNotFoundError::new_err(message));
    }
    let mut what = Update::of(trees);
    (what.indexing, what.rebuild) = (settings.indexing(), rebuild);
    (what.jobs, what.max_file_bytes) = (running.threads(), running.max_file_size);
    let report = py.detach(|| update(&path, &what)).map_err(wrong)?;
    to_python(py, &report)
}

/// Options, if all of them are read.
fn settings(given: Option<&Bound<'_, PyDict>>, read: &[&str]) -> PyResult<Settings> {
    let mut settings = Settings::default();
    set(&mut settings, given)?;
    for name in given.into_iter().flat_map(|given| given.keys()) {
        let name = text("options", &name)?;
        let first = name.split('.').next().unwrap_or_default();
        if !read.contains(&first) {
            let read = read.join(", ");
            let message = format!("{name}: this option does nothing here; these do: {read}");
            return Err(PyValueError::new_err(message));
        }
    }
    Ok(settings)
}

fn count(argument: &str, given: i64) -> PyResult<usize> {
    let wrong = |_| PyValueError::new_err(format!("{argument}: it is less than 0: {given}"));
    usize::try_from(given).map_err(wrong)
}

/// Texts, if there are any.
fn list(argument: &str, given: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<String>> {
    let texts = given.map(|given| texts(argument, given)).transpose()?.unwrap_or_default();
    Ok(texts.iter().map(|text| text.to_string()).collect())
}

/// Trees by their names, or directories that are called as they are.
fn named(trees: &Bound<'_, PyAny>) -> PyResult<Vec<Tree>> {
    let Ok(trees) = trees.cast::<PyDict>() else {
        let places = places("trees", trees)?.into_iter();
        return Ok(places.map(Tree::at).collect());
    };
    let tree = |(name, path): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
        let name = text("trees", &name)?.to_string();
        let path = places(&format!("trees[{name:?}]"), &path)?;
        Ok(path.into_iter().map(move |path| Tree::at(path).named(name.clone())))
    };
    Ok(trees.iter().map(tree).collect::<PyResult<Vec<_>>>()?.into_iter().flatten().collect())
}

fn wrong(fault: Error) -> PyErr {
    let message = match advice(&fault) {
        Some(advice) => format!("{fault}; {advice}"),
        None => fault.to_string(),
    };
    match fault {
        Error::Missing { .. } => PyFileNotFoundError::new_err(message),
        Error::UnknownId { .. } | Error::AmbiguousPath { .. } => PyLookupError::new_err(message),
        Error::Query { .. }
        | Error::EmptyQuery
        | Error::Budget { .. }
        | Error::UnknownField { .. }
        | Error::Filter(_)
        | Error::Config(_)
        | Error::Walk(_)
        | Error::TreeClash { .. } => PyValueError::new_err(message),
        _ => PyOSError::new_err(message),
    }
}

/// What to do about a fault, if it does not say it itself.
fn advice(fault: &Error) -> Option<&'static str> {
    match fault {
        Error::Missing { .. } => Some("update_index(path, trees) makes one"),
        Error::Damaged { .. } => Some("update_index(path, trees, rebuild=True) makes it anew"),
        Error::Foreign { .. } => Some("name another directory"),
        Error::OtherVersion { .. } => Some("update_index(path, trees) makes it anew"),
        Error::TreeClash { .. } => Some("trees={name: path} gives it one"),
        _ => None,
    }
}
