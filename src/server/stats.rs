//! What each worker counts: plain numbers while a batch runs, published once per batch.

use std::sync::atomic::{AtomicU64, Ordering};

/// Buckets per power of two in the server-time histogram: values are known to within 1/8.
const STEPS: u64 = 1 << STEP_BITS;
const STEP_BITS: u32 = 3;

/// Buckets in all: 1 ns to about 18 minutes, and everything above in the last.
const BUCKETS: usize = 38 << STEP_BITS;

/// The number of turns that says that no more will follow.
const ENDED: u64 = u64::MAX;

macro_rules! counters {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {
        /// Totals since the server started.
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
        pub struct Counters {
            $($(#[$doc])* pub $name: u64,)*
        }

        #[derive(Default)]
        struct Published {
            $($name: AtomicU64,)*
        }

        impl Published {
            fn store(&self, from: &Counters) {
                $(self.$name.store(from.$name, Ordering::Relaxed);)*
            }

            fn add_to(&self, sum: &mut Counters) {
                $(sum.$name += self.$name.load(Ordering::Relaxed);)*
            }
        }
    };
}

counters! {
    /// Requests answered, errors included.
    requests,
    /// Answers with a 4xx status.
    client_errors,
    /// Answers with a 5xx status.
    server_errors,
    /// Bytes received.
    received_bytes,
    /// Bytes sent.
    sent_bytes,
    /// Connections taken from the listener.
    accepted,
    /// Connections ended; once the server has, those that were accepted beyond this number were cut off.
    closed,
    /// Connections taken over from another worker.
    moved,
    /// Connections ended by a reset or a failed write.
    reset,
    /// Connections ended because a deadline passed.
    timed_out,
    /// Requests refused because their worker's turn had lasted too long; among the 5xx as well.
    shed,
}

impl Counters {
    /// Connections that are open, those included that no worker has looked at yet.
    #[must_use]
    pub const fn open(&self) -> u64 {
        // Workers publish at different times: more may seem to have ended than have come.
        self.accepted.saturating_sub(self.closed)
    }
}

/// One worker's numbers, as other threads see them.
pub(super) struct WorkerStats {
    counters: Published,
    /// Turns of the worker's loop.
    turns: AtomicU64,
    server_time: Box<[AtomicU64]>,
}

impl WorkerStats {
    pub(super) fn new() -> Self {
        let server_time = (0..BUCKETS).map(|_| AtomicU64::new(0)).collect();
        Self { counters: Published::default(), turns: AtomicU64::new(0), server_time }
    }

    /// Publishes the totals after a batch of `requests` requests that was in the worker for `nanos`.
    ///
    /// The residence time is charged to each request of the batch. It starts when the wait returns, so it is
    /// *server time*: what a client waits beyond it is network, kernel queues and its own doing.
    #[inline]
    pub(super) fn publish(&self, totals: &Counters, requests: u64, nanos: u64) {
        self.counters.store(totals);
        // Only this worker writes here and below: a load and a store, no locked addition.
        self.turns.store(self.turns.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        if requests > 0 {
            let bucket = &self.server_time[bucket_of(nanos)];
            bucket.store(bucket.load(Ordering::Relaxed) + requests, Ordering::Relaxed);
        }
    }

    /// How often the worker's loop has turned; it has ended when this is `None`.
    pub(super) fn turns(&self) -> Option<u64> {
        Some(self.turns.load(Ordering::Relaxed)).filter(|turns| *turns != ENDED)
    }

    /// Notes that the worker's loop does not turn any more.
    pub(super) fn end(&self) {
        self.turns.store(ENDED, Ordering::Relaxed);
    }
}

/// The whole server's numbers.
#[derive(Debug, Clone)]
pub struct Snapshot {
    /// Totals over all workers.
    pub counters: Counters,
    /// Jobs that [`super::blocking`] refused.
    pub refused_jobs: u64,
    server_time: Vec<u64>,
}

impl Snapshot {
    pub(super) fn of<'a>(workers: impl Iterator<Item = &'a WorkerStats>, refused_jobs: u64) -> Self {
        let mut all = Self { counters: Counters::default(), refused_jobs, server_time: vec![0; BUCKETS] };
        for worker in workers {
            worker.counters.add_to(&mut all.counters);
            for (sum, bucket) in all.server_time.iter_mut().zip(worker.server_time.iter()) {
                *sum += bucket.load(Ordering::Relaxed);
            }
        }
        all
    }

    /// The time in nanoseconds within which so many of a thousand requests left the server, rounded up to its
    /// bucket's end (at most one eighth more); `None` before the first request.
    #[must_use]
    pub fn server_time_nanos(&self, permille: u16) -> Option<u64> {
        let total: u64 = self.server_time.iter().sum();
        // At least one request has to be covered, or 0 would name an empty bucket.
        let wanted = (u128::from(total) * u128::from(permille)).div_ceil(1000).max(1);
        let mut seen = 0_u128;
        self.server_time.iter().enumerate().find_map(|(index, &count)| {
            seen += u128::from(count);
            (seen >= wanted).then(|| bucket_end(index))
        })
    }
}

/// Values below `STEPS` have a bucket each; above, the leading bit and the next three decide.
#[inline]
fn bucket_of(nanos: u64) -> usize {
    if nanos < STEPS {
        return usize::try_from(nanos).unwrap_or(0);
    }
    let exponent = nanos.ilog2();
    let step = nanos >> (exponent - STEP_BITS) & (STEPS - 1);
    let bucket = u64::from(exponent - STEP_BITS + 1) * STEPS + step;
    usize::try_from(bucket).map_or(BUCKETS - 1, |bucket| bucket.min(BUCKETS - 1))
}

/// The largest value in a bucket.
fn bucket_end(bucket: usize) -> u64 {
    let (group, step) = (bucket as u64 / STEPS, bucket as u64 % STEPS);
    match group.checked_sub(1) {
        None => step,
        Some(shift) => ((STEPS + step + 1) << shift) - 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_in_order_and_within_an_eighth() {
        let mut values: Vec<u64> =
            (0..40).flat_map(|bit| [1_u64 << bit, (1 << bit) + 1, (1 << bit) * 7 / 4]).collect();
        values.sort_unstable();
        for pair in values.windows(2) {
            assert!(bucket_of(pair[0]) <= bucket_of(pair[1]), "{pair:?}");
        }
        for value in values {
            let end = bucket_end(bucket_of(value));
            assert!(end >= value && end - value <= value / 8, "{value} in a bucket that ends at {end}");
        }
        assert_eq!(bucket_of(u64::MAX), BUCKETS - 1);
    }

    #[test]
    fn percentiles_over_all_workers() {
        let (a, b) = (WorkerStats::new(), WorkerStats::new());
        a.publish(&Counters { requests: 90, ..Counters::default() }, 90, 1_000);
        b.publish(&Counters { requests: 10, ..Counters::default() }, 10, 1_000_000);
        let all = Snapshot::of([&a, &b].into_iter(), 0);
        assert_eq!(all.counters.requests, 100);
        let near =
            |nanos: Option<u64>, value: u64| nanos.is_some_and(|n| n >= value && n <= value + value / 8);
        assert!(near(all.server_time_nanos(500), 1_000));
        assert!(near(all.server_time_nanos(900), 1_000));
        assert!(near(all.server_time_nanos(990), 1_000_000));
        assert_eq!(Snapshot::of(std::iter::empty(), 0).server_time_nanos(500), None);
    }
}
