//! A worker's clock: read twice per batch, and all else follows from that.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rustix::event::Timespec;

use crate::http::DateHeader;

use super::wheel::TICK_MS;

const NANOS_PER_MS: u64 = 1_000_000;
const NANOS_PER_SECOND: u64 = 1_000_000_000;

/// Nanoseconds and ticks since the server started, as of the last reading.
pub(super) struct Time {
    epoch: Instant,
    nanos: u64,
    tick: u64,
    /// When the next second of the wall clock begins.
    next_second: u64,
}

impl Time {
    pub(super) fn new(epoch: Instant) -> Self {
        let mut time = Self { epoch, nanos: 0, tick: 0, next_second: 0 };
        time.read();
        time
    }

    /// When the server started.
    pub(super) const fn epoch(&self) -> Instant {
        self.epoch
    }

    /// Reads the clock and returns the nanoseconds since the start.
    #[inline]
    pub(super) fn read(&mut self) -> u64 {
        self.nanos = nanos(self.epoch.elapsed());
        self.tick = self.nanos / (TICK_MS * NANOS_PER_MS);
        self.nanos
    }

    /// Nanoseconds that have passed since `start`, by a reading of its own.
    #[inline]
    pub(super) fn since(&self, start: u64) -> u64 {
        nanos(self.epoch.elapsed()).saturating_sub(start)
    }

    /// The present tick.
    #[inline]
    pub(super) const fn tick(&self) -> u64 {
        self.tick
    }

    /// Whether the wall clock has moved on to another second since [`Time::date`].
    #[inline]
    pub(super) const fn second_began(&self) -> bool {
        self.nanos >= self.next_second
    }

    /// The Date header of this second. A clock before 1970 is shown as 1970.
    pub(super) fn date(&mut self) -> DateHeader {
        let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        self.next_second = self.nanos + NANOS_PER_SECOND - u64::from(wall.subsec_nanos());
        DateHeader::at(wall.as_secs())
    }

    /// When a tick begins, in nanoseconds since the start; the largest number for one that is beyond all time.
    #[inline]
    pub(super) const fn nanos_of(tick: u64) -> u64 {
        tick.saturating_mul(TICK_MS * NANOS_PER_MS)
    }

    /// How long it is from the last reading to `due`, in nanoseconds since the start; never 0, which would switch a timer
    /// off.
    pub(super) fn until(&self, due: u64) -> Timespec {
        let left = due.saturating_sub(self.nanos).max(1);
        Duration::from_nanos(left).try_into().unwrap_or(Timespec { tv_sec: 1, tv_nsec: 0 })
    }
}

pub(super) fn nanos(duration: Duration) -> u64 {
    // Enough for 584 years.
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
