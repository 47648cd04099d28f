//! A thread of the load with its own epoll and its share of the connections.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::Ordering;
use std::sync::mpsc::Sender;

use rustix::buffer::spare_capacity;
use rustix::event::{Timespec, epoll};
use rustix::io::Errno;

use super::arrivals::Arrivals;
use super::connection::Connection;
use super::error::LoadError;
use super::head::HeadParser;
use super::limits;
use super::plan::Settled;
use super::seconds::Seconds;
use super::shared::{Live, Part, SECOND_NS, Shared, Signals};
use super::tally::Tally;

/// One read takes this much; all connections of a thread share the buffer.
const READ_BUFFER: usize = 64 * 1024;
/// Events taken from the kernel at once.
const EVENTS: usize = 256;
/// How often the rate of a thread is sampled, as wrk does.
pub(super) const SAMPLE_NS: u64 = 100_000_000;
/// Time-outs are looked for this many times within one time-out, so none is noticed more than 5 % late.
const SWEEPS_PER_TIMEOUT: u64 = 20;
/// Bounds of the time between two sweeps: the lower keeps them cheap, the upper notices Ctrl-C soon.
const SWEEP_NS: std::ops::RangeInclusive<u64> = 1_000_000..=100_000_000;
/// Sweeps this often while a connection waits to be tried again.
const PAUSED_SWEEP_NS: u64 = 10_000_000;

pub(super) struct Worker<'a> {
    pub(super) shared: Shared<'a>,
    pub(super) connections: Vec<Connection>,
    pub(super) index: usize,
    /// The open loop, once its clock has started.
    pub(super) arrivals: Option<Arrivals>,
    /// Whether this thread has made its share of the requests that were asked for, and got their answers.
    pub(super) is_done: bool,
    pub(super) events: Vec<epoll::Event>,
    pub(super) signals: &'a Signals<'a>,
    pub(super) live: &'a Live,
    pub(super) next_sweep: u64,
    pub(super) next_sample: u64,
    /// When the last sample was taken, and how many requests had finished by then.
    pub(super) sampled: (u64, u64),
    pub(super) seconds: Seconds,
}

/// Runs one thread's share: opens its connections, waits for the others, measures until the end.
pub(super) fn run(
    plan: &Settled,
    index: usize,
    epoll: &OwnedFd,
    signals: &Signals<'_>,
    live: &Live,
    parts: Sender<Part>,
) -> Result<(), LoadError> {
    let batch = plan.request.bytes.repeat(plan.pipeline);
    let mut worker = Worker::new(plan, index, epoll.as_fd(), &batch, signals, live, parts);
    let opened = worker.open_all();
    // Before any error is returned: the other threads wait for this one.
    signals.start.wait();
    opened?;
    worker.measure()
}

impl<'a> Worker<'a> {
    fn new(
        plan: &'a Settled,
        index: usize,
        epoll: BorrowedFd<'a>,
        batch: &'a [u8],
        signals: &'a Signals<'a>,
        live: &'a Live,
        parts: Sender<Part>,
    ) -> Self {
        let share = limits::share(plan.connections, plan.threads, index);
        let shared = Shared {
            plan,
            epoll,
            batch,
            request_len: plan.request.bytes.len(),
            buffer: vec![0; READ_BUFFER],
            parser: HeadParser::new(plan.request.is_head),
            tally: Tally::default(),
            ready: Vec::with_capacity(share.min(EVENTS)),
            returned: Vec::new(),
            count_from: 0,
            last_due: u64::MAX,
            step_ends: Vec::new(),
            first_body: &signals.first_body,
            left: usize::MAX,
            now: 0,
            sending: false,
            base: signals.base,
        };
        Self {
            shared,
            connections: (0..share).map(Connection::new).collect(),
            index,
            arrivals: None,
            is_done: false,
            events: Vec::with_capacity(EVENTS),
            signals,
            live,
            next_sweep: 0,
            next_sample: u64::MAX,
            sampled: (0, 0),
            seconds: Seconds::new(parts, index),
        }
    }

