//! One connection of the load: connect, send, read answers, and again, until the run ends.
//!
//! A state machine driven by edge-triggered events. Nothing here waits, and nothing allocates once heads arrive whole.

use std::os::fd::OwnedFd;

use rustix::event::epoll;
use rustix::io::Errno;
use rustix::net::{self, AddressFamily, SocketFlags, SocketType, sockopt};

use super::fault::{Failure, Fault};
use super::response::ResponseReader;
use super::shared::Shared;

/// First pause after a connection that failed; doubled with each failure in a row. Short enough not to leave the place
/// empty for a noticeable part of a run, long enough not to spin on a dead port.
const FIRST_PAUSE_NS: u64 = 10_000_000;
/// The longest pause between two attempts.
const LONGEST_PAUSE_NS: u64 = 100_000_000;

/// What the kernel reports once per change; registered once per connection and never modified.
fn interest() -> epoll::EventFlags {
    epoll::EventFlags::IN | epoll::EventFlags::OUT | epoll::EventFlags::RDHUP | epoll::EventFlags::ET
}

/// The peer closed its side, or the connection is gone.
fn closing() -> epoll::EventFlags {
    epoll::EventFlags::RDHUP | epoll::EventFlags::HUP | epoll::EventFlags::ERR
}

/// Where a connection stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// Not connected; tries again at this time.
    Paused { until: u64 },
    /// The kernel is connecting since this time.
    Connecting { since: u64 },
    /// Connected, with nothing under way: waiting for the clock to start, or for the other answers of this turn to be read.
    Ready,
    /// Requests sent or being sent, answers awaited.
    Exchanging,
}

/// A place for one connection. Whatever becomes of its socket, the place goes on to the end of the run.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) index: usize,
    pub(super) socket: Option<OwnedFd>,
    pub(super) phase: Phase,
    pub(super) reader: ResponseReader,
    /// When the time of the current requests began: their send, or in an open loop the intended start of it. A repeated
    /// request keeps its first start: its user has waited since.
    pub(super) began: u64,
    /// When the send of the current batch began, the first one of a repeated request; the time-out counts from here.
    pub(super) sent_at: u64,
    /// Since when it waits for an arrival of an open loop.
    pub(super) idle_since: u64,
    /// Requests in the current send.
    pub(super) asked: usize,
    /// Those of them without a complete answer.
    pub(super) unanswered: usize,
    /// Bytes of the current send that the kernel took.
    pub(super) written: usize,
    /// Whether this socket has given a complete answer.
    pub(super) reused: bool,
    /// Whether the current requests are being repeated.
    pub(super) repeating: bool,
    /// Requests to be sent once connected were already sent on a socket that closed.
    pub(super) carried: bool,
    /// The current requests were already sent on a socket that closed.
    pub(super) sent_before: bool,
    /// Bytes came before the clock started; their edge is spent, so they are read after the first send.
    pub(super) early: bool,
    pub(super) failures: u32,
    /// Requests finished in this place, over all its sockets.
    pub(super) finished: u64,
    /// When the last of them finished; before the first, when measuring began.
    pub(super) last_finish: u64,
    /// The longest time in nanoseconds in which none finished here.
    pub(super) worst_gap_ns: u64,
    /// Whether this place was ever connected.
    pub(super) opened: bool,
    /// What the connect took, until the first answer on the socket is there; 0 from then on.
    pub(super) connect_ns: u64,
    /// When the first piece of an answer came that takes several reads; 0 for all others.
    pub(super) first_byte_at: u64,
}

impl Connection {
    pub(super) fn new(index: usize) -> Self {
        Self {
            index,
            socket: None,
            phase: Phase::Paused { until: 0 },
            reader: ResponseReader::new(),
            began: 0,
            sent_at: 0,
            idle_since: 0,
            asked: 0,
            unanswered: 0,
            written: 0,
            reused: false,
            repeating: false,
            carried: false,
            sent_before: false,
            early: false,
            failures: 0,
            finished: 0,
            last_finish: 0,
            worst_gap_ns: 0,
            opened: false,
            connect_ns: 0,
            first_byte_at: 0,
        }
    }

    /// Whether the first attempt to connect is over, for better or worse.
    pub(super) fn is_settled(&self) -> bool {
        self.opened || self.failures > 0
    }

    pub(super) fn is_paused(&self) -> bool {
        matches!(self.phase, Phase::Paused { .. })
    }

    /// Requests sent and not answered, of those that began at `since` or later.
    pub(super) fn waiting(&self, since: u64) -> u64 {
        let waits = self.phase == Phase::Exchanging || self.carried;
        if waits && self.began >= since { self.unanswered as u64 } else { 0 }
    }

    /// The longest time up to `end` in which nothing finished here, in nanoseconds.
    pub(super) fn gap_at(&self, end: u64) -> u64 {
        self.worst_gap_ns.max(end.saturating_sub(self.last_finish))
    }

