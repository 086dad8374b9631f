//! `Chunker`: options come in once, then texts, and chunks go out.

use std::convert::Infallible;
use std::path::PathBuf;

use chunkwright::Source;
use chunkwright_config::{Chunkers, FILE_NAME, Settings};
use chunkwright_io::ordered;
use pyo3::exceptions::{PyFileNotFoundError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyDict, PyString, PyTuple};

use crate::batch::{self, Batch};
use crate::chunk::Chunk;
use crate::files::FileChunks;
use crate::node::Node;
use crate::options::{Options, wrong};
use crate::text;

/// Cuts texts into chunks. Options are keywords, with the names of `chunkwright.toml`.
#[pyclass(frozen, module = "chunkwright")]
pub(crate) struct Chunker {
    options: Options,
    /// As they were given.
    given: Option<Py<PyDict>>,
    /// Where a configuration file was looked for.
    config: Option<PathBuf>,
}

/// What a text is called.
struct Named {
    text: PyBackedStr,
    path: PyBackedStr,
}

impl Chunker {
    fn make(
        settings: Settings,
        config: Option<PathBuf>,
        given: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let options = Options::new(settings, given)?;
        let given = given.map(|given| given.copy().map(Bound::unbind)).transpose()?;
        Ok(Self { options, given, config })
    }

    fn open(config: PathBuf, given: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let folder = std::path::absolute(&config)?;
        let settings = Settings::find(&folder).map_err(wrong)?;
        if settings.file_name().is_none() {
            let message = format!("path: no {FILE_NAME} in {} or above it", folder.display());
            return Err(PyFileNotFoundError::new_err(message));
        }
        Self::make(settings, Some(config), given)
    }

    fn cut(&self, chunkers: &Chunkers, named: &Named, tree: &str) -> Vec<Chunk> {
        let with = self.options.settings.running().with();
        let source = Source::new(&named.path, &named.text).in_tree(tree);
        let chunks = chunkers.of(&named.path).chunk(&source).chunks;
        chunks.into_iter().map(|chunk| Chunk::new(chunk.into_owned(), with)).collect()
    }

    /// The texts and paths of two arguments that go together.
    fn named(
        py: Python<'_>,
        texts: &Bound<'_, PyAny>,
        paths: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Vec<Named>> {
        let texts = text::texts("texts", texts)?;
        let Some(paths) = paths else {
            let path = text::path_or_none(None, py)?;
            let named = |text| Ok(Named { text, path: path.clone_ref(py) });
            return texts.into_iter().map(named).collect();
        };
        let paths = text::paths("paths", paths)?;
        if paths.len() != texts.len() {
            let message = format!("paths: {} for {} texts", paths.len(), texts.len());
            return Err(PyValueError::new_err(message));
        }
        Ok(texts.into_iter().zip(paths).map(|(text, path)| Named { text, path }).collect())
    }
}

#[pymethods]
impl Chunker {
    #[new]
    #[pyo3(signature = (**options))]
    fn new(options: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        Self::make(Settings::default(), None, options)
    }

    /// A chunker with the options of `chunkwright.toml`, in a directory or the nearest one above it.
    ///
    /// Keywords win over the file. Overrides for some paths are followed.
    #[staticmethod]
    #[pyo3(signature = (path=PathBuf::from("."), **options), text_signature = "(path='.', **options)")]
    fn from_config(path: PathBuf, options: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        Self::open(path, options)
    }

    /// A hash of all options: it changes when the same text may give other chunks.
    #[getter]
    fn config_hash(&self) -> String {
        self.options.config_hash()
    }

