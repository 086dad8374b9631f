//! `Chunker`: options come in once, then texts, and chunks go out.

use std::io;
use std::path::{Path, PathBuf};

use chunkwright_config::{Chunkers, FILE_NAME, Settings};
use chunkwright_io::{TextRoot, plain, shown};
use pyo3::exceptions::{PyFileNotFoundError, PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyDict, PyString, PyTuple};
use pyo3::{PyTraverseError, PyVisit};

use crate::batch::{self, Batch};
use crate::chunk::Chunk;
use crate::files::FileChunks;
use crate::node::Node;
use crate::options::{Options, named, wrong};
use crate::text;

/// Cuts texts into chunks. Options are keywords, with the names of `chunkwright.toml`.
#[pyclass(frozen, module = "chunkwright")]
pub(crate) struct Chunker {
    pub(crate) options: Options,
    /// Where a configuration file was looked for.
    config: Option<PathBuf>,
}

/// What a text is called.
struct Named {
    text: PyBackedStr,
    path: PyBackedStr,
}

impl Chunker {
    fn open(path: &Path, given: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let folder = folder(path)?;
        let settings = Settings::find(&folder).map_err(wrong)?;
        if settings.file_name().is_none() {
            let message = format!("path: no {FILE_NAME} in {} or above it", shown(&folder));
            return Err(PyFileNotFoundError::new_err(message));
        }
        Ok(Self { options: Options::new(settings, given)?, config: Some(folder) })
    }

    fn cut(&self, chunkers: &Chunkers, named: &Named, tree: &str) -> Vec<Chunk> {
        let running = self.options.settings.running();
        let source = self::named(&named.path, &named.text, tree, running.input_format);
        let chunks = chunkers.of(&named.path).chunk_source(&source).chunks;
        chunks.into_iter().map(|chunk| Chunk::new(chunk.into_owned(), running.with())).collect()
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
        Ok(Self { options: Options::new(Settings::default(), options)?, config: None })
    }

    /// A chunker with the options of `chunkwright.toml`, in a directory or the nearest one above it.
    ///
    /// Keywords win over the file. Overrides for some paths are followed.
    #[staticmethod]
    #[pyo3(signature = (path=None, **options), text_signature = "(path='.', **options)")]
    fn from_config(
        path: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let path = path.map(|path| text::place("path", path)).transpose()?;
        Self::open(&path.unwrap_or_else(|| PathBuf::from(".")), options)
    }

    /// A hash of all options: it changes when the same text may give other chunks.
    #[getter]
    fn config_hash(&self) -> &str {
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
        call.one(py, || self.cut(&call.chunkers, &named, &tree))
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
        call.each(py, &all, |named| self.cut(&call.chunkers, named, &tree))
    }

    /// Splits files and directories: an iterator over their chunks, in order.
    ///
    /// Paths are relative to the directory `root`, which gives a single file the ids it has in a
    /// run over all of it. A file that cannot be read stops no other. `on_error` is called with a
    /// `FileError` for each; without it, `FilesError` is raised at the end.
    #[pyo3(signature = (paths, *, tree=None, root=None, on_error=None))]
    fn chunk_files(
        slf: &Bound<'_, Self>,
        paths: &Bound<'_, PyAny>,
        tree: Option<&Bound<'_, PyAny>>,
        root: Option<&Bound<'_, PyAny>>,
        on_error: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<FileChunks> {
        let tree = tree.map(|tree| text::text("tree", tree)).transpose()?;
        let tree = tree.map(|tree| tree.to_string());
        let root = root.map(|root| text::place("root", root)).transpose()?;
        let on_error = text::function("on_error", on_error)?;
        FileChunks::begin(slf, text::places("paths", paths)?, tree, root, on_error)
    }

    /// Splits the texts of a column of an Arrow table into a table of chunks.
    ///
    /// `text` and `id` are names of columns; what is in the latter becomes the `path` of chunks.
    /// With `root`, these are paths of files, and become relative to that directory.
    #[pyo3(signature = (batch, text=None, id=None, *, tree=None, root=None),
           text_signature = "($self, batch, text='text', id='id', *, tree=None, root=None)")]
    fn chunk_batch(
        &self,
        py: Python<'_>,
        batch: &Bound<'_, PyAny>,
        text: Option<&Bound<'_, PyAny>>,
        id: Option<&Bound<'_, PyAny>>,
        tree: Option<&Bound<'_, PyAny>>,
        root: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Batch> {
        let text = text::text_or("text", text, "text", py)?;
        let id = text::text_or("id", id, "id", py)?;
        let root = root.map(|root| text::place("root", root)).transpose()?;
        let root = root.map(|root| TextRoot::new(&root));
        let tree = match (&root, tree) {
            (Some(root), None) => {
                root.tree().map_err(|fault| PyValueError::new_err(format!("root: {fault}")))?
            }
            _ => text::tree(tree, py)?.to_string(),
        };
        batch::cut(py, &self.options, batch, (&text, &id), &tree, root.as_ref())
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
        let format = self.options.settings.running().input_format;
        let source = named(&path, &text, &tree, format);
        let chunker = call.chunkers.of(&path);
        let nodes = call.one(py, || chunker.outline(&chunker.read(&source)).nodes)?;
        Node::root(py, text, &nodes)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let mut shown = Vec::new();
        if let Some(config) = &self.config {
            shown.push(PyString::new(py, &config.to_string_lossy()).repr()?.to_string());
        }
        for (name, value) in self.options.given(py)? {
            shown.push(format!("{name}={}", value.repr()?));
        }
        let verb = if self.config.is_some() { ".from_config" } else { "" };
        Ok(format!("Chunker{verb}({})", shown.join(", ")))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let restore = py.import("chunkwright._native")?.getattr("_restore_chunker")?;
        let arguments = (self.options.given(py)?, self.config.as_ref(), self.options.effect());
        (restore, arguments).into_pyobject(py)
    }

    // What cannot change makes no cycle by itself: there is nothing to clear.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.options.traverse(&visit)
    }
}

