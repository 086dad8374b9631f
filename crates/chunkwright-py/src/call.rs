//! Runs one call from Python: on several threads, or on the caller's if the tokenizer is a Python
//! function.

use std::sync::Arc;

use chunkwright_config::Chunkers;
use chunkwright_io::ordered;
use pyo3::prelude::*;

use crate::counter::Callable;
use crate::signals::watched;

/// One call that splits texts: its chunkers, thread count and tokenizer.
pub(crate) struct ChunkingCall {
    pub(crate) chunkers: Arc<Chunkers>,
    /// Number of threads.
    pub(crate) jobs: usize,
    /// A tokenizer written in Python. It runs only on the caller's thread.
    pub(crate) counter: Option<Arc<Callable>>,
}

impl ChunkingCall {
    /// Processes one text. Releases the interpreter unless the tokenizer is a Python function.
    pub(crate) fn one<R: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce() -> R + Send,
    ) -> PyResult<R> {
        let Some(counter) = &self.counter else { return Ok(py.detach(work)) };
        let done = work();
        counter.finish().map(|()| done)
    }

    /// Processes many texts and returns the results in order.
    pub(crate) fn each<I, R: Send>(
        &self,
        py: Python<'_>,
        items: I,
        work: impl Fn(I::Item) -> R + Send + Sync,
    ) -> PyResult<Vec<R>>
    where
        I: IntoIterator<IntoIter: Send> + Send,
    {
        if let Some(counter) = &self.counter {
            let one = |item| {
                let done = work(item);
                counter.finish().map(|()| done)
            };
            return items.into_iter().map(one).collect();
        }
        watched(py, |signals| {
            let mut done = Vec::new();
            let work = |item| (signals.go_on(), work(item));
            let keep = |(go_on, result)| {
                done.push(result);
                go_on
            };
            // If the call is interrupted, `watched` returns the exception instead of the results.
            let _ = ordered(items, self.jobs, work, |_| 0, keep);
            done
        })
    }
}
