//! The Arrow PyCapsule interface: objects of any library that speaks Arrow come in, batches go out,
//! and the other way round. Data is not copied.

#![allow(unsafe_code, reason = "structures of C come in and go out by their address")]

use std::ffi::CStr;
use std::ptr::NonNull;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi, to_ffi};
use arrow_array::ffi_stream::{ArrowArrayStreamReader, FFI_ArrowArrayStream};
use arrow_array::{Array, RecordBatch, RecordBatchIterator, RecordBatchReader, StructArray};
use arrow_schema::{ArrowError, DataType, SchemaRef};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::text::kind;

const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";
const STREAM: &CStr = c"arrow_array_stream";

/// The batches that an object of Python has.
pub(crate) fn batches(object: &Bound<'_, PyAny>) -> PyResult<(SchemaRef, Vec<RecordBatch>)> {
    if object.hasattr("__arrow_c_stream__")? {
        return stream(object.call_method0("__arrow_c_stream__")?.cast()?);
    }
    if object.hasattr("__arrow_c_array__")? {
        let capsules = object.call_method0("__arrow_c_array__")?;
        let batch = array(capsules.get_item(0)?.cast()?, capsules.get_item(1)?.cast()?)?;
        return Ok((batch.schema(), vec![batch]));
    }
    let kind = kind(object);
    Err(PyTypeError::new_err(format!("batch: it takes data in Arrow, not {kind}")))
}

fn stream(capsule: &Bound<'_, PyCapsule>) -> PyResult<(SchemaRef, Vec<RecordBatch>)> {
    let stream: NonNull<FFI_ArrowArrayStream> = capsule.pointer_checked(Some(STREAM))?.cast();
    // SAFETY: a capsule of this name holds such a structure, which lives as long as the capsule,
    // and is moved out of it.
    let reader = unsafe { ArrowArrayStreamReader::from_raw(stream.as_ptr()) }.map_err(wrong)?;
    let schema = reader.schema();
    Ok((schema, reader.collect::<Result<_, _>>().map_err(wrong)?))
}

fn array(schema: &Bound<'_, PyCapsule>, array: &Bound<'_, PyCapsule>) -> PyResult<RecordBatch> {
    let schema: NonNull<FFI_ArrowSchema> = schema.pointer_checked(Some(SCHEMA))?.cast();
    let array: NonNull<FFI_ArrowArray> = array.pointer_checked(Some(ARRAY))?.cast();
    // SAFETY: capsules of these names hold such structures, which live as long as the capsules; the
    // array is moved out of it.
    let data = unsafe { from_ffi(FFI_ArrowArray::from_raw(array.as_ptr()), schema.as_ref()) };
    let data = data.map_err(wrong)?;
    if !matches!(data.data_type(), DataType::Struct(_)) {
        let message = format!("batch: it takes rows of columns, not of {}", data.data_type());
        return Err(PyTypeError::new_err(message));
    }
    let rows = StructArray::from(data);
    if rows.null_count() > 0 {
        return Err(PyValueError::new_err("batch: a row of it is null"));
    }
    Ok(rows.into())
}

/// What is wrong with data.
fn wrong(fault: ArrowError) -> PyErr {
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
