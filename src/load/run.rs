//! A whole run: from what was asked for to what came out.

use std::net::SocketAddr;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Barrier, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::epoll;

use super::error::LoadError;
use super::limits::{allow_descriptors, share};
use super::request::Request;
use super::tally::{Fault, Tally};
use super::target::{self, Refusal, Url};
use super::worker::{self, Live, Signals, WorkerResult};

/// How often the observer is called.
const PROGRESS_EVERY: Duration = Duration::from_millis(100);

/// What to load, how hard and how long. A closed loop: each connection sends its next requests when it has the answers
/// to the ones before.
#[derive(Debug, Clone)]
pub struct LoadPlan {
    /// Where to.
    pub url: Url,
    /// What is sent.
    pub request: Request,
    /// Connections, at least 1.
    pub connections: usize,
    /// Threads, at least 1; no more than connections are used.
    pub threads: usize,
    /// How long to measure, after the warm-up.
    pub duration: Duration,
    /// How long to load before measuring; what happens then is left out of the result.
    pub warmup: Duration,
    /// A request that waits longer is given up, and so is a connect.
    pub timeout: Duration,
    /// Requests sent at once on each connection, at least 1.
    pub pipeline: usize,
    /// Whether requests are repeated once when the server closes a reused connection before their answer began.
    pub retry: bool,
}

/// A plan with its open questions answered: what the threads see.
#[derive(Debug)]
pub(super) struct Settled {
    pub(super) address: SocketAddr,
    pub(super) request: Request,
    pub(super) pipeline: usize,
    pub(super) retry: bool,
    duration: Duration,
    warmup: Duration,
    timeout: Duration,
}

impl Settled {
    pub(super) fn duration_ns(&self) -> u64 {
        nanos(self.duration)
    }

    pub(super) fn warmup_ns(&self) -> u64 {
        nanos(self.warmup)
    }

    pub(super) fn timeout_ns(&self) -> u64 {
        nanos(self.timeout)
    }
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// How far a run has come.
#[derive(Debug, Clone, Copy)]
pub struct Progress {
    /// Time since the load began, warm-up included.
    pub elapsed: Duration,
    /// Time the load takes in all, warm-up included.
    pub total: Duration,
    /// Requests finished in the current part: warm-up, or what is measured.
    pub requests: u64,
    /// Socket errors in the current part.
    pub errors: u64,
}

/// What came out of a run.
#[derive(Debug)]
pub struct Outcome {
    /// All counts, over all threads.
    pub tally: Tally,
    /// Requests per second of each thread, sampled each 100 ms; samples without a request are left out.
    pub thread_rates: Vec<f64>,
    /// Requests finished by each connection.
    pub per_connection: Vec<u64>,
    /// The address that took the load; `None` when none takes connections.
    pub address: Option<SocketAddr>,
    /// Connections asked for.
    pub asked: usize,
    /// Connections that were open at some time.
    pub opened: usize,
    /// Threads used.
    pub threads: usize,
    /// How long was measured; zero when nothing could be.
    pub measured: Duration,
    /// Processor time of the threads while measuring.
    pub cpu: Duration,
    /// Whether the run was stopped before its time.
    pub partial: bool,
    /// What the reader should know, one sentence each.
    pub notes: Vec<String>,
}

/// Runs `plan` until its time is over or `stop` is set, calling `observer` about ten times a second meanwhile.
///
/// What goes wrong during the run is counted in the outcome. That no address takes a connection is such an outcome, too:
/// one `connect` error per address, found before the clock starts.
///
/// # Errors
/// When the run can't start: a name without address, too few descriptors, no epoll.
pub fn run(plan: &LoadPlan, stop: &AtomicBool, observer: &dyn Fn(Progress)) -> Result<Outcome, LoadError> {
    let threads = plan.threads.min(plan.connections);
    allow_descriptors(plan.connections, threads)?;
    let addresses = plan.url.resolve()?;
    let mut outcome = Outcome::empty(plan, threads);
    match target::first_reachable(&addresses, plan.timeout) {
        Ok(address) => {
            outcome.address = Some(address);
            let settled = Settled {
                address,
                request: plan.request.clone(),
                pipeline: plan.pipeline,
                retry: plan.retry,
                duration: plan.duration,
                warmup: plan.warmup,
                timeout: plan.timeout,
            };
            let results = run_threads(plan, &settled, threads, stop, observer)?;
            outcome.collect(&results);
            outcome.partial = stop.load(Ordering::Relaxed);
            outcome.explain(plan);
        }
        Err(refusals) => outcome.refused(&refusals),
    }
    Ok(outcome)
}

fn run_threads(
    plan: &LoadPlan,
    settled: &Settled,
    threads: usize,
    stop: &AtomicBool,
    observer: &dyn Fn(Progress),
) -> Result<Vec<WorkerResult>, LoadError> {
    let epolls: Vec<OwnedFd> = (0..threads)
        .map(|_| epoll::create(epoll::CreateFlags::CLOEXEC))
        .collect::<Result<_, _>>()
        .map_err(LoadError::system("create an epoll"))?;
    let live: Vec<Live> = (0..threads).map(|_| Live::default()).collect();
    let signals = Signals {
        stop,
        start: Barrier::new(threads + 1),
        base: Instant::now(),
    };
    let (done, finished) = mpsc::channel();
    thread::scope(|scope| {
        let workers: Vec<_> = epolls
            .iter()
            .zip(&live)
            .enumerate()
            .map(|(index, (epoll, live))| {
                let (signals, done) = (&signals, done.clone());
                let share = share(plan.connections, threads, index);
                scope.spawn(move || {
                    let result = worker::run(settled, share, epoll, signals, live);
                    drop(done);
                    result
                })
            })
            .collect();
        drop(done);
        signals.start.wait();
        observe(plan, &live, &finished, observer);
        workers
            .into_iter()
            .map(|worker| worker.join().expect("a load thread never panics"))
            .collect()
    })
}

/// Reports progress until all threads have dropped their end of the channel.
fn observe(
    plan: &LoadPlan,
    live: &[Live],
    finished: &mpsc::Receiver<std::convert::Infallible>,
    observer: &dyn Fn(Progress),
) {
    let begun = Instant::now();
    while let Err(mpsc::RecvTimeoutError::Timeout) = finished.recv_timeout(PROGRESS_EVERY) {
        observer(Progress {
            elapsed: begun.elapsed(),
            total: plan.warmup + plan.duration,
            requests: live
                .iter()
                .map(|live| live.requests.load(Ordering::Relaxed))
                .sum(),
            errors: live.iter().map(|live| live.errors.load(Ordering::Relaxed)).sum(),
        });
    }
}

impl Outcome {
    fn empty(plan: &LoadPlan, threads: usize) -> Self {
        let mut notes = Vec::new();
        if threads < plan.threads {
            notes.push(format!(
                "{threads} threads instead of {}: there are only {} connections to spread",
                plan.threads, plan.connections
            ));
        }
        Self {
            tally: Tally::default(),
            thread_rates: Vec::new(),
            per_connection: Vec::new(),
            address: None,
            asked: plan.connections,
            opened: 0,
            threads,
            measured: Duration::ZERO,
            cpu: Duration::ZERO,
            partial: false,
            notes,
        }
    }

