//! A schedule dealt to threads: from the number of an arrival to the time at which it is due, without asking anybody.

use std::time::Duration;

use super::limits;
use super::schedule::Schedule;

/// Nanoseconds in a second.
const SECOND: f64 = 1e9;

/// Of the count of arrivals before a step what is this close to a whole number is one: the rest is rounding.
const WHOLE: f64 = 1e-6;

/// A thread's part of a schedule.
///
/// Arrivals are dealt to connections in turn, and connections to threads in turn: each thread gets as many arrivals as
/// its connections are worth, evenly in time, without asking the others.
#[derive(Debug, Clone)]
pub(super) struct Dealt {
    edges: Vec<Edge>,
    /// The edge that the next arrival is behind.
    edge: usize,
    connections: u64,
    threads: u64,
    index: u64,
    /// Connections of this thread.
    share: u64,
    /// How many of its arrivals were taken.
    taken: u64,
    /// When the next one is due.
    next: u64,
}

/// Where a rate begins.
#[derive(Debug, Clone, Copy)]
pub(super) struct Edge {
    /// Arrivals before it, those not whole included: a step goes on where the one before was.
    before: f64,
    /// In nanoseconds after the start of the schedule.
    begin: u64,
    /// Arrivals per second.
    rate: f64,
}

impl Dealt {
    /// What thread `index` of `threads` gets of these arrivals for `connections`; each thread has at least one of them.
    pub(super) fn new(edges: Vec<Edge>, connections: usize, threads: usize, index: usize) -> Self {
        let mut dealt = Self {
            edges,
            edge: 0,
            connections: connections as u64,
            threads: threads as u64,
            index: index as u64,
            share: limits::share(connections, threads, index) as u64,
            taken: 0,
            next: 0,
        };
        dealt.find_next();
        dealt
    }

    /// When the next arrival is to start: nanoseconds after the start of the schedule.
    #[inline]
    pub(super) fn next(&self) -> u64 {
        self.next
    }

    /// Goes on to the arrival after it.
    #[inline]
    pub(super) fn advance(&mut self) {
        self.taken += 1;
        self.find_next();
    }

    /// Each time is found from the number of its arrival and not from the one before, so that no rounding adds up.
    #[inline]
    fn find_next(&mut self) {
        let (cycle, place) = (self.taken / self.share, self.taken % self.share);
        let number = (cycle * self.connections + self.index + place * self.threads) as f64;
        while self.edges.get(self.edge + 1).is_some_and(|edge| edge.before <= number) {
            self.edge += 1;
        }
        let Edge { before, begin, rate } = self.edges[self.edge];
        // Saturates far beyond the end of any run.
        #[allow(clippy::cast_possible_truncation, reason = "see above")]
        let next = begin.saturating_add(((number - before) / rate * SECOND) as u64);
        // Rounding does not carry it into the next step, where it would be counted.
        self.next = self.edges.get(self.edge + 1).map_or(next, |edge| next.min(edge.begin - 1));
    }
}