    /// Opens a socket and begins to connect it.
    pub(super) fn open(&mut self, shared: &mut Shared<'_>) {
        self.socket = None;
        self.reader.reset();
        self.reused = false;
        self.early = false;
        self.connect_ns = 0;
        self.first_byte_at = 0;
        if shared.left == 0 && !self.carried {
            // There is nothing to send on it.
            self.phase = Phase::Paused { until: u64::MAX };
            return;
        }
        shared.tally.connects += 1;
        shared.read_clock();
        self.phase = Phase::Connecting { since: shared.now };
        match connect(shared, self.index as u64) {
            Ok(socket) => self.socket = Some(socket),
            Err(error) => self.connect_failed(shared, error),
        }
    }

    /// Handles what epoll reported for this connection.
    #[inline]
    pub(super) fn on_event(&mut self, shared: &mut Shared<'_>, flags: epoll::EventFlags) {
        if matches!(self.phase, Phase::Connecting { .. }) {
            let ready = flags.intersects(epoll::EventFlags::OUT | closing());
            if !ready || !self.finish_connect(shared) {
                return;
            }
        }
        let closed = flags.intersects(closing());
        match self.phase {
            Phase::Ready if closed => self.closed_while_idle(shared),
            Phase::Ready => self.early |= flags.contains(epoll::EventFlags::IN),
            Phase::Exchanging => {
                // Reading first: a server may answer, and close, before it has taken the whole request.
                if closed || flags.contains(epoll::EventFlags::IN) {
                    self.receive(shared, closed);
                }
                if self.phase == Phase::Exchanging && flags.contains(epoll::EventFlags::OUT) {
                    self.flush(shared);
                }
            }
            _ => {}
        }
    }

    /// Sends the next requests, if the connection is ready for them. Their time begins now, or has begun as `intended`.
    pub(super) fn start(&mut self, shared: &mut Shared<'_>, intended: Option<u64>) {
        if self.phase == Phase::Ready {
            shared.read_clock();
            self.send_batch(shared, intended.unwrap_or(shared.now));
            if std::mem::take(&mut self.early) && self.phase == Phase::Exchanging {
                self.receive(shared, false);
            }
        }
    }

    /// Acts on what is due by time alone: time-outs, and pauses that are over.
    pub(super) fn on_tick(&mut self, shared: &mut Shared<'_>) {
        let timeout = shared.plan.timeout_ns();
        match self.phase {
            Phase::Paused { until } if shared.now >= until => self.open(shared),
            Phase::Connecting { since } if shared.now.saturating_sub(since) > timeout => {
                self.connect_failed(shared, Errno::TIMEDOUT);
            }
            Phase::Exchanging if shared.now.saturating_sub(self.sent_at) > timeout => {
                self.timed_out(shared);
            }
            _ => {}
        }
    }

    /// Learns how the connect ended; `true` when it succeeded.
    pub(super) fn finish_connect(&mut self, shared: &mut Shared<'_>) -> bool {
        let Some(socket) = &self.socket else { return false };
        match sockopt::socket_error(socket) {
            Ok(Ok(())) => {}
            Ok(Err(error)) | Err(error) => {
                self.connect_failed(shared, error);
                return false;
            }
        }
        self.failures = 0;
        self.opened = true;
        shared.read_clock();
        if let Phase::Connecting { since } = self.phase {
            self.connect_ns = shared.now.saturating_sub(since);
        }
        if self.carried {
            // Its latency runs from its first send, and has this connect in it.
            self.connect_ns = 0;
            self.carried = false;
            self.sent_before = true;
            self.begin_send(shared, self.unanswered);
        } else if !shared.sending {
            self.phase = Phase::Ready;
        } else if shared.is_open_loop() {
            self.phase = Phase::Ready;
            shared.ready.push(self.index);
        } else {
            self.send_batch(shared, shared.now);
        }
        true
    }

    pub(super) fn connect_failed(&mut self, shared: &mut Shared<'_>, error: Errno) {
        shared.tally.fault(Fault::Connect(error));
        if self.carried {
            self.give_up(shared, Failure::NotRepeated);
        }
        self.repeating = false;
        self.pause(shared);
    }

    /// Leaves the place empty for a moment before it is tried again.
    pub(super) fn pause(&mut self, shared: &Shared<'_>) {
        self.socket = None;
        let pause =
            FIRST_PAUSE_NS.checked_shl(self.failures).unwrap_or(LONGEST_PAUSE_NS).min(LONGEST_PAUSE_NS);
        // The bound only keeps the shift small; the pause stopped growing long before.
        self.failures = (self.failures + 1).min(LONGEST_PAUSE_NS.ilog2());
        self.phase = Phase::Paused { until: shared.now + pause };
    }
}

/// A non-blocking socket on its way to the target, registered once for all events.
fn connect(shared: &Shared<'_>, index: u64) -> Result<OwnedFd, Errno> {
    let family = if shared.plan.address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let socket = net::socket_with(family, SocketType::STREAM, flags, None)?;
    sockopt::set_tcp_nodelay(&socket, true)?;
    match net::connect(&socket, &shared.plan.address) {
        Ok(()) | Err(Errno::INPROGRESS) => {}
        Err(error) => return Err(error),
    }
    // Registered after connect began: a socket that was never connected reports a hang-up at once.
    epoll::add(shared.epoll, &socket, epoll::EventData::new_u64(index), interest())?;
    Ok(socket)
}
