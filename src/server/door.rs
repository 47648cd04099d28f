//! How a worker takes connections from the shared listeners and hands them to whoever the dealer names.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::atomic::Ordering;

use rustix::event::epoll::{self, EventData, EventFlags};
use rustix::io::Errno;

use super::Shared;
use super::listener::{Accepted, Listener};
use super::log::Level;
use super::mailbox::{Message, Moved};
use super::stats::Counters;

/// Connections taken per event, so that those already served are not kept waiting by a crowd at the door.
const BURST: usize = 64;

/// Ticks without accepting after descriptors ran out or the table was full: trying at once would only spin.
const PAUSE_TICKS: u64 = 1;

/// Ticks for which those may still come in who had begun to when the server stopped: at least a tenth of a second, which is
/// a round trip over any link that a board has.
const SHUT_TICKS: u64 = 2;

/// One worker's view of the listeners.
pub(super) struct Door {
    /// What the worker's epoll calls the first listener; the others follow.
    first_key: u64,
    open: bool,
    retry_at: Option<u64>,
    /// When nobody is let in any more; set once the server stops.
    shut_at: Option<u64>,
    /// The earlier of both: asked for twice per batch.
    due: Option<u64>,
    shut: bool,
}

/// What was left at a listener.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Left {
    /// Nobody.
    Nobody,
    /// Perhaps more than a burst.
    Crowd,
    /// Whoever waits cannot be taken now.
    Stuck,
}

/// What accepting needs of the worker that does it.
pub(super) struct Taker<'a> {
    pub(super) epoll: &'a OwnedFd,
    pub(super) shared: &'a Shared,
    pub(super) index: usize,
    pub(super) tick: u64,
    pub(super) counters: &'a mut Counters,
}

impl Door {
    /// A closed door; `first_key` is what the worker's epoll will call the first listener.
    pub(super) const fn new(first_key: u64) -> Self {
        Self { first_key, open: false, retry_at: None, shut_at: None, due: None, shut: false }
    }

    /// When to call [`Door::knocked`] although no event said so.
    pub(super) const fn due(&self) -> Option<u64> {
        self.due
    }

    fn set_due(&mut self) {
        self.due = self.retry_at.into_iter().chain(self.shut_at).min();
    }

    /// Whether the server stops and nobody comes in any more.
    pub(super) const fn is_shut(&self) -> bool {
        self.shut
    }

    /// Watches the listeners; those that others hold too only until the server stops.
    pub(super) fn open(&mut self, epoll: &OwnedFd, listeners: &[Listener]) -> io::Result<()> {
        if self.open {
            return Ok(());
        }
        // Set first, so that closing takes back what was opened before a failure.
        self.open = true;
        for (key, listener) in (self.first_key..).zip(listeners) {
            if self.admits(listener) {
                watch(epoll, key, listener).inspect_err(|_| self.close(epoll, listeners))?;
            }
        }
        Ok(())
    }

    /// Stops watching the listeners.
    fn close(&mut self, epoll: &OwnedFd, listeners: &[Listener]) {
        if std::mem::take(&mut self.open) {
            for listener in listeners {
                // Not being watched any more is all that is wanted, and all that could go wrong.
                let _ = epoll::delete(epoll, listener.socket());
            }
        }
        self.retry_at = None;
    }

    /// Takes what waits at one listener, up to a burst, or at all of them when it is not said which: sends other workers
    /// theirs and returns the caller's own.
    pub(super) fn knocked(&mut self, worker: &mut Taker<'_>, at: Option<usize>) -> Vec<Moved> {
        let mut mine = Vec::new();
        if self.shut_at.is_some_and(|at| at <= worker.tick) {
            self.last_call(worker, &mut mine);
        } else {
            let shared = worker.shared;
            let at = at.map_or(0..shared.listeners.len(), |at| at..at + 1);
            for listener in shared.listeners.get(at).unwrap_or_default() {
                if self.admits(listener) {
                    self.take(worker, listener, &mut mine);
                }
            }
        }
        self.set_due();
        mine
    }

    /// Whether connections are taken from this listener.
    const fn admits(&self, listener: &Listener) -> bool {
        !self.shut && (self.shut_at.is_none() || !listener.is_passed())
    }

    /// Begins to close: those that others hold too are theirs at once; at ours, whoever knocked before the server stopped
    /// is still let in.
    pub(super) fn begin_to_shut(&mut self, epoll: &OwnedFd, listeners: &[Listener], tick: u64) {
        self.shut_at = Some(tick + SHUT_TICKS);
        for listener in listeners.iter().filter(|listener| listener.is_passed()) {
            let _ = epoll::delete(epoll, listener.socket());
        }
        if listeners.iter().all(Listener::is_passed) {
            self.shut(epoll, listeners);
        }
        self.set_due();
    }

