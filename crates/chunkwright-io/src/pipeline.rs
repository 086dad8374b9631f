//! Processes items on several threads and delivers the results in input order.
//!
//! Each thread repeatedly takes the next item, processes it, and submits the result. The thread
//! that submits the next result in order also delivers every result queued behind it, so no
//! consumer thread has to be woken per item. For small files, a wake-up would cost as much as the
//! work itself.

use std::collections::VecDeque;
use std::iter::Fuse;
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;

/// Maximum bytes of queued results. While the queue is larger, no new item is started.
const ROOM: usize = 4_000_000;

/// Calls `work` on every item with `jobs` threads, and passes the results to `sink` in input order.
///
/// The calling thread is one of the `jobs`. Any of them may take items and call `sink`, but only
/// one at a time. After an error of `sink`, no item is started.
///
/// Memory is bounded even if one item or the sink is slow: the queue holds a few megabytes, as
/// measured by `weigh`, plus one result per thread. A panic in `work` is resumed in the calling
/// thread, after all earlier results are delivered.
///
/// ```
/// use std::convert::Infallible;
///
/// use chunkwright_io::ordered;
///
/// let mut lengths = Vec::new();
/// let Ok(()) = ordered(["tea", "coffee"], 2, str::len, |_| size_of::<usize>(), |length| {
///     lengths.push(length);
///     Ok::<(), Infallible>(())
/// });
/// assert_eq!(lengths, [3, 6]);
/// ```
///
/// # Errors
///
/// Returns the first error of `sink`.
pub fn ordered<I, R, E>(
    items: I,
    jobs: usize,
    work: impl Fn(I::Item) -> R + Sync,
    weigh: impl Fn(&R) -> usize + Sync,
    mut sink: impl FnMut(R) -> Result<(), E> + Send,
) -> Result<(), E>
where
    I: IntoIterator<IntoIter: Send>,
    R: Send,
    E: Send,
{
    let mut items = items.into_iter();
    if jobs <= 1 {
        return items.try_for_each(|item| sink(work(item)));
    }
    let queue = Queue::new(items, sink);
    let serve = || queue.serve(&work, &weigh);
    thread::scope(|scope| {
        for _ in 1..jobs {
            scope.spawn(serve);
        }
        serve();
    });
    match queue.state.into_inner().unwrap_or_else(PoisonError::into_inner).end {
        None => Ok(()),
        Some(End::Error(error)) => Err(error),
        Some(End::Panic(panic)) => panic::resume_unwind(panic),
    }
}

/// The work queue that all threads share. A panic while a thread holds the lock stops all threads.
struct Queue<I, R, S, E> {
    state: Mutex<QueueState<I, R, S, E>>,
    /// Notified when the queue has room again, or when the work ends early.
    room: Condvar,
}

struct QueueState<I, R, S, E> {
    items: Fuse<I>,
    sink: S,
    /// Number of delivered results.
    handed_on: usize,
    /// The results that follow, in order; `None` for an item in progress.
    waiting: VecDeque<Option<Weighed<R>>>,
    /// Total weight of `waiting`.
    weight: usize,
    /// The reason to stop early.
    end: Option<End<E>>,
}

/// A result or a panic, and its weight.
struct Weighed<R> {
    result: thread::Result<R>,
    weight: usize,
}

enum End<E> {
    Error(E),
    Panic(Box<dyn std::any::Any + Send>),
}

impl<I: Iterator, R, S: FnMut(R) -> Result<(), E>, E> Queue<I, R, S, E> {
    fn new(items: I, sink: S) -> Self {
        let (waiting, items) = (VecDeque::new(), items.fuse());
        let state = QueueState { items, sink, handed_on: 0, waiting, weight: 0, end: None };
        Self { state: Mutex::new(state), room: Condvar::new() }
    }

    /// Processes items until none are left.
    fn serve(&self, work: impl Fn(I::Item) -> R, weigh: impl Fn(&R) -> usize) {
        let run = panic::catch_unwind(AssertUnwindSafe(|| {
            while let Some((place, item)) = self.take() {
                // `hand_in` resumes the panic when it is this item's turn.
                let result = panic::catch_unwind(AssertUnwindSafe(|| work(item)));
                let weight = size_of::<R>() + result.as_ref().map_or(0, &weigh);
                self.hand_in(place, Weighed { result, weight });
            }
        }));
        if let Err(panic) = run {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            state.end.get_or_insert(End::Panic(panic));
            self.room.notify_all();
        }
    }

    /// Waits for room in the queue, and returns the next item with its index.
    fn take(&self) -> Option<(usize, I::Item)> {
        let state = self.state.lock().ok()?;
        let is_full = |state: &mut QueueState<_, _, _, _>| state.is_full() && state.end.is_none();
        let mut state = self.room.wait_while(state, is_full).ok()?;
        if state.end.is_some() {
            return None;
        }
        let item = state.items.next()?;
        state.waiting.push_back(None);
        Some((state.handed_on + state.waiting.len() - 1, item))
    }

