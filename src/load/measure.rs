//! A run as one thread sees it: warm-up, the measured part, and what is still under way then.

use std::sync::atomic::Ordering;

use super::arrivals::Arrivals;
use super::dealt::{self, Dealt};
use super::error::LoadError;
use super::limits;
use super::plan;
use super::schedule::Schedule;
use super::shared::Shared;
use super::worker::{SAMPLE_NS, Worker};

/// From the moment that the first thread is ready to the start of a schedule, so that all threads are.
const LEAD_NS: u64 = 1_000_000;

impl Worker<'_> {
    /// Warm-up, then the measured part.
    pub(super) fn measure(mut self) -> Result<(), LoadError> {
        self.shared.read_clock();
        self.shared.sending = true;
        let warmup = self.shared.plan.warmup_ns();
        let warm_at = match self.shared.plan.schedule {
            Some(schedule) => self.start_open_loop(&schedule)? + warmup,
            None => self.start_closed_loop() + warmup,
        };
        if warmup > 0 {
            self.run_until(warm_at)?;
            self.forget_warm_up();
        }
        // All threads of an open loop begin at the same time; each of a closed one when it gets there.
        let begin = if self.arrivals.is_some() { warm_at } else { self.shared.now };
        let planned = begin + self.shared.plan.duration_ns();
        self.begin_measuring(begin, planned);
        self.run_until(planned)?;
        self.shared.read_clock();
        let end = self.ended_at().min(self.shared.last_due).max(begin);
        self.seconds.end();
        let bytes = self.shared.tally.bytes;
        self.await_rest(end)?;
        self.shared.tally.bytes_after_end = self.shared.tally.bytes - bytes;
        self.count_waiting();
        self.seconds.finish(&mut self.shared.tally, &self.connections, end);
        Ok(())
    }

    fn begin_measuring(&mut self, begin: u64, end: u64) {
        self.sampled = (begin, 0);
        self.next_sample = begin + SAMPLE_NS;
        self.seconds.start(begin, end);
        for connection in &mut self.connections {
            connection.last_finish = begin;
        }
    }

    /// A closed loop counts what ends in the measured part; an open one what was due in it, from the first of it on.
    fn forget_warm_up(&mut self) {
        if self.arrivals.is_some() {
            return self.shared.tally.clear_connections();
        }
        self.shared.tally.clear();
        for connection in &mut self.connections {
            (connection.finished, connection.worst_gap_ns) = (0, 0);
        }
    }

    /// Sends on every connection. Gives the time at which the load began.
    fn start_closed_loop(&mut self) -> u64 {
        let share = |requests| limits::share(requests, self.shared.plan.threads, self.index);
        self.shared.left = self.shared.plan.requests.map_or(usize::MAX, share);
        for connection in &mut self.connections {
            connection.start(&mut self.shared, None);
        }
        self.shared.now
    }

    /// Sets up the schedule that all threads share. Gives the time at which it begins.
    fn start_open_loop(&mut self, schedule: &Schedule) -> Result<u64, LoadError> {
        let shared = &mut self.shared;
        let origin = *self.signals.origin.get_or_init(|| shared.now + LEAD_NS);
        shared.count_from = origin + shared.plan.warmup_ns();
        shared.last_due = shared.count_from + shared.plan.duration_ns();
        shared.step_ends = step_ends(schedule, shared);
        let edges = dealt::edges(schedule, shared.plan.warmup, shared.plan.duration);
        let dealt = Dealt::new(edges, shared.plan.connections, shared.plan.threads, self.index);
        self.arrivals = Some(Arrivals::new(dealt, origin, shared.last_due, shared)?);
        // Those that are no longer ready are sorted out where they are parked.
        shared.ready.extend(0..self.connections.len());
        // Parks them, so that the first wait ends in time.
        self.send_next();
        Ok(origin)
    }

    fn run_until(&mut self, end: u64) -> Result<(), LoadError> {
        self.next_sweep = self.next_sweep.min(end);
        while self.shared.now < end && !self.stopped() && !self.are_all_done() {
            self.turn()?;
            self.next_sweep = self.next_sweep.min(end);
        }
        Ok(())
    }

    /// Whether all threads have made the requests that were asked for, and got their answers. One that has goes on without
    /// load until the others have, so that the seconds of all go on together.
    fn are_all_done(&mut self) -> bool {
        if self.shared.left > 0 {
            return false;
        }
        if !self.is_done && !self.connections.iter().any(|one| one.waiting(0) > 0) {
            self.is_done = true;
            self.signals.last_done.fetch_max(self.shared.now, Ordering::Relaxed);
            self.signals.unfinished.fetch_sub(1, Ordering::Release);
        }
        self.is_done && self.signals.unfinished.load(Ordering::Acquire) == 0
    }

    /// When measuring ended: now, or when the last of the requests that were asked for was done.
    fn ended_at(&mut self) -> u64 {
        if self.are_all_done() { self.signals.last_done.load(Ordering::Relaxed) } else { self.shared.now }
    }

    /// Of an open loop, waits for what is still under way when the last arrival was due, at `end`, for as long as an
    /// answer may take; what is left then is counted.
    fn await_rest(&mut self, end: u64) -> Result<(), LoadError> {
        // A rate that falls because there is nothing left to send is no sample.
        self.next_sample = u64::MAX;
        let grace = end.saturating_add(self.shared.plan.timeout_ns());
        while self.is_under_way() && self.shared.now < grace && !self.stopped() {
            self.next_sweep = self.next_sweep.min(grace);
            self.turn()?;
        }
        if let Some(arrivals) = &mut self.arrivals {
            arrivals.finish(&mut self.shared, end);
        }
        Ok(())
    }

    /// Counts the requests that still wait for their answers, with the least they took.
    fn count_waiting(&mut self) {
        let shared = &mut self.shared;
        // In a closed loop there are always some, and the end of the run cuts their waits short. One that is already longer
        // than all others says something all the same.
        let least = if shared.is_open_loop() { 0 } else { self.seconds.longest_ns(&shared.tally) };
        for connection in &self.connections {
            let count = connection.waiting(shared.count_from);
            shared.tally.unfinished += count;
            let waited = shared.now.saturating_sub(connection.began);
            if waited > least {
                shared.count_unanswered(connection.began, waited, count);
            }
        }
        shared.tally.unfinished += shared.tally.open.unsent;
    }

    fn is_under_way(&self) -> bool {
        let Some(arrivals) = &self.arrivals else { return false };
        arrivals.is_pending(&self.shared) || self.connections.iter().any(|one| one.waiting(0) > 0)
    }
}

/// On the common clock.
fn step_ends(schedule: &Schedule, shared: &Shared<'_>) -> Vec<u64> {
    if !schedule.is_ramp() {
        return Vec::new();
    }
    let steps = schedule.steps(shared.plan.duration);
    steps.iter().map(|step| shared.count_from + plan::nanos(step.end)).collect()
}
