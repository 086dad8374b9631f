//! The class `Chunker`, and the functions that create one for a single call.

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

/// A splitter that parses its options once, for use with any number of texts.
///
/// Chunkers are immutable, safe to share between threads, and can be pickled.
///
/// Args:
///     **options: Options such as `strategy`, `max` and `tokenizer`, with the names they have in
///         `chunkwright.toml`.
///
/// Raises:
///     ValueError: If an option is unknown or invalid.
///
/// Examples:
///     >>> import chunkwright
///     >>> chunker = chunkwright.Chunker(max=256)
///     >>> [chunk] = chunker.chunk("# Tea\n\nBoil water first.", path="tea.md")
///     >>> chunk.id
///     'docs:tea.md#tea'
#[pyclass(frozen, module = "chunkwright")]
pub(crate) struct Chunker {
    pub(crate) options: Options,
    /// Directory where the search for the configuration file started.
    config: Option<PathBuf>,
}

/// A text and its path.
struct NamedText {
    text: PyBackedStr,
    path: PyBackedStr,
}

impl Chunker {
    fn open(path: &Path, given: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let folder = folder(path)?;
        let settings = Settings::find(&folder).map_err(wrong)?;
        if settings.file_name().is_none() {
            let message = format!("path: no {FILE_NAME} in {} or its parents", shown(&folder));
            return Err(PyFileNotFoundError::new_err(message));
        }
        Ok(Self { options: Options::new(settings, given)?, config: Some(folder) })
    }

    fn cut(&self, chunkers: &Chunkers, named: &NamedText, tree: &str) -> Vec<Chunk> {
        let processing = self.options.settings.processing();
        let source = self::named(&named.path, &named.text, tree, processing.input_format);
        let chunks = chunkers.of(&named.path).chunk_source(&source).chunks;
        chunks.into_iter().map(|chunk| Chunk::new(chunk.into_owned(), processing.with())).collect()
    }

    /// Pairs the texts of one argument with the paths of another.
    fn named(
        py: Python<'_>,
        texts: &Bound<'_, PyAny>,
        paths: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Vec<NamedText>> {
        let texts = text::texts("texts", texts)?;
        let Some(paths) = paths else {
            let path = text::path_or_none(None, py)?;
            let named = |text| Ok(NamedText { text, path: path.clone_ref(py) });
            return texts.into_iter().map(named).collect();
        };
        let paths = text::paths("paths", paths)?;
        if paths.len() != texts.len() {
            let (paths, texts) = (paths.len(), texts.len());
            let message = format!("paths: expected as many paths as texts ({texts}), not {paths}");
            return Err(PyValueError::new_err(message));
        }
        Ok(texts.into_iter().zip(paths).map(|(text, path)| NamedText { text, path }).collect())
    }
}

#[pymethods]
impl Chunker {
    #[new]
    #[pyo3(signature = (**options))]
    fn new(options: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        Ok(Self { options: Options::new(Settings::default(), options)?, config: None })
    }

    /// Return a chunker with the options of the nearest `chunkwright.toml`.
    ///
    /// Overrides in the file apply to the paths they name.
    ///
    /// Args:
    ///     path: Directory to search first, before its parents; or the file itself.
    ///     **options: Options that take precedence over those in the file.
    ///
    /// Raises:
    ///     FileNotFoundError: If there is no `chunkwright.toml`.
    ///     ValueError: If an option is unknown or invalid.
    #[staticmethod]
    #[pyo3(signature = (path=None, **options), text_signature = "(path='.', **options)")]
    fn from_config(
        path: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let path = path.map(|path| text::place("path", path)).transpose()?;
        Self::open(&path.unwrap_or_else(|| PathBuf::from(".")), options)
    }

    /// Hash of all options; it changes if the same text may give different chunks.
    #[getter]
    fn config_hash(&self) -> &str {
        self.options.config_hash()
    }

