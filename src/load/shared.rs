//! What the connections of a thread share, and what threads and the one that started them do.

use std::os::fd::BorrowedFd;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};
use std::sync::{Barrier, OnceLock};
use std::time::Instant;

use super::collect::ThreadSecond;
use super::head::{Answer, HeadParser};
use super::plan::Settled;
use super::tally::Tally;

/// Nanoseconds in a second.
pub(super) const SECOND_NS: u64 = 1_000_000_000;

/// What all connections of a thread share. Split from the connections so that both can be borrowed at once.
pub(super) struct Shared<'a> {
    pub(super) plan: &'a Settled,
    pub(super) epoll: BorrowedFd<'a>,
    /// The request, as often as the pipeline is deep.
    pub(super) batch: &'a [u8],
    pub(super) request_len: usize,
    pub(super) buffer: Vec<u8>,
    pub(super) parser: HeadParser,
    pub(super) tally: Tally,
    /// Connections that have all their answers and send again at the end of the turn, or wait for an arrival.
    pub(super) ready: Vec<usize>,
    /// Arrivals of an open loop, by their intended start, that a connection took and lost before a byte was sent.
    pub(super) returned: Vec<u64>,
    /// Requests that began before this time belong to the warm-up of an open loop and are left out of all counts.
    pub(super) count_from: u64,
    /// When the last arrival of an open loop is due; the end of time in a closed one.
    pub(super) last_due: u64,
    /// When the steps of a ramp end, on the common clock; empty without one.
    pub(super) step_ends: Vec<u64>,
    /// The length of the content of the first answer, over all threads.
    pub(super) first_body: &'a OnceLock<u64>,
    /// Requests that this thread may still make; as good as endless where no number was asked for.
    pub(super) left: usize,
    /// The latest clock reading, in nanoseconds since `base`.
    pub(super) now: u64,
    /// Whether the clock has started; before, connections are opened and wait.
    pub(super) sending: bool,
    pub(super) base: Instant,
}

impl Shared<'_> {
    /// Reads the clock.
    #[inline]
    pub(super) fn read_clock(&mut self) {
        self.now = self.clock();
    }

    /// Nanoseconds since `base`.
    #[inline]
    pub(super) fn clock(&self) -> u64 {
        let elapsed = self.base.elapsed();
        elapsed.as_secs() * SECOND_NS + u64::from(elapsed.subsec_nanos())
    }

    /// The length of the content of the first answer of the run, which this is if there was none.
    #[inline]
    pub(super) fn first_body(&self, answer: &Answer) -> u64 {
        *self.first_body.get_or_init(|| answer.body_bytes)
    }

    /// Whether requests start by a schedule and not by the answers before them.
    #[inline]
    pub(super) fn is_open_loop(&self) -> bool {
        self.plan.schedule.is_some()
    }
}

/// What the threads and the one that started them look at together.
pub(super) struct Signals<'a> {
    /// Set from outside to end the run early.
    pub(super) stop: &'a AtomicBool,
    /// All threads pass it when their connections are open.
    pub(super) start: Barrier,
    /// Time zero of all clocks.
    pub(super) base: Instant,
    /// When the schedule of an open loop begins, for all threads; set by the first of them.
    pub(super) origin: OnceLock<u64>,
    /// The length of the content of the first answer.
    pub(super) first_body: OnceLock<u64>,
    /// Threads that have not yet made all of the requests that were asked for, and got their answers.
    pub(super) unfinished: AtomicUsize,
    /// When the last of the others had, on the common clock.
    pub(super) last_done: AtomicU64,
}

/// Counters that others may look at while the run goes on.
#[derive(Debug, Default)]
pub(super) struct Live {
    pub(super) requests: AtomicU64,
    pub(super) errors: AtomicU64,
}

/// What one thread counted in one second of what is measured; the last one is shorter, or has the time until the rest
/// of an open loop was answered.
#[derive(Debug)]
pub(super) struct Part {
    /// Which second, from 0.
    pub(super) second: u32,
    /// Begin and end, in nanoseconds on the common clock.
    pub(super) span: (u64, u64),
    pub(super) tally: Tally,
    pub(super) thread: ThreadSecond,
}
