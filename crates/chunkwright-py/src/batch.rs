//! `chunk_batch`: splits the texts in a column of an Arrow table into a table of chunks.

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

use crate::call::ChunkingCall;
use crate::capsule;
use crate::options::{Options, named};

/// Bytes of text per unit of work; smaller units would not be worth handing to a thread.
const PORTION_BYTES: usize = 500_000;

/// Maximum size of a batch, since its string columns have 32-bit offsets.
const MOST_BYTES: usize = i32::MAX as usize;

/// A table of chunks, one row per chunk.
///
/// It implements the Arrow PyCapsule interface, so libraries such as pyarrow, polars and DuckDB
/// read it without copying the data.
///
/// Examples:
///     >>> import chunkwright, polars
///     >>> pages = polars.DataFrame({"id": ["tea.md"], "text": ["# Tea\n\nBoil water first."]})
///     >>> batch = chunkwright.chunk_batch(pages)
///     >>> polars.DataFrame(batch)["id"].to_list()
///     ['docs:tea.md#tea']
#[pyclass(frozen, name = "RecordBatch", module = "chunkwright")]
pub(crate) struct Batch {
    batch: RecordBatch,
    counts: Vec<usize>,
}

#[pymethods]
impl Batch {
    /// Number of chunks.
    #[getter]
    fn num_rows(&self) -> usize {
        self.batch.num_rows()
    }

    /// Names of the columns, in order.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        self.batch.schema().fields().iter().map(|field| field.name().clone()).collect()
    }

    /// Number of chunks of each row of the input, in order.
    ///
    /// Repeat the other columns of the input by these numbers to add them to the chunks.
    #[getter]
    fn counts(&self) -> Vec<usize> {
        self.counts.clone()
    }

    /// Return the table as a `pyarrow.RecordBatch`, without copying the data.
    ///
    /// Raises:
    ///     ImportError: If pyarrow is not installed.
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
        // The protocol allows a producer to ignore the requested schema.
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

/// Splits the texts of a column. `columns` names the text column and the id column. With a root,
/// the ids are paths, and become relative to it.
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
        let texts = unpacked("text", texts, |column| strings("text", "strings", column))?;
        let paths = unpacked("id", paths, names)?;
        rows.extend(texts.into_iter().zip(paths));
    }
    let mut counts = vec![0; rows.len()];
    let rows = with_text(rows, root)?;
    let call = options.call(py, rows.iter().map(|row| &row.path))?;
    let processing = options.settings.processing();
    let (with, format) = (processing.with(), processing.input_format);
    let made = call.each(py, portions(&rows), |rows| chunks(rows, &call, tree, format, with))?;
    let made: Result<Vec<_>, TooLarge> = made.into_iter().collect();
    let (made, made_counts): (Vec<_>, Vec<_>) = made.map_err(wrong)?.into_iter().unzip();
    for (row, count) in rows.iter().zip(made_counts.concat()) {
        counts[row.nth] = count;
    }
    let made = made.concat();
    if made.iter().map(RecordBatch::get_array_memory_size).sum::<usize>() > MOST_BYTES {
        return Err(wrong(
            "its chunks exceed 2 GB, the limit of one result (pass fewer rows per call)",
        ));
    }
    let batch = py.detach(|| concat_batches(&arrow::schema(with), &made)).map_err(wrong)?;
    Ok(Batch { batch, counts })
}

fn wrong(fault: impl Display) -> PyErr {
    PyValueError::new_err(format!("batch: {fault}"))
}

/// A row of the input: its number, its text and its path.
struct InputRow<'b> {
    nth: usize,
    text: &'b str,
    path: Cow<'b, str>,
}