    /// Cuts a text into a list of chunks.
    ///
    /// `path` names it: ids and breadcrumbs have it, and its extension tells the format.
    #[pyo3(signature = (text, *, path=None, tree=None))]
    fn chunk(
        &self,
        py: Python<'_>,
        text: &Bound<'_, PyAny>,
        path: Option<&Bound<'_, PyAny>>,
        tree: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Vec<Chunk>> {
        let named = Named { text: text::text("text", text)?, path: text::path_or_none(path, py)? };
        let tree = text::tree(tree, py)?;
        let call = self.options.call(py, std::iter::once(&named.path))?;
        call.run(py, || self.cut(&call.chunkers, &named, &tree))
    }

    /// Cuts texts on several threads: a list of chunks for each, in order.
    #[pyo3(signature = (texts, *, paths=None, tree=None))]
    fn chunk_many(
        &self,
        py: Python<'_>,
        texts: &Bound<'_, PyAny>,
        paths: Option<&Bound<'_, PyAny>>,
        tree: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Vec<Vec<Chunk>>> {
        let (all, tree) = (Self::named(py, texts, paths)?, text::tree(tree, py)?);
        let call = self.options.call(py, all.iter().map(|named| &named.path))?;
        let mut done = Vec::with_capacity(all.len());
        call.run(py, || {
            let work = |named: &Named| self.cut(&call.chunkers, named, &tree);
            let Ok(()) = ordered(
                &all,
                call.jobs,
                work,
                |_| 0,
                |chunks| {
                    done.push(chunks);
                    Ok::<(), Infallible>(())
                },
            );
        })?;
        Ok(done)
    }

    /// Cuts files and directories: an iterator over their chunks, in order.
    ///
    /// A file that cannot be read stops no other. `on_error` is called with a `FileError` for each;
    /// without it, `FilesError` is raised at the end.
    #[pyo3(signature = (paths, *, tree=None, on_error=None))]
    fn chunk_files(
        &self,
        py: Python<'_>,
        paths: &Bound<'_, PyAny>,
        tree: Option<&Bound<'_, PyAny>>,
        on_error: Option<Py<PyAny>>,
    ) -> PyResult<FileChunks> {
        let tree = tree.map(|tree| text::text("tree", tree)).transpose()?;
        let tree = tree.map(|tree| tree.to_string());
        FileChunks::begin(py, &self.options, text::places("paths", paths)?, tree, on_error)
    }

    /// Cuts the texts of a column of a table in Arrow into a table of chunks.
    ///
    /// `text` and `id` are names of columns; what is in the latter becomes the `path` of chunks.
    #[pyo3(signature = (batch, text="text", id="id", *, tree=None))]
    fn chunk_batch(
        &self,
        py: Python<'_>,
        batch: &Bound<'_, PyAny>,
        text: &str,
        id: &str,
        tree: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Batch> {
        batch::cut(py, &self.options, batch, (text, id), &text::tree(tree, py)?)
    }

    /// The document as a tree of its headings.
    #[pyo3(signature = (text, *, path=None, tree=None))]
    fn tree(
        &self,
        py: Python<'_>,
        text: &Bound<'_, PyAny>,
        path: Option<&Bound<'_, PyAny>>,
        tree: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<Node>> {
        let (text, path) = (text::text("text", text)?, text::path_or_none(path, py)?);
        let tree = text::tree(tree, py)?;
        let call = self.options.call(py, std::iter::once(&path))?;
        let nodes = call.run(py, || {
            call.chunkers.of(&path).tree(&Source::new(&path, &text).in_tree(&tree)).nodes
        })?;
        Node::root(py, text, &nodes)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let mut shown = Vec::new();
        if let Some(config) = &self.config {
            shown.push(PyString::new(py, &config.to_string_lossy()).repr()?.to_string());
        }
        for (name, value) in self.given.iter().flat_map(|given| given.bind(py)) {
            shown.push(format!("{name}={}", value.repr()?));
        }
        let verb = if self.config.is_some() { ".from_config" } else { "" };
        Ok(format!("Chunker{verb}({})", shown.join(", ")))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let restore = py.import("chunkwright._native")?.getattr("_restore_chunker")?;
        let arguments = (self.given.as_ref(), self.config.as_ref(), self.config_hash());
        (restore, arguments).into_pyobject(py)
    }
}

/// The chunker that was pickled. Its configuration file must say here what it said there.
#[pyfunction(name = "_restore_chunker")]
pub(crate) fn restore_chunker(
    options: Option<&Bound<'_, PyDict>>,
    config: Option<PathBuf>,
    config_hash: &str,
) -> PyResult<Chunker> {
    let Some(config) = config else {
        return Chunker::make(Settings::default(), None, options);
    };
    let made = Chunker::open(config, options)?;
    if made.config_hash() != config_hash {
        let message = "the configuration file says something else here than where this was pickled";
        return Err(PyValueError::new_err(message));
    }
    Ok(made)
}

/// Cuts a text into a list of chunks. Options are keywords, with the names of `chunkwright.toml`.
///
/// `path` names the text: ids and breadcrumbs have it, and its extension tells the format.
#[pyfunction]
#[pyo3(signature = (text, *, path=None, tree=None, strategy=None, **options),
       text_signature = "(text, *, path=None, tree=None, strategy='hierarchical', **options)")]
pub(crate) fn chunk(
    py: Python<'_>,
    text: &Bound<'_, PyAny>,
    path: Option<&Bound<'_, PyAny>>,
    tree: Option<&Bound<'_, PyAny>>,
    strategy: Option<&Bound<'_, PyAny>>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Vec<Chunk>> {
    let options = options.cloned().unwrap_or_else(|| PyDict::new(py));
    if let Some(strategy) = strategy {
        options.set_item("strategy", strategy)?;
    }
    Chunker::new(Some(&options))?.chunk(py, text, path, tree)
}

/// Cuts files and directories: an iterator over their chunks, in order.
///
/// A file that cannot be read stops no other. `on_error` is called with a `FileError` for each;
/// without it, `FilesError` is raised at the end.
#[pyfunction]
#[pyo3(signature = (paths, *, tree=None, on_error=None, **options))]
pub(crate) fn chunk_files(
    py: Python<'_>,
    paths: &Bound<'_, PyAny>,
    tree: Option<&Bound<'_, PyAny>>,
    on_error: Option<Py<PyAny>>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<FileChunks> {
    Chunker::new(options)?.chunk_files(py, paths, tree, on_error)
}

/// Cuts the texts of a column of a table in Arrow into a table of chunks.
///
/// `text` and `id` are names of columns; what is in the latter becomes the `path` of chunks.
#[pyfunction]
#[pyo3(signature = (batch, text="text", id="id", *, tree=None, **options))]
pub(crate) fn chunk_batch(
    py: Python<'_>,
    batch: &Bound<'_, PyAny>,
    text: &str,
    id: &str,
    tree: Option<&Bound<'_, PyAny>>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Batch> {
    Chunker::new(options)?.chunk_batch(py, batch, text, id, tree)
}
