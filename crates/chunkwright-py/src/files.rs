//! `chunk_files`: paths come in; chunks go out in order, file by file, as they are asked for.
//!
//! Threads of their own read and cut. They are never more than a few files ahead.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;
use std::vec;

use chunkwright::Source;
use chunkwright_io::{Entry, FileError, Found, Naming, With, ordered, read, walk};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::chunk::Chunk;
use crate::options::{Call, Options};

/// How often a wait ends to see whether the user wants it to.
const LOOK: Duration = Duration::from_millis(100);

/// What became of a file.
enum Done {
    Chunks(Vec<chunkwright::Chunk<'static>>),
    Left(FileError),
    /// A function of Python failed: there is nothing more.
    Fault(PyErr),
}

/// The chunks of files, in order.
#[pyclass(frozen, module = "chunkwright")]
pub(crate) struct FileChunks {
    state: Mutex<State>,
    on_error: Option<Py<PyAny>>,
    with: With,
}

struct State {
    /// What threads have done; none when all is told.
    done: Option<Receiver<Done>>,
    /// The rest of the file that is told now.
    now: vec::IntoIter<chunkwright::Chunk<'static>>,
    /// What is told at the end.
    errors: Vec<FileError>,
}

/// What comes next.
enum Next {
    Chunk(Box<chunkwright::Chunk<'static>>),
    Left(FileError),
    End(Vec<FileError>),
}

impl FileChunks {
    pub(crate) fn begin(
        py: Python<'_>,
        options: &Options,
        paths: Vec<PathBuf>,
        tree: Option<String>,
        on_error: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let naming = Naming { tree, stdin_path: None };
        let found = py.detach(|| walk(&paths, &naming));
        let found = found.map_err(|fault| PyValueError::new_err(format!("paths: {fault}")))?;
        let call = options.call(py, found.entries.iter().map(|entry| entry.path))?;
        let running = options.settings.running();
        let (sender, receiver) = sync_channel(call.jobs);
        thread::spawn(move || work(found, &call, running.max_file_size, &sender));
        let state = State { done: Some(receiver), now: Vec::new().into_iter(), errors: Vec::new() };
        Ok(Self { state: Mutex::new(state), on_error, with: running.with() })
    }

    fn next(&self, py: Python<'_>) -> PyResult<Next> {
        loop {
            let told = py.detach(|| {
                let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
                state.next(self.on_error.is_some())
            });
            match told {
                Some(next) => return next,
                None => py.check_signals()?,
            }
        }
    }
}

impl State {
    /// What comes next, if it comes soon.
    fn next(&mut self, tells_errors: bool) -> Option<PyResult<Next>> {
        loop {
            if let Some(chunk) = self.now.next() {
                return Some(Ok(Next::Chunk(Box::new(chunk))));
            }
            let end = |errors: &mut Vec<_>| Some(Ok(Next::End(std::mem::take(errors))));
            let Some(done) = &self.done else { return end(&mut self.errors) };
            match done.recv_timeout(LOOK) {
                Ok(Done::Chunks(chunks)) => self.now = chunks.into_iter(),
                Ok(Done::Left(error)) if tells_errors => return Some(Ok(Next::Left(error))),
                Ok(Done::Left(error)) => self.errors.push(error),
                Ok(Done::Fault(fault)) => {
                    self.done = None;
                    return Some(Err(fault));
                }
                Err(RecvTimeoutError::Timeout) => return None,
                Err(RecvTimeoutError::Disconnected) => self.done = None,
            }
        }
    }
}

#[pymethods]
impl FileChunks {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Chunk>> {
        loop {
            match self.next(py)? {
                Next::Chunk(chunk) => return Ok(Some(Chunk::new(*chunk, self.with))),
                Next::Left(error) => {
                    let told = told(py, &error)?;
                    self.on_error.as_ref().map(|tell| tell.call1(py, (told,))).transpose()?;
                }
                Next::End(errors) if errors.is_empty() => return Ok(None),
                Next::End(errors) => {
                    let all: PyResult<Vec<_>> = errors.iter().map(|one| told(py, one)).collect();
                    let raised = class(py, "FilesError")?.call1((all?,))?;
                    return Err(PyErr::from_value(raised));
                }
            }
        }
    }
}

/// Reads and cuts all files, for as long as someone listens.
fn work(found: Found, call: &Call, max_bytes: u64, listener: &SyncSender<Done>) {
    let Found { entries, errors } = found;
    if errors.into_iter().any(|error| listener.send(Done::Left(error)).is_err()) {
        return;
    }
    let cut = |entry: Entry| match read(&entry, max_bytes) {
        Ok(text) => {
            let source = Source::new(&entry.path, &text).in_tree(&entry.tree);
            let chunks = call.chunkers.of(&entry.path).chunk(&source).chunks;
            let chunks = chunks.into_iter().map(chunkwright::Chunk::into_owned).collect();
            call.finish().map_or_else(Done::Fault, |()| Done::Chunks(chunks))
        }
        Err(error) => Done::Left(error),
    };
    let weigh = |done: &Done| match done {
        Done::Chunks(chunks) => chunks.iter().map(|chunk| 2 * chunk.text.len()).sum(),
        _ => 0,
    };
    let _ = ordered(entries.iter(), call.jobs, cut, weigh, |done| listener.send(done));
}

/// A file that was left out, as an exception.
fn told<'py>(py: Python<'py>, error: &FileError) -> PyResult<Bound<'py, PyAny>> {
    class(py, "FileError")?.call1((&error.path, error.reason.to_string(), error.to_string()))
}

/// An exception of the package.
fn class<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("chunkwright._errors")?.getattr(name)
}
