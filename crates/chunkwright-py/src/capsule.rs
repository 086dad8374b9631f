//! The Arrow PyCapsule interface: objects of any library that speaks Arrow come in, batches go out,
//! and the other way round. Data is not copied.

#![allow(unsafe_code, reason = "structures of C come in and go out by their address")]

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

/// Columns that are wanted: the argument that names each, and its name.
type Names<'n> = [(&'static str, &'n str); 2];

/// The columns of these names, batch by batch. Nobody looks at the others: libraries do not agree
/// on every type.
pub(crate) fn columns(object: &Bound<'_, PyAny>, names: Names<'_>) -> PyResult<Vec<[ArrayRef; 2]>> {
    if object.hasattr("__arrow_c_stream__")? {
        return stream(object.call_method0("__arrow_c_stream__")?.cast()?, names);
    }
    if object.hasattr("__arrow_c_array__")? {
        let capsules = object.call_method0("__arrow_c_array__")?;
        let rows = array(capsules.get_item(0)?.cast()?, capsules.get_item(1)?.cast()?, names)?;
        return Ok(vec![rows]);
    }
    let kind = kind(object);
    Err(PyTypeError::new_err(format!("batch: it takes data in Arrow, not {kind}")))
}

fn stream(capsule: &Bound<'_, PyCapsule>, names: Names<'_>) -> PyResult<Vec<[ArrayRef; 2]>> {
    let stream: NonNull<FFI_ArrowArrayStream> = capsule.pointer_checked(Some(STREAM))?.cast();
    // SAFETY: a capsule of this name holds such a structure, which lives as long as the capsule,
    // and is moved out of it.
    let mut stream = unsafe { FFI_ArrowArrayStream::from_raw(stream.as_ptr()) };
    let (Some(get_schema), Some(get_next)) = (stream.get_schema, stream.get_next) else {
        return Err(consumed());
    };
    let mut schema = FFI_ArrowSchema::empty();
    // SAFETY: the functions of a stream that is not released take it, and fill what is empty.
    let code = unsafe { get_schema(&mut stream, &mut schema) };
    check(&mut stream, code)?;
    let wanted = Wanted::new(&schema, names)?;
    let mut batches = Vec::new();
    loop {
        capsule.py().check_signals()?;
        let mut rows = FFI_ArrowArray::empty();
        // SAFETY: as above.
        let code = unsafe { get_next(&mut stream, &mut rows) };
        check(&mut stream, code)?;
        if rows.is_released() {
            return Ok(batches);
        }
        batches.push(wanted.of(&rows)?);
    }
}

/// Whether a function of a stream did what it should.
fn check(stream: &mut FFI_ArrowArrayStream, code: i32) -> PyResult<()> {
    if code == 0 {
        return Ok(());
    }
    // SAFETY: a stream may be asked after a failure; what it says, if it does, is valid until it is
    // used again.
    let said = stream.get_last_error.map(|ask| unsafe { ask(stream) });
    let said = said.filter(|said| !said.is_null()).map(|said| unsafe { CStr::from_ptr(said) });
    let said = said.map_or_else(|| format!("error {code}").into(), CStr::to_string_lossy);
    Err(wrong(said))
}

fn array(
    schema: &Bound<'_, PyCapsule>,
    array: &Bound<'_, PyCapsule>,
    names: Names<'_>,
) -> PyResult<[ArrayRef; 2]> {
    let schema: NonNull<FFI_ArrowSchema> = schema.pointer_checked(Some(SCHEMA))?.cast();
    let array: NonNull<FFI_ArrowArray> = array.pointer_checked(Some(ARRAY))?.cast();
    // SAFETY: capsules of these names hold such structures, which live as long as the capsules; the
    // array is moved out of it.
    let (schema, rows) = unsafe { (schema.as_ref(), FFI_ArrowArray::from_raw(array.as_ptr())) };
    if schema.release.is_none() || rows.is_released() {
        return Err(consumed());
    }
    Wanted::new(schema, names)?.of(&rows)
}

fn consumed() -> PyErr {
    wrong("somebody has taken its data already")
}

