//! One connection: what it waits for, what it still has to read and to send.

use std::net::SocketAddr;
use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::net::sockopt::set_socket_linger;
use smol::Task;

use crate::http::BodyReader;

use super::config::Deadlines;
use super::flow::Flow;
use super::mailbox::Moved;
use super::reply::Terms;
use super::tail::{Sending, Tail, send_pieces};
use super::tasks::Ticket;
use super::wheel::TICK_MS;

/// Unread bytes that are thrown away after the last answer, so that the reset which they would cause does not
/// destroy it on its way (RFC 9112 §9.6). Many clients look for an answer only after their whole upload: so much as a fast
/// link brings in the time that they are given, after which it ends anyway.
pub(super) const LINGER_BYTES: usize = 64 * 1024 * 1024;

/// How long that may take.
const LINGER_TIME: Duration = Duration::from_secs(1);

/// What a connection is in the middle of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// Nothing: between two requests, holding no buffer.
    Between,
    /// A request head has begun.
    Head,
    /// A body that nobody wants is being skipped; so many more bytes of it are put up with.
    Body(BodyReader, u64),
    /// A task works on the answer.
    Handler(Terms),
    /// A task makes the answer piece by piece; its head has left.
    Pieces(Terms),
    /// All is said; so many more bytes are thrown away before the end.
    Linger(usize),
}

/// What follows a request head besides the next request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rest {
    /// Nothing.
    Nothing,
    /// A body that is skipped to get at the next request.
    Skip(BodyReader),
    /// A body that is not worth reading: the connection ends after the answer.
    Unread,
}

/// What happens once everything is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// The next request.
    Keep,
    /// Close: the client knows, and has nothing more to say.
    Close,
    /// Stop sending, read on for a while, then close.
    Linger,
    /// Close now, whatever is unsent.
    Broken,
}

/// Answers that the socket would not take yet.
pub(super) struct Unsent {
    pub(super) bytes: Vec<u8>,
    pub(super) at: usize,
    pub(super) tail: Option<Tail>,
    /// The next bytes are being read from the disk.
    pub(super) fetching: Option<Task<()>>,
    /// There is room in the socket, but others have their turn first.
    pub(super) goes_on: bool,
}

/// One connection of a worker.
pub(super) struct Conn {
    pub(super) socket: OwnedFd,
    pub(super) peer: SocketAddr,
    pub(super) ticket: Ticket,
    /// Tick at which the present wait began.
    pub(super) since: u64,
    pub(super) phase: Phase,
    pub(super) ending: Ending,
    /// The socket may hold bytes that were not read: an edge came and was not answered yet.
    pub(super) readable: bool,
    /// The client sent its last byte: a short read does not mean that the socket is empty.
    pub(super) half_closed: bool,
    /// `input` may hold whole requests: answering stopped before its end.
    pub(super) paused: bool,
    /// Bytes read and not understood yet; without a buffer when there are none.
    pub(super) input: Vec<u8>,
    pub(super) unsent: Option<Box<Unsent>>,
    /// What is shared with the task that works on the answer.
    pub(super) flow: Option<Box<Flow>>,
    /// Its task has something for it that was not looked at yet.
    pub(super) touched: bool,
    /// It is in the list of those that have another turn.
    pub(super) queued: bool,
}

impl Conn {
    pub(super) fn new(moved: Moved, ticket: Ticket) -> Self {
        let Moved { socket, peer, input, since } = moved;
        let phase = if input.is_empty() { Phase::Between } else { Phase::Head };
        Self {
            socket,
            peer,
            ticket,
            since,
            phase,
            ending: Ending::Keep,
            readable: false,
            half_closed: false,
            paused: !input.is_empty(),
            input,
            unsent: None,
            flow: None,
            touched: false,
            queued: false,
        }
    }

