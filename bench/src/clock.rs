//! Measures the CPU time of a thread.

use std::hint::black_box;
use std::thread;

use cpu_time::ThreadTime;

/// Runs `work` on a new thread, and returns its CPU seconds and its result.
///
/// The exact counters cache words per thread, so every run on a new thread starts with an empty
/// cache. `warm_up` runs first and is not measured.
pub fn cpu_seconds<T: Send>(
    warm_up: impl FnOnce() + Send,
    work: impl FnOnce() -> T + Send,
) -> (f64, T) {
    let run = move || {
        warm_up();
        let start = ThreadTime::now();
        let made = black_box(work());
        (start.elapsed().as_secs_f64(), made)
    };
    thread::scope(|scope| scope.spawn(run).join().expect("benchmarks do not panic"))
}