/// The columns that are wanted: their places and types.
struct Wanted {
    columns: [(usize, DataType); 2],
}

impl Wanted {
    fn new(schema: &FFI_ArrowSchema, names: Names<'_>) -> PyResult<Self> {
        if schema.format() != "+s" {
            let found = DataType::try_from(schema).map_err(wrong)?;
            let message = format!("batch: it takes rows of columns, not of {found}");
            return Err(PyTypeError::new_err(message));
        }
        let all: Vec<_> = schema.children().map(|one| one.name().unwrap_or_default()).collect();
        let column = |(argument, name)| {
            let place = all.iter().position(|one| *one == name).ok_or_else(|| {
                let all = all.join(", ");
                let message = format!("{argument}: no column is named {name:?}; there are: {all}");
                PyValueError::new_err(message)
            })?;
            Ok::<_, PyErr>((place, DataType::try_from(schema.child(place)).map_err(wrong)?))
        };
        let [first, second] = names.map(column);
        Ok(Self { columns: [first?, second?] })
    }

    fn of(&self, rows: &FFI_ArrowArray) -> PyResult<[ArrayRef; 2]> {
        if has_null(rows) {
            return Err(wrong("a row of it is null"));
        }
        let [(first, kind), (second, other)] = &self.columns;
        let column = column(rows, *first, kind)?;
        // What was moved out is there no more.
        let same = (first == second).then(|| column.clone());
        Ok([column, same.map_or_else(|| self::column(rows, *second, other), Ok)?])
    }
}

/// Whether a row as a whole is null.
fn has_null(rows: &FFI_ArrowArray) -> bool {
    if rows.null_count == 0 || rows.num_buffers() == 0 {
        return false;
    }
    let bits = rows.buffer(0);
    let mut all = rows.offset()..rows.offset() + rows.len();
    // SAFETY: if there is such a buffer, it has a bit for every row.
    !bits.is_null() && all.any(|nth| unsafe { *bits.add(nth / 8) } >> (nth % 8) & 1 == 0)
}

/// A column, moved out of its rows.
fn column(rows: &FFI_ArrowArray, place: usize, kind: &DataType) -> PyResult<ArrayRef> {
    let (offset, length) = (rows.offset(), rows.len());
    if place >= rows.num_children() || rows.child(place).len() < offset + length {
        return Err(wrong("it has less data than its schema says"));
    }
    if *kind == DataType::Null {
        return Ok(new_null_array(kind, length));
    }
    // SAFETY: rows that are not released have as many children, and any may be moved out of them.
    let data = unsafe {
        let child = FFI_ArrowArray::from_raw(*rows.children.add(place));
        from_ffi_and_data_type(child, kind.clone())
    };
    Ok(make_array(data.map_err(wrong)?).slice(offset, length))
}

/// What is wrong with data.
fn wrong(fault: impl Display) -> PyErr {
    PyValueError::new_err(format!("batch: {fault}"))
}

/// A schema for other libraries.
pub(crate) fn schema_of<'py>(
    py: Python<'py>,
    batch: &RecordBatch,
) -> PyResult<Bound<'py, PyCapsule>> {
    let schema = FFI_ArrowSchema::try_from(&*batch.schema()).map_err(wrong)?;
    PyCapsule::new_with_value(py, schema, SCHEMA)
}

/// A batch for other libraries: its schema and its data.
pub(crate) fn array_of<'py>(
    py: Python<'py>,
    batch: &RecordBatch,
) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
    let (array, _) = to_ffi(&StructArray::from(batch.clone()).to_data()).map_err(wrong)?;
    Ok((schema_of(py, batch)?, PyCapsule::new_with_value(py, array, ARRAY)?))
}

/// The same as a stream of one batch.
pub(crate) fn stream_of<'py>(
    py: Python<'py>,
    batch: &RecordBatch,
) -> PyResult<Bound<'py, PyCapsule>> {
    let reader = RecordBatchIterator::new([Ok(batch.clone())], batch.schema());
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(reader)), STREAM)
}
