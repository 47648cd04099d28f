//! Threads for work that blocks: a bounded queue in front of them, and a refusal at once when the wait would be too long.
//!
//! Not the `blocking` crate's pool: its queue has no bound, it grows to 500 threads, and how long a job waited it does not
//! say; admission needs all three.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};
use std::thread;
use std::time::{Duration, Instant};

use crate::http::Status;
use crate::tune::{QueueLimits, QueueLoad};

use super::config::Blocking;
use super::response::Response;
use super::spawn;

/// How much less than the event loops the threads get where cores are short: the loops admit, refuse and answer, and must
/// not wait for the work itself.
const NICE: i32 = 5;

/// What a job is taken to last before any has ended: a crowd at the very beginning must not be let in unseen.
const FIRST_MEAN: Duration = Duration::from_millis(10);

/// Seconds after which a client that was refused may try again: the queue is emptied many times over in that time.
pub(super) const RETRY_AFTER_SECONDS: &str = "1";

/// Work was refused, because it would have had to wait too long. As an answer: 503 with Retry-After.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("too much work waits already")]
pub struct Refused(());

impl Refused {
    pub(super) const fn new() -> Self {
        Self(())
    }

    pub(super) fn response(self) -> Response {
        Response::error(Status::SERVICE_UNAVAILABLE).with_header("Retry-After", RETRY_AFTER_SECONDS)
    }
}

/// Work to do; says whether it was still wanted.
type Job = Box<dyn FnOnce() -> bool + Send>;

/// A pool of threads, started with the first job.
pub(super) struct Pool {
    name: &'static str,
    threads: usize,
    limits: QueueLimits,
    queue: Mutex<Queue>,
    came: Condvar,
    refused: AtomicU64,
}

#[derive(Default)]
struct Queue {
    jobs: VecDeque<(Instant, Job)>,
    started: usize,
    /// Threads with a job in hand; the others take one as soon as they get to it.
    busy: usize,
    /// What a job took lately; the newest counts for an eighth.
    mean: Option<Duration>,
    /// The server has ended, and so do the threads.
    closed: bool,
}

impl Pool {
    /// A pool of at most `threads` threads, which bear this name.
    pub(super) fn new(name: &'static str, threads: usize, limits: QueueLimits) -> Arc<Self> {
        let (queue, came, refused) = (Mutex::default(), Condvar::new(), AtomicU64::new(0));
        Arc::new(Self { name, threads: threads.max(1), limits, queue, came, refused })
    }

    /// Jobs that were refused since the start.
    pub(super) fn refused(&self) -> u64 {
        self.refused.load(Ordering::Relaxed)
    }

    /// Queues a job, unless it would have to wait too long.
    fn submit(self: &Arc<Self>, job: Job) -> Result<(), Refused> {
        let mut queue = self.lock();
        let now = Instant::now();
        // All with the first job: one by one, they would make the program grow for minutes.
        while queue.started < self.threads {
            let pool = Arc::clone(self);
            if spawn(self.name.into(), Box::new(move || pool.work())).is_err() {
                break;
            }
            queue.started += 1;
        }
        let load = QueueLoad {
            queued: queue.jobs.len(),
            free: queue.started - queue.busy,
            oldest: queue.jobs.front().map_or(Duration::ZERO, |(came, _)| now - *came),
            mean: queue.mean.unwrap_or(FIRST_MEAN),
            threads: queue.started,
        };
        // With no thread at all nothing would ever be done.
        if queue.started == 0 || !self.limits.admits(&load) {
            self.refused.fetch_add(1, Ordering::Relaxed);
            return Err(Refused(()));
        }
        queue.jobs.push_back((now, job));
        drop(queue);
        self.came.notify_one();
        Ok(())
    }