    /// Opens all connections before the clock starts, so that connecting is no part of what is measured.
    fn open_all(&mut self) -> Result<(), LoadError> {
        self.shared.read_clock();
        for connection in &mut self.connections {
            connection.open(&mut self.shared);
        }
        while !self.stopped() && !self.connections.iter().all(Connection::is_settled) {
            self.turn()?;
        }
        Ok(())
    }

    pub(super) fn stopped(&self) -> bool {
        self.signals.stop.load(Ordering::Relaxed)
    }

    /// One wait and all that it brings.
    pub(super) fn turn(&mut self) -> Result<(), LoadError> {
        let next = self.next_sweep.min(self.next_sample).min(self.seconds.next);
        let wait = next.saturating_sub(self.shared.now);
        let timeout = Timespec {
            tv_sec: i64::try_from(wait / SECOND_NS).unwrap_or(i64::MAX),
            tv_nsec: i64::try_from(wait % SECOND_NS).unwrap_or_default(),
        };
        if let Some(arrivals) = &mut self.arrivals {
            arrivals.set_timer()?;
        }
        self.events.clear();
        match epoll::wait(self.shared.epoll, spare_capacity(&mut self.events), Some(&timeout)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(LoadError::system("wait for events")(error)),
        }
        let before = self.shared.now;
        for event in &self.events {
            let index = usize::try_from(event.data.u64()).unwrap_or(usize::MAX);
            if let Some(connection) = self.connections.get_mut(index) {
                connection.on_event(&mut self.shared, event.flags);
            }
        }
        self.send_next();
        if self.shared.now == before {
            // No answer was completed, and so no clock read.
            self.shared.read_clock();
        }
        self.on_time();
        Ok(())
    }

    /// Reading first and sending afterwards: a send is the dearer of the two, and answers that wait to be read while
    /// others' requests are sent would have our own queue in their latency.
    #[inline]
    pub(super) fn send_next(&mut self) {
        if let Some(arrivals) = &mut self.arrivals {
            return arrivals.dispatch(&mut self.shared, &mut self.connections);
        }
        for at in 0..self.shared.ready.len() {
            let index = self.shared.ready[at];
            self.connections[index].start(&mut self.shared, None);
        }
        self.shared.ready.clear();
    }

    /// Whatever is due by the clock.
    fn on_time(&mut self) {
        let now = self.shared.now;
        if now >= self.next_sample {
            self.sample();
        }
        if now >= self.seconds.next {
            self.seconds.pass(&mut self.shared.tally, &self.connections, now);
        }
        if now >= self.next_sweep {
            for connection in &mut self.connections {
                connection.on_tick(&mut self.shared);
            }
            let pause = self.is_done || self.connections.iter().any(Connection::is_paused);
            let step = (self.shared.plan.timeout_ns() / SWEEPS_PER_TIMEOUT)
                .clamp(*SWEEP_NS.start(), *SWEEP_NS.end());
            self.next_sweep = now + if pause { step.min(PAUSED_SWEEP_NS) } else { step };
            let (requests, errors) = self.seconds.so_far(&self.shared.tally);
            self.live.requests.store(requests, Ordering::Relaxed);
            self.live.errors.store(errors, Ordering::Relaxed);
        }
    }

    fn sample(&mut self) {
        let (then, requests) = self.sampled;
        let (now, total) = (self.shared.now, self.seconds.so_far(&self.shared.tally).0);
        let seconds = (now - then) as f64 / SECOND_NS as f64;
        // wrk leaves empty samples out, and this row is read against wrk's.
        if total > requests {
            self.seconds.rates.push((total - requests) as f64 / seconds);
        }
        self.sampled = (now, total);
        self.next_sample = now + SAMPLE_NS;
    }
}
