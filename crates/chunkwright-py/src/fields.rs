//! The attributes of the class `Chunk` that are fields of its record.

use chunkwright_records::{FIELDS, FieldKind, FieldValue, RecordField};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyCFunction, PyDict, PyList, PyString, PyTuple};

use crate::chunk::Chunk;
use crate::value::to_python;

/// Adds a property to the class for each field.
pub(crate) fn add_to(class: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = class.py();
    let property = py.import("builtins")?.getattr("property")?;
    for field in FIELDS {
        let value = |arguments: &Bound<'_, PyTuple>, _: Option<&Bound<'_, PyDict>>| {
            let (chunk,): (Bound<'_, Chunk>,) = arguments.extract()?;
            value(field, &chunk).map(Bound::unbind)
        };
        let value = PyCFunction::new_closure(py, None, None, value)?;
        let help = [("doc", field.help)].into_py_dict(py)?;
        let property = property.call((value,), Some(&help))?;
        // Errors of assignments contain the name.
        property.call_method1("__set_name__", (class, field.name))?;
        class.setattr(field.name, property)?;
    }
    Ok(())
}

/// Returns the value of an attribute: for a field without a value, None, or an empty dict or list.
fn value<'py>(field: &RecordField, chunk: &Bound<'py, Chunk>) -> PyResult<Bound<'py, PyAny>> {
    let py = chunk.py();
    Ok(match field.value(chunk.get().inner()) {
        Some(FieldValue::Text(text)) => PyString::new(py, &text).into_any(),
        Some(value) => to_python(py, &value)?,
        None => match field.kind() {
            FieldKind::Metadata => PyDict::new(py).into_any(),
            FieldKind::Objects => PyList::empty(py).into_any(),
            _ => py.None().into_bound(py),
        },
    })
}