    fn refused(&mut self, refusals: &[Refusal]) {
        self.tally.errors.connect = refusals.len() as u64;
        self.notes.extend(
            refusals
                .iter()
                .map(|refusal| format!("can't connect to {refusal}")),
        );
    }

    fn collect(&mut self, results: &[WorkerResult]) {
        for result in results {
            self.tally.add(&result.tally);
            self.thread_rates.extend_from_slice(&result.rates);
            self.per_connection.extend_from_slice(&result.finished);
            self.opened += result.opened;
            self.cpu += Duration::from_nanos(result.cpu_ns);
        }
        let begin = results
            .iter()
            .map(|result| result.measured.0)
            .min()
            .unwrap_or_default();
        let end = results
            .iter()
            .map(|result| result.measured.1)
            .max()
            .unwrap_or_default();
        self.measured = Duration::from_nanos(end - begin);
    }

    /// Says in words what the counts alone would not.
    fn explain(&mut self, plan: &LoadPlan) {
        let tally = &self.tally;
        if self.opened < self.asked {
            self.notes.push(format!(
                "only {} of {} connections could be opened",
                self.opened, self.asked
            ));
        }
        if tally.errors.timeout > 0 {
            self.notes.push(format!(
                "{} requests timed out; each is in the latency figures with the least it took, {} or a little more",
                tally.errors.timeout,
                crate::units::Span(plan.timeout)
            ));
        }
        if tally.out_of_ports > 0 {
            self.notes.push(format!(
                "client out of ports: {} connects found no free local port; keep connections alive, or widen \
                 net.ipv4.ip_local_port_range on this machine",
                tally.out_of_ports
            ));
        }
        if tally.unfinished > 0 && tally.requests == 0 {
            self.notes.push(format!(
                "{} requests were still waiting when the run ended",
                tally.unfinished
            ));
        }
        match tally.first_fault {
            Some(Fault::Connect(error)) if error == rustix::io::Errno::ADDRNOTAVAIL => {}
            Some(fault) => self.notes.push(format!("the first error was: {fault}")),
            None => {}
        }
    }
}