    /// Split a text into chunks.
    ///
    /// Args:
    ///     text: Text to split.
    ///     path: Path or name of the text. It becomes part of ids and breadcrumbs, and its extension
    ///         selects the format. Without it, the text is Markdown and its path is `-`.
    ///     tree: First part of ids; `docs` by default.
    ///
    /// Returns:
    ///     The chunks, in document order.
    #[pyo3(signature = (text, *, path=None, tree=None))]
    fn chunk(
        &self,
        py: Python<'_>,
        text: &Bound<'_, PyAny>,
        path: Option<&Bound<'_, PyAny>>,
        tree: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Vec<Chunk>> {
        let named =
            NamedText { text: text::text("text", text)?, path: text::path_or_none(path, py)? };
        let tree = text::tree(tree, py)?;
        let call = self.options.call(py, std::iter::once(&named.path))?;
        call.one(py, || self.cut(&call.chunkers, &named, &tree))
    }

    /// Split many texts on several threads.
    ///
    /// Args:
    ///     texts: Texts to split.
    ///     paths: Path or name of each text, as in `chunk`.
    ///     tree: First part of ids; `docs` by default.
    ///
    /// Returns:
    ///     A list of chunks for each text, in the order of `texts`.
    ///
    /// Examples:
    ///     >>> import chunkwright
    ///     >>> texts = ["# Tea\n\nBoil water first.", "# Coffee\n\nGrind it."]
    ///     >>> many = chunkwright.Chunker().chunk_many(texts, paths=["tea.md", "coffee.md"])
    ///     >>> [[chunk.id for chunk in chunks] for chunks in many]
    ///     [['docs:tea.md#tea'], ['docs:coffee.md#coffee']]
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

    /// Split files and directories into chunks.
    ///
    /// Files are read and split on background threads as you iterate, so memory use does not grow
    /// with the number of files. A file that cannot be read does not stop the others.
    ///
    /// Args:
    ///     paths: File or directory, or an iterable of them. Directories are searched recursively.
    ///     tree: First part of ids; by default the name of `root` or of the directory.
    ///     root: Directory that paths in ids are relative to. With it, a single file gets the same
    ///         ids as in a run over the whole directory.
    ///     on_error: Function to call with a `FileError` for each skipped file.
    ///
    /// Returns:
    ///     An iterator over the chunks, file by file. It raises `FilesError` at the end if files were
    ///     skipped and there is no `on_error`.
    ///
    /// Raises:
    ///     ValueError: If a path is outside `root`.
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
        let paths = text::places("paths", paths)?;
        FileChunks::begin(slf.py(), &slf.get().options, paths, tree, root, on_error)
    }

    /// Split a column of texts in an Arrow table into a table of chunks.
    ///
    /// The input is read without copying, through the Arrow PyCapsule interface. Rows without text
    /// yield no chunks.
    ///
    /// Args:
    ///     batch: Table of texts: a pyarrow table, a polars data frame, a DuckDB relation, or any
    ///         other object with Arrow data.
    ///     text: Name of the column with the texts.
    ///     id: Name of the column with the path or name of each text, as strings or integers.
    ///     tree: First part of ids; by default the name of `root`, or `docs`.
    ///     root: Directory that the paths in the column `id` become relative to.
    ///
    /// Returns:
    ///     A table with one row per chunk. The column `path` contains the ids of the input.
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

    /// Return the outline of a text: its headings as nested nodes.
    ///
    /// Args:
    ///     text: Text to parse.
    ///     path: Path or name of the text, as in `chunk`.
    ///     tree: First part of ids; `docs` by default.
    ///
    /// Returns:
    ///     The node of the document. Its `children` are the top-level headings.
    ///
    /// Examples:
    ///     >>> import chunkwright
    ///     >>> root = chunkwright.Chunker().tree("# Tea\n\nBoil water.\n\n## Green\n\nWait.")
    ///     >>> [tea] = root.children
    ///     >>> tea.title, tea.body, [child.title for child in tea.children]
    ///     ('Tea', 'Boil water.', ['Green'])
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
        let format = self.options.settings.processing().input_format;
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

    // There is no `__clear__`: a cycle needs a mutable object, which clears its own references.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.options.traverse(&visit)
    }
}

