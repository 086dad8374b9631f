//! Items come in, are worked on by many threads, and their results go out in the order of the
//! items.

use std::collections::VecDeque;
use std::panic::{self, AssertUnwindSafe};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Does `work` on every item with `jobs` threads, and hands the results to `sink` on this thread
/// in the order of the items. An error of `sink` ends it; a thread then begins at most one more.
///
/// However slow an item or the sink is, at most four items a thread, or 16, are under way or
/// waiting to be handed over. A panic in `work` goes on here when its turn comes. With one job, or
/// none, everything happens on this thread.
///
/// # Errors
///
/// The first error of `sink`.
pub fn ordered<T: Send, R: Send, E>(
    items: impl IntoIterator<Item = T>,
    jobs: usize,
    work: impl Fn(T) -> R + Sync,
    mut sink: impl FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    let mut items = items.into_iter();
    if jobs <= 1 {
        return items.try_for_each(|item| sink(work(item)));
    }
    let (give, tasks) = mpsc::channel();
    let (hand_in, results) = mpsc::channel();
    let (tasks, work) = (&Mutex::new(tasks), &work);
    // `give` and `results` move in and are dropped however this ends, by which the threads end.
    thread::scope(move |scope| {
        for _ in 0..jobs {
            let hand_in = hand_in.clone();
            scope.spawn(move || serve(tasks, &hand_in, work));
        }
        conduct(items, window(jobs), &give, &results, sink)
    })
}

/// An item or a result, with its place among all of them.
type Placed<T> = (usize, T);

/// How many items may be under way or waiting.
fn window(jobs: usize) -> usize {
    jobs.saturating_mul(4).max(16)
}

/// Gives out items as long as the window has room, and hands on the results in order.
fn conduct<T, R, E>(
    items: impl Iterator<Item = T>,
    window: usize,
    give: &Sender<Placed<T>>,
    results: &Receiver<Placed<thread::Result<R>>>,
    mut sink: impl FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    let mut items = items.fuse().enumerate();
    let mut waiting = VecDeque::new();
    let mut handed_on = 0;
    loop {
        for task in items.by_ref().take(window - waiting.len()) {
            give.send(task).expect("the receiver outlives the threads");
            waiting.push_back(None);
        }
        if waiting.is_empty() {
            return Ok(());
        }
        let (place, result) = results.recv().expect("a thread ends only after its sender is gone");
        waiting[place - handed_on] = Some(result);
        while let Some(Some(result)) = waiting.pop_front_if(|next| next.is_some()) {
            handed_on += 1;
            sink(result.unwrap_or_else(|panic| panic::resume_unwind(panic)))?;
        }
    }
}

/// What a thread does: works on one item after the other until nobody gives or wants any more.
fn serve<T, R>(
    tasks: &Mutex<Receiver<Placed<T>>>,
    hand_in: &Sender<Placed<thread::Result<R>>>,
    work: impl Fn(T) -> R,
) {
    loop {
        let task = tasks.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok((place, item)) = task else { return };
        // The panic is not swallowed: it goes on in the calling thread.
        let result = panic::catch_unwind(AssertUnwindSafe(|| work(item)));
        if hand_in.send((place, result)).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_items() {
        for jobs in [0, 1, 2, 7, 64] {
            let mut results = Vec::new();
            let work =
                |item: u64| (0..(item * 7919) % 997).fold(item, |sum, _| sum.rotate_left(64));
            let Ok(()) = ordered(0..500, jobs, work, |result| {
                results.push(result);
                Ok::<(), Infallible>(())
            });
            assert!(results.into_iter().eq(0..500), "{jobs} jobs");
        }
    }

    #[test]
    fn nothing_to_do_ends_at_once() {
        let Ok(()) = ordered([], 4, |(): ()| (), |()| Ok::<(), Infallible>(()));
    }

    #[test]
    fn several_items_are_worked_on_at_once() {
        let together = Barrier::new(4);
        let work = |_| together.wait().is_leader();
        let mut leaders = 0;
        let Ok(()) = ordered(0..4, 4, work, |leader| {
            leaders += usize::from(leader);
            Ok::<(), Infallible>(())
        });
        assert_eq!(leaders, 1);
    }

    #[test]
    fn an_error_of_the_sink_ends_an_endless_run() {
        for jobs in [1, 4] {
            let begun = AtomicUsize::new(0);
            let work = |item: usize| {
                begun.fetch_add(1, SeqCst);
                item
            };
            let sink = |item| if item < 100 { Ok(()) } else { Err(item) };
            assert_eq!(ordered(0.., jobs, work, sink), Err(100));
            assert!(begun.into_inner() <= 101 + window(jobs));
        }
    }

    #[test]
    fn a_slow_sink_is_never_far_behind() {
        let taken = AtomicUsize::new(0);
        let items = (0..2000).inspect(|_| {
            taken.fetch_add(1, SeqCst);
        });
        let mut handed_on = 0;
        let Ok(()) = ordered(
            items,
            8,
            |item| item,
            |_| {
                assert!(taken.load(SeqCst) - handed_on <= window(8));
                handed_on += 1;
                Ok::<(), Infallible>(())
            },
        );
        assert_eq!(handed_on, 2000);
    }

    #[test]
    fn a_panic_goes_on_in_the_caller_when_its_turn_comes() {
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
    fn a_panic_of_the_sink_does_not_hang() {
        let run = || ordered(0.., 4, |item| item, |_| -> Result<(), ()> { panic!("sink") });
        assert!(panic::catch_unwind(run).is_err());
    }
}
