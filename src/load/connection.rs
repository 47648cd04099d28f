//! One connection of the load: connect, send, read answers, and again, until the run ends.
//!
//! A state machine driven by edge-triggered events. Nothing here waits, and nothing allocates once heads arrive whole.

use std::os::fd::OwnedFd;

use rustix::event::epoll;
use rustix::io::Errno;
use rustix::net::{self, AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, sockopt};

use super::response::{Answer, ResponseReader};
use super::tally::Fault;
use super::worker::Shared;

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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Not connected; tries again at this time.
    Paused { until: u64 },
    /// The kernel is connecting since this time.
    Connecting { since: u64 },
    /// Connected, waiting for the clock to start.
    Ready,
    /// Requests sent or being sent, answers awaited.
    Exchanging,
}

/// A place for one connection. Whatever becomes of its socket, the place goes on to the end of the run.
#[derive(Debug)]
pub(super) struct Connection {
    index: u64,
    socket: Option<OwnedFd>,
    phase: Phase,
    reader: ResponseReader,
    /// When the send of the current batch began. A repeated request keeps its first start: its user has waited since.
    sent_at: u64,
    /// Requests in the current send.
    asked: usize,
    /// Those of them without a complete answer.
    unanswered: usize,
    /// Bytes of the current send that the kernel took.
    written: usize,
    /// Whether this socket has given a complete answer.
    reused: bool,
    /// Whether the current requests are being repeated.
    repeating: bool,
    /// Requests to be sent once connected were already sent on a socket that closed.
    carried: bool,
    failures: u32,
    /// Requests finished in this place, over all its sockets.
    pub(super) finished: u64,
    /// Whether this place was ever connected.
    pub(super) opened: bool,
}

impl Connection {
    pub(super) fn new(index: usize) -> Self {
        Self {
            index: index as u64,
            socket: None,
            phase: Phase::Paused { until: 0 },
            reader: ResponseReader::new(),
            sent_at: 0,
            asked: 0,
            unanswered: 0,
            written: 0,
            reused: false,
            repeating: false,
            carried: false,
            failures: 0,
            finished: 0,
            opened: false,
        }
    }

    /// Whether the first attempt to connect is over, for better or worse.
    pub(super) fn is_settled(&self) -> bool {
        self.opened || self.failures > 0
    }

    pub(super) fn is_paused(&self) -> bool {
        matches!(self.phase, Phase::Paused { .. })
    }

    /// Requests sent and not answered.
    pub(super) fn waiting(&self) -> u64 {
        if self.phase == Phase::Exchanging || self.carried {
            self.unanswered as u64
        } else {
            0
        }
    }

