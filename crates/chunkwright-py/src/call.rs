//! A call: texts come in; what is made of them goes out, unless a function of Python fails or the
//! user wants it to end.

use std::sync::Arc;

use chunkwright_config::Chunkers;
use chunkwright_io::ordered;
use pyo3::prelude::*;

use crate::counter::Callable;
use crate::watch::watched;

/// What one call cuts with.
pub(crate) struct Call {
    pub(crate) chunkers: Arc<Chunkers>,
    /// How many threads help.
    pub(crate) jobs: usize,
    /// A function of Python that counts. It is asked on the thread of the caller only.
    pub(crate) counter: Option<Arc<Callable>>,
}

impl Call {
    /// Works on one text: without the interpreter, unless a function of Python counts.
    pub(crate) fn one<R: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce() -> R + Send,
    ) -> PyResult<R> {
        let Some(counter) = &self.counter else { return Ok(py.detach(work)) };
        let done = work();
        counter.finish().map(|()| done)
    }

    /// The same for many texts, on several threads; results are in order.
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
        watched(py, |watch| {
            let mut done = Vec::new();
            let work = |item| (watch.go_on(), work(item));
            let keep = |(go_on, result)| {
                done.push(result);
                go_on
            };
            // Whoever stopped it wants no results.
            let _ = ordered(items, self.jobs, work, |_| 0, keep);
            done
        })
    }
}