    /// Whether the connection is between two requests and nothing else is going on with it.
    #[inline]
    pub(super) fn is_quiet(&self) -> bool {
        matches!(self.phase, Phase::Between)
            && matches!(self.ending, Ending::Keep)
            && !(self.readable | self.half_closed | self.paused)
            && self.unsent.is_none()
    }

    /// Whether another request may be taken from this connection now.
    #[inline]
    pub(super) fn takes_requests(&self) -> bool {
        self.ending == Ending::Keep
            && self.unsent.is_none()
            && !matches!(self.phase, Phase::Handler(_) | Phase::Pieces(_) | Phase::Linger(_))
    }

    /// Whether the task that works on the answer has room for more of the request's body.
    #[inline]
    pub(super) fn takes_body(&self) -> bool {
        self.flow.as_ref().is_some_and(|flow| flow.takes_body()) && self.ending == Ending::Keep
    }

    /// Whether bytes of the client are wanted now.
    #[inline]
    pub(super) fn takes_bytes(&self) -> bool {
        self.takes_requests() || self.takes_body()
    }

    /// Whether there is something to do without a new event.
    #[inline]
    pub(super) fn has_work(&self) -> bool {
        self.has_input() || self.unsent.as_ref().is_some_and(|unsent| unsent.goes_on)
    }

    /// Whether there is something to read or to answer without a new event.
    #[inline]
    pub(super) fn has_input(&self) -> bool {
        (self.readable || self.paused) && self.takes_bytes()
            || self.readable && matches!(self.phase, Phase::Linger(_)) && self.ending == Ending::Keep
    }

    /// Whether the connection could go on under another worker: nothing is half-said in either direction that
    /// only this worker knows.
    pub(super) const fn is_movable(&self) -> bool {
        matches!(self.phase, Phase::Between | Phase::Head)
            && matches!(self.ending, Ending::Keep)
            && self.unsent.is_none()
    }

    /// What another worker needs to go on with it.
    pub(super) fn into_moved(self) -> Moved {
        Moved { socket: self.socket, peer: self.peer, input: self.input, since: self.since }
    }

    /// To be called before the connection is ended at once: has the client see a reset if an answer did not leave whole.
    /// Without a length, any other end looks like its end; and the kernel would keep what a client does not read for minutes.
    pub(super) fn reset_if_cut_off(&self) {
        if self.unsent.is_some() || matches!(self.phase, Phase::Pieces(_)) {
            let _ = set_socket_linger(&self.socket, Some(Duration::ZERO));
        }
    }

    /// Whether a task waits for more of the request's body.
    pub(super) fn waits_for_body(&self) -> bool {
        self.flow.as_ref().is_some_and(|flow| flow.waits_for_client())
    }

    /// The tick at which the present wait has lasted too long; `None` when it may last.
    pub(super) fn due(&self, deadlines: &Deadlines) -> Option<u64> {
        let limit = match self.phase {
            // A slow disk is not the client's fault.
            _ if self.unsent.as_ref().is_some_and(|unsent| unsent.fetching.is_some()) => None,
            _ if self.unsent.is_some() => deadlines.write,
            Phase::Between => deadlines.idle,
            Phase::Head | Phase::Body(..) => deadlines.head,
            Phase::Handler(_) | Phase::Pieces(_) if self.waits_for_body() => deadlines.head,
            Phase::Handler(_) | Phase::Pieces(_) => None,
            Phase::Linger(_) => Some(LINGER_TIME),
        };
        limit.map(|limit| self.since + ticks(limit))
    }
}

/// A duration in ticks, rounded up so that no deadline comes early, plus the tick that has already begun.
pub(super) fn ticks(limit: Duration) -> u64 {
    u64::try_from(limit.as_millis()).unwrap_or(u64::MAX / 2).div_ceil(TICK_MS) + 1
}

impl Unsent {
    /// Goes on sending.
    pub(super) fn push(&mut self, socket: &OwnedFd, sent_bytes: &mut u64) -> Sending {
        send_pieces(socket, &self.bytes, &mut self.at, &mut self.tail, sent_bytes)
    }
}
