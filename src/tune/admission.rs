//! How much work is taken on: enough to keep the cores busy, and no more than is done in time.
//!
//! Pure: what was measured goes in, a decision comes out. What is refused is answered at once, so that a client knows and
//! the work that was taken is done in time (goodput instead of a queue in which everything is late).

use std::time::Duration;

/// Bounds of a pool's queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueLimits {
    /// Jobs that may wait.
    pub most: usize,
    /// How long a job may have to wait before it is begun.
    pub wait: Duration,
}

/// What a pool knows of itself when a job comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueLoad {
    /// Jobs that wait.
    pub queued: usize,
    /// Threads that have no job in hand: each is about to take one of those that wait, or the next.
    pub free: usize,
    /// How long the first of them has waited.
    pub oldest: Duration,
    /// What a job took lately, from its begin to its end.
    pub mean: Duration,
    /// Threads that take jobs.
    pub threads: usize,
}

impl QueueLoad {
    /// How long a job that comes now is going to wait: those before it, shared by all threads. Not at all while a thread is
    /// left for it.
    #[must_use]
    pub fn expected_wait(&self) -> Duration {
        let ahead = u32::try_from(self.queued.saturating_sub(self.free)).unwrap_or(u32::MAX);
        let threads = u32::try_from(self.threads.max(1)).unwrap_or(u32::MAX);
        self.mean.saturating_mul(ahead) / threads
    }
}

impl QueueLimits {
    /// Whether one more job is taken. The mean says nothing of jobs that hang, so the first in the queue counts too.
    #[must_use]
    pub fn admits(&self, load: &QueueLoad) -> bool {
        let in_time = load.expected_wait() <= self.wait && load.oldest <= self.wait * 2;
        load.queued < self.most && (in_time || load.free > load.queued)
    }
}

/// How many requests an event loop takes in one turn, so that no turn lasts longer than its limit.
///
/// A turn is everything between two waits: whoever comes meanwhile waits until its end, and for the whole next turn at
/// worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TurnQuota {
    lag: Duration,
    most: u64,
}

impl TurnQuota {
    /// More requests than any turn has: no limit.
    const UNLIMITED: u64 = 1 << 32;

    /// No limit yet, for turns of at most `lag`.
    #[must_use]
    pub const fn new(lag: Duration) -> Self {
        Self { lag, most: Self::UNLIMITED }
    }

    /// Requests that the next turn may take before it has to be asked whether its time is over.
    #[must_use]
    #[inline]
    pub const fn most(&self) -> u64 {
        self.most
    }

    /// Learns from a turn that `took` so long for `served` requests: too long cuts the next ones to what fits, and each one
    /// in time doubles what may be taken.
    #[inline]
    pub fn learn(&mut self, served: u64, took: Duration) {
        if took > self.lag || self.most < Self::UNLIMITED {
            self.adapt(served, took);
        }
    }

    #[cold]
    fn adapt(&mut self, served: u64, took: Duration) {
        if served == 0 {
            // It says nothing of what requests take, and there may be many such turns between two that do.
            return;
        }
        if took <= self.lag {
            self.most = (self.most * 2).min(Self::UNLIMITED);
            return;
        }
        let fits = u128::from(served) * self.lag.as_nanos() / took.as_nanos();
        self.most = u64::try_from(fits).unwrap_or(Self::UNLIMITED).clamp(1, Self::UNLIMITED);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);
    const LIMITS: QueueLimits = QueueLimits { most: 100, wait: Duration::from_millis(50) };

    fn load(queued: usize, oldest: Duration, mean: Duration) -> QueueLoad {
        QueueLoad { queued, free: 0, oldest, mean, threads: 2 }
    }

    #[test]
    fn a_job_is_taken_when_it_will_begin_in_time() {
        assert!(LIMITS.admits(&load(0, Duration::ZERO, 10_000 * MS)), "nobody is ahead");
        assert!(LIMITS.admits(&load(50, 40 * MS, 2 * MS)), "50 ms");
        assert!(!LIMITS.admits(&load(51, 40 * MS, 2 * MS)), "51 ms");
        assert!(!LIMITS.admits(&load(100, MS, MS / 100)), "no room");
        let free = |free| QueueLoad { free, ..load(2, MS, 10_000 * MS) };
        assert!(LIMITS.admits(&free(2)) && !LIMITS.admits(&free(1)), "no thread is left for it");
        assert!(!LIMITS.admits(&load(1, 101 * MS, MS)), "the threads hang");
    }

    /// Offered twice what two threads can do, the queue settles where the wait is at its limit, and the threads never idle.
    #[test]
    fn twice_the_load_keeps_the_threads_busy_and_the_wait_bounded() {
        let (mean, mut queue, mut done, mut longest) = (2 * MS, Vec::new(), 0, 0);
        for now in 0..2000_u32 {
            for _ in 0..2 {
                let oldest = queue.first().map_or(0, |came: &u32| now - came);
                if LIMITS.admits(&load(queue.len(), oldest * MS, mean)) {
                    queue.push(now);
                }
            }
            // Two threads, 2 ms each: one job a millisecond.
            if !queue.is_empty() {
                longest = longest.max(now - queue.remove(0));
                done += 1;
            }
        }
        assert!(done >= 1990, "{done} of 2000");
        assert!(longest <= 52, "{longest} ms");
    }

    #[test]
    fn a_loop_that_lags_takes_what_fits_and_then_more_again() {
        let mut quota = TurnQuota::new(250 * MS);
        let mut turn = |served, took: u32| {
            quota.learn(served, took * MS);
            quota.most()
        };
        assert_eq!(turn(100, 250), TurnQuota::UNLIMITED);
        assert_eq!(turn(100, 1000), 25);
        assert_eq!(turn(0, 0), 25, "nothing was learnt");
        assert_eq!(turn(25, 250), 50);
        assert_eq!(turn(1, 10_000), 1, "one request always passes");
        for _ in 0..31 {
            turn(1, 1);
        }
        assert_eq!(turn(1, 1), TurnQuota::UNLIMITED);
    }
}
