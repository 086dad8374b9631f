//! The class `Index` and `update_index`. Results are the ones that the command prints in JSON.

use std::path::PathBuf;

use chunkwright_config::Settings;
use chunkwright_search::agent::{self, ListSections, ReadSection, SearchDocs};
use chunkwright_search::render::{self, Fields};
use chunkwright_search::{Answer, Error, Request, Snapshot, Tree, Tuning, Update, update};
use pyo3::exceptions::{PyFileNotFoundError, PyLookupError, PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::options::set;
use crate::text::{place, places, text, texts};
use crate::value::to_python;

/// Options of `Index`.
const OF_ANSWERS: [&str; 1] = ["search"];

/// Options of `update_index`.
const OF_INDEXES: [&str; 7] =
    ["index", "input_format", "mdx", "slugs", "url_base", "jobs", "max_file_size"];

/// A search index, opened for reading.
///
/// It is a snapshot: updates to the index do not show until you open it again.
///
/// Args:
///     path: Directory of the index.
///     **options: `search`, a dict of ranking and merging options.
///
/// Raises:
///     FileNotFoundError: If there is no index at `path`.
///     OSError: If the index cannot be read.
///
/// Examples:
///     >>> import chunkwright
///     >>> report = chunkwright.update_index("index", "docs/examples")
///     >>> index = chunkwright.Index("index")
///     >>> answer = index.search("where are settings read from", limit=1)
///     >>> [result["id"] for result in answer["results"]]
///     ['examples:guide.md#settings']
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

    /// Search the index.
    ///
    /// Args:
    ///     query: Words or a question, with optional operators such as `+required`, `-excluded`,
    ///         `"a phrase"` and `title:word`.
    ///     limit: Maximum number of results; 10 by default, or as many as fit into `max_tokens`.
    ///     max_tokens: Maximum tokens of the whole answer in the given format, counted with `o200k`.
    ///     format: `"markdown"` for prompts or `"json"`, to return a string instead of a dict.
    ///     fields: Names of the fields of each result, instead of all.
    ///     trees: Names of the trees to search, instead of all.
    ///     paths: Glob patterns such as `guide/**/*.md`; a document must match one of them.
    ///     where: Conditions on front matter such as `tags=keys`; a document must meet all.
    ///     merge: Whether to merge neighboring hits into their common section.
    ///     strict: Whether to raise an error if the query does not parse.
    ///     explain: Whether results explain their scores.
    ///
    /// Returns:
    ///     The answer, as `chunkwright search --json` prints it. `results` contains the sections
    ///     found, best first. `unmatched` and `coverage` show how much of the query they cover.
    ///
    /// Raises:
    ///     ValueError: If the query has no words, or an argument is invalid.
    #[pyo3(signature = (
        query, *, limit=None, max_tokens=None, format=None, fields=None, trees=None, paths=None,
        r#where=None, merge=true, strict=false, explain=false
    ))]
    #[expect(clippy::too_many_arguments, reason = "callers pass them as keywords")]
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
        let format = AnswerFormat::named(format.as_deref())?;
        let query = text("query", query)?;
        let clean = |answer: &Answer| {
            let mut answer = answer.clone();
            if !explain {
                answer.results.iter_mut().for_each(|found| found.explain.clear());
            }
            answer
        };
        let printed = |answer: &Answer| match format {
            AnswerFormat::Markdown => render::markdown(&clean(answer)),
            AnswerFormat::Json | AnswerFormat::Dict => {
                render::json(&clean(answer), fields.as_ref()).to_string()
            }
        };
        let answer = py.detach(|| match max_tokens {
            None => self.snapshot.search(&query, &request),
            Some(most) => self.snapshot.search_within(&query, &request, most, &printed),
        });
        let answer = answer.map_err(wrong)?;
        match format {
            AnswerFormat::Dict => to_python(py, &render::json(&clean(&answer), fields.as_ref())),
            _ => Ok(printed(&answer).into_pyobject(py)?.into_any()),
        }
    }

    /// Return a result, document or section with its full text.
    ///
    /// Args:
    ///     id: Id of a result, or `path`, `path:line` or `path#anchor`.
    ///     whole: Whether to include all sections below it.
    ///
    /// Raises:
    ///     LookupError: If nothing has this id, or documents of several trees have this path.
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

    /// List directories, documents or sections, one level at a time.
    ///
    /// Args:
    ///     id: Id of the entry whose children to list; without it, the top level.
    ///     recursive: Whether to list all levels below.
    ///
    /// Raises:
    ///     LookupError: If nothing has this id.
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

    /// Search for an agent: return the best sections as Markdown within a token budget.
    ///
    /// This is the tool `search_docs` of `chunkwright mcp`, with its arguments and limits. Each
    /// result is a line with its id, breadcrumb, location and size, and its text in a code fence.
    ///
    /// Args:
    ///     query: Words or a question of at most 2,000 characters.
    ///     max_tokens: Maximum tokens of the answer, at most 10,000, counted with `o200k`.
    ///     path: Glob pattern such as `guide/**` that a document must match.
    ///     tree: Name of the tree to search, instead of all.
    ///     where: Condition on front matter such as `tags=keys` that a document must meet.
    ///
    /// Raises:
    ///     ValueError: If the query has no words, or an argument is invalid or too large.
    ///
    /// Examples:
    ///     >>> import chunkwright
    ///     >>> report = chunkwright.update_index("index", "docs/examples")
    ///     >>> index = chunkwright.Index("index")
    ///     >>> print(index.search_docs("read a secret", max_tokens=120).splitlines()[0])
    ///     [1] examples:guide.md#read-a-secret · Kettle guide › Use › Read a secret · guide.md:27-33 · 37 tokens
    #[pyo3(signature = (query, *, max_tokens=3000, path=None, tree=None, r#where=None))]
    fn search_docs<'py>(
        &self,
        py: Python<'py>,
        query: &Bound<'py, PyAny>,
        max_tokens: i64,
        path: Option<&Bound<'py, PyAny>>,
        tree: Option<&Bound<'py, PyAny>>,
        r#where: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<String> {
        let mut call = SearchDocs::default();
        call.query = text("query", query)?.to_string();
        call.max_tokens = Some(count("max_tokens", max_tokens)?);
        call.filter.paths.extend(one("path", path)?);
        call.filter.trees.extend(one("tree", tree)?);
        call.filter.conditions.extend(one("where", r#where)?);
        call.tuning = self.tuning;
        py.detach(|| agent::search_docs(&self.snapshot, &call)).map_err(wrong)
    }

    /// Read a page or section for an agent, as Markdown within a token budget.
    ///
    /// This is the tool `read_section` of `chunkwright mcp`. A page is returned with all of its
    /// sections; add `+` to the id of a section for its subsections. Where the text does not fit,
    /// the last line says how to read on.
    ///
    /// Args:
    ///     id: Id of a result, or `path`, `path:line` or `path#anchor`.
    ///     from_line: First line to return, counted in the file.
    ///     max_tokens: Maximum tokens of the answer, at most 10,000, counted with `o200k`.
    ///
    /// Raises:
    ///     LookupError: If nothing has this id, or documents of several trees have this path.
    ///     ValueError: If the section has no such line, or an argument is invalid or too large.
    #[pyo3(signature = (id, *, from_line=None, max_tokens=6000))]
    fn read_section<'py>(
        &self,
        py: Python<'py>,
        id: &Bound<'py, PyAny>,
        from_line: Option<i64>,
        max_tokens: i64,
    ) -> PyResult<String> {
        let mut call = ReadSection::default();
        call.id = text("id", id)?.to_string();
        call.from_line = from_line.map(|line| count("from_line", line)).transpose()?;
        call.max_tokens = Some(count("max_tokens", max_tokens)?);
        py.detach(|| agent::read_section(&self.snapshot, &call)).map_err(wrong)
    }

    /// List folders and pages, or the outline of a page, for an agent.
    ///
    /// This is the tool `list_sections` of `chunkwright mcp`: at most 200 entries and 3,000 tokens.
    ///
    /// Args:
    ///     id: Tree, folder, page or section to list; without it, the top level.
    ///     after: Number of entries to skip.
    ///
    /// Raises:
    ///     LookupError: If nothing has this id.
    ///     ValueError: If there are not that many entries to skip.
    #[pyo3(signature = (id=None, *, after=0))]
    fn list_sections<'py>(
        &self,
        py: Python<'py>,
        id: Option<&Bound<'py, PyAny>>,
        after: i64,
    ) -> PyResult<String> {
        let mut call = ListSections::default();
        (call.id, call.after) = (one("id", id)?, count("after", after)?);
        py.detach(|| agent::list_sections(&self.snapshot, &call)).map_err(wrong)
    }

    /// Return instructions for an agent: what the documents are about, and how to use
    /// `search_docs`, `read_section` and `list_sections`.
    fn instructions(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| agent::instructions(&self.snapshot)).map_err(wrong)
    }

    /// Verify all checksums, and return statistics about the index.
    ///
    /// Raises:
    ///     OSError: If the index is damaged.
    fn status<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let status = py.detach(|| self.snapshot.check().and_then(|()| self.snapshot.status()));
        to_python(py, &status.map_err(wrong)?)
    }

    fn __repr__(&self) -> String {
        format!("Index({:?})", self.path)
    }
}

