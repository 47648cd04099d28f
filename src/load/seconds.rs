//! The seconds of a run: a thread counts each into a tally of its own and hands it over when it is past.
//!
//! A request costs nothing more for it: what it is counted in is the tally of the second, and the whole is their sum.

use std::fs;
use std::sync::mpsc::Sender;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

use super::collect::{Places, ThreadSecond};
use super::connection::Connection;
use super::shared::{Part, SECOND_NS};
use super::tally::Tally;

/// A connection that finished less than this part of an even share has starved; httpress draws the line there.
const STARVED_SHARE: u64 = 10;

/// Where a thread stands in the seconds of what is measured.
#[derive(Debug)]
pub(super) struct Seconds {
    parts: Sender<Part>,
    /// Which thread this is.
    index: usize,
    /// The current second, from 0.
    second: u32,
    /// When it began.
    begin: u64,
    /// When it is past; the end of time while nothing is measured, and in the last second.
    pub(super) next: u64,
    /// When the last second is past.
    end: u64,
    /// The thread's processor time when the current second began.
    cpu_ns: u64,
    /// The time in which it waited for a core, then.
    waited_ns: Option<u64>,
    /// The longest wait for an answer in the seconds that are past.
    longest_ns: u64,
    /// What the two were when the last arrival of an open loop was due.
    at_end: Option<(u64, Option<u64>)>,
    /// Requests and socket errors of the seconds that are past.
    passed: (u64, u64),
    /// Requests per second in each 100 ms of the current second.
    pub(super) rates: Vec<f64>,
}

impl Seconds {
    pub(super) fn new(parts: Sender<Part>, index: usize) -> Self {
        let (next, passed, rates) = (u64::MAX, (0, 0), Vec::new());
        Self {
            parts,
            index,
            second: 0,
            begin: 0,
            next,
            end: 0,
            cpu_ns: 0,
            waited_ns: None,
            longest_ns: 0,
            at_end: None,
            passed,
            rates,
        }
    }

    /// What is measured begins, and ends at `end`.
    pub(super) fn start(&mut self, begin: u64, end: u64) {
        (self.begin, self.end) = (begin, end);
        (self.cpu_ns, self.waited_ns) = (thread_cpu_ns(), thread_waited_ns());
        self.set_next();
    }

    /// The last second is not passed but finished: a rest of no length would be a second without meaning.
    fn set_next(&mut self) {
        let next = self.begin + SECOND_NS;
        self.next = if next < self.end { next } else { u64::MAX };
    }

    /// Hands over each second that is past at `now`.
    #[cold]
    pub(super) fn pass(&mut self, tally: &mut Tally, connections: &[Connection], now: u64) {
        while now >= self.next {
            // After a halt of this thread the seconds that it missed are empty, and what it counted is in the first.
            let end = self.next;
            self.hand_over(tally, connections, end);
            self.begin = end;
            self.set_next();
        }
    }

    /// What is measured has ended, and what comes now is only awaited.
    pub(super) fn end(&mut self) {
        self.at_end = Some((thread_cpu_ns(), thread_waited_ns()));
    }

    /// Hands over the last second, which ended at `end`.
    pub(super) fn finish(&mut self, tally: &mut Tally, connections: &[Connection], end: u64) {
        self.next = u64::MAX;
        self.hand_over(tally, connections, end.max(self.begin));
    }

    fn hand_over(&mut self, tally: &mut Tally, connections: &[Connection], end: u64) {
        (self.passed, self.longest_ns) = (self.so_far(tally), self.longest_ns(tally));
        let now_ns = thread_cpu_ns();
        let (cpu_ns, waited_ns) = self.at_end.take().unwrap_or_else(|| (now_ns, thread_waited_ns()));
        let waited = waited_ns.zip(self.waited_ns).map(|(now, before)| now.saturating_sub(before));
        let part = Part {
            second: self.second,
            span: (self.begin, end),
            tally: std::mem::take(tally),
            thread: ThreadSecond {
                index: self.index,
                cpu: Duration::from_nanos(cpu_ns.saturating_sub(self.cpu_ns)),
                cpu_after_end: Duration::from_nanos(now_ns.saturating_sub(cpu_ns)),
                waited: waited.map(Duration::from_nanos),
                rates: std::mem::take(&mut self.rates),
                places: places(connections, end),
            },
        };
        (self.cpu_ns, self.waited_ns) = (cpu_ns, waited_ns);
        self.second += 1;
        // Nobody takes it only where the run has failed, and then nobody misses it.
        let _ = self.parts.send(part);
    }

    /// The longest wait for an answer since measuring began, with those of the current second in `tally`; 0 without any.
    pub(super) fn longest_ns(&self, tally: &Tally) -> u64 {
        self.longest_ns.max(tally.statuses.longest_ns())
    }

    /// Requests and socket errors since measuring began, with those of the current second in `tally`.
    pub(super) fn so_far(&self, tally: &Tally) -> (u64, u64) {
        (self.passed.0 + tally.requests, self.passed.1 + tally.errors.socket())
    }
}

fn places(connections: &[Connection], end: u64) -> Places {
    let finished = || connections.iter().map(|one| one.finished);
    let share = finished().sum::<u64>() / (connections.len() as u64 * STARVED_SHARE).max(1);
    let with_at_least = |least: u64| finished().filter(|count| *count >= least).count();
    Places {
        opened: connections.iter().filter(|one| one.opened).count(),
        served: with_at_least(1),
        served_fairly: with_at_least(share.max(2)),
        fewest: finished().min().unwrap_or_default(),
        most: finished().max().unwrap_or_default(),
        worst_gap: Duration::from_nanos(
            connections.iter().map(|one| one.gap_at(end)).max().unwrap_or_default(),
        ),
    }
}

/// Processor time of this thread, in nanoseconds.
fn thread_cpu_ns() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    let part = |value: i64| u64::try_from(value).unwrap_or_default();
    part(time.tv_sec) * SECOND_NS + part(time.tv_nsec)
}

/// Time in which this thread could have run and had no core, in nanoseconds; `None` where the kernel does not count it.
fn thread_waited_ns() -> Option<u64> {
    let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_ascii_whitespace().nth(1)?.parse().ok()
}
