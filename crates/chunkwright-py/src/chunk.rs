//! The class `Chunk`. [`fields`](crate::fields) adds the fields of its record as attributes.

use std::hash::{DefaultHasher, Hash, Hasher};

use chunkwright_records::{Record, With};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyString, PyTuple};
use serde_json::{Map, Value};

use crate::value::to_python;

/// Maximum number of characters of the text in `repr`.
const SHOWN_CHARS: usize = 40;

/// Namespace of chunk UUIDs: the UUIDv5 of `https://github.com/chunkwright/chunkwright` in the
/// namespace of URLs. Stored ids depend on it, so it never changes.
const NAMESPACE: &str = "82df2fc1-844b-54cc-b3f4-6c4fff8f4980";

/// Separator of the elements of a breadcrumb.
const BETWEEN: &str = " › ";

/// The fields of records to embed and store.
const EMBEDDABLE: With = With { embed_text: true, pieces: false };

/// A chunk of a document, with its location, headings and token count.
///
/// Embed `embed_text` and show `text`. Offsets count bytes of UTF-8, not characters. Chunks are
/// immutable and hashable, and can be pickled. They are equal if all their fields are.
///
/// Examples:
///     >>> import chunkwright
///     >>> [chunk] = chunkwright.chunk("# Tea\n\nBoil water first.", path="tea.md")
///     >>> chunk.id
///     'docs:tea.md#tea'
///     >>> chunk.line_start, chunk.line_end
///     (1, 3)
///     >>> chunk.text
///     '# Tea\n\nBoil water first.'
#[pyclass(frozen, module = "chunkwright")]
pub(crate) struct Chunk {
    chunk: chunkwright::Chunk<'static>,
    with: With,
}

impl Chunk {
    pub(crate) fn new(chunk: chunkwright::Chunk<'static>, with: With) -> Self {
        Self { chunk, with }
    }

    pub(crate) fn inner(&self) -> &chunkwright::Chunk<'static> {
        &self.chunk
    }

    /// Returns the record with `embed_text`.
    pub(crate) fn embeddable(&self) -> Record<'_> {
        Record::new(&self.chunk, EMBEDDABLE)
    }
}

/// Returns the namespace of chunk UUIDs, as a `uuid.UUID`.
pub(crate) fn namespace(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    static CREATED: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let create = || Ok(py.import("uuid")?.call_method1("UUID", (NAMESPACE,))?.unbind());
    CREATED.get_or_try_init(py, create).map(|created| created.bind(py))
}

/// Converts a record to strings, numbers and booleans under one level of names.
fn flat(record: Map<String, Value>) -> Map<String, Value> {
    let mut flat = Map::new();
    for (name, value) in record {
        match (name.as_str(), value) {
            ("breadcrumb", Value::Array(elements)) => {
                let elements: Vec<_> = elements.iter().filter_map(Value::as_str).collect();
                flat.insert(name, elements.join(BETWEEN).into());
            }
            // Not `metadata.KEY`: LanceDB rejects dots, and Qdrant reads them as nesting.
            ("metadata", Value::Object(entries)) => {
                let entries =
                    entries.into_iter().map(|(key, value)| (format!("{name}_{key}"), value));
                flat.extend(entries.filter_map(|(name, value)| Some((name, scalar(value)?))));
            }
            (_, value) => flat.extend(scalar(value).map(|value| (name, value))),
        }
    }
    flat
}

/// Returns a string, number or boolean: lists and maps as JSON, null as none.
fn scalar(value: Value) -> Option<Value> {
    match value {
        Value::Null => None,
        Value::Array(_) | Value::Object(_) => Some(value.to_string().into()),
        scalar => Some(scalar),
    }
}

#[pymethods]
impl Chunk {
    /// UUID of the id, for stores that require one: `uuid.uuid5(chunkwright.NAMESPACE, chunk.id)`.
    #[getter]
    fn uuid<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        static UUID5: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let uuid5 = UUID5.import(py, "uuid", "uuid5")?;
        uuid5.call1((namespace(py)?, &self.chunk.id))
    }

    /// Return the record of the chunk, as `chunkwright chunk` writes it in JSON.
    ///
    /// It contains `embed_text` and `pieces` only if the option `with_` requests them.
    ///
    /// Args:
    ///     flat: Whether to return only strings, numbers and booleans, for stores that accept nothing
    ///         else. The breadcrumb is joined with ` › `, each key of the front matter becomes
    ///         `metadata_KEY`, other lists and dicts become JSON, and keys without a value are left
    ///         out.
    ///     embed_text: Whether to include `embed_text`.
    #[pyo3(signature = (*, flat=false, embed_text=false))]
    fn to_dict<'py>(
        &self,
        py: Python<'py>,
        flat: bool,
        embed_text: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let with = With { embed_text: embed_text || self.with.embed_text, ..self.with };
        let record = Record::new(&self.chunk, with);
        if !flat {
            return to_python(py, &record);
        }
        match serde_json::to_value(record) {
            Ok(Value::Object(record)) => to_python(py, &self::flat(record)),
            _ => unreachable!("a record is plain values under names"),
        }
    }

    /// Return an HTML card with the chunk, for notebooks.
    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("chunkwright._html")?.call_method1("card", (slf,))
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
        self.chunk == other.chunk
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

    /// Restore a pickled chunk.
    #[staticmethod]
    fn _restore(state: &[u8], embed_text: bool, pieces: bool) -> PyResult<Self> {
        let chunk = serde_json::from_slice::<chunkwright::Chunk<'_>>(state);
        let wrong = |fault| PyValueError::new_err(format!("state: not a pickled chunk: {fault}"));
        let chunk = chunk.map_err(wrong)?.into_owned();
        Ok(Self { chunk, with: With { embed_text, pieces } })
    }
}
