//! Converts between Python values and JSON.

use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::text::{kind, text};

/// Maximum nesting of a value. A list that contains itself exceeds it.
const MOST_DEPTH: usize = 64;

/// Converts a Python value to JSON. Errors name `argument`.
pub(crate) fn to_json(argument: &str, value: &Bound<'_, PyAny>) -> PyResult<Value> {
    json(argument, value, MOST_DEPTH)
}

fn json(argument: &str, value: &Bound<'_, PyAny>, depth: usize) -> PyResult<Value> {
    let inner = depth.checked_sub(1).ok_or_else(|| {
        PyValueError::new_err(format!("{argument}: nested more than {MOST_DEPTH} levels deep"))
    })?;
    let list = |entries: Bound<'_, pyo3::types::PyIterator>| -> PyResult<Value> {
        entries.map(|entry| json(argument, &entry?, inner)).collect()
    };
    let other = || {
        let kind = kind(value);
        PyTypeError::new_err(format!("{argument}: cannot use a value of type {kind}"))
    };
    let whole = || -> PyResult<Value> {
        let wrong = |fault: PyErr| match fault.is_instance_of::<PyOverflowError>(value.py()) {
            true => PyValueError::new_err(format!("{argument}: {value} does not fit in 64 bits")),
            false => other(),
        };
        Ok(value.extract::<i64>().map_err(wrong)?.into())
    };
    if value.is_none() {
        Ok(Value::Null)
    } else if value.is_instance_of::<PyBool>() {
        Ok(value.is_truthy()?.into())
    } else if value.is_instance_of::<PyInt>() {
        whole()
    } else if value.is_instance_of::<PyFloat>() {
        let number = serde_json::Number::from_f64(value.extract()?);
        let wrong =
            || PyValueError::new_err(format!("{argument}: expected a finite number, not {value}"));
        Ok(Value::Number(number.ok_or_else(wrong)?))
    } else if value.is_instance_of::<PyString>() {
        Ok(Value::String(text(argument, value)?.to_string()))
    } else if let Ok(entries) = value.cast::<PyDict>() {
        let mut map = Map::new();
        for (name, value) in entries {
            map.insert(text(argument, &name)?.to_string(), json(argument, &value, inner)?);
        }
        Ok(map.into())
    } else if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        list(value.try_iter()?)
    } else if value.hasattr("__index__")? {
        whole()
    } else {
        Err(other())
    }
}

/// Converts a serializable value to Python, the way it is written in JSON.
pub(crate) fn to_python<'py>(
    py: Python<'py>,
    value: &impl Serialize,
) -> PyResult<Bound<'py, PyAny>> {
    let value = serde_json::to_value(value);
    python(py, &value.map_err(|fault| PyValueError::new_err(fault.to_string()))?)
}

fn python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Null => py.None().into_bound(py),
        Value::Bool(truth) => PyBool::new(py, *truth).to_owned().into_any(),
        Value::Number(number) => match number.as_i64() {
            Some(whole) => whole.into_pyobject(py)?.into_any(),
            None => match number.as_u64() {
                Some(whole) => whole.into_pyobject(py)?.into_any(),
                None => number.as_f64().into_pyobject(py)?.into_any(),
            },
        },
        Value::String(text) => PyString::new(py, text).into_any(),
        Value::Array(entries) => {
            let entries: PyResult<Vec<_>> = entries.iter().map(|one| python(py, one)).collect();
            PyList::new(py, entries?)?.into_any()
        }
        Value::Object(entries) => {
            let dict = PyDict::new(py);
            for (name, value) in entries {
                dict.set_item(name, python(py, value)?)?;
            }
            dict.into_any()
        }
    })
}
