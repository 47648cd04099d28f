//! What a server is told before it starts.

use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::time::Duration;

/// How long a connection may keep a worker waiting. `None` switches a deadline off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deadlines {
    /// Between two requests, and before the first.
    pub idle: Option<Duration>,
    /// From the first byte of a request head to its last, and for skipping an unwanted body.
    pub head: Option<Duration>,
    /// Without a byte of the answer being taken.
    pub write: Option<Duration>,
}

impl Default for Deadlines {
    /// 60 s idle, as long as browsers keep a connection; 10 s for a head, fifty times what a slow radio link
    /// needs; 10 s without progress in sending.
    fn default() -> Self {
        let seconds = |s| Some(Duration::from_secs(s));
        Self { idle: seconds(60), head: seconds(10), write: seconds(10) }
    }
}

/// The pool of threads behind [`super::blocking`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Blocking {
    /// Threads, started with the first job.
    pub threads: NonZeroUsize,
    /// Jobs that may wait for a thread.
    pub max_queued: usize,
    /// How long a job may have to wait, going by what the last ones took; beyond it it is refused.
    pub max_wait: Duration,
}

impl Blocking {
    /// The defaults beside so many workers: two threads for each, and two more, so that work which only waits leaves no core
    /// idle; 100 ms of waiting, which a person does not notice; as many jobs as 10,000 a second make in that time.
    #[must_use]
    pub fn beside(workers: NonZeroUsize) -> Self {
        let threads = workers.saturating_mul(NonZeroUsize::MIN.saturating_add(1)).saturating_add(2);
        Self { threads, max_queued: 1000, max_wait: Duration::from_millis(100) }
    }
}

/// The settings of a [`super::Server`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// Where to listen, by the rules of [`super::Listener::bind_all`].
    pub listen: Vec<SocketAddr>,
    /// Worker threads; one for each core that may be used is what `std::thread::available_parallelism` says.
    pub workers: NonZeroUsize,
    /// The core that each worker is bound to, by the kernel's number; empty leaves placing to the kernel.
    pub pin: Vec<usize>,
    /// Relative capacity of each worker; workers beyond its end count as 1.
    pub shares: Vec<u32>,
    /// Connections that the kernel may hold ready before they are accepted.
    pub backlog: i32,
    /// Connections at once; further ones wait in the backlog. Each is a descriptor, of which a process has as many as
    /// RLIMIT_NOFILE says: when they run out, further ones wait too.
    pub max_connections: u32,
    /// Deadlines of every connection.
    pub deadlines: Deadlines,
    /// Threads for [`super::blocking`].
    pub blocking: Blocking,
    /// How long connections may take to end after [`super::Handle::stop`]; what is left then is cut off.
    pub drain: Duration,
}

impl Config {
    /// The defaults for a server at `listen` with so many workers: no pinning, equal shares, a backlog of 4096, any number
    /// of connections, a drain of 5 s, and what [`Deadlines::default`] and [`Blocking::beside`] say.
    #[must_use]
    pub fn new(listen: SocketAddr, workers: NonZeroUsize) -> Self {
        Self {
            listen: vec![listen],
            workers,
            pin: Vec::new(),
            shares: Vec::new(),
            // What Linux allows since 5.4 unless told otherwise; it lowers the figure to its own limit.
            backlog: 4096,
            max_connections: u32::MAX,
            deadlines: Deadlines::default(),
            blocking: Blocking::beside(workers),
            drain: Duration::from_secs(5),
        }
    }
}
