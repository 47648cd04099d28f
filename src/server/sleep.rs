//! Waiting for a while in a handler: on the worker's own timer, with no other thread to wake it.

use std::cell::{Cell, RefCell};
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Poll, Waker};
use std::time::{Duration, Instant};

use super::time::nanos;

/// Those of a worker that sleep, the next to wake first.
#[derive(Clone)]
pub(super) struct Sleeps(Rc<Inner>);

struct Inner {
    epoch: Instant,
    sleepers: RefCell<BinaryHeap<Reverse<Sleeper>>>,
    /// Sleepers in the heap whose tasks have ended.
    gone: Cell<usize>,
}

struct Sleeper {
    /// Nanoseconds since the server's start.
    due: u64,
    bed: Rc<RefCell<Bed>>,
}

/// What a sleeper and its future share.
enum Bed {
    Asleep(Waker),
    /// Its time has come, or its task has ended.
    Left,
}

impl PartialEq for Sleeper {
    fn eq(&self, other: &Self) -> bool {
        self.due == other.due
    }
}

impl Eq for Sleeper {}

impl PartialOrd for Sleeper {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Sleeper {
    fn cmp(&self, other: &Self) -> Ordering {
        self.due.cmp(&other.due)
    }
}

thread_local! {
    static SLEEPS: RefCell<Option<Sleeps>> = const { RefCell::new(None) };
}

impl Sleeps {
    /// The sleepers of the calling thread, whose time counts from `epoch`.
    pub(super) fn enter(epoch: Instant) -> Self {
        let sleeps = Self(Rc::new(Inner { epoch, sleepers: RefCell::default(), gone: Cell::new(0) }));
        SLEEPS.set(Some(sleeps.clone()));
        sleeps
    }

    /// When the next one wakes, in nanoseconds since the server's start.
    #[inline]
    pub(super) fn next_due(&self) -> Option<u64> {
        self.0.sleepers.borrow().peek().map(|sleeper| sleeper.0.due)
    }

    /// Wakes those whose time has come.
    #[inline]
    pub(super) fn wake(&self, now: u64) {
        while self.next_due().is_some_and(|due| due <= now) {
            self.wake_first();
        }
    }

    #[cold]
    fn wake_first(&self) {
        let first = self.0.sleepers.borrow_mut().pop();
        let Some(Reverse(sleeper)) = first else { return };
        match sleeper.bed.replace(Bed::Left) {
            Bed::Asleep(waker) => waker.wake(),
            Bed::Left => self.0.gone.set(self.0.gone.get().saturating_sub(1)),
        }
    }

    /// Notes that a sleeper's task has ended; once they are many, they are taken out.
    fn leave(&self) {
        let gone = self.0.gone.get() + 1;
        let mut sleepers = self.0.sleepers.borrow_mut();
        let many = gone > 64 && gone * 2 > sleepers.len();
        if many {
            sleepers.retain(|sleeper| matches!(*sleeper.0.bed.borrow(), Bed::Asleep(_)));
        }
        self.0.gone.set(if many { 0 } else { gone });
    }
}

/// A bed that is left when its task ends.
struct Lease {
    sleeps: Sleeps,
    bed: Rc<RefCell<Bed>>,
}

impl Drop for Lease {
    fn drop(&mut self) {
        if let Bed::Asleep(_) = self.bed.replace(Bed::Left) {
            self.sleeps.leave();
        }
    }
}

/// Waits for so long, to the nearest tenth of a millisecond, without a thread.
///
/// To be awaited in a handler of a server.
///
/// # Panics
/// Anywhere else: no worker would wake it.
pub async fn sleep(duration: Duration) {
    let sleeps = SLEEPS.with_borrow(Clone::clone).expect("sleep is awaited in a handler");
    let due = nanos(sleeps.0.epoch.elapsed()).saturating_add(nanos(duration));
    let mut lease: Option<Lease> = None;
    poll_fn(move |context| {
        let bed = Bed::Asleep(context.waker().clone());
        match &lease {
            None => {
                let bed = Rc::new(RefCell::new(bed));
                let sleeper = Sleeper { due, bed: Rc::clone(&bed) };
                sleeps.0.sleepers.borrow_mut().push(Reverse(sleeper));
                lease = Some(Lease { sleeps: sleeps.clone(), bed });
            }
            Some(lease) if matches!(*lease.bed.borrow(), Bed::Left) => return Poll::Ready(()),
            Some(lease) => {
                lease.bed.replace(bed);
            }
        }
        Poll::Pending
    })
    .await;
}

#[cfg(test)]
mod tests {
    use super::*;
    use smol::future::{block_on, poll_once};

    const SECOND: u64 = 1_000_000_000;

    #[test]
    fn sleepers_wake_in_order_and_not_before() {
        let sleeps = Sleeps::enter(Instant::now());
        let (mut long, mut short) =
            (Box::pin(sleep(Duration::from_secs(200))), Box::pin(sleep(Duration::from_secs(100))));
        block_on(async {
            assert!(poll_once(&mut long).await.is_none() && poll_once(&mut short).await.is_none());
            sleeps.wake(99 * SECOND);
            assert!(poll_once(&mut short).await.is_none());
            sleeps.wake(150 * SECOND);
            assert!(poll_once(&mut short).await.is_some() && poll_once(&mut long).await.is_none());
            sleeps.wake(u64::MAX);
            assert!(poll_once(&mut long).await.is_some());
        });
        assert_eq!(sleeps.next_due(), None);
    }

    #[test]
    fn those_whose_tasks_ended_do_not_pile_up() {
        let sleeps = Sleeps::enter(Instant::now());
        let mut kept = Box::pin(sleep(Duration::from_secs(100)));
        block_on(async {
            assert!(poll_once(&mut kept).await.is_none());
            for _ in 0..10_000 {
                assert!(poll_once(Box::pin(sleep(Duration::from_secs(50)))).await.is_none());
            }
            assert!(sleeps.0.sleepers.borrow().len() < 200);
            sleeps.wake(60 * SECOND);
            assert!(poll_once(&mut kept).await.is_none());
            sleeps.wake(u64::MAX);
            assert!(poll_once(&mut kept).await.is_some());
        });
    }
}
