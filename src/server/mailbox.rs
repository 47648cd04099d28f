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
    inbox: Mutex<Inbox>,
    bell: OwnedFd,
    /// A ring that the worker has not answered yet; more of them would be wasted system calls.
    rung: AtomicBool,
}

#[derive(Default)]
struct Inbox {
    queue: VecDeque<Message>,
    /// Nobody collects any more.
    closed: bool,
}

impl Mailbox {
    pub(super) fn new() -> std::io::Result<Self> {
        let bell = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        Ok(Self { inbox: Mutex::default(), bell, rung: AtomicBool::new(false) })
    }

    /// The descriptor that becomes readable at each ring. Watched edge-triggered, so it is never read.
    pub(super) const fn bell(&self) -> &OwnedFd {
        &self.bell
    }

    /// Queues a message without waking the worker; gives it back when the queue is full, or the worker has ended.
    pub(super) fn post(&self, message: Message) -> Result<(), Message> {
        let mut inbox = self.lock();
        if inbox.closed || inbox.queue.len() >= CAPACITY {
            return Err(message);
        }
        inbox.queue.push_back(message);
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
        std::mem::take(&mut self.lock().queue)
    }

    /// Takes no message from now on, if none waits; returns whether that is so. A connection that another worker wanted
    /// to send here stays with it.
    pub(super) fn close_if_empty(&self) -> bool {
        let mut inbox = self.lock();
        inbox.closed = inbox.queue.is_empty();
        inbox.closed
    }

    fn lock(&self) -> MutexGuard<'_, Inbox> {
        // Pushing and taking leave the queue whole even if a thread dies in between.
        self.inbox.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closed_mailbox_gives_back_what_it_is_sent() {
        let mailbox = Mailbox::new().expect("eventfd");
        assert!(mailbox.post(Message::Share { to: 1 }).is_ok());
        assert!(!mailbox.close_if_empty(), "a message waits");
        assert!(mailbox.post(Message::Share { to: 2 }).is_ok());
        assert_eq!(mailbox.collect().len(), 2);
        assert!(mailbox.close_if_empty());
        assert!(mailbox.post(Message::Share { to: 3 }).is_err());
    }
}