#[derive(Clone, Copy)]
enum AnswerFormat {
    Dict,
    Markdown,
    Json,
}

impl AnswerFormat {
    fn named(name: Option<&str>) -> PyResult<Self> {
        match name {
            None => Ok(Self::Dict),
            Some("markdown") => Ok(Self::Markdown),
            Some("json") => Ok(Self::Json),
            Some(name) => Err(PyValueError::new_err(format!(
                "format: expected `markdown` or `json`, not `{name}`"
            ))),
        }
    }
}

/// Create a search index, or bring it up to date.
///
/// Only files that changed are read again.
///
/// Args:
///     path: Directory of the index.
///     trees: Directory or file to index, an iterable of them, or a dict from tree names to paths.
///     rebuild: Whether to build the index from scratch.
///     **options: `index`, `input_format`, `mdx`, `slugs`, `url_base`, `jobs` or `max_file_size`.
///
/// Returns:
///     A dict with the number of documents `added`, `changed`, `removed` and `unchanged`, the
///     reason if the index was `rebuilt`, and `errors` for files that cannot be read.
///
/// Raises:
///     FileNotFoundError: If a directory or file in `trees` does not exist.
///     ValueError: If an option is unknown or invalid.
///     OSError: If the index cannot be written, or another process is writing it.
///
/// Examples:
///     >>> import chunkwright
///     >>> report = chunkwright.update_index("index", {"kettle": "docs/examples"})
///     >>> report["added"], report["errors"]
///     (4, [])
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
    let processing = settings.processing();
    let trees = named(trees)?;
    if let Some(missing) = trees.iter().find(|tree| !tree.path.exists()) {
        let message = format!("trees: no such file or directory: {}", missing.path.display());
        return Err(PyFileNotFoundError::new_err(message));
    }
    let mut what = Update::of(trees);
    (what.indexing, what.rebuild) = (settings.indexing(), rebuild);
    (what.jobs, what.max_file_bytes) = (processing.threads(), processing.max_file_size);
    let report = py.detach(|| update(&path, &what)).map_err(wrong)?;
    to_python(py, &report)
}