    /// A thread's life.
    fn work(&self) {
        // Refused means that the kernel knows no priorities: fair shares then.
        let _ = rustix::process::setpriority_process(None, NICE);
        let mut queue = self.lock();
        loop {
            let Some((_, job)) = queue.jobs.pop_front() else {
                if queue.closed {
                    return;
                }
                queue = self.came.wait(queue).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            queue.busy += 1;
            drop(queue);
            let begin = Instant::now();
            let ran = job();
            let took = begin.elapsed();
            queue = self.lock();
            queue.busy -= 1;
            if ran {
                queue.mean = Some(queue.mean.map_or(took, |mean| mean - mean / 8 + took / 8));
            }
        }
    }

    /// Has the threads end once nothing waits.
    fn close(&self) {
        self.lock().closed = true;
        self.came.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        // Jobs run outside the lock: the queue is whole whatever happens to them.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs `work` on one of the threads. If the future is dropped before its turn has come, the work is left out.
    ///
    /// # Errors
    /// [`Refused`] when it would have to wait too long.
    pub(super) async fn run<T, F>(self: &Arc<Self>, work: F) -> Result<T, Refused>
    where
        T: Send + 'static,
        F: FnOnce() -> T + Send + 'static,
    {
        let slot = Arc::new(Mutex::new(Slot { result: None, waiter: None }));
        let theirs = Arc::downgrade(&slot);
        self.submit(Box::new(move || {
            // Nobody waits for it any more.
            if theirs.strong_count() == 0 {
                return false;
            }
            let result = catch_unwind(AssertUnwindSafe(work));
            if let Some(slot) = theirs.upgrade() {
                let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
                slot.result = Some(result);
                if let Some(waiter) = slot.waiter.take() {
                    waiter.wake();
                }
            }
            true
        }))?;
        let result = poll_fn(|context| {
            let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
            match slot.result.take() {
                Some(result) => Poll::Ready(result),
                None => {
                    slot.waiter = Some(context.waker().clone());
                    Poll::Pending
                }
            }
        });
        Ok(result.await.unwrap_or_else(|panic| resume_unwind(panic)))
    }
}

/// Where a job leaves its result.
struct Slot<T> {
    result: Option<thread::Result<T>>,
    waiter: Option<Waker>,
}

/// The pools that the tasks of a worker use.
#[derive(Clone)]
pub(super) struct Pools {
    /// For handlers.
    pub(super) work: Arc<Pool>,
    /// For files: its own threads, so that a page is not behind somebody's long computation.
    pub(super) disk: Arc<Pool>,
}

thread_local! {
    static POOLS: RefCell<Option<Pools>> = const { RefCell::new(None) };
}

/// Threads that read files: a disk that has more to do gets slower, not faster.
const DISK_THREADS: usize = 2;

/// Reads that may wait: one for each connection at worst, and nobody has so many that wait for a disk.
const DISK_LIMITS: QueueLimits = QueueLimits { most: 4096, wait: Duration::from_secs(10) };

impl Pools {
    /// The pools of a server.
    pub(super) fn new(blocking: &Blocking) -> Self {
        let limits = QueueLimits { most: blocking.max_queued, wait: blocking.max_wait };
        let work = Pool::new("boardd-work", blocking.threads.get(), limits);
        Self { work, disk: Pool::new("boardd-disk", DISK_THREADS, DISK_LIMITS) }
    }

    /// Ends the threads.
    pub(super) fn close(&self) {
        self.work.close();
        self.disk.close();
    }

    /// The pools of the calling worker, in which everything that asks for them runs.
    pub(super) fn current() -> Self {
        POOLS.with_borrow(Clone::clone).unwrap_or_else(|| {
            let none = || Pool::new("boardd-none", 1, QueueLimits { most: 0, wait: Duration::ZERO });
            Self { work: none(), disk: none() }
        })
    }

    /// Makes these the pools of the calling worker.
    pub(super) fn enter(&self) {
        POOLS.set(Some(self.clone()));
    }
}

/// Runs work that blocks or computes for long on the server's pool of threads, while the worker serves others.
///
/// To be awaited in a handler; anywhere else there is no pool, and it is refused. If the client goes away before the work
/// was begun, it is left out.
///
/// # Errors
/// [`Refused`] when the work would have to wait longer than
/// [`Blocking::max_wait`](super::Blocking::max_wait): `?` answers with 503 and Retry-After.
pub async fn blocking<T, F>(work: F) -> Result<T, Refused>
where
    T: Send + 'static,
    F: FnOnce() -> T + Send + 'static,
{
    Pools::current().work.run(work).await
}

#[cfg(test)]
mod tests;
