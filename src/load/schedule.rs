//! When requests start in an open loop: decided ahead, whatever the server does.

use std::fmt;

/// Above this the clock's own steps decide, and no machine in use sends as much.
const MOST_PER_SECOND: f64 = 1e7;
/// One request in a quarter of an hour; below it a run has none.
const LEAST_PER_SECOND: f64 = 0.001;
/// Nanoseconds in a second.
const SECOND: f64 = 1e9;

/// Arrivals one after the other at a constant rate, the first of them at once.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Schedule {
    per_second: f64,
}

impl Schedule {
    /// So many arrivals each second, over all connections; `None` outside of 0.001 to 10,000,000.
    #[must_use]
    pub fn constant(per_second: f64) -> Option<Self> {
        (LEAST_PER_SECOND..=MOST_PER_SECOND).contains(&per_second).then_some(Self { per_second })
    }

    /// Arrivals per second.
    #[must_use]
    pub fn per_second(&self) -> f64 {
        self.per_second
    }

    /// When arrival `number`, counted from 0, is to start: nanoseconds after the first.
    fn at(&self, number: u64) -> u64 {
        // Each from its number and not from the one before, so that no rounding adds up.
        let ns = number as f64 / self.per_second * SECOND;
        // Saturates far beyond the end of any run.
        #[allow(clippy::cast_possible_truncation, reason = "see above")]
        let ns = ns as u64;
        ns
    }
}

impl fmt::Display for Schedule {
    /// As it is typed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.per_second.fmt(f)
    }
}

/// A thread's part of a schedule.
///
/// Arrivals are dealt to connections in turn, and connections to threads in turn: each thread gets as many arrivals as
/// its connections are worth, evenly in time, without asking the others.
#[derive(Debug, Clone)]
pub(super) struct Dealt {
    schedule: Schedule,
    connections: u64,
    threads: u64,
    index: u64,
    /// Connections of this thread.
    share: u64,
    /// How many of its arrivals were taken.
    taken: u64,
}

impl Dealt {
    /// What thread `index` of `threads` gets of a schedule for `connections`; each thread has at least one of them.
    pub(super) fn new(schedule: Schedule, connections: usize, threads: usize, index: usize) -> Self {
        Self {
            schedule,
            connections: connections as u64,
            threads: threads as u64,
            index: index as u64,
            share: super::limits::share(connections, threads, index) as u64,
            taken: 0,
        }
    }

    /// When the next arrival is to start: nanoseconds after the start of the schedule.
    #[inline]
    pub(super) fn next(&self) -> u64 {
        let (cycle, place) = (self.taken / self.share, self.taken % self.share);
        self.schedule.at(cycle * self.connections + self.index + place * self.threads)
    }

    /// Goes on to the arrival after it.
    #[inline]
    pub(super) fn advance(&mut self) {
        self.taken += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_that_mean_nothing_are_refused() {
        for per_second in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-9, 1e9] {
            assert_eq!(Schedule::constant(per_second), None, "{per_second}");
        }
        assert_eq!(Schedule::constant(2.5).map(|schedule| schedule.per_second()), Some(2.5));
    }

    #[test]
    fn the_threads_together_have_each_arrival_once() {
        let schedule = Schedule::constant(1000.0).unwrap();
        for (connections, threads) in [(1, 1), (3, 2), (15, 8), (100, 3), (7, 7)] {
            let mut starts = Vec::new();
            for index in 0..threads {
                let mut dealt = Dealt::new(schedule, connections, threads, index);
                while dealt.next() < 1_000_000_000 {
                    starts.push(dealt.next());
                    dealt.advance();
                }
            }
            starts.sort_unstable();
            let all: Vec<u64> = (0..1000).map(|number| number * 1_000_000).collect();
            assert_eq!(starts, all, "{connections} connections on {threads} threads");
        }
    }

    #[test]
    fn a_thread_has_its_share_of_the_rate_at_any_time() {
        let schedule = Schedule::constant(3000.0).unwrap();
        let mut dealt = Dealt::new(schedule, 3, 2, 0);
        let mut before = 0;
        for number in 1..=2000 {
            dealt.advance();
            assert!(dealt.next() > before, "arrival {number} is not after the one before");
            before = dealt.next();
        }
        // Two of three connections, and so two thirds of 3,000 a second.
        assert_eq!(before, 1_000_000_000);
    }

    #[test]
    fn rounding_does_not_add_up() {
        let schedule = Schedule::constant(3.0).unwrap();
        assert_eq!(schedule.at(1), 333_333_333);
        assert_eq!(schedule.at(3_000_000), 1_000_000_000_000_000);
    }
}
