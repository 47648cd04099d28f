#![doc = include_str!("tour.md")]

mod access;
mod alarm;
mod body;
mod config;
mod conn;
mod dealer;
mod door;
mod exchange;
mod failure;
mod file;
mod files;
mod flow;
mod handle;
mod listener;
mod log;
mod mailbox;
mod per_worker;
mod pool;
mod reply;
mod request;
mod response;
mod routes;
mod sleep;
mod stage;
mod stats;
mod tail;
mod tasks;
mod time;
mod wheel;
mod worker;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Instant;

pub use crate::http::{Method, Status};
pub use access::AccessLog;
pub use body::Body;
pub use config::{Blocking, Config, Deadlines};
pub use failure::Failure;
pub use file::FilePart;
pub use files::Files;
pub use flow::{BodyError, Incoming};
pub use handle::Handle;
pub use listener::{BindError, Listener};
pub use log::{Level, Log};
pub use per_worker::PerWorker;
pub use pool::{Refused, blocking};
pub use reply::{Reply, Sent};
pub use request::{OwnedRequest, Request};
pub use response::{Pieces, Response};
pub use routes::Routes;
pub use sleep::sleep;
/// Streams, for [`Response::stream`] and [`Response::events`]: what makes, maps and joins them.
pub use smol::stream;
pub use stage::Stage;
pub use stats::{Counters, Snapshot};

use dealer::Dealer;
use mailbox::Mailbox;
use pool::Pools;
use stage::Stages;
use stats::WorkerStats;
use worker::Worker;

/// What all workers of a server see.
struct Shared {
    config: Config,
    routes: Arc<Routes>,
    listeners: Box<[Listener]>,
    dealer: Dealer,
    mailboxes: Box<[Arc<Mailbox>]>,
    stats: Box<[WorkerStats]>,
    pools: Pools,
    log: Arc<dyn Log>,
    access: Option<Arc<AccessLog>>,
    stop: AtomicBool,
    stages: Stages,
    epoch: Instant,
}

impl Shared {
    fn snapshot(&self) -> Snapshot {
        Snapshot::of(self.stats.iter(), self.pools.work.refused())
    }

    fn stop(&self) {
        if !self.stop.swap(true, Ordering::SeqCst) {
            self.listeners.iter().for_each(Listener::turn_away);
            self.ring();
            self.stages.ring();
        }
    }

    /// Wakes every worker.
    fn ring(&self) {
        self.mailboxes.iter().for_each(|mailbox| mailbox.ring());
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.pools.close();
    }
}

/// A server that listens and does not serve yet: made by [`Server::bind`], or by [`Server::new`] from listeners that are
/// there already.
pub struct Server {
    shared: Shared,
}

impl Server {
    /// Opens the listening sockets that the configuration names. Clients may connect from here on; they are served after
    /// [`Server::start`].
    ///
    /// # Errors
    /// What the kernel says to an address (taken, not ours, privileged), which is in the text, or to the few descriptors that
    /// each worker needs; or that there is no address.
    pub fn bind(config: Config, routes: Routes) -> io::Result<Self> {
        let listeners = Listener::bind_all(&config.listen, config.backlog)?;
        Self::new(config, listeners, routes)
    }

    /// A server behind these listeners, of which there is at least one; [`Config::listen`] is not looked at.
    ///
    /// # Errors
    /// What the kernel says to the few descriptors that each worker needs; or that there is no listener.
    pub fn new(config: Config, listeners: Vec<Listener>, routes: Routes) -> io::Result<Self> {
        if listeners.is_empty() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "no address to listen on"));
        }
        let workers = config.workers.get();
        let shares: Vec<u32> = (0..workers).map(|w| config.shares.get(w).copied().unwrap_or(1)).collect();
        let mut mailboxes = Vec::with_capacity(workers);
        for _ in 0..workers {
            mailboxes.push(Arc::new(Mailbox::new()?));
        }
        let shared = Shared {
            dealer: Dealer::new(&shares, config.max_connections),
            routes: Arc::new(routes),
            listeners: listeners.into(),
            mailboxes: mailboxes.into(),
            stats: (0..workers).map(|_| WorkerStats::new()).collect(),
            pools: Pools::new(&config.blocking),
            log: Arc::new(log::ErrorOutput),
            access: None,
            stop: AtomicBool::new(false),
            stages: Stages::new()?,
            epoch: Instant::now(),
            config,
        };
        Ok(Self { shared })
    }

    /// Where messages go: to the error output unless something else is said here.
    #[must_use]
    pub fn with_log(mut self, log: Arc<dyn Log>) -> Self {
        self.shared.log = log;
        self
    }

    /// Where each request's line goes; without it none is written. Workers beyond those that the log was made for record
    /// nothing.
    #[must_use]
    pub fn with_access_log(mut self, access: Arc<AccessLog>) -> Self {
        self.shared.access = Some(access);
        self
    }

    /// The address of the first listener, with the port that was found for port 0.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.shared.listeners[0].address()
    }

    /// Starts the workers and returns once all of them serve.
    ///
    /// # Errors
    /// When a thread, its epoll or its core cannot be had; no worker is left running then.
    pub fn start(self) -> io::Result<Handle> {
        let shared = Arc::new(self.shared);
        let mut workers = Vec::new();
        for index in 0..shared.mailboxes.len() {
            let own = Arc::clone(&shared);
            match spawn(format!("boardd-{index}"), Box::new(move || work(index, &own))) {
                Ok(worker) => workers.push(worker),
                Err(error) => {
                    // Those that were started before end by this.
                    shared.stop();
                    return Err(error);
                }
            }
        }
        let all_serve = shared.stages.all_serve(workers.len());
        let handle = Handle::new(shared, workers);
        if all_serve {
            return Ok(handle);
        }
        handle.stop();
        handle.join().and(Err(io::Error::other("a worker ended at once")))
    }
}

/// A thread. Boxed, as starting one is a kilobyte of code for each type that is given to it.
pub(crate) fn spawn(name: String, run: Box<dyn FnOnce() + Send>) -> io::Result<JoinHandle<()>> {
    std::thread::Builder::new().name(name).spawn(run)
}

/// A worker's thread.
fn work(index: usize, shared: &Arc<Shared>) {
    let served = serve(index, shared);
    shared.stats[index].end();
    if served.is_err() {
        // Its connections would wait for ever, and so would those that it is dealt.
        shared.stop();
    }
    shared.stages.worker_ended(served);
}

/// Binds the thread to its core if it was given one, and serves.
fn serve(index: usize, shared: &Arc<Shared>) -> io::Result<()> {
    if let Some(&core) = shared.config.pin.get(index) {
        let mut set = rustix::thread::CpuSet::new();
        set.set(core);
        rustix::thread::sched_setaffinity(None, &set)?;
    }
    shared.pools.enter();
    log::enter(&shared.log);
    // Built on its own thread: executor and tasks never leave it.
    let worker = Worker::new(index, Arc::clone(shared))?;
    shared.stages.worker_serves();
    worker.run().inspect_err(|error| shared.log.log(Level::Error, "a worker failed", &error.to_string()))
}
