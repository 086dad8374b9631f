//! Long work comes in; its outcome goes out, unless the user wants it to end.

use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

/// How often somebody looks whether the user wants it to end.
pub(crate) const LOOK: Duration = Duration::from_millis(100);

/// Whether to go on. Work asks between its steps.
pub(crate) struct Watch {
    /// The only one that hears of signals, if any does.
    caller: ThreadId,
    looked: Mutex<Instant>,
    fault: OnceLock<PyErr>,
}

/// The user wants it to end.
pub(crate) struct Stopped;

impl From<Stopped> for PyErr {
    fn from(_: Stopped) -> Self {
        PyKeyboardInterrupt::new_err(())
    }
}

impl Watch {
    pub(crate) fn go_on(&self) -> Result<(), Stopped> {
        if thread::current().id() == self.caller {
            self.look();
        }
        if self.fault.get().is_some() { Err(Stopped) } else { Ok(()) }
    }

    fn look(&self) {
        let mut looked = self.looked.lock().unwrap_or_else(PoisonError::into_inner);
        if looked.elapsed() < LOOK {
            return;
        }
        *looked = Instant::now();
        if let Some(Err(fault)) = Python::try_attach(|py| py.check_signals()) {
            let _ = self.fault.set(fault);
        }
    }
}

/// Works without the interpreter.
pub(crate) fn watched<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&Watch) -> T + Send,
) -> PyResult<T> {
    let (caller, looked) = (thread::current().id(), Mutex::new(Instant::now()));
    let watch = Watch { caller, looked, fault: OnceLock::new() };
    let done = py.detach(|| work(&watch));
    watch.fault.into_inner().map_or(Ok(done), Err)
}