/// The rates of a run in their order; the first is that of the warm-up, too.
pub(super) fn edges(schedule: &Schedule, warmup: Duration, duration: Duration) -> Vec<Edge> {
    let mut edges: Vec<Edge> = Vec::new();
    for step in schedule.steps(duration) {
        let Some(last) = edges.last() else {
            edges.push(Edge { before: 0.0, begin: 0, rate: step.rate });
            continue;
        };
        let begin = u64::try_from((warmup + step.begin).as_nanos()).unwrap_or(u64::MAX);
        let count = last.before + last.rate * ((begin - last.begin) as f64 / SECOND);
        let before = if (count - count.round()).abs() < WHOLE { count.round() } else { count };
        edges.push(Edge { before, begin, rate: step.rate });
    }
    edges
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    /// A schedule in a run, in milliseconds.
    struct Timed(Schedule, u64, u64);

    impl Timed {
        fn edges(&self) -> Vec<Edge> {
            edges(&self.0, Duration::from_millis(self.1), Duration::from_millis(self.2))
        }

        /// All arrivals of all threads.
        fn starts(&self, connections: usize, threads: usize) -> Vec<u64> {
            let mut starts = Vec::new();
            for index in 0..threads {
                let mut dealt = Dealt::new(self.edges(), connections, threads, index);
                while dealt.next() < (self.1 + self.2) * MS {
                    starts.push(dealt.next());
                    dealt.advance();
                }
            }
            starts.sort_unstable();
            starts
        }
    }

    fn constant(per_second: f64) -> Schedule {
        Schedule::constant(per_second).unwrap()
    }

    #[test]
    fn the_threads_together_have_each_arrival_once() {
        let even = Timed(constant(1000.0), 0, 1000);
        let all: Vec<u64> = (0..1000).map(|number| number * MS).collect();
        let ramp = Timed(Schedule::ramp(300.0, 7000.0, 7).unwrap(), 130, 900);
        let alone = ramp.starts(1, 1);
        assert!(alone.is_sorted_by(|one, next| one < next), "no two at the same time");
        for (connections, threads) in [(1, 1), (3, 2), (15, 8), (100, 3), (7, 7)] {
            let spread = format!("{connections} connections on {threads} threads");
            assert_eq!(even.starts(connections, threads), all, "{spread}");
            assert_eq!(ramp.starts(connections, threads), alone, "{spread}");
        }
    }

    #[test]
    fn a_thread_has_its_share_of_the_rate_at_any_time() {
        let mut dealt = Dealt::new(Timed(constant(3000.0), 0, 1000).edges(), 3, 2, 0);
        let mut before = 0;
        for number in 1..=2000 {
            dealt.advance();
            assert!(dealt.next() > before, "arrival {number} is not after the one before");
            before = dealt.next();
        }
        // Two of three connections, and so two thirds of 3,000 a second.
        assert_eq!(before, 1000 * MS);
    }

    #[test]
    fn rounding_does_not_add_up() {
        let mut dealt = Dealt::new(Timed(constant(3.0), 0, 1000).edges(), 1, 1, 0);
        dealt.advance();
        assert_eq!(dealt.next(), 333_333_333);
        dealt.taken = 3_000_000;
        dealt.find_next();
        assert_eq!(dealt.next(), 1_000_000_000_000_000);
    }

    #[test]
    fn each_step_has_the_arrivals_of_its_rate_and_length() {
        // Up and down, over whole seconds and not, with a warm-up and without.
        let cases = [
            (100.0, 5000.0, 10, 0, 10_000),
            (5000.0, 100.0, 7, 0, 3_300),
            (333.0, 1000.0, 3, 250, 1_000),
            (2.0, 20.0, 5, 1_000, 7_777),
        ];
        for (from, to, steps, warmup, duration) in cases {
            let schedule = Schedule::ramp(from, to, steps).unwrap();
            let all = Timed(schedule, warmup, duration).starts(5, 2);
            for step in schedule.steps(Duration::from_millis(duration)) {
                let at = |at: Duration| warmup * MS + u64::try_from(at.as_nanos()).unwrap();
                let found = all.iter().filter(|start| (at(step.begin)..at(step.end)).contains(start)).count();
                let wanted = step.rate * (step.end - step.begin).as_secs_f64();
                let off = (found as f64 - wanted).abs();
                assert!(off <= 1.0, "{schedule}: {found} and not {wanted} in {step:?}");
            }
        }
    }

    #[test]
    fn a_ramp_between_equal_rates_is_a_constant_rate() {
        let flat = Timed(Schedule::ramp(1000.0, 1000.0, 4).unwrap(), 100, 900);
        assert_eq!(flat.starts(2, 2), Timed(constant(1000.0), 100, 900).starts(2, 2));
    }
}
