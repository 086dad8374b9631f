//! Imports and exports Arrow data through the [PyCapsule interface][1], without copying it.
//!
//! [1]: https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html

#![allow(unsafe_code, reason = "the C data interface passes structures by address")]

use std::ffi::CStr;
use std::fmt::Display;
use std::ptr::NonNull;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi_and_data_type, to_ffi};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{
    Array, ArrayRef, RecordBatch, RecordBatchIterator, StructArray, make_array, new_null_array,
};
use arrow_schema::DataType;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::text::kind;

const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";
const STREAM: &CStr = c"arrow_array_stream";

/// The two requested columns: for each, the argument that names it, and the name.
type ColumnNames<'n> = [(&'static str, &'n str); 2];

/// Returns the two columns with these names, batch by batch.
///
/// Other columns are not imported: they may have a type that this Arrow implementation lacks.
pub(crate) fn columns(
    object: &Bound<'_, PyAny>,
    names: ColumnNames<'_>,
) -> PyResult<Vec<[ArrayRef; 2]>> {
    if object.hasattr("__arrow_c_stream__")? {
        return stream(object.call_method0("__arrow_c_stream__")?.cast()?, names);
    }
    if object.hasattr("__arrow_c_array__")? {
        let capsules = object.call_method0("__arrow_c_array__")?;
        let rows = array(capsules.get_item(0)?.cast()?, capsules.get_item(1)?.cast()?, names)?;
        return Ok(vec![rows]);
    }
    let kind = kind(object);
    Err(PyTypeError::new_err(format!(
        "batch: expected Arrow data, such as a pyarrow.Table or a polars.DataFrame, not {kind}"
    )))
}

fn stream(capsule: &Bound<'_, PyCapsule>, names: ColumnNames<'_>) -> PyResult<Vec<[ArrayRef; 2]>> {
    let stream: NonNull<FFI_ArrowArrayStream> = capsule.pointer_checked(Some(STREAM))?.cast();
    // SAFETY: a capsule of this name holds an array stream that lives as long as the capsule.
    // `from_raw` moves the stream out and marks the original as released.
    let mut stream = unsafe { FFI_ArrowArrayStream::from_raw(stream.as_ptr()) };
    let (Some(get_schema), Some(get_next)) = (stream.get_schema, stream.get_next) else {
        return Err(consumed("stream"));
    };
    let mut schema = FFI_ArrowSchema::empty();
    // SAFETY: the stream is not released, so its callbacks are valid; `schema` is empty, so
    // overwriting it leaks nothing.
    let code = unsafe { get_schema(&mut stream, &mut schema) };
    check(&mut stream, code)?;
    let wanted = Columns::new(&schema, names)?;
    let mut batches = Vec::new();
    loop {
        capsule.py().check_signals()?;
        let mut rows = FFI_ArrowArray::empty();
        // SAFETY: as above, for `rows`.
        let code = unsafe { get_next(&mut stream, &mut rows) };
        check(&mut stream, code)?;
        if rows.is_released() {
            return Ok(batches);
        }
        batches.push(wanted.of(&rows)?);
    }
}

/// Turns the return code of a stream's callback into an exception.
fn check(stream: &mut FFI_ArrowArrayStream, code: i32) -> PyResult<()> {
    if code == 0 {
        return Ok(());
    }
    // SAFETY: `get_last_error` may be called after a failed callback. It returns null or a string
    // that is valid until the next call on the stream.
    let said = stream.get_last_error.map(|ask| unsafe { ask(stream) });
    let said = said.filter(|said| !said.is_null()).map(|said| unsafe { CStr::from_ptr(said) });
    let said = said.map_or_else(|| format!("error code {code}").into(), CStr::to_string_lossy);
    Err(wrong(format!("cannot read the Arrow stream: {said}")))
}

fn array(
    schema: &Bound<'_, PyCapsule>,
    array: &Bound<'_, PyCapsule>,
    names: ColumnNames<'_>,
) -> PyResult<[ArrayRef; 2]> {
    let schema: NonNull<FFI_ArrowSchema> = schema.pointer_checked(Some(SCHEMA))?.cast();
    let array: NonNull<FFI_ArrowArray> = array.pointer_checked(Some(ARRAY))?.cast();
    // SAFETY: capsules of these names hold a schema and an array that live as long as the
    // capsules. `from_raw` moves the array out and marks the original as released.
    let (schema, rows) = unsafe { (schema.as_ref(), FFI_ArrowArray::from_raw(array.as_ptr())) };
    if schema.release.is_none() || rows.is_released() {
        return Err(consumed("array"));
    }
    Columns::new(schema, names)?.of(&rows)
}

