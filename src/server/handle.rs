//! What a running server can be asked and told.

use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;

use super::Shared;
use super::listener::Listener;
use super::stage::Stage;
use super::stats::{Snapshot, WorkerStats};

/// A running server. Dropping this does not end it: nobody can then, short of the program's end.
pub struct Handle {
    shared: Arc<Shared>,
    workers: Vec<JoinHandle<()>>,
}

impl Handle {
    pub(super) const fn new(shared: Arc<Shared>, workers: Vec<JoinHandle<()>>) -> Self {
        Self { shared, workers }
    }

    /// The address of the first listener.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.shared.listeners[0].address()
    }

    /// The addresses that clients reach, in the order in which they were asked for.
    pub fn addresses(&self) -> impl Iterator<Item = SocketAddr> {
        self.shared.listeners.iter().map(Listener::address)
    }

    /// What was served so far, up to each worker's last batch.
    #[must_use]
    pub fn stats(&self) -> Snapshot {
        self.shared.snapshot()
    }

    /// How often each worker's loop has turned; `None` for a worker that has ended. A worker that waits for an event does
    /// not turn: [`Handle::wake`] makes it.
    #[must_use]
    pub fn heartbeats(&self) -> Vec<Option<u64>> {
        self.shared.stats.iter().map(WorkerStats::turns).collect()
    }

    /// Makes every worker's loop turn once, unless a handler keeps it.
    pub fn wake(&self) {
        self.shared.ring();
    }

    /// Gives the workers other shares of the connections, in their order, relative to each other; 0 means none at all. Those
    /// that are open move at the end of what they ask, within a second where nothing keeps them; nothing in flight is lost.
    /// Shares of 0 alone change nothing, as somebody has to serve.
    pub fn reshare(&self, shares: &[u32]) {
        self.shared.dealer.reshare(shares);
        self.shared.ring();
    }

    /// What the server is about.
    #[must_use]
    pub fn stage(&self) -> Stage {
        // Before looking, or a change right after the look would not ring.
        self.shared.stages.heard();
        if self.shared.stages.have_ended(self.workers.len()) {
            Stage::Ended
        } else if self.shared.stop.load(Ordering::SeqCst) {
            Stage::Stopping
        } else {
            Stage::Serving
        }
    }

    /// Becomes readable, for poll(2) and the like, whenever [`Handle::stage`] may have changed since it was last called.
    #[must_use]
    pub fn stage_bell(&self) -> BorrowedFd<'_> {
        self.shared.stages.bell().as_fd()
    }

    /// Asks the workers to stop: who has begun to connect is still served, every answer is its connection's last, and
    /// what has not ended after [`super::Config::drain`] is cut off. Passed listeners stay open for others. Returns at
    /// once.
    pub fn stop(&self) {
        self.shared.stop();
    }

    /// Waits until every worker has stopped; returns what was served.
    ///
    /// # Errors
    /// The first failure that ended a worker: its epoll or its core was refused.
    pub fn join(self) -> io::Result<Snapshot> {
        for worker in self.workers {
            worker.join().map_err(|_| io::Error::other("a worker panicked"))?;
        }
        if let Some(failure) = self.shared.stages.take_failure() {
            return Err(failure);
        }
        Ok(self.shared.snapshot())
    }
}
