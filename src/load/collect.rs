//! Seconds put together from what the threads counted in them.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::outcome::Outcome;
use super::run::Progress;
use super::shared::Part;
use super::tally::Tally;

/// Who hears of a run while it goes on. Called on the thread that started it, which has nothing else to do.
pub trait Observer {
    /// About ten times a second.
    fn progress(&mut self, progress: Progress) {
        let _ = progress;
    }

    /// Each second of what is measured, when it is past and in their order, with the outcome up to its end.
    fn second(&mut self, second: &Second, so_far: &Outcome) {
        let _ = (second, so_far);
    }
}

/// Nobody: for a run of which only the outcome is of interest.
impl Observer for () {}

/// One second of what is measured, over all threads.
#[derive(Debug, Clone)]
pub struct Second {
    /// Which, from 0.
    pub number: u32,
    /// The moment at which it began.
    pub began: Instant,
    /// When it began, after measuring began.
    pub begin: Duration,
    /// How long it was: a second, in the last one the rest. In an open loop answers that came after the last arrival was due
    /// are in the last one, too.
    pub length: Duration,
    /// What was counted in it.
    pub tally: Tally,
    /// What its threads say of themselves.
    pub threads: Vec<ThreadSecond>,
}

/// A thread in one second.
#[derive(Debug, Clone, Default)]
pub struct ThreadSecond {
    /// Which thread, from 0.
    pub index: usize,
    /// Its processor time.
    pub cpu: Duration,
    /// What it took beside that for the answers that came after the last arrival of an open loop was due.
    pub cpu_after_end: Duration,
    /// Time in which it could have run and had no core; `None` where the kernel does not count it.
    pub waited: Option<Duration>,
    /// Its requests per second, sampled each 100 ms; samples without a request are left out.
    pub rates: Vec<f64>,
    /// Its connections since measuring began.
    pub places: Places,
}

/// How the connections of a thread have fared so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Places {
    /// Those that were open at some time.
    pub opened: usize,
    /// Those that finished a request.
    pub served: usize,
    /// Those that finished at least a tenth of an even share of what all of the thread did, and two requests at least.
    pub served_fairly: usize,
    /// Requests finished by the one with the fewest.
    pub fewest: u64,
    /// Requests finished by the one with the most.
    pub most: u64,
    /// The longest time in which one finished nothing, those that never did included.
    pub worst_gap: Duration,
}

/// Puts parts together to seconds, and seconds to the outcome.
pub(super) struct Collector {
    threads: usize,
    /// Seconds of which not all threads have handed over their part.
    open: BTreeMap<u32, (u64, u64, Second)>,
    /// When measuring began.
    zero: Option<u64>,
    /// Time zero of the threads' clocks.
    base: Instant,
}

impl Collector {
    pub(super) fn new(threads: usize, base: Instant) -> Self {
        Self { threads, open: BTreeMap::new(), zero: None, base }
    }

    /// Takes a part, and gives a second that is whole with it.
    pub(super) fn take(&mut self, part: Part) -> Option<Second> {
        let (begin, end) = part.span;
        match self.open.get_mut(&part.second) {
            Some((first, last, second)) => {
                (*first, *last) = ((*first).min(begin), (*last).max(end));
                second.tally.add(&part.tally);
                second.threads.push(part.thread);
            }
            None => {
                let second = Second {
                    number: part.second,
                    began: self.base,
                    begin: Duration::ZERO,
                    length: Duration::ZERO,
                    tally: part.tally,
                    threads: vec![part.thread],
                };
                self.open.insert(part.second, (begin, end, second));
            }
        }
        let first = self.open.first_entry()?;
        if first.get().2.threads.len() < self.threads {
            return None;
        }
        let whole = first.remove();
        Some(self.timed(whole))
    }

    /// Gives the next of the seconds that are left, of a run that was stopped or a thread that failed.
    pub(super) fn rest(&mut self) -> Option<Second> {
        let (_, second) = self.open.pop_first()?;
        Some(self.timed(second))
    }

    fn timed(&mut self, (begin, end, mut second): (u64, u64, Second)) -> Second {
        let zero = *self.zero.get_or_insert(begin);
        second.began = self.base + Duration::from_nanos(begin);
        second.begin = Duration::from_nanos(begin.saturating_sub(zero));
        second.length = Duration::from_nanos(end.saturating_sub(begin));
        second
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(second: u32, span: (u64, u64), requests: u64) -> Part {
        let tally = Tally { requests, ..Tally::default() };
        Part { second, span, tally, thread: ThreadSecond::default() }
    }

    fn seen(second: Option<Second>) -> Option<(u32, u64, u128, u128)> {
        second.map(|one| (one.number, one.tally.requests, one.begin.as_nanos(), one.length.as_nanos()))
    }

    #[test]
    fn seconds_come_in_order_once_all_threads_are_through_and_nothing_gets_lost() {
        let mut collector = Collector::new(2, Instant::now());
        assert_eq!(seen(collector.take(part(0, (100, 200), 1))), None);
        assert_eq!(seen(collector.take(part(1, (200, 300), 2))), None);
        assert_eq!(seen(collector.take(part(0, (90, 195), 4))), Some((0, 5, 0, 110)));
        // The other thread was stopped in its first second.
        assert_eq!(seen(collector.rest()), Some((1, 2, 110, 100)));
        assert_eq!(seen(collector.rest()), None);
    }
}
