//! A whole run: from what was asked for to what came out, second by second.

use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Barrier, OnceLock, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::epoll;

use super::collect::{Collector, Observer};
use super::error::LoadError;
use super::limits::allow_descriptors;
use super::outcome::Outcome;
use super::plan::{LoadPlan, Settled};
use super::shared::{Live, Part, Signals};
use super::target;
use super::worker;

/// How often the observer is called.
const PROGRESS_EVERY: Duration = Duration::from_millis(100);

/// Bytes that pipelined requests may have together. No server reads that far ahead.
const MOST_AT_ONCE: usize = 64 * 1024 * 1024;

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

/// Runs `plan` until its time is over or `stop` is set. Meanwhile `observer` hears of the progress about ten times a
/// second, and of each second that is past.
///
/// What goes wrong during the run is counted in the outcome. That no address takes a connection is such an outcome, too:
/// one `connect` error per address, found before the clock starts.
///
/// # Errors
/// When the run can't start: a name without address, too few descriptors, no epoll.
pub fn run(plan: &LoadPlan, stop: &AtomicBool, observer: &mut dyn Observer) -> Result<Outcome, LoadError> {
    let threads = plan.threads.min(plan.connections);
    check_batch(plan)?;
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
                schedule: plan.schedule,
                connections: plan.connections,
                threads,
                duration: plan.duration,
                requests: plan.requests,
                warmup: plan.warmup,
                timeout: plan.timeout,
            };
            run_threads(plan, &settled, stop, &mut outcome, observer)?;
            outcome.partial = stop.load(Ordering::Relaxed);
            outcome.explain(plan);
        }
        Err(refusals) => outcome.refused(&refusals),
    }
    Ok(outcome)
}

/// What each thread sends at once is held in memory, once for each.
fn check_batch(plan: &LoadPlan) -> Result<(), LoadError> {
    let bytes = plan.request.bytes.len();
    // A single request is as long as its user wants.
    let fits = (MOST_AT_ONCE / bytes.max(1)).max(1);
    if plan.pipeline <= fits { Ok(()) } else { Err(LoadError::Batch { asked: plan.pipeline, bytes, fits }) }
}

fn run_threads(
    plan: &LoadPlan,
    settled: &Settled,
    stop: &AtomicBool,
    outcome: &mut Outcome,
    observer: &mut dyn Observer,
) -> Result<(), LoadError> {
    let threads = settled.threads;
    let epolls: Vec<OwnedFd> = (0..threads)
        .map(|_| epoll::create(epoll::CreateFlags::CLOEXEC))
        .collect::<Result<_, _>>()
        .map_err(LoadError::system("create an epoll"))?;
    let live: Vec<Live> = (0..threads).map(|_| Live::default()).collect();
    let signals = Signals {
        stop,
        start: Barrier::new(threads + 1),
        base: Instant::now(),
        origin: OnceLock::new(),
        first_body: OnceLock::new(),
        unfinished: AtomicUsize::new(threads),
        last_done: AtomicU64::new(0),
    };
    let (parts, counted) = mpsc::channel();
    thread::scope(|scope| {
        let workers: Vec<_> = epolls
            .iter()
            .zip(&live)
            .enumerate()
            .map(|(index, (epoll, live))| {
                let (signals, parts) = (&signals, parts.clone());
                scope.spawn(move || worker::run(settled, index, epoll, signals, live, parts))
            })
            .collect();
        drop(parts);
        signals.start.wait();
        observe(plan, &live, Collector::new(threads, signals.base), &counted, outcome, observer);
        workers.into_iter().try_for_each(|worker| worker.join().expect("a load thread never panics"))
    })
}

/// Reports progress and seconds until all threads have dropped their end of the channel.
fn observe(
    plan: &LoadPlan,
    live: &[Live],
    mut collector: Collector,
    counted: &mpsc::Receiver<Part>,
    outcome: &mut Outcome,
    observer: &mut dyn Observer,
) {
    let begun = Instant::now();
    let mut due = begun + PROGRESS_EVERY;
    loop {
        match counted.recv_timeout(due.saturating_duration_since(Instant::now())) {
            Ok(part) => {
                if let Some(second) = collector.take(part) {
                    outcome.add(&second);
                    observer.second(&second, outcome);
                }
            }
            Err(mpsc::RecvTimeoutError::Timeout) => {
                due += PROGRESS_EVERY;
                observer.progress(Progress {
                    elapsed: begun.elapsed(),
                    total: plan.warmup + plan.duration,
                    requests: live.iter().map(|live| live.requests.load(Ordering::Relaxed)).sum(),
                    errors: live.iter().map(|live| live.errors.load(Ordering::Relaxed)).sum(),
                });
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
        }
    }
    while let Some(second) = collector.rest() {
        outcome.add(&second);
        observer.second(&second, outcome);
    }
}
