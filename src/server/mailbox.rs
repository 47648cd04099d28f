//! What other threads tell a worker: a bounded queue and an eventfd that its epoll watches.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::event::{EventfdFlags, eventfd};

/// Messages that may wait at once. A burst of accepts is at most a few hundred; a worker that is further behind
/// should not be given more.
const CAPACITY: usize = 1024;

/// A connection on its way to a worker.
pub(super) struct Moved {
    pub(super) socket: OwnedFd,
    pub(super) peer: SocketAddr,
    /// Bytes of the next request that were already read.
    pub(super) input: Vec<u8>,
    /// Tick at which its current wait began: a move does not grant a new deadline.
    pub(super) since: u64,
}

/// One message.
pub(super) enum Message {
    /// Serve this connection from now on.
    Adopt(Moved),
    /// Give connections to that worker, as long as the dealer says that it helps.
    Share { to: usize },
}

/// The queue of one worker.
pub(super) struct Mailbox {
    queue: Mutex<VecDeque<Message>>,
    bell: OwnedFd,
    /// A ring that the worker has not answered yet; more of them would be wasted system calls.
    rung: AtomicBool,
}

impl Mailbox {
    pub(super) fn new() -> std::io::Result<Self> {
        let bell = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        Ok(Self { queue: Mutex::default(), bell, rung: AtomicBool::new(false) })
    }

    /// The descriptor that becomes readable at each ring. Watched edge-triggered, so it is never read.
    pub(super) const fn bell(&self) -> &OwnedFd {
        &self.bell
    }

    /// Queues a message without waking the worker; gives it back when the queue is full.
    pub(super) fn post(&self, message: Message) -> Result<(), Message> {
        let mut queue = self.lock();
        if queue.len() >= CAPACITY {
            return Err(message);
        }
        queue.push_back(message);
        Ok(())
    }

    /// Wakes the worker.
    pub(super) fn ring(&self) {
        if !self.rung.swap(true, Ordering::SeqCst) {
            // Fails only when the counter is full, and then the worker has a wake waiting anyway.
            let _ = rustix::io::write(&self.bell, &1_u64.to_ne_bytes());
        }
    }

    /// Takes everything that waits. Rings from now on are new rings.
    pub(super) fn collect(&self) -> VecDeque<Message> {
        self.rung.store(false, Ordering::SeqCst);
        std::mem::take(&mut *self.lock())
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Message>> {
        // Pushing and taking leave the queue whole even if a thread dies in between.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
