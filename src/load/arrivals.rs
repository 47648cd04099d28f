//! The open loop of one thread: arrivals of the schedule are handed to connections that wait for nothing.
//!
//! An arrival that finds all connections busy waits for one, and its wait is in its latency. The queue takes no memory,
//! since the schedule says what is in it, and so nothing needs to be dropped: it is bounded by the run itself.

use std::collections::VecDeque;
use std::os::fd::OwnedFd;

use rustix::event::{Timespec, epoll};
use rustix::time::{
    ClockId, Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, clock_gettime, timerfd_create,
    timerfd_settime,
};

use super::connection::{Connection, Phase};
use super::dealt::Dealt;
use super::error::LoadError;
use super::shared::{SECOND_NS, Shared};

/// What epoll gives back for the timer; no connection has this number.
const TIMER: u64 = u64::MAX;
/// How often the two clocks are read to know them apart.
const READINGS: usize = 8;
/// A start that is later than this, with a connection free, is counted as late. Ten times what an idle machine needs.
const LATE_NS: u64 = 1_000_000;

/// The arrivals of one thread, and the connections that wait for them.
#[derive(Debug)]
pub(super) struct Arrivals {
    dealt: Dealt,
    /// When the schedule began, on the common clock.
    origin: u64,
    /// No arrival is due from here on.
    end: u64,
    /// Connections that wait for nothing, and since when; the one that has waited longest is in front. An entry whose
    /// connection has moved on since is skipped.
    idle: VecDeque<(usize, u64)>,
    /// Epoll's own time-outs count milliseconds; this counts nanoseconds, and no slack is added to it.
    timer: OwnedFd,
    /// What the timer is set for.
    set_for: u64,
    /// The system's monotonic clock at zero of the common one.
    zero: u64,
}

impl Arrivals {
    /// The arrivals from `origin` up to `end`, which both are times of the common clock.
    pub(super) fn new(dealt: Dealt, origin: u64, end: u64, shared: &Shared<'_>) -> Result<Self, LoadError> {
        let flags = TimerfdFlags::CLOEXEC | TimerfdFlags::NONBLOCK;
        let timer = timerfd_create(TimerfdClockId::Monotonic, flags)
            .map_err(LoadError::system("create a timer descriptor"))?;
        // Edge-triggered and never read: each ring is an edge of its own.
        let interest = epoll::EventFlags::IN | epoll::EventFlags::ET;
        epoll::add(shared.epoll, &timer, epoll::EventData::new_u64(TIMER), interest)
            .map_err(LoadError::system("watch a timer descriptor"))?;
        // Held up between the two readings, this thread would take its arrivals to be due too soon. The least is right.
        let zero = (0..READINGS).map(|_| zero_of(shared)).min().unwrap_or_default();
        Ok(Self { dealt, origin, end, idle: VecDeque::new(), timer, set_for: 0, zero })
    }

    /// When the next arrival is due; `None` when there is none any more.
    #[inline]
    fn next(&self) -> Option<u64> {
        Some(self.origin + self.dealt.next()).filter(|next| *next < self.end)
    }

    /// Hands what is due to connections that wait for nothing.
    pub(super) fn dispatch(&mut self, shared: &mut Shared<'_>, connections: &mut [Connection]) {
        shared.read_clock();
        loop {
            self.park(shared, connections);
            let Some((index, idle_since)) = self.longest_idle(connections) else { return };
            if let Some(intended) = take_returned(shared) {
                connections[index].start(shared, Some(intended));
            } else if let Some(intended) = self.take_due(shared) {
                connections[index].start(shared, Some(intended));
                count_start(shared, intended, idle_since, connections[index].sent_at);
            } else {
                return;
            }
            self.idle.pop_front();
        }
    }

    /// Connections that became ready wait here, in the order in which they did.
    fn park(&mut self, shared: &mut Shared<'_>, connections: &mut [Connection]) {
        for index in shared.ready.drain(..) {
            if connections[index].phase == Phase::Ready {
                connections[index].idle_since = shared.now;
                self.idle.push_back((index, shared.now));
            }
        }
    }

