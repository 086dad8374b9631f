//! Runs long work without the interpreter, but stops it on a signal such as Ctrl-C.

use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

/// Interval between checks for signals.
pub(crate) const LOOK: Duration = Duration::from_millis(100);

/// Checks for signals. Work calls [`go_on`](Self::go_on) between its steps.
pub(crate) struct Signals {
    /// The thread of the call. Python runs signal handlers only on its main thread, so no other
    /// thread of the work needs to check.
    caller: ThreadId,
    looked: Mutex<Instant>,
    fault: OnceLock<PyErr>,
}

/// The work was interrupted by a signal.
pub(crate) struct Stopped;

impl From<Stopped> for PyErr {
    fn from(_: Stopped) -> Self {
        PyKeyboardInterrupt::new_err(())
    }
}

impl Signals {
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

/// Runs work without the interpreter, and returns the exception if a signal handler raised one.
pub(crate) fn watched<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&Signals) -> T + Send,
) -> PyResult<T> {
    let (caller, looked) = (thread::current().id(), Mutex::new(Instant::now()));
    let signals = Signals { caller, looked, fault: OnceLock::new() };
    let done = py.detach(|| work(&signals));
    signals.fault.into_inner().map_or(Ok(done), Err)
}
