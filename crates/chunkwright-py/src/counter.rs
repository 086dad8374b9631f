//! Counts tokens with a Python function.

use std::sync::{Mutex, PoisonError};

use chunkwright::{TextKind, TokenCounter};
use pyo3::exceptions::{PyOverflowError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::text::kind;

/// Exclusive maximum of one count, so that sums never overflow.
const MOST_TOKENS: i64 = u32::MAX as i64;

/// A tokenizer written in Python, for the duration of one call.
///
/// A [`TokenCounter`] cannot fail. So after the first exception the function is not called again,
/// every count is 0 to let the call end soon, and [`finish`](Self::finish) returns the exception.
pub(crate) struct Callable {
    function: Py<PyAny>,
    name: String,
    fault: Mutex<Option<PyErr>>,
}

impl Callable {
    pub(crate) fn new(function: &Bound<'_, PyAny>) -> Self {
        let named = |one: &Bound<'_, PyAny>| one.getattr("__qualname__")?.extract::<String>();
        let name = named(function).or_else(|_| named(&function.get_type()));
        let name = format!("python:{}", name.unwrap_or_default());
        Self { function: function.clone().unbind(), name, fault: Mutex::new(None) }
    }

    /// Returns the exception that the function raised, if any.
    pub(crate) fn finish(&self) -> PyResult<()> {
        let fault = self.fault.lock().unwrap_or_else(PoisonError::into_inner).take();
        fault.map_or(Ok(()), Err)
    }

    fn ask(&self, py: Python<'_>, text: &str) -> PyResult<usize> {
        // A function written in C does not check for signals.
        py.check_signals()?;
        let given = self.function.bind(py).call1((text,))?;
        let wrong = |fault: PyErr| {
            if fault.is_instance_of::<PyOverflowError>(py) {
                return too_large(&given);
            }
            let kind = kind(&given);
            PyTypeError::new_err(format!(
                "tokenizer: expected the function to return int, not {kind}"
            ))
        };
        match given.extract::<i64>().map_err(wrong)? {
            MOST_TOKENS.. => Err(too_large(&given)),
            tokens => usize::try_from(tokens).map_err(|_| {
                PyValueError::new_err(format!(
                    "tokenizer: expected the function to return 0 or more, not {tokens}"
                ))
            }),
        }
    }
}

fn too_large(given: &Bound<'_, PyAny>) -> PyErr {
    PyValueError::new_err(format!(
        "tokenizer: expected the function to return less than {MOST_TOKENS}, not {given}"
    ))
}

impl TokenCounter for Callable {
    fn name(&self) -> &str {
        &self.name
    }

    fn count(&self, text: &str, _: TextKind) -> usize {
        if self.fault.lock().unwrap_or_else(PoisonError::into_inner).is_some() {
            return 0;
        }
        let ended = || {
            Err(PyRuntimeError::new_err(
                "tokenizer: cannot call the function: Python is shutting down",
            ))
        };
        let counted = Python::try_attach(|py| self.ask(py, text)).unwrap_or_else(ended);
        counted.unwrap_or_else(|fault| {
            *self.fault.lock().unwrap_or_else(PoisonError::into_inner) = Some(fault);
            0
        })
    }
}
