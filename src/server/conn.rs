//! One connection: what it waits for, what it still has to read and to send.

use std::io::IoSlice;
use std::net::SocketAddr;
use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::io::Errno;
use rustix::net::{SendAncillaryBuffer, SendFlags};

use crate::http::BodyReader;

use super::body::{MAX_PIECES, Tail};
use super::config::Deadlines;
use super::mailbox::Moved;
use super::reply::Terms;
use super::tasks::Ticket;
use super::wheel::TICK_MS;

/// Unread bytes that are thrown away after the last answer, so that the reset which they would cause does not
/// destroy it on its way (RFC 9112 §9.6). Twice what servers usually let a client send, so that a client which
/// looks for answers only after its whole upload reads this one.
pub(super) const LINGER_BYTES: usize = 2 * 1024 * 1024;

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
    Handler(Terms, Rest),
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
#[derive(Debug)]
pub(super) struct Unsent {
    pub(super) bytes: Vec<u8>,
    pub(super) at: usize,
    pub(super) tail: Option<Tail>,
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
            && !matches!(self.phase, Phase::Handler(..) | Phase::Linger(_))
    }

    /// Whether there is something to do without a new event.
    #[inline]
    pub(super) fn has_work(&self) -> bool {
        (self.readable || self.paused) && self.takes_requests()
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

    /// The tick at which the present wait has lasted too long; `None` when it may last.
    pub(super) fn due(&self, deadlines: &Deadlines) -> Option<u64> {
        let limit = match self.phase {
            _ if self.unsent.is_some() => deadlines.write,
            Phase::Between => deadlines.idle,
            Phase::Head | Phase::Body(..) => deadlines.head,
            Phase::Handler(..) => None,
            Phase::Linger(_) => Some(LINGER_TIME),
        };
        limit.map(|limit| self.since + ticks(limit))
    }
}

/// A duration in ticks, rounded up so that no deadline comes early, plus the tick that has already begun.
pub(super) fn ticks(limit: Duration) -> u64 {
    u64::try_from(limit.as_millis()).unwrap_or(u64::MAX / 2).div_ceil(TICK_MS) + 1
}

/// How far sending got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sending {
    /// Everything left.
    Done,
    /// The socket is full.
    Full,
    /// The client is gone.
    Broken,
}

/// Sends `bytes` from `at` on, then the tail, as far as the socket takes them; moves `at` and the tail on, and adds
/// what was taken to `sent_bytes`.
pub(super) fn send_pieces(
    socket: &OwnedFd,
    bytes: &[u8],
    at: &mut usize,
    tail: &mut Option<Tail>,
    sent_bytes: &mut u64,
) -> Sending {
    while *at < bytes.len() || tail.is_some() {
        let sent = {
            let mut pieces = [IoSlice::new(&[]); 1 + MAX_PIECES];
            pieces[0] = IoSlice::new(&bytes[*at..]);
            let count = 1 + tail.as_ref().map_or(0, |tail| tail.pieces(&mut pieces[1..]));
            let mut none = SendAncillaryBuffer::default();
            rustix::net::sendmsg(socket, &pieces[..count], &mut none, SendFlags::NOSIGNAL)
        };
        match sent {
            Ok(count) => {
                *sent_bytes += count as u64;
                let of_bytes = count.min(bytes.len() - *at);
                *at += of_bytes;
                if tail.as_mut().is_some_and(|tail| tail.advance((count - of_bytes) as u64)) {
                    *tail = None;
                }
            }
            Err(Errno::AGAIN) => return Sending::Full,
            Err(Errno::INTR) => {}
            Err(_) => return Sending::Broken,
        }
    }
    Sending::Done
}

impl Unsent {
    /// Goes on sending.
    pub(super) fn push(&mut self, socket: &OwnedFd, sent_bytes: &mut u64) -> Sending {
        send_pieces(socket, &self.bytes, &mut self.at, &mut self.tail, sent_bytes)
    }
}
