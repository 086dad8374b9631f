//! Time: work comes in, the CPU time that its thread took goes out.

use std::hint::black_box;
use std::thread;

use cpu_time::ThreadTime;

/// The CPU seconds of `work` on a thread of its own, and what it made.
///
/// The exact counters remember words for each thread, so on a new one every count is a first pass.
/// `warm_up` comes before and is not measured.
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
    thread::scope(|scope| scope.spawn(run).join().expect("work that is measured does not panic"))
}
