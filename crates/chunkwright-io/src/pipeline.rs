//! Items come in, are worked on by many threads, and their results go out in the order of the
//! items.
//!
//! All threads do the same: take the next item, work on it, hand in the result. Whoever hands in
//! the one that is due hands on all that waited for it. So nobody is woken for each item, which
//! would cost as much as the work on a small file.

use std::collections::VecDeque;
use std::iter::Fuse;
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;

/// As long as results that wait for an earlier one have fewer bytes, items are begun.
const ROOM: usize = 4_000_000;

/// Does `work` on every item with `jobs` threads, and hands the results to `sink` in the order of
/// the items, one at a time. An error of `sink` ends it; a thread then finishes its item at most.
///
/// This thread is one of them. Items are taken, and results handed on, by any; while one does,
/// the others can only work.
///
/// However slow an item or the sink is, the results that wait for their turn have a few megabytes,
/// each as many bytes as `weigh` says, or are no more than the threads. A panic in `work` goes on
/// here when its turn comes.
///
/// # Errors
///
/// The first error of `sink`.
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
    let line = Line::new(items, sink);
    let serve = || line.serve(&work, &weigh);
    thread::scope(|scope| {
        for _ in 1..jobs {
            scope.spawn(serve);
        }
        serve();
    });
    match line.state.into_inner().unwrap_or_else(PoisonError::into_inner).end {
        None => Ok(()),
        Some(End::Error(error)) => Err(error),
        Some(End::Panic(panic)) => panic::resume_unwind(panic),
    }
}

/// Where the threads meet. A panic while one of them has the lock ends it for all.
struct Line<I, R, S, E> {
    state: Mutex<State<I, R, S, E>>,
    /// Told when there is room for results again, or nothing more to do.
    room: Condvar,
}

struct State<I, R, S, E> {
    items: Fuse<I>,
    sink: S,
    /// How many results were handed on.
    handed_on: usize,
    /// The results after those, in order; none for an item that is worked on.
    waiting: VecDeque<Option<Weighed<R>>>,
    /// What they weigh together.
    weight: usize,
    /// Why it ends early.
    end: Option<End<E>>,
}

/// A result, or the panic instead of it.
struct Weighed<R> {
    result: thread::Result<R>,
    weight: usize,
}

enum End<E> {
    Error(E),
    Panic(Box<dyn std::any::Any + Send>),
}

impl<I: Iterator, R, S: FnMut(R) -> Result<(), E>, E> Line<I, R, S, E> {
    fn new(items: I, sink: S) -> Self {
        let (waiting, items) = (VecDeque::new(), items.fuse());
        let state = State { items, sink, handed_on: 0, waiting, weight: 0, end: None };
        Self { state: Mutex::new(state), room: Condvar::new() }
    }

    /// What each thread does.
    fn serve(&self, work: impl Fn(I::Item) -> R, weigh: impl Fn(&R) -> usize) {
        let run = panic::catch_unwind(AssertUnwindSafe(|| {
            while let Some((place, item)) = self.take() {
                // The panic is not swallowed: it goes on when its turn comes.
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

    /// The next item and its place among all of them, as soon as there is room.
    fn take(&self) -> Option<(usize, I::Item)> {
        let state = self.state.lock().ok()?;
        let is_full = |state: &mut State<_, _, _, _>| state.is_full() && state.end.is_none();
        let mut state = self.room.wait_while(state, is_full).ok()?;
        if state.end.is_some() {
            return None;
        }
        let item = state.items.next()?;
        state.waiting.push_back(None);
        Some((state.handed_on + state.waiting.len() - 1, item))
    }

    /// Takes in a result, and hands on all that are due.
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

impl<I, R, S, E> State<I, R, S, E> {
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

    /// A result that takes next to no room.
    fn light<R>(_: &R) -> usize {
        0
    }

    /// One that fills a 16th of the room.
    fn heavy<R>(_: &R) -> usize {
        ROOM / 16
    }

    #[test]
    fn results_come_in_the_order_of_the_items() {
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
    fn nothing_to_do_ends_at_once() {
        let Ok(()) = ordered([], 4, |(): ()| (), light, |()| Ok::<(), Infallible>(()));
    }

    #[test]
    fn several_items_are_worked_on_at_once() {
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
    fn an_error_of_the_sink_ends_an_endless_run() {
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

    /// Works on 1,000 items with four threads. The first item waits until `enough` were begun, and
    /// tells how many were begun some time after.
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
    fn a_slow_item_is_never_far_behind() {
        assert!(begun_beside_a_slow_item(heavy, 17) <= 16 + 4);
    }

    #[test]
    fn others_go_on_beside_a_slow_item_while_there_is_room() {
        assert_eq!(begun_beside_a_slow_item(light, 1000), 1000);
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
    fn a_panic_of_the_sink_or_the_items_does_not_hang() {
        let sink = || ordered(0.., 4, |item| item, heavy, |_| -> Result<(), ()> { panic!("sink") });
        assert!(panic::catch_unwind(sink).is_err());
        let items = || (0..).inspect(|&item| assert!(item < 100));
        let items = || ordered(items(), 4, |item| item, heavy, |_| Ok::<(), ()>(()));
        assert!(panic::catch_unwind(items).is_err());
    }
}