    /// Queues a result, and delivers all results that are next in order.
    fn hand_in(&self, place: usize, result: Weighed<R>) {
        let Ok(mut state) = self.state.lock() else { return };
        let was_full = state.is_full();
        state.weight += result.weight;
        let nth = place - state.handed_on;
        state.waiting[nth] = Some(result);
        while state.end.is_none()
            && state.waiting.front().is_some_and(Option::is_some)
            && let Some(Some(next)) = state.waiting.pop_front()
        {
            state.handed_on += 1;
            state.weight -= next.weight;
            let result = next.result.unwrap_or_else(|panic| panic::resume_unwind(panic));
            state.end = (state.sink)(result).err().map(End::Error);
        }
        if was_full || state.end.is_some() {
            self.room.notify_all();
        }
    }
}

impl<I, R, S, E> QueueState<I, R, S, E> {
    fn is_full(&self) -> bool {
        self.weight >= ROOM
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

    use super::*;

    fn light<R>(_: &R) -> usize {
        0
    }

    fn heavy<R>(_: &R) -> usize {
        ROOM / 16
    }

    #[test]
    fn delivers_results_in_input_order() {
        for jobs in [0, 1, 2, 7, 64] {
            let mut results = Vec::new();
            let work =
                |item: u64| (0..(item * 7919) % 997).fold(item, |sum, _| sum.rotate_left(64));
            let Ok(()) = ordered(0..500, jobs, work, light, |result| {
                results.push(result);
                Ok::<(), Infallible>(())
            });
            assert!(results.into_iter().eq(0..500), "{jobs} jobs");
        }
    }

    #[test]
    fn returns_immediately_without_items() {
        let Ok(()) = ordered([], 4, |(): ()| (), light, |()| Ok::<(), Infallible>(()));
    }

    #[test]
    fn processes_items_in_parallel() {
        let together = Barrier::new(4);
        let work = |_| together.wait().is_leader();
        let mut leaders = 0;
        let Ok(()) = ordered(0..4, 4, work, light, |leader| {
            leaders += usize::from(leader);
            Ok::<(), Infallible>(())
        });
        assert_eq!(leaders, 1);
    }

    #[test]
    fn stops_at_the_first_error_of_the_sink() {
        for jobs in [1, 4] {
            let begun = AtomicUsize::new(0);
            let work = |item: usize| {
                begun.fetch_add(1, SeqCst);
                item
            };
            let sink = |item| if item < 100 { Ok(()) } else { Err(item) };
            assert_eq!(ordered(0.., jobs, work, heavy, sink), Err(100));
            assert!(begun.into_inner() <= 101 + 16 + jobs);
        }
    }

    /// Processes 1,000 items with four threads. The first item waits until `enough` items were
    /// started. Returns how many were started by the time it finished.
    fn begun_beside_a_slow_item(weigh: fn(&usize) -> usize, enough: usize) -> usize {
        let begun = AtomicUsize::new(0);
        let work = |item: usize| {
            begun.fetch_add(1, SeqCst);
            while item == 0 && begun.load(SeqCst) < enough {
                thread::yield_now();
            }
            (0..1000).filter(|_| item == 0).for_each(|_| thread::yield_now());
            begun.load(SeqCst)
        };
        let mut first = None;
        let Ok(()) = ordered(0..1000, 4, work, weigh, |begun| {
            first.get_or_insert(begun);
            Ok::<(), Infallible>(())
        });
        assert_eq!(begun.into_inner(), 1000);
        first.unwrap()
    }

    #[test]
    fn waits_for_a_slow_item_when_the_queue_is_full() {
        assert!(begun_beside_a_slow_item(heavy, 17) <= 16 + 4);
    }

    #[test]
    fn continues_past_a_slow_item_while_the_queue_has_room() {
        assert_eq!(begun_beside_a_slow_item(light, 1000), 1000);
    }

    #[test]
    fn resumes_a_panic_in_the_caller_after_all_earlier_results() {
        for jobs in [1, 4] {
            let mut handed_on = 0;
            let run = AssertUnwindSafe(|| {
                ordered(
                    0..,
                    jobs,
                    |item| {
                        if item == 50 {
                            panic!("item {item}")
                        }
                    },
                    light,
                    |()| {
                        handed_on += 1;
                        Ok::<(), Infallible>(())
                    },
                )
            });
            let panic = panic::catch_unwind(run).unwrap_err();
            assert_eq!(panic.downcast_ref::<String>().unwrap(), "item 50");
            assert_eq!(handed_on, 50);
        }
    }

    #[test]
    fn does_not_hang_when_the_sink_or_the_items_panic() {
        let sink = || ordered(0.., 4, |item| item, heavy, |_| -> Result<(), ()> { panic!("sink") });
        assert!(panic::catch_unwind(sink).is_err());
        let items = || (0..).inspect(|&item| assert!(item < 100));
        let items = || ordered(items(), 4, |item| item, heavy, |_| Ok::<(), ()>(()));
        assert!(panic::catch_unwind(items).is_err());
    }
}
