//! `Chunk`: a chunk as an object of Python. Its fields are made when they are asked for.

use std::hash::{DefaultHasher, Hash, Hasher};

use chunkwright_records::{Record, With};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString, PyTuple};

use crate::value::to_python;

/// As many characters of the text are shown.
const SHOWN_CHARS: usize = 40;

/// What a model needs is among the fields.
const EMBEDDABLE: With = With { embed_text: true, pieces: false };

/// A stretch of a document, ready to be embedded, with its place in the structure.
#[pyclass(frozen, module = "chunkwright")]
pub(crate) struct Chunk {
    chunk: chunkwright::Chunk<'static>,
    with: With,
}

impl Chunk {
    pub(crate) fn new(chunk: chunkwright::Chunk<'static>, with: With) -> Self {
        Self { chunk, with }
    }

    /// What a model and a vector store need of it, in JSON.
    pub(crate) fn json(&self) -> String {
        let json = serde_json::to_string(&Record::new(&self.chunk, EMBEDDABLE));
        json.expect("a record is plain values under names")
    }

    /// What a model and a vector store need of it.
    pub(crate) fn embeddable<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &Record::new(&self.chunk, EMBEDDABLE))
    }
}

#[pymethods]
impl Chunk {
    /// Its place: `{tree}:{path}#{anchor}`; `~2`, `~3` for further chunks that begin in the same section.
    #[getter]
    fn id(&self) -> &str {
        &self.chunk.id
    }

    /// The document: `{tree}:{path}`.
    #[getter]
    fn doc_id(&self) -> &str {
        &self.chunk.doc_id
    }

    /// The id of the section above its first section; None at depth 0.
    #[getter]
    fn parent_id(&self) -> Option<&str> {
        self.chunk.parent_id.as_deref()
    }

    /// The document's path.
    #[getter]
    fn path(&self) -> &str {
        &self.chunk.path
    }

    /// Where the document is published, if that is known.
    #[getter]
    fn url(&self) -> Option<&str> {
        self.chunk.url.as_deref()
    }

    /// The slug of its first section; None at depth 0.
    #[getter]
    fn anchor(&self) -> Option<&str> {
        self.chunk.anchor.as_deref()
    }

    /// How the document was cut.
    #[getter]
    fn strategy(&self) -> &str {
        self.chunk.strategy.as_str()
    }

    /// Its order in the document, from 0.
    #[getter]
    fn position(&self) -> usize {
        self.chunk.position
    }

    /// The level of its first section, 0 for the document.
    #[getter]
    fn depth(&self) -> u8 {
        self.chunk.depth
    }

    /// The heading of its first section, or the document's title.
    #[getter]
    fn title(&self) -> &str {
        &self.chunk.title
    }

    /// The title in front matter, else the first heading of level 1, else the file's name.
    #[getter]
    fn document_title(&self) -> &str {
        &self.chunk.document_title
    }

    /// The file's name, then the headings that lead here.
    #[getter]
    fn breadcrumb(&self) -> Vec<&str> {
        self.chunk.breadcrumb.iter().map(|element| &**element).collect()
    }

    /// What to show: the chunk as it stands in the document.
    #[getter]
    fn text(&self) -> &str {
        &self.chunk.text
    }

    /// The tokens of `embed_text`.
    #[getter]
    fn tokens(&self) -> usize {
        self.chunk.tokens
    }

    /// Its first byte in the document, in UTF-8.
    #[getter]
    fn byte_start(&self) -> usize {
        self.chunk.span.start
    }

    /// One past its last byte.
    #[getter]
    fn byte_end(&self) -> usize {
        self.chunk.span.end
    }

    /// Its first line, from 1.
    #[getter]
    fn line_start(&self) -> usize {
        *self.chunk.lines.start()
    }

    /// Its last line.
    #[getter]
    fn line_end(&self) -> usize {
        *self.chunk.lines.end()
    }

    /// Its first block.
    #[getter]
    fn block_start(&self) -> usize {
        self.chunk.blocks.start
    }

    /// One past its last block.
    #[getter]
    fn block_end(&self) -> usize {
        self.chunk.blocks.end
    }

    /// A hash of `text`.
    #[getter]
    fn content_hash(&self) -> String {
        self.chunk.content_hash()
    }

    /// What front matter says; empty if there is none.
    #[getter]
    fn metadata<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match &self.chunk.metadata {
            Some(metadata) => to_python(py, metadata),
            None => to_python(py, &serde_json::Map::new()),
        }
    }

    /// What is worth telling: dicts with `kind` and `message`.
    #[getter]
    fn notes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.chunk.notes)
    }

    /// What an embedding model should see: the breadcrumb, a blank line, and the text.
    #[getter]
    fn embed_text(&self) -> std::borrow::Cow<'_, str> {
        self.chunk.embed_text()
    }

    /// What the text is made of: dicts with `kind`, and `start` and `end` or `text`.
    #[getter]
    fn pieces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let with = With { pieces: true, embed_text: false };
        to_python(py, &Record::new(&self.chunk, with))?.get_item("pieces")
    }

    /// The record, as `chunkwright chunk` writes it in JSON.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &Record::new(&self.chunk, self.with))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let chunkwright::Chunk { id, text, tokens, lines, .. } = &self.chunk;
        let (first, last) = (lines.start(), lines.end());
        let shown = match text.char_indices().nth(SHOWN_CHARS) {
            Some((at, _)) => format!("{}…", &text[..at]),
            None => text.to_string(),
        };
        let (id, shown) = (PyString::new(py, id).repr()?, PyString::new(py, &shown).repr()?);
        Ok(format!("Chunk(id={id}, tokens={tokens}, lines={first}-{last}, text={shown})"))
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.chunk.pieces == other.chunk.pieces && self.json() == other.json()
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.chunk.id.hash(&mut hasher);
        hasher.finish()
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let Self { chunk, with } = slf.get();
        let state = serde_json::to_vec(chunk);
        let state = state.map_err(|fault| PyValueError::new_err(fault.to_string()))?;
        let state = (PyBytes::new(slf.py(), &state), with.embed_text, with.pieces);
        (slf.get_type().getattr("_restore")?, state).into_pyobject(slf.py())
    }

    /// The chunk that was pickled.
    #[staticmethod]
    fn _restore(state: &[u8], embed_text: bool, pieces: bool) -> PyResult<Self> {
        let chunk = serde_json::from_slice::<chunkwright::Chunk<'_>>(state);
        let wrong = |fault| PyValueError::new_err(format!("state: not a chunk: {fault}"));
        let chunk = chunk.map_err(wrong)?.into_owned();
        Ok(Self { chunk, with: With { embed_text, pieces } })
    }
}