    /// Empties the queues of our own listeners for good, then ends them.
    fn last_call(&mut self, worker: &mut Taker<'_>, mine: &mut Vec<Moved>) {
        let shared = worker.shared;
        for listener in &shared.listeners {
            if !self.admits(listener) {
                continue;
            }
            listener.bar();
            let left = loop {
                match self.take(worker, listener, mine) {
                    Left::Crowd => {}
                    left => break left,
                }
            };
            if left == Left::Stuck {
                self.shut_at = Some(worker.tick + PAUSE_TICKS);
                return;
            }
        }
        self.shut(worker.epoll, &shared.listeners);
    }

    fn shut(&mut self, epoll: &OwnedFd, listeners: &[Listener]) {
        self.close(epoll, listeners);
        listeners.iter().for_each(Listener::shut);
        self.shut = true;
        self.shut_at = None;
    }

    /// Takes up to a burst from one listener.
    fn take(&mut self, worker: &mut Taker<'_>, listener: &Listener, mine: &mut Vec<Moved>) -> Left {
        let shared = worker.shared;
        let mut to_ring = vec![false; shared.mailboxes.len()];
        let mut left = Left::Crowd;
        for _ in 0..BURST {
            if shared.dealer.reserve().is_err() {
                left = self.pause(worker, "every connection allowed by --max-connections is in use");
                break;
            }
            match listener.accept() {
                Accepted::Connection(socket, peer) => {
                    worker.counters.accepted += 1;
                    let moved = Moved { socket, peer, input: Vec::new(), since: worker.tick };
                    match give(shared, worker.index, moved) {
                        Ok(other) => to_ring[other] = true,
                        Err(moved) => mine.push(moved),
                    }
                    continue;
                }
                Accepted::Again => {
                    shared.dealer.release();
                    continue;
                }
                Accepted::Empty => left = self.resume(worker),
                Accepted::Exhausted(error) => left = self.pause(worker, &error.to_string()),
                Accepted::Broken(error) => left = self.give_up(worker, listener, error),
            }
            shared.dealer.release();
            break;
        }
        for (mailbox, _) in shared.mailboxes.iter().zip(to_ring).filter(|(_, ring)| *ring) {
            mailbox.ring();
        }
        left
    }

    /// Leaves the rest in the backlog for a moment. Without a rest there is nothing to pause for: the next to come
    /// brings an event. Trouble that is over after one pause is not worth a line: another worker may have held the
    /// last room for a connection that it then took.
    fn pause(&mut self, worker: &Taker<'_>, why: &str) -> Left {
        let Taker { epoll, shared, tick, .. } = *worker;
        if !shared.listeners.iter().any(Listener::is_waited_at) {
            return self.resume(worker);
        }
        let goes_on = self.retry_at.is_some();
        self.close(epoll, &shared.listeners);
        self.retry_at = Some(tick + PAUSE_TICKS);
        if goes_on {
            shared.log.log(Level::Warning, "new connections wait", why);
        }
        Left::Stuck
    }

    /// Watches again after a pause.
    fn resume(&mut self, worker: &Taker<'_>) -> Left {
        if !self.open && !self.shut {
            let opened = self.open(worker.epoll, &worker.shared.listeners);
            self.retry_at = opened.is_err().then_some(worker.tick + PAUSE_TICKS);
        }
        Left::Nobody
    }

    /// Ends the server that cannot be reached any more; one that stops may have shut the listener itself.
    fn give_up(&mut self, worker: &Taker<'_>, listener: &Listener, error: Errno) -> Left {
        let Taker { epoll, shared, .. } = *worker;
        if self.shut_at.is_some() {
            self.shut(epoll, &shared.listeners);
            return Left::Nobody;
        }
        self.close(epoll, &shared.listeners);
        if !shared.stop.load(Ordering::Relaxed) {
            let address = listener.address();
            let text = format!("{address} cannot be accepted on any more: {error}");
            shared.log.log(Level::Error, "stopping", &text);
            shared.stop();
        }
        Left::Nobody
    }
}

fn watch(epoll: &OwnedFd, key: u64, listener: &Listener) -> io::Result<()> {
    let data = EventData::new_u64(key);
    match epoll::add(epoll, listener.socket(), data, EventFlags::IN | EventFlags::EXCLUSIVE) {
        // Kernels before 4.5, as some Allwinner boards still run, wake every worker instead of one.
        Err(Errno::INVAL) => Ok(epoll::add(epoll, listener.socket(), data, EventFlags::IN)?),
        other => Ok(other?),
    }
}

/// Hands a connection to the worker that the dealer names, which is returned; gives it back when that is the caller.
fn give(shared: &Shared, me: usize, moved: Moved) -> Result<usize, Moved> {
    // Who stops may be gone before it looks into its mailbox again.
    if shared.stop.load(Ordering::Relaxed) {
        shared.dealer.keep(me);
        return Err(moved);
    }
    let worker = shared.dealer.deal();
    if worker == me {
        return Err(moved);
    }
    if let Err(Message::Adopt(moved)) = shared.mailboxes[worker].post(Message::Adopt(moved)) {
        shared.dealer.take_back(worker, me);
        return Err(moved);
    }
    Ok(worker)
}
