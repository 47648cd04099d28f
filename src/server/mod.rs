//! The server: one thread per core, each with its own epoll, all behind one listening socket.
//!
//! ```no_run
//! use std::num::NonZeroUsize;
//! use boardkit::server::{Config, Routes, Server};
//!
//! # fn main() -> std::io::Result<()> {
//! let routes = Routes::new().get("/hello/{name}", |request, reply| {
//!     reply.text(&format!("Hello, {}!\n", request.param("name").unwrap_or("you")))
//! });
//! let config = Config::new(([127, 0, 0, 1], 8080).into(), NonZeroUsize::MIN);
//! Server::bind(config, routes)?.start()?.join()?;
//! # Ok(())
//! # }
//! ```

mod alarm;
mod body;
mod config;
mod conn;
mod dealer;
mod door;
mod exchange;
mod file;
mod files;
mod flow;
mod listener;
mod mailbox;
mod per_worker;
mod pool;
mod reply;
mod request;
mod response;
mod routes;
mod sleep;
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

pub use body::Body;
pub use config::{Blocking, Config, Deadlines};
pub use file::FilePart;
pub use files::Files;
pub use flow::{BodyError, Incoming};
pub use per_worker::PerWorker;
pub use pool::{Refused, blocking};
pub use reply::{Reply, Sent};
pub use request::{OwnedRequest, Request};
pub use response::{Failure, Pieces, Response};
pub use routes::Routes;
pub use sleep::sleep;
pub use stats::{Counters, Snapshot};

use dealer::Dealer;
use listener::Listener;
use mailbox::Mailbox;
use pool::Pools;
use stats::WorkerStats;
use worker::Worker;

/// What all workers of a server see.
struct Shared {
    config: Config,
    routes: Arc<Routes>,
    listener: Listener,
    dealer: Dealer,
    mailboxes: Box<[Arc<Mailbox>]>,
    stats: Box<[WorkerStats]>,
    pools: Pools,
    stop: AtomicBool,
    epoch: Instant,
}

impl Shared {
    fn snapshot(&self) -> Snapshot {
        Snapshot::of(self.stats.iter(), self.pools.work.refused())
    }

    fn stop(&self) {
        self.stop.store(true, Ordering::SeqCst);
        for mailbox in &self.mailboxes {
            mailbox.ring();
        }
    }
}

/// A server that listens and does not serve yet.
pub struct Server {
    shared: Arc<Shared>,
}

impl Server {
    /// Opens the listening socket.
    ///
    /// # Errors
    /// What the kernel says to the address (taken, not ours, privileged), or to the few descriptors that each
    /// worker needs.
    pub fn bind(config: Config, routes: Routes) -> io::Result<Self> {
        let workers = config.workers.get();
        let listener = Listener::bind(config.listen, config.backlog)?;
        let shares: Vec<u32> = (0..workers).map(|w| config.shares.get(w).copied().unwrap_or(1)).collect();
        let mailboxes = (0..workers).map(|_| Mailbox::new().map(Arc::new)).collect::<io::Result<_>>()?;
        let shared = Shared {
            dealer: Dealer::new(&shares, config.max_connections),
            routes: Arc::new(routes),
            listener,
            mailboxes,
            stats: (0..workers).map(|_| WorkerStats::new()).collect(),
            pools: Pools::new(&config.blocking),
            stop: AtomicBool::new(false),
            epoch: Instant::now(),
            config,
        };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// The address that clients reach, with the port that was found for port 0.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.shared.listener.address()
    }

    /// Starts the workers.
    ///
    /// # Errors
    /// When a thread or its epoll cannot be had.
    pub fn start(self) -> io::Result<Handle> {
        let workers = (0..self.shared.mailboxes.len()).map(|index| start_worker(index, &self.shared));
        let workers = workers.collect::<io::Result<_>>()?;
        Ok(Handle { shared: self.shared, workers })
    }
}

/// One worker's thread, bound to its core if it was given one.
fn start_worker(index: usize, shared: &Arc<Shared>) -> io::Result<JoinHandle<io::Result<()>>> {
    let shared = Arc::clone(shared);
    std::thread::Builder::new().name(format!("boardd-{index}")).spawn(move || {
        if let Some(&core) = shared.config.pin.get(index) {
            let mut set = rustix::thread::CpuSet::new();
            set.set(core);
            rustix::thread::sched_setaffinity(None, &set)?;
        }
        shared.pools.enter();
        // Built on its own thread: executor and tasks never leave it.
        Worker::new(index, shared)?.run()
    })
}

/// A running server.
pub struct Handle {
    shared: Arc<Shared>,
    workers: Vec<JoinHandle<io::Result<()>>>,
}

impl Handle {
    /// The address that clients reach.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.shared.listener.address()
    }

    /// What was served so far, up to each worker's last batch.
    #[must_use]
    pub fn stats(&self) -> Snapshot {
        self.shared.snapshot()
    }

    /// Asks the workers to stop: no new connections, every answer its connection's last. Returns at once.
    pub fn stop(&self) {
        self.shared.stop();
    }

    /// Waits until every worker has stopped; returns what was served.
    ///
    /// # Errors
    /// The first failure that ended a worker: its epoll or its core was refused.
    pub fn join(self) -> io::Result<Snapshot> {
        for worker in self.workers {
            worker.join().map_err(|_| io::Error::other("a worker panicked"))??;
        }
        Ok(self.shared.snapshot())
    }
}