    fn longest_idle(&mut self, connections: &[Connection]) -> Option<(usize, u64)> {
        while let Some(&(index, since)) = self.idle.front() {
            if connections[index].phase == Phase::Ready && connections[index].idle_since == since {
                return Some((index, since));
            }
            self.idle.pop_front();
        }
        None
    }

    fn take_due(&mut self, shared: &mut Shared<'_>) -> Option<u64> {
        let next = self.next().filter(|next| *next <= shared.now)?;
        self.dealt.advance();
        count_arrival(shared, next);
        Some(next)
    }

    /// Sees to it that the coming wait ends when the next arrival is due, if a connection is there for it.
    pub(super) fn set_timer(&mut self) -> Result<(), LoadError> {
        let Some(next) = self.next().filter(|next| *next != self.set_for && !self.idle.is_empty()) else {
            return Ok(());
        };
        self.set_for = next;
        let at = self.zero + next;
        let once = Timespec { tv_sec: 0, tv_nsec: 0 };
        let value = Timespec {
            tv_sec: i64::try_from(at / SECOND_NS).unwrap_or(i64::MAX),
            tv_nsec: i64::try_from(at % SECOND_NS).unwrap_or_default(),
        };
        let setting = Itimerspec { it_interval: once, it_value: value };
        timerfd_settime(&self.timer, TimerfdTimerFlags::ABSTIME, &setting)
            .map(drop)
            .map_err(LoadError::system("set a timer"))
    }

    /// Whether arrivals wait to be sent.
    pub(super) fn is_pending(&self, shared: &Shared<'_>) -> bool {
        self.next().is_some() || !shared.returned.is_empty()
    }

    /// Ends the schedule: what was due up to `now` and was never sent is counted so.
    pub(super) fn finish(&mut self, shared: &mut Shared<'_>, now: u64) {
        self.end = self.end.min(now);
        if self.end <= shared.count_from {
            // Stopped in the warm-up, of which nothing is counted and which may have been meant to be long.
            return;
        }
        while let Some(next) = self.next() {
            self.dealt.advance();
            count_arrival(shared, next);
            count_unsent(shared, next);
        }
        for intended in std::mem::take(&mut shared.returned) {
            count_unsent(shared, intended);
        }
    }
}

/// The system's monotonic clock at zero of the common one; too much by as long as it took to read both.
fn zero_of(shared: &Shared<'_>) -> u64 {
    let common = shared.clock();
    let monotonic = clock_gettime(ClockId::Monotonic);
    let part = |value: i64| u64::try_from(value).unwrap_or_default();
    (part(monotonic.tv_sec) * SECOND_NS + part(monotonic.tv_nsec)).saturating_sub(common)
}

/// The oldest of the arrivals that a connection took and gave back before a byte of them was sent.
fn take_returned(shared: &mut Shared<'_>) -> Option<u64> {
    let (at, _) = shared.returned.iter().enumerate().min_by_key(|(_, intended)| **intended)?;
    Some(shared.returned.swap_remove(at))
}

/// An arrival that was due at `intended`, whatever becomes of it.
#[inline]
fn count_arrival(shared: &mut Shared<'_>, intended: u64) {
    shared.tally.open.arrivals += u64::from(intended >= shared.count_from);
    if let Some(step) = shared.step_at(intended) {
        step.arrivals += 1;
    }
}

/// An arrival that was due at `intended`, and for which no connection came free.
fn count_unsent(shared: &mut Shared<'_>, intended: u64) {
    if intended >= shared.count_from {
        shared.tally.open.unsent += 1;
        shared.count_unanswered(intended, shared.now.saturating_sub(intended), 1);
    }
}

/// Whose fault it was that a request started after its time: a connection that was free then means ours.
fn count_start(shared: &mut Shared<'_>, intended: u64, idle_since: u64, sent_at: u64) {
    if intended < shared.count_from {
        return;
    }
    let waited = idle_since > intended;
    let delay = sent_at.saturating_sub(intended);
    let late = !waited && delay > LATE_NS;
    let counts = &mut shared.tally.open;
    counts.waited += u64::from(waited);
    counts.late += u64::from(late);
    if !waited {
        counts.start_delay.record(delay);
    }
    if let Some(step) = shared.step_at(intended) {
        step.waited += u64::from(waited);
        step.late += u64::from(late);
    }
}
