//! A counter of the user's: a function of Python comes in, a counter goes out.

use std::sync::{Mutex, PoisonError};

use chunkwright::{TextKind, TokenCounter};
use pyo3::exceptions::{PyOverflowError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::text::kind;

/// The most tokens of one text, so that sums never overflow.
const MOST_TOKENS: i64 = u32::MAX as i64;

/// A function of Python that counts, for one call. When it fails nothing more is asked of it: all
/// is counted as nothing, so that the call ends soon, and the failure is [told](Self::finish) then.
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

    /// Tells if something went wrong.
    pub(crate) fn finish(&self) -> PyResult<()> {
        let fault = self.fault.lock().unwrap_or_else(PoisonError::into_inner).take();
        fault.map_or(Ok(()), Err)
    }

    fn ask(&self, py: Python<'_>, text: &str) -> PyResult<usize> {
        // A function in C does not hear of signals.
        py.check_signals()?;
        let given = self.function.bind(py).call1((text,))?;
        let wrong = |fault: PyErr| {
            if fault.is_instance_of::<PyOverflowError>(py) {
                return too_large(&given);
            }
            let kind = kind(&given);
            PyTypeError::new_err(format!("tokenizer: it must return an int, not {kind}"))
        };
        match given.extract::<i64>().map_err(wrong)? {
            MOST_TOKENS.. => Err(too_large(&given)),
            tokens => usize::try_from(tokens).map_err(|_| {
                PyValueError::new_err(format!(
                    "tokenizer: it must not return less than 0: {tokens}"
                ))
            }),
        }
    }
}

fn too_large(given: &Bound<'_, PyAny>) -> PyErr {
    let message = format!("tokenizer: it must return less than {MOST_TOKENS}: {given}");
    PyValueError::new_err(message)
}

impl TokenCounter for Callable {
    fn name(&self) -> &str {
        &self.name
    }

    fn count(&self, text: &str, _: TextKind) -> usize {
        if self.fault.lock().unwrap_or_else(PoisonError::into_inner).is_some() {
            return 0;
        }
        let ended = || Err(PyRuntimeError::new_err("tokenizer: Python is shutting down"));
        let counted = Python::try_attach(|py| self.ask(py, text)).unwrap_or_else(ended);
        counted.unwrap_or_else(|fault| {
            *self.fault.lock().unwrap_or_else(PoisonError::into_inner) = Some(fault);
            0
        })
    }
}
