//! `chunk_batch`: a table with a column of texts comes in, a table of chunks goes out.

use std::borrow::Cow;
use std::fmt::Display;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, downcast_integer_array};
use arrow_schema::{ArrowError, DataType};
use arrow_select::concat::concat_batches;
use chunkwright::Format;
use chunkwright_io::TextRoot;
use chunkwright_records::arrow::{self, TooLarge};
use chunkwright_records::{Record, With};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::call::Call;
use crate::capsule;
use crate::options::{Options, named};

/// As many bytes of text are worth the work of a thread.
const PORTION_BYTES: usize = 500_000;

/// What a table has room for.
const MOST_BYTES: usize = i32::MAX as usize;

/// A table of chunks, for any library that speaks Arrow.
#[pyclass(frozen, name = "RecordBatch", module = "chunkwright")]
pub(crate) struct Batch {
    batch: RecordBatch,
}

#[pymethods]
impl Batch {
    /// How many chunks there are.
    #[getter]
    fn num_rows(&self) -> usize {
        self.batch.num_rows()
    }

    /// The fields, in order.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        self.batch.schema().fields().iter().map(|field| field.name().clone()).collect()
    }

    /// The same as a `pyarrow.RecordBatch`.
    fn to_pyarrow<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("pyarrow")?.call_method1("record_batch", (slf,))
    }

    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }

    fn __repr__(&self) -> String {
        format!("RecordBatch({} rows)", self.batch.num_rows())
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        capsule::schema_of(py, &self.batch)
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        // Whoever asks for another schema has to be content with this one.
        let _ = requested_schema;
        capsule::array_of(py, &self.batch)
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        capsule::stream_of(py, &self.batch)
    }
}

/// Cuts the texts of a column. `columns` are the names of the one with texts, and of the one that
/// names them; with a root, these are paths that become relative to it.
pub(crate) fn cut(
    py: Python<'_>,
    options: &Options,
    given: &Bound<'_, PyAny>,
    columns: (&str, &str),
    tree: &str,
    root: Option<&TextRoot>,
) -> PyResult<Batch> {
    let columns = capsule::columns(given, [("text", columns.0), ("id", columns.1)])?;
    let mut rows = Vec::new();
    for [texts, paths] in &columns {
        let texts = unpacked("text", texts, |column| strings("text", column))?;
        let paths = unpacked("id", paths, names)?;
        rows.extend(texts.into_iter().zip(paths));
    }
    let rows = with_text(rows, root)?;
    let call = options.call(py, rows.iter().map(|row| &row.path))?;
    let running = options.settings.running();
    let (with, format) = (running.with(), running.input_format);
    let made = call.each(py, portions(&rows), |rows| chunks(rows, &call, tree, format, with))?;
    let made: Result<Vec<_>, TooLarge> = made.into_iter().collect();
    let made = made.map_err(wrong)?.concat();
    if made.iter().map(RecordBatch::get_array_memory_size).sum::<usize>() > MOST_BYTES {
        return Err(wrong("its chunks have over 2 GB; give fewer rows at once"));
    }
    let batch = py.detach(|| concat_batches(&arrow::schema(with), &made)).map_err(wrong)?;
    Ok(Batch { batch })
}

fn wrong(fault: impl Display) -> PyErr {
    PyValueError::new_err(format!("batch: {fault}"))
}

/// A text, and the path that it goes by.
struct Row<'b> {
    text: &'b str,
    path: Cow<'b, str>,
}

/// What is read of a column. One that is in a dictionary has each value once, and its place in
/// every row. Not every library takes care that what it says is so.
fn unpacked<'b, T: Clone>(
    argument: &str,
    column: &'b ArrayRef,
    read: impl Fn(&'b ArrayRef) -> PyResult<Vec<Option<T>>>,
) -> PyResult<Vec<Option<T>>> {
    let named = |fault: ArrowError| PyValueError::new_err(format!("{argument}: {fault}"));
    column.to_data().validate_full().map_err(named)?;
    let Some(dictionary) = column.as_any_dictionary_opt() else { return read(column) };
    let values = read(dictionary.values())?;
    if values.is_empty() {
        return Ok(vec![None; column.len()]);
    }
    let places = dictionary.normalized_keys().into_iter().enumerate();
    Ok(places.map(|(row, at)| column.is_valid(row).then(|| values[at].clone()).flatten()).collect())
}

/// The texts of a column.
fn strings<'b>(argument: &str, column: &'b ArrayRef) -> PyResult<Vec<Option<&'b str>>> {
    match column.data_type() {
        DataType::Null => Ok(vec![None; column.len()]),
        DataType::Utf8 => Ok(column.as_string::<i32>().iter().collect()),
        DataType::LargeUtf8 => Ok(column.as_string::<i64>().iter().collect()),
        DataType::Utf8View => Ok(column.as_string_view().iter().collect()),
        other => {
            let message = format!("{argument}: the column has values of type {other}, not text");
            Err(PyTypeError::new_err(message))
        }
    }
}

/// The names in a column: text, or whole numbers.
fn names(column: &ArrayRef) -> PyResult<Vec<Option<Cow<'_, str>>>> {
    downcast_integer_array!(
        column => {
            Ok(column.iter().map(|number| Some(number?.to_string().into())).collect())
        },
        _ => {
            let names = strings("id", column)?;
            Ok(names.into_iter().map(|name| name.map(Cow::Borrowed)).collect())
        }
    )
}

/// The rows that have a text.
fn with_text<'b>(
    rows: Vec<(Option<&'b str>, Option<Cow<'b, str>>)>,
    root: Option<&TextRoot>,
) -> PyResult<Vec<Row<'b>>> {
    let mut named = Vec::with_capacity(rows.len());
    for (nth, (text, path)) in rows.into_iter().enumerate() {
        let Some(text) = text else { continue };
        let missing = || PyValueError::new_err(format!("id: it is null in row {nth}"));
        let outside = |fault| PyValueError::new_err(format!("id: row {nth}: {fault}"));
        let path = path.ok_or_else(missing)?;
        let path = match root {
            Some(root) => root.path(&path).map_err(outside)?.into(),
            None => path,
        };
        named.push(Row { text, path });
    }
    Ok(named)
}

/// Rows in portions that are worth the work of a thread.
fn portions<'r, 'b>(mut rows: &'r [Row<'b>]) -> impl Iterator<Item = &'r [Row<'b>]> + Send {
    std::iter::from_fn(move || {
        let mut bytes = 0;
        let is_full = |row: &Row<'_>| {
            bytes += row.text.len();
            bytes >= PORTION_BYTES
        };
        let end = rows.iter().position(is_full).map_or(rows.len(), |last| last + 1);
        let (portion, rest) = rows.split_at(end);
        rows = rest;
        (!portion.is_empty()).then_some(portion)
    })
}

/// The chunks of rows, as batches.
fn chunks(
    rows: &[Row<'_>],
    call: &Call,
    tree: &str,
    format: Option<Format>,
    with: With,
) -> Result<Vec<RecordBatch>, TooLarge> {
    let chunks = rows.iter().flat_map(|row| {
        let source = named(&row.path, row.text, tree, format);
        call.chunkers.of(&row.path).chunk_source(&source).chunks
    });
    let chunks: Vec<_> = chunks.collect();
    let records: Vec<_> = chunks.iter().map(|chunk| Record::new(chunk, with)).collect();
    arrow::batches(&records, with)
}
