//! `chunk_files`: splits files on background threads, and yields their chunks in order.
//!
//! The threads stay at most a few files ahead of the consumer, and never enter Python. If the
//! tokenizer is a Python function, they only read files; the consumer's thread splits them.

use std::collections::VecDeque;
use std::iter::once;
use std::path::PathBuf;
use std::process;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use chunkwright_config::Chunkers;
use chunkwright_io::{Entry, FileError, Found, Naming, Reason, ordered, read, walk};
use chunkwright_records::With;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::{PyTraverseError, PyVisit};

use crate::chunk::Chunk;
use crate::options::Options;
use crate::signals::LOOK;

type Chunks = Vec<chunkwright::Chunk<'static>>;

/// A file that a thread has read, and split if no Python function counts.
enum ReadFile {
    Text(Entry, String),
    Chunks(Chunks),
    Left(FileError),
}

/// Iterator over the chunks of files, returned by `chunk_files`.
///
/// It works only in the process that created it: iterating in a forked process raises
/// `RuntimeError`.
#[pyclass(frozen, module = "chunkwright")]
pub(crate) struct FileChunks {
    state: Mutex<Iteration>,
    options: Options,
    on_error: Option<Py<PyAny>>,
    with: With,
    /// Id of the process that runs the threads.
    process: u32,
}

struct Iteration {
    /// Results of the threads; none once they are exhausted.
    done: Option<Receiver<ReadFile>>,
    /// Remaining chunks of the current file.
    now: VecDeque<chunkwright::Chunk<'static>>,
    /// Errors to raise at the end.
    errors: Vec<FileError>,
}

/// The next event for the consumer.
enum Next {
    Chunk(Box<chunkwright::Chunk<'static>>),
    /// A text that the consumer has to split.
    Text(Entry, String),
    Left(FileError),
    End(Vec<FileError>),
}

impl FileChunks {
    pub(crate) fn begin(
        py: Python<'_>,
        options: &Options,
        paths: Vec<PathBuf>,
        tree: Option<String>,
        root: Option<PathBuf>,
        on_error: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let trees = options.settings.trees().to_vec();
        let format = options.settings.processing().input_format;
        let naming = Naming { tree, root, trees, format, ..Naming::default() };
        let found = py.detach(|| walk(&paths, &naming));
        let found = found.map_err(|fault| PyValueError::new_err(format!("paths: {fault}")))?;
        let call = options.call(py, found.entries.iter().map(|entry| entry.path))?;
        let processing = options.settings.processing();
        let (jobs, max_bytes) = (call.jobs, processing.max_file_size);
        let chunkers = call.counter.is_none().then_some(call.chunkers);
        let (sender, receiver) = sync_channel(jobs);
        thread::spawn(move || work(found, chunkers.as_deref(), jobs, max_bytes, &sender));
        let state = Iteration { done: Some(receiver), now: VecDeque::new(), errors: Vec::new() };
        Ok(Self {
            state: Mutex::new(state),
            options: options.clone_ref(py),
            on_error,
            with: processing.with(),
            process: process::id(),
        })
    }

    fn state(&self) -> MutexGuard<'_, Iteration> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Fails in a forked process, which has none of the threads.
    fn check_process(&self) -> PyResult<()> {
        if process::id() == self.process {
            return Ok(());
        }
        let message = "cannot use this iterator in a forked process, because its threads run in \
                       the process that created it (call chunk_files here)";
        Err(PyRuntimeError::new_err(message))
    }