fn consumed(what: &str) -> PyErr {
    wrong(format!("the Arrow {what} has already been consumed (pass a new one)"))
}

/// Positions and types of the requested columns.
struct Columns {
    columns: [(usize, DataType); 2],
}

impl Columns {
    fn new(schema: &FFI_ArrowSchema, names: ColumnNames<'_>) -> PyResult<Self> {
        if schema.format() != "+s" {
            let found = DataType::try_from(schema).map_err(wrong)?;
            let message = format!("batch: expected a table or an array of structs, not {found}");
            return Err(PyTypeError::new_err(message));
        }
        let all: Vec<_> = schema.children().map(|one| one.name().unwrap_or_default()).collect();
        let column = |(argument, name)| {
            let place = all.iter().position(|one| *one == name).ok_or_else(|| {
                let all = all.join(", ");
                let message = format!("{argument}: no column `{name}`; the columns are {all}");
                PyValueError::new_err(message)
            })?;
            Ok::<_, PyErr>((place, DataType::try_from(schema.child(place)).map_err(wrong)?))
        };
        let [first, second] = names.map(column);
        Ok(Self { columns: [first?, second?] })
    }

    fn of(&self, rows: &FFI_ArrowArray) -> PyResult<[ArrayRef; 2]> {
        if has_null(rows) {
            return Err(wrong("contains a null row (filter out rows that are null as a whole)"));
        }
        let [(first, kind), (second, other)] = &self.columns;
        let column = column(rows, *first, kind)?;
        // The column has been moved out of `rows`, so it cannot be imported a second time.
        let same = (first == second).then(|| column.clone());
        Ok([column, same.map_or_else(|| self::column(rows, *second, other), Ok)?])
    }
}

/// Returns whether any row is null as a whole.
fn has_null(rows: &FFI_ArrowArray) -> bool {
    if rows.null_count == 0 || rows.num_buffers() == 0 {
        return false;
    }
    let bits = rows.buffer(0);
    let mut all = rows.offset()..rows.offset() + rows.len();
    // SAFETY: a validity buffer that is not null has one bit for each row.
    !bits.is_null() && all.any(|nth| unsafe { *bits.add(nth / 8) } >> (nth % 8) & 1 == 0)
}

/// Moves a column out of its rows.
fn column(rows: &FFI_ArrowArray, place: usize, kind: &DataType) -> PyResult<ArrayRef> {
    let (offset, length) = (rows.offset(), rows.len());
    if place >= rows.num_children() || rows.child(place).len() < offset + length {
        return Err(wrong("invalid Arrow data: fewer values than the schema declares"));
    }
    if *kind == DataType::Null {
        return Ok(new_null_array(kind, length));
    }
    // SAFETY: `place` is within the children of `rows`, which is not released. The interface lets
    // a consumer move any child out.
    let data = unsafe {
        let child = FFI_ArrowArray::from_raw(*rows.children.add(place));
        from_ffi_and_data_type(child, kind.clone())
    };
    Ok(make_array(data.map_err(wrong)?).slice(offset, length))
}

fn wrong(fault: impl Display) -> PyErr {
    PyValueError::new_err(format!("batch: {fault}"))
}

/// Exports the schema of a batch.
pub(crate) fn schema_of<'py>(
    py: Python<'py>,
    batch: &RecordBatch,
) -> PyResult<Bound<'py, PyCapsule>> {
    let schema = FFI_ArrowSchema::try_from(&*batch.schema()).map_err(wrong)?;
    PyCapsule::new_with_value(py, schema, SCHEMA)
}

/// Exports a batch as a schema and an array.
pub(crate) fn array_of<'py>(
    py: Python<'py>,
    batch: &RecordBatch,
) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
    let (array, _) = to_ffi(&StructArray::from(batch.clone()).to_data()).map_err(wrong)?;
    Ok((schema_of(py, batch)?, PyCapsule::new_with_value(py, array, ARRAY)?))
}

/// Exports a batch as a stream of one batch.
pub(crate) fn stream_of<'py>(
    py: Python<'py>,
    batch: &RecordBatch,
) -> PyResult<Bound<'py, PyCapsule>> {
    let reader = RecordBatchIterator::new([Ok(batch.clone())], batch.schema());
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(reader)), STREAM)
}