/// Returns the directory in which to start the search for a configuration file.
fn folder(path: &Path) -> PyResult<PathBuf> {
    let wrong = |fault: io::Error| {
        let message = format!("path: cannot open {}: {}", shown(path), plain(&fault));
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
        let message = format!("path: {} is neither a directory nor a {FILE_NAME}", shown(path));
        return Err(PyValueError::new_err(message));
    }
    Ok(folder)
}

/// Restore a pickled chunker.
///
/// Raises:
///     ValueError: If its options take effect differently here than where it was pickled.
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
        let message = "options resolve differently here than in the process that pickled this \
                       chunker (use the same chunkwright.toml and version of chunkwright)";
        return Err(PyValueError::new_err(message));
    }
    Ok(made)
}

/// Split a text into chunks.
///
/// To split many texts with the same options, use a `Chunker`.
///
/// Args:
///     text: Text to split.
///     path: Path or name of the text. It becomes part of ids and breadcrumbs, and its extension
///         selects the format. Without it, the text is Markdown and its path is `-`.
///     tree: First part of ids; `docs` by default.
///     strategy: `hierarchical`, `window`, `blocks` or `tree`.
///     **options: Other options such as `max` and `tokenizer`, with the names they have in
///         `chunkwright.toml`. Write an option that is a Python keyword with a trailing
///         underscore: `with_`.
///
/// Returns:
///     The chunks, in document order.
///
/// Raises:
///     TypeError: If an argument has the wrong type.
///     ValueError: If an option is unknown or invalid, or if the text has a lone surrogate.
///
/// Examples:
///     >>> import chunkwright
///     >>> text = "# Tea\n\nBoil water first.\n\n## Green\n\nLet it cool to 80 degrees.\n"
///     >>> for chunk in chunkwright.chunk(text, path="tea.md", max=12, tokenizer="words:1"):
///     ...     print(chunk.id, chunk.tokens)
///     docs:tea.md#tea 5
///     docs:tea.md#green 9
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

/// Split files and directories into chunks.
///
/// Files are read and split on background threads as you iterate, so memory use does not grow
/// with the number of files. A file that cannot be read does not stop the others.
///
/// Args:
///     paths: File or directory, or an iterable of them. Directories are searched recursively.
///     tree: First part of ids; by default the name of `root` or of the directory.
///     root: Directory that paths in ids are relative to. With it, a single file gets the same
///         ids as in a run over the whole directory.
///     on_error: Function to call with a `FileError` for each skipped file.
///     **options: Options such as `strategy`, `max` and `tokenizer`, with the names they have in
///         `chunkwright.toml`.
///
/// Returns:
///     An iterator over the chunks, file by file. It raises `FilesError` at the end if files were
///     skipped and there is no `on_error`.
///
/// Raises:
///     ValueError: If a path is outside `root`, or an option is invalid.
///
/// Examples:
///     >>> import chunkwright
///     >>> chunks = chunkwright.chunk_files("docs/examples", max=256)
///     >>> next(chunks).id
///     'examples:front-matter.md'
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

/// Split a column of texts in an Arrow table into a table of chunks.
///
/// The input is read without copying, through the Arrow PyCapsule interface. Rows without text
/// yield no chunks.
///
/// Args:
///     batch: Table of texts: a pyarrow table, a polars data frame, a DuckDB relation, or any
///         other object with Arrow data.
///     text: Name of the column with the texts.
///     id: Name of the column with the path or name of each text, as strings or integers.
///     tree: First part of ids; by default the name of `root`, or `docs`.
///     root: Directory that the paths in the column `id` become relative to.
///     **options: Options such as `strategy`, `max` and `tokenizer`, with the names they have in
///         `chunkwright.toml`.
///
/// Returns:
///     A table with one row per chunk. The column `path` contains the ids of the input.
///
/// Raises:
///     TypeError: If `batch` has no Arrow data, or a column has the wrong type.
///     ValueError: If a column is missing, a text has no id, or an option is invalid.
///
/// Examples:
///     >>> import chunkwright, pyarrow
///     >>> pages = pyarrow.table({"id": ["tea.md"], "text": ["# Tea\n\nBoil water first."]})
///     >>> batch = chunkwright.chunk_batch(pages)
///     >>> batch.to_pyarrow()["id"].to_pylist()
///     ['docs:tea.md#tea']
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
