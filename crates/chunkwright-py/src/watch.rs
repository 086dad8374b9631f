//! Long work comes in; its outcome goes out, unless the user wants it to end.

use std::panic;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

/// How often a wait ends to see whether the user wants it to.
pub(crate) const LOOK: Duration = Duration::from_millis(100);

/// Whether to go on. Work asks between its steps.
#[derive(Default)]
pub(crate) struct Watch {
    is_over: AtomicBool,
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
        if self.is_over.load(Ordering::Relaxed) { Err(Stopped) } else { Ok(()) }
    }
}

/// Works without the interpreter and on another thread, since only this one hears of signals.
pub(crate) fn watched<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&Watch) -> T + Send,
) -> PyResult<T> {
    let watch = Watch::default();
    let (sender, receiver) = sync_channel(1);
    let receiver = Mutex::new(receiver);
    let wait = || receiver.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(LOOK);
    let mut fault = None;
    thread::scope(|scope| {
        let worker = scope.spawn(|| {
            let sender = sender;
            sender.send(work(&watch))
        });
        loop {
            match py.detach(wait) {
                Ok(done) => return fault.map_or(Ok(done), Err),
                Err(RecvTimeoutError::Timeout) => {
                    if let Err(signal) = py.check_signals() {
                        watch.is_over.store(true, Ordering::Relaxed);
                        fault.get_or_insert(signal);
                    }
                }
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        let Err(panic) = worker.join() else { unreachable!("it sent nothing") };
        panic::resume_unwind(panic)
    })
}
