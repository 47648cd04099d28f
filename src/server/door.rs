//! How a worker takes connections from the shared listener and hands them to whoever the dealer names.

use std::io::{self, Write};
use std::os::fd::OwnedFd;

use rustix::event::epoll::{self, EventData, EventFlags};
use rustix::io::Errno;

use super::Shared;
use super::listener::{Accepted, Listener};
use super::mailbox::{Message, Moved};
use super::stats::Counters;
use super::wheel::TICK_MS;

/// Connections taken per event, so that those already served are not kept waiting by a crowd at the door.
const BURST: usize = 64;

/// Ticks without accepting after descriptors ran out or the table was full: trying at once would only spin.
const PAUSE_TICKS: u64 = 1;

/// Ticks between two complaints about the same trouble: one line a second at most.
const COMPLAINT_TICKS: u64 = 1000 / TICK_MS;

/// One worker's view of the listener.
pub(super) struct Door {
    key: u64,
    open: bool,
    retry_at: Option<u64>,
    complain_at: u64,
}

impl Door {
    /// A closed door; `key` is what the worker's epoll will call it.
    pub(super) const fn new(key: u64) -> Self {
        Self { key, open: false, retry_at: None, complain_at: 0 }
    }

    /// When to call [`Door::accept`] although no event said so.
    pub(super) const fn retry_at(&self) -> Option<u64> {
        self.retry_at
    }

    /// Watches the listener.
    pub(super) fn open(&mut self, epoll: &OwnedFd, listener: &Listener) -> io::Result<()> {
        if self.open {
            return Ok(());
        }
        let data = EventData::new_u64(self.key);
        match epoll::add(epoll, listener.socket(), data, EventFlags::IN | EventFlags::EXCLUSIVE) {
            // Kernels before 4.5, as some Allwinner boards still run, wake every worker instead of one.
            Err(Errno::INVAL) => epoll::add(epoll, listener.socket(), data, EventFlags::IN)?,
            other => other?,
        }
        self.open = true;
        Ok(())
    }

    /// Stops watching the listener.
    pub(super) fn close(&mut self, epoll: &OwnedFd, listener: &Listener) {
        if std::mem::take(&mut self.open) {
            // Not being watched any more is all that is wanted, and all that could go wrong.
            let _ = epoll::delete(epoll, listener.socket());
        }
        self.retry_at = None;
    }

    /// Takes what waits, up to a burst: sends other workers theirs and returns the caller's own.
    pub(super) fn accept(
        &mut self,
        epoll: &OwnedFd,
        shared: &Shared,
        me: usize,
        tick: u64,
        counters: &mut Counters,
    ) -> Vec<Moved> {
        let mut mine = Vec::new();
        let mut to_ring = vec![false; shared.mailboxes.len()];
        for _ in 0..BURST {
            if shared.dealer.reserve().is_err() {
                self.pause(epoll, shared, tick, "every connection allowed by --max-connections is in use");
                break;
            }
            let accepted = shared.listener.accept();
            let Accepted::Connection(socket, peer) = accepted else {
                shared.dealer.release();
                match accepted {
                    Accepted::Again => continue,
                    Accepted::Exhausted(error) => self.pause(epoll, shared, tick, &error.to_string()),
                    Accepted::Broken(error) => self.give_up(epoll, shared, error),
                    Accepted::Empty | Accepted::Connection(..) => self.resume(epoll, shared, tick),
                }
                break;
            };
            counters.accepted += 1;
            let worker = shared.dealer.deal();
            let moved = Moved { socket, peer, input: Vec::new(), since: tick };
            if worker == me {
                mine.push(moved);
            } else if let Err(Message::Adopt(moved)) = shared.mailboxes[worker].post(Message::Adopt(moved)) {
                shared.dealer.take_back(worker, me);
                mine.push(moved);
            } else {
                to_ring[worker] = true;
            }
        }
        for (mailbox, _) in shared.mailboxes.iter().zip(to_ring).filter(|(_, ring)| *ring) {
            mailbox.ring();
        }
        mine
    }

    /// Leaves the rest in the backlog for a moment. Without a rest there is nothing to pause for: the next to come
    /// brings an event. Trouble that is over after one pause is not worth a line: another worker may have held the
    /// last room for a connection that it then took.
    fn pause(&mut self, epoll: &OwnedFd, shared: &Shared, tick: u64, why: &str) {
        if !shared.listener.is_waited_at() {
            return self.resume(epoll, shared, tick);
        }
        let goes_on = self.retry_at.is_some();
        self.close(epoll, &shared.listener);
        self.retry_at = Some(tick + PAUSE_TICKS);
        if goes_on && tick >= self.complain_at {
            self.complain_at = tick + COMPLAINT_TICKS;
            complain(&format!("new connections wait: {why}"));
        }
    }

    /// Watches again after a pause.
    fn resume(&mut self, epoll: &OwnedFd, shared: &Shared, tick: u64) {
        if !self.open {
            let opened = self.open(epoll, &shared.listener);
            self.retry_at = opened.is_err().then_some(tick + PAUSE_TICKS);
        }
    }

    fn give_up(&mut self, epoll: &OwnedFd, shared: &Shared, error: Errno) {
        self.close(epoll, &shared.listener);
        let address = shared.listener.address();
        complain(&format!("stopping, as {address} cannot be accepted on any more: {error}"));
        shared.stop();
    }
}

/// One line on the error output. That nobody reads it any more is no reason to stop serving, and `eprintln` panics.
fn complain(what: &str) {
    let _ = writeln!(io::stderr(), "boardd: {what}");
}