/// Validates and reads a column, looking up the values of one that is dictionary-encoded.
///
/// Full validation is needed because the data comes from another library: invalid UTF-8 or offsets
/// out of bounds would be undefined behavior.
fn unpacked<'b, T: Clone>(
    argument: &str,
    column: &'b ArrayRef,
    read: impl Fn(&'b ArrayRef) -> PyResult<Vec<Option<T>>>,
) -> PyResult<Vec<Option<T>>> {
    let named = |fault: ArrowError| {
        PyValueError::new_err(format!("{argument}: invalid Arrow data: {fault}"))
    };
    column.to_data().validate_full().map_err(named)?;
    let Some(dictionary) = column.as_any_dictionary_opt() else { return read(column) };
    let values = read(dictionary.values())?;
    if values.is_empty() {
        return Ok(vec![None; column.len()]);
    }
    let places = dictionary.normalized_keys().into_iter().enumerate();
    Ok(places.map(|(row, at)| column.is_valid(row).then(|| values[at].clone()).flatten()).collect())
}

fn strings<'b>(
    argument: &str,
    expected: &str,
    column: &'b ArrayRef,
) -> PyResult<Vec<Option<&'b str>>> {
    match column.data_type() {
        DataType::Null => Ok(vec![None; column.len()]),
        DataType::Utf8 => Ok(column.as_string::<i32>().iter().collect()),
        DataType::LargeUtf8 => Ok(column.as_string::<i64>().iter().collect()),
        DataType::Utf8View => Ok(column.as_string_view().iter().collect()),
        other => {
            let message = format!("{argument}: expected a column of {expected}, not {other}");
            Err(PyTypeError::new_err(message))
        }
    }
}

/// Returns the ids in a column of strings or integers.
fn names(column: &ArrayRef) -> PyResult<Vec<Option<Cow<'_, str>>>> {
    downcast_integer_array!(
        column => {
            Ok(column.iter().map(|number| Some(number?.to_string().into())).collect())
        },
        _ => {
            let names = strings("id", "strings or integers", column)?;
            Ok(names.into_iter().map(|name| name.map(Cow::Borrowed)).collect())
        }
    )
}

/// Returns the rows that have a text, with their paths relative to the root.
fn with_text<'b>(
    rows: Vec<(Option<&'b str>, Option<Cow<'b, str>>)>,
    root: Option<&TextRoot>,
) -> PyResult<Vec<InputRow<'b>>> {
    let mut named = Vec::with_capacity(rows.len());
    for (nth, (text, path)) in rows.into_iter().enumerate() {
        let Some(text) = text else { continue };
        let missing =
            || PyValueError::new_err(format!("id: row {nth} has a text, but its id is null"));
        let outside = |fault| PyValueError::new_err(format!("id: row {nth}: {fault}"));
        let path = path.ok_or_else(missing)?;
        let path = match root {
            Some(root) => root.path(&path).map_err(outside)?.into(),
            None => path,
        };
        named.push(InputRow { nth, text, path });
    }
    Ok(named)
}

/// Divides rows into units of work of about [`PORTION_BYTES`] bytes.
fn portions<'r, 'b>(
    mut rows: &'r [InputRow<'b>],
) -> impl Iterator<Item = &'r [InputRow<'b>]> + Send {
    std::iter::from_fn(move || {
        let mut bytes = 0;
        let is_full = |row: &InputRow<'_>| {
            bytes += row.text.len();
            bytes >= PORTION_BYTES
        };
        let end = rows.iter().position(is_full).map_or(rows.len(), |last| last + 1);
        let (portion, rest) = rows.split_at(end);
        rows = rest;
        (!portion.is_empty()).then_some(portion)
    })
}

/// Splits rows, and returns their chunks as record batches, and the number of chunks of each row.
fn chunks(
    rows: &[InputRow<'_>],
    call: &ChunkingCall,
    tree: &str,
    format: Option<Format>,
    with: With,
) -> Result<(Vec<RecordBatch>, Vec<usize>), TooLarge> {
    let chunks = rows.iter().map(|row| {
        let source = named(&row.path, row.text, tree, format);
        call.chunkers.of(&row.path).chunk_source(&source).chunks
    });
    let chunks: Vec<_> = chunks.collect();
    let records: Vec<_> = chunks.iter().flatten().map(|chunk| Record::new(chunk, with)).collect();
    Ok((arrow::batches(&records, with)?, chunks.iter().map(Vec::len).collect()))
}
