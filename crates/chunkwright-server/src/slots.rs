//! Runs work on threads that may block, a limited number at a time.

use std::sync::Arc;
use std::thread;

use tokio::sync::Semaphore;
use tokio::task;

/// Slots for work, one per core.
#[derive(Clone)]
pub(crate) struct Slots {
    free: Arc<Semaphore>,
}

impl Slots {
    pub(crate) fn per_core() -> Self {
        Self { free: Arc::new(Semaphore::new(cores())) }
    }

    /// Runs `work` as soon as a slot is free. Returns `None` if it panics.
    ///
    /// Work cannot be interrupted. If the caller stops waiting, it keeps its slot until it ends, so
    /// that abandoned requests cannot use more than all cores.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        let slot = Arc::clone(&self.free).acquire_owned().await.ok()?;
        let done = task::spawn_blocking(move || {
            let _slot = slot;
            work()
        });
        done.await.ok()
    }
}

pub(crate) fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}