/// The directory where the search for a configuration file begins.
fn folder(path: &Path) -> PyResult<PathBuf> {
    let wrong = |fault: io::Error| {
        let message = format!("path: {}: {}", shown(path), plain(&fault));
        match fault.kind() {
            io::ErrorKind::NotFound => PyFileNotFoundError::new_err(message),
            _ => PyOSError::new_err(message),
        }
    };
    let whole = std::path::absolute(path).map_err(wrong)?;
    let is_file = whole.file_name().is_some_and(|name| name == FILE_NAME) && whole.is_file();
    let folder = if is_file { whole.parent().unwrap_or(&whole) } else { &whole };
    let folder = folder.canonicalize().map_err(wrong)?;
    if !folder.is_dir() {
        let message = format!("path: {}: not a directory, nor a {FILE_NAME}", shown(path));
        return Err(PyValueError::new_err(message));
    }
    Ok(folder)
}

/// The chunker that was pickled. It must do here what it did there.
#[pyfunction(name = "_restore_chunker")]
pub(crate) fn restore_chunker(
    options: Option<&Bound<'_, PyDict>>,
    config: Option<PathBuf>,
    effect: &str,
) -> PyResult<Chunker> {
    let made = match config {
        Some(config) => Chunker::open(&config, options),
        None => Chunker::new(options),
    }?;
    if made.options.effect() != effect {
        let message = "options say something else here than where this was pickled";
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

/// Splits files and directories: an iterator over their chunks, in order.
///
/// Paths are relative to the directory `root`, which gives a single file the ids it has in a run
/// over all of it. A file that cannot be read stops no other. `on_error` is called with a
/// `FileError` for each; without it, `FilesError` is raised at the end.
#[pyfunction]
#[pyo3(signature = (paths, *, tree=None, root=None, on_error=None, **options))]
pub(crate) fn chunk_files(
    py: Python<'_>,
    paths: &Bound<'_, PyAny>,
    tree: Option<&Bound<'_, PyAny>>,
    root: Option<&Bound<'_, PyAny>>,
    on_error: Option<&Bound<'_, PyAny>>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<FileChunks> {
    Chunker::chunk_files(&Bound::new(py, Chunker::new(options)?)?, paths, tree, root, on_error)
}

/// Splits the texts of a column of an Arrow table into a table of chunks.
///
/// `text` and `id` are names of columns; what is in the latter becomes the `path` of chunks. With
/// `root`, these are paths of files, and become relative to that directory.
#[pyfunction]
#[pyo3(signature = (batch, text=None, id=None, *, tree=None, root=None, **options),
       text_signature = "(batch, text='text', id='id', *, tree=None, root=None, **options)")]
pub(crate) fn chunk_batch(
    py: Python<'_>,
    batch: &Bound<'_, PyAny>,
    text: Option<&Bound<'_, PyAny>>,
    id: Option<&Bound<'_, PyAny>>,
    tree: Option<&Bound<'_, PyAny>>,
    root: Option<&Bound<'_, PyAny>>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Batch> {
    Chunker::new(options)?.chunk_batch(py, batch, text, id, tree, root)
}