    /// Opens a socket and begins to connect it.
    pub(super) fn open(&mut self, shared: &mut Shared<'_>) {
        self.socket = None;
        self.reader.reset();
        self.reused = false;
        self.phase = Phase::Connecting { since: shared.now };
        match connect(shared, self.index) {
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
            Phase::Ready if closed => self.open(shared),
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

    /// The clock started: a connection that waited for it sends its first requests.
    pub(super) fn start(&mut self, shared: &mut Shared<'_>) {
        if self.phase == Phase::Ready {
            shared.read_clock();
            self.send_batch(shared);
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
                let waited = shared.now - self.sent_at;
                shared.tally.latency.record_n(waited, self.unanswered as u64);
                shared.tally.errors.timeout += self.unanswered as u64;
                self.give_up(shared);
                self.open(shared);
            }
            _ => {}
        }
    }

    /// Learns how the connect ended; `true` when it succeeded.
    fn finish_connect(&mut self, shared: &mut Shared<'_>) -> bool {
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
        if !shared.sending {
            self.phase = Phase::Ready;
        } else if self.carried {
            self.carried = false;
            self.begin_send(shared, self.unanswered);
        } else {
            shared.read_clock();
            self.send_batch(shared);
        }
        true
    }

    fn connect_failed(&mut self, shared: &mut Shared<'_>, error: Errno) {
        if error == Errno::ADDRNOTAVAIL {
            shared.tally.out_of_ports += 1;
        }
        shared.tally.fault(Fault::Connect(error));
        if self.carried {
            self.carried = false;
            shared.tally.failed += self.unanswered as u64;
        }
        self.repeating = false;
        self.pause(shared);
    }

    /// Leaves the place empty for a moment before it is tried again.
    fn pause(&mut self, shared: &Shared<'_>) {
        self.socket = None;
        let pause = FIRST_PAUSE_NS
            .checked_shl(self.failures)
            .unwrap_or(LONGEST_PAUSE_NS)
            .min(LONGEST_PAUSE_NS);
        // The bound only keeps the shift small; the pause stopped growing long before.
        self.failures = (self.failures + 1).min(LONGEST_PAUSE_NS.ilog2());
        self.phase = Phase::Paused {
            until: shared.now + pause,
        };
    }

    /// Sends the next requests; their time begins now, at the clock reading that ended the ones before.
    #[inline]
    fn send_batch(&mut self, shared: &mut Shared<'_>) {
        self.sent_at = shared.now;
        self.unanswered = shared.plan.pipeline;
        self.repeating = false;
        self.begin_send(shared, shared.plan.pipeline);
    }

    #[inline]
    fn begin_send(&mut self, shared: &mut Shared<'_>, count: usize) {
        self.asked = count;
        self.written = 0;
        self.phase = Phase::Exchanging;
        self.flush(shared);
    }

    /// Hands the kernel what it has not yet taken.
    #[inline]
    fn flush(&mut self, shared: &mut Shared<'_>) {
        let total = self.asked * shared.request_len;
        while self.written < total {
            let Some(socket) = &self.socket else { return };
            match net::send(socket, &shared.batch[self.written..total], SendFlags::NOSIGNAL) {
                Ok(sent) => self.written += sent,
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return,
                Err(error) => return self.lost(shared, Fault::Write(error)),
            }
        }
    }

    /// Reads until the socket is drained: a short read says so, unless a close waits behind it, whose edge is spent.
    #[inline]
    fn receive(&mut self, shared: &mut Shared<'_>, peer_closed: bool) {
        while let Some(socket) = &self.socket {
            match net::recv(socket, &mut *shared.buffer, RecvFlags::empty()) {
                Ok((0, _)) => return self.end_of_stream(shared),
                Ok((count, _)) => {
                    shared.tally.bytes += count as u64;
                    let drained = count < shared.buffer.len() && !peer_closed;
                    if !self.consume(shared, count, peer_closed) || drained {
                        return;
                    }
                }
                Err(Errno::AGAIN) => return,
                Err(Errno::INTR) => {}
                Err(error) => return self.lost(shared, Fault::Read(error)),
            }
        }
    }

    /// Takes the answers out of `count` bytes just read; `false` when the socket was given up.
    #[inline]
    fn consume(&mut self, shared: &mut Shared<'_>, count: usize, peer_closed: bool) -> bool {
        let mut at = 0;
        let mut read_clock = true;
        let mut keep = true;
        while at < count && keep {
            let fed = if self.unanswered == 0 {
                Err(super::response::ResponseError::Unasked)
            } else {
                self.reader.feed(&mut shared.parser, &shared.buffer[at..count])
            };
            match fed {
                Ok((used, answer)) => {
                    at += used;
                    if let Some(answer) = answer {
                        if std::mem::take(&mut read_clock) {
                            shared.read_clock();
                        }
                        self.complete(shared, answer);
                        keep = answer.keep_alive && shared.plan.request.keep_alive;
                    }
                }
                Err(error) => {
                    self.lost(shared, Fault::Answer(error));
                    return false;
                }
            }
        }
        if !keep {
            self.closed_as_announced(shared);
        } else if self.unanswered == 0 {
            // An answer to a request that was not sent whole leaves the stream in an unknown place.
            if peer_closed || self.written < self.asked * shared.request_len {
                self.closed_as_announced(shared);
            } else {
                self.send_batch(shared);
                return self.phase == Phase::Exchanging;
            }
        }
        keep && self.phase == Phase::Exchanging
    }

    #[inline]
    fn complete(&mut self, shared: &mut Shared<'_>, answer: Answer) {
        shared.tally.latency.record(shared.now - self.sent_at);
        shared.tally.requests += 1;
        shared.tally.errors.status += u64::from(answer.status > 399);
        self.unanswered -= 1;
        self.finished += 1;
        self.reused = true;
        self.repeating = false;
    }

    /// The server closed its side.
    fn end_of_stream(&mut self, shared: &mut Shared<'_>) {
        if let Some(answer) = self.reader.end_of_stream() {
            shared.read_clock();
            self.complete(shared, answer);
            self.closed_as_announced(shared);
        } else {
            self.lost(shared, Fault::Closed);
        }
    }

    /// A normal close: the next requests, or those the server left unanswered, go out on a new connection.
    fn closed_as_announced(&mut self, shared: &mut Shared<'_>) {
        shared.tally.reconnects += u64::from(shared.plan.request.keep_alive);
        if self.unanswered > 0 {
            if shared.plan.retry {
                self.carried = true;
            } else {
                shared.tally.fault(Fault::Closed);
                self.give_up(shared);
            }
        }
        self.open(shared);
    }

    /// The connection broke. A server may close a reused connection at any time, also just as we send: as long as no
    /// byte of the answer has come, that is no error, and the requests are repeated once on a new connection.
    fn lost(&mut self, shared: &mut Shared<'_>, fault: Fault) {
        let untouched = !self.reader.has_begun() && !matches!(fault, Fault::Answer(_));
        if untouched && self.reused && !self.repeating && shared.plan.retry {
            shared.tally.reconnects += 1;
            self.repeating = true;
            self.carried = true;
            return self.open(shared);
        }
        shared.tally.fault(fault);
        self.give_up(shared);
        if self.reused {
            self.open(shared);
        } else {
            // A server that closes every connection unanswered must not make us spin.
            self.pause(shared);
        }
    }

    /// Counts the requests of which at least one byte was sent, and which now get no answer, as failed.
    fn give_up(&mut self, shared: &mut Shared<'_>) {
        let answered = self.asked - self.unanswered;
        shared.tally.failed += self.written.div_ceil(shared.request_len).saturating_sub(answered) as u64;
        self.unanswered = 0;
        self.repeating = false;
        self.carried = false;
    }
}

/// A non-blocking socket on its way to the target, registered once for all events.
fn connect(shared: &Shared<'_>, index: u64) -> Result<OwnedFd, Errno> {
    let family = if shared.plan.address.is_ipv4() {
        AddressFamily::INET
    } else {
        AddressFamily::INET6
    };
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let socket = net::socket_with(family, SocketType::STREAM, flags, None)?;
    sockopt::set_tcp_nodelay(&socket, true)?;
    match net::connect(&socket, &shared.plan.address) {
        Ok(()) | Err(Errno::INPROGRESS) => {}
        Err(error) => return Err(error),
    }
    // Registered after connect began: a socket that was never connected reports a hang-up at once.
    epoll::add(
        shared.epoll,
        &socket,
        epoll::EventData::new_u64(index),
        interest(),
    )?;
    Ok(socket)
}