    /// Splits a text on the thread that consumes the iterator, where the tokenizer may call Python.
    /// A failure ends the iteration.
    fn cut(&self, py: Python<'_>, entry: &Entry, text: &str) -> PyResult<()> {
        let call = self.options.call(py, once(&entry.path));
        let chunks = call.and_then(|call| call.one(py, || cut(&call.chunkers, entry, text)));
        py.detach(|| match chunks {
            Ok(chunks) => {
                self.state().now.extend(chunks);
                Ok(())
            }
            Err(fault) => {
                self.state().done = None;
                Err(fault)
            }
        })
    }
}

impl Iteration {
    /// Returns the next event, or none if there is none within [`LOOK`].
    fn next(&mut self, tells_errors: bool) -> Option<Next> {
        loop {
            if let Some(chunk) = self.now.pop_front() {
                return Some(Next::Chunk(Box::new(chunk)));
            }
            let Some(done) = &self.done else {
                return Some(Next::End(std::mem::take(&mut self.errors)));
            };
            match done.recv_timeout(LOOK) {
                Ok(ReadFile::Text(entry, text)) => return Some(Next::Text(entry, text)),
                Ok(ReadFile::Chunks(chunks)) => self.now = chunks.into(),
                Ok(ReadFile::Left(error)) if tells_errors => return Some(Next::Left(error)),
                Ok(ReadFile::Left(error)) => self.errors.push(error),
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
        self.check_process()?;
        loop {
            match py.detach(|| self.state().next(self.on_error.is_some())) {
                Some(Next::Chunk(chunk)) => return Ok(Some(Chunk::new(*chunk, self.with))),
                Some(Next::Text(entry, text)) => self.cut(py, &entry, &text)?,
                Some(Next::Left(error)) => {
                    let told = told(py, &error)?;
                    self.on_error.as_ref().map(|tell| tell.call1(py, (told,))).transpose()?;
                }
                None => py.check_signals()?,
                Some(Next::End(errors)) if errors.is_empty() => return Ok(None),
                Some(Next::End(errors)) => {
                    let all: PyResult<Vec<_>> = errors.iter().map(|one| told(py, one)).collect();
                    let raised = class(py, "FilesError")?.call1((all?,))?;
                    return Err(PyErr::from_value(raised));
                }
            }
        }
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.options.traverse(&visit)?;
        visit.call(self.on_error.as_ref())
    }
}

/// Reads all files, and splits them if there are chunkers, until the receiver is dropped.
fn work(
    found: Found,
    chunkers: Option<&Chunkers>,
    jobs: usize,
    max_bytes: u64,
    listener: &SyncSender<ReadFile>,
) {
    let Found { entries, mut errors, empty, .. } = found;
    if entries.is_empty() && errors.is_empty() {
        let none = |path| FileError { path, reason: Reason::NoFiles };
        errors.extend(empty.into_iter().map(none));
    }
    if errors.into_iter().any(|error| listener.send(ReadFile::Left(error)).is_err()) {
        return;
    }
    let done = |entry: Entry| match (read(&entry, max_bytes), chunkers) {
        (Ok(text), Some(chunkers)) => ReadFile::Chunks(cut(chunkers, &entry, &text)),
        (Ok(text), None) => ReadFile::Text(entry, text),
        (Err(error), _) => ReadFile::Left(error),
    };
    let weigh = |done: &ReadFile| match done {
        ReadFile::Chunks(chunks) => chunks.iter().map(|chunk| 2 * chunk.text.len()).sum(),
        ReadFile::Text(_, text) => text.len(),
        ReadFile::Left(_) => 0,
    };
    let _ = ordered(entries.iter(), jobs, done, weigh, |done| listener.send(done));
}

fn cut(chunkers: &Chunkers, entry: &Entry, text: &str) -> Chunks {
    let source = entry.with_text(text);
    let chunks = chunkers.of(&entry.path).chunk_source(&source).chunks;
    chunks.into_iter().map(chunkwright::Chunk::into_owned).collect()
}

/// Converts an error to a Python `FileError`.
fn told<'py>(py: Python<'py>, error: &FileError) -> PyResult<Bound<'py, PyAny>> {
    let advice = match error.reason {
        Reason::UnknownFormat => " (use input_format=\"markdown\" to read it anyway)",
        _ => "",
    };
    let (reason, message) = (format!("{}{advice}", error.reason), format!("{error}{advice}"));
    class(py, "FileError")?.call1((&error.path, reason, message))
}

fn class<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("chunkwright._errors")?.getattr(name)
}