/// Parses options, and rejects those that have no effect.
fn settings(given: Option<&Bound<'_, PyDict>>, read: &[&str]) -> PyResult<Settings> {
    let mut settings = Settings::default();
    set(&mut settings, given)?;
    for name in given.into_iter().flat_map(|given| given.keys()) {
        let name = text("options", &name)?;
        let first = name.split('.').next().unwrap_or_default();
        if !read.contains(&first) {
            let read = read.join(", ");
            let message = format!("{name}: this option has no effect here; expected {read}");
            return Err(PyValueError::new_err(message));
        }
    }
    Ok(settings)
}

fn count(argument: &str, given: i64) -> PyResult<usize> {
    let message = |_| format!("{argument}: expected 0 or more, not {given}");
    usize::try_from(given).map_err(message).map_err(PyValueError::new_err)
}

fn list(argument: &str, given: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<String>> {
    let texts = given.map(|given| texts(argument, given)).transpose()?.unwrap_or_default();
    Ok(texts.iter().map(|text| text.to_string()).collect())
}

/// Reads an optional string.
fn one(argument: &str, given: Option<&Bound<'_, PyAny>>) -> PyResult<Option<String>> {
    Ok(given.map(|given| text(argument, given)).transpose()?.map(|text| text.to_string()))
}

/// Reads trees from a dict of names and paths, or from paths alone, whose trees have their names.
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
        | Error::Limit { .. }
        | Error::Line { .. }
        | Error::After { .. }
        | Error::UnknownField { .. }
        | Error::Filter(_)
        | Error::Config(_)
        | Error::Walk(_)
        | Error::TreeClash { .. } => PyValueError::new_err(message),
        _ => PyOSError::new_err(message),
    }
}

/// Returns what to do about an error in terms of the Python API.
fn advice(fault: &Error) -> Option<&'static str> {
    match fault {
        Error::Missing { .. } => Some("create one with update_index(path, trees)"),
        Error::Damaged { .. } => Some("rebuild it with update_index(path, trees, rebuild=True)"),
        Error::Foreign { .. } => Some("choose another directory"),
        Error::OtherVersion { .. } => Some("rebuild it with update_index(path, trees)"),
        Error::TreeClash { .. } => Some("set one with trees={name: path}"),
        _ => None,
    }
}
