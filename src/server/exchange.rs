//! From bytes to answers: reads a connection, answers every whole request in what came, sends once.

mod answering;
mod awaiting;
mod filing;
mod reading;
mod sending;

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use rustix::event::epoll::EventFlags;
use rustix::net::RecvFlags;

use crate::http::{HttpError, header_slots, is_blank, parse_head, with_minor_1};

use super::access::Recorder;
use super::conn::{Conn, Ending, Phase};
use super::files::FileCache;
use super::mailbox::Mailbox;
use super::reply::Renderer;
use super::routes::Routes;
use super::stats::Counters;
use super::tasks::{Tasks, Ticket};
use super::time::Time;

/// Bytes of an unwanted body that are skipped to keep the connection; a new one is cheaper than more.
const SKIP_MAX_BYTES: u64 = 64 * 1024;

/// Reads from one connection before the others have their turn.
const READS_PER_TURN: usize = 4;

/// What a worker does with a connection after a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    /// It waits for an event.
    Waits,
    /// Nothing now: its answers leave with the batch's, or it is between requests as before.
    Rests,
    /// It has more to read: again after the others.
    Again,
    /// It has ended.
    Ends,
}

/// What came of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Event {
    /// So many bytes are in the buffer, to be answered with the rest of the batch.
    Arrived(usize),
    /// Everything was done.
    Served(Turn),
}

/// Everything that turns bytes into answers, except the connections themselves.
pub(super) struct Exchange {
    pub(super) routes: Arc<Routes>,
    pub(super) renderer: Renderer,
    pub(super) tasks: Tasks,
    /// This worker's files, if there are any.
    files: Option<Rc<RefCell<FileCache>>>,
    pub(super) recorder: Recorder,
    pub(super) counters: Counters,
    /// Whose answers wait in the renderer, in order, and where each one's end there.
    leaving: Vec<(Ticket, usize)>,
    /// Where the answers of the connection that is being served begin in the renderer.
    begin: usize,
    /// Present tick.
    pub(super) tick: u64,
    /// How many requests may have been answered when the rest of the turn is refused if it has lasted long enough; see
    /// [`crate::tune::TurnQuota`].
    pub(super) quota_ends: u64,
    /// When that is, as [`Time`] has it.
    pub(super) turn_ends: u64,
    /// When the server started.
    epoch: Instant,
    /// The server is stopping: every answer is its connection's last.
    pub(super) stopping: bool,
}

impl Exchange {
    /// For one of so many workers.
    pub(super) fn new(
        routes: Arc<Routes>,
        time: &mut Time,
        mailbox: Arc<Mailbox>,
        recorder: Recorder,
        workers: usize,
    ) -> Self {
        let files = routes.files.as_ref().map(|files| FileCache::new(files.cache_bytes / workers.max(1)));
        let mut renderer = Renderer::new(time.date());
        renderer.recording = recorder.is_on();
        Self {
            routes,
            files: files.map(|cache| Rc::new(RefCell::new(cache))),
            renderer,
            tasks: Tasks::new(mailbox),
            recorder,
            counters: Counters::default(),
            leaving: Vec::new(),
            begin: 0,
            tick: time.tick(),
            quota_ends: u64::MAX,
            turn_ends: u64::MAX,
            epoch: time.epoch(),
            stopping: false,
        }
    }

    /// Takes the events of one connection. Nearly all of them mean that a connection between two requests has the next:
    /// that is only read, and answered with the rest of the batch by [`Exchange::on_arrived`].
    #[inline]
    pub(super) fn on_event(&mut self, conn: &mut Conn, flags: EventFlags, buffer: &mut [u8]) -> Event {
        const UNUSUAL: EventFlags = EventFlags::ERR.union(EventFlags::HUP).union(EventFlags::RDHUP);
        if !conn.is_quiet() || flags.intersects(UNUSUAL) || !flags.contains(EventFlags::IN) {
            return Event::Served(self.on_other_event(conn, flags, buffer));
        }
        match rustix::net::recv(&conn.socket, &mut *buffer, RecvFlags::empty()) {
            Ok((count, _)) if count > 0 && count < buffer.len() => Event::Arrived(count),
            other => {
                self.begin = self.renderer.out.len();
                self.received(conn, other.map(|(count, _)| count), buffer);
                Event::Served(self.go_on(conn, buffer))
            }
        }
    }

    /// Answers what arrived on a connection that was between two requests.
    #[inline]
    pub(super) fn on_arrived(&mut self, conn: &mut Conn, bytes: &[u8]) -> Turn {
        self.begin = self.renderer.out.len();
        self.counters.received_bytes += bytes.len() as u64;
        self.answer_fresh(conn, bytes);
        self.leave(conn)
    }

    fn on_other_event(&mut self, conn: &mut Conn, flags: EventFlags, buffer: &mut [u8]) -> Turn {
        if flags.intersects(EventFlags::ERR | EventFlags::HUP) {
            let reset = flags.contains(EventFlags::ERR);
            self.counters.reset += u64::from(reset);
            // Both sides have said their last. What the client said before may lie unread, and closing on it would
            // be a reset that overtakes the last answer.
            if reset || !matches!(conn.phase, Phase::Linger(_)) {
                return Turn::Ends;
            }
        }
        conn.half_closed |= flags.contains(EventFlags::RDHUP);
        conn.readable |= flags.intersects(EventFlags::IN | EventFlags::RDHUP);
        if conn.unsent.is_some() {
            self.send_rest(conn);
        }
        self.pump(conn, buffer)
    }

    /// Serves a connection for as long as it has something to read and may be answered.
    pub(super) fn pump(&mut self, conn: &mut Conn, buffer: &mut [u8]) -> Turn {
        self.begin = self.renderer.out.len();
        self.go_on(conn, buffer)
    }

    fn go_on(&mut self, conn: &mut Conn, buffer: &mut [u8]) -> Turn {
        if conn.unsent.as_ref().is_some_and(|unsent| unsent.goes_on) {
            self.send_rest(conn);
        }
        if let Phase::Pieces(terms) = conn.phase {
            self.move_pieces(conn, terms);
        }
        for _ in 0..READS_PER_TURN {
            if !conn.has_input() {
                break;
            }
            if std::mem::take(&mut conn.paused) {
                self.answer_stored(conn);
            } else {
                self.read(conn, buffer);
            }
        }
        self.leave(conn)
    }

    /// Ends a turn: its answers leave with the batch's. All requests of a batch are read, then all are answered, then all
    /// answers are sent: a client on the same machine is not woken in between, and each third stays in the instruction
    /// cache.
    #[inline]
    fn leave(&mut self, conn: &mut Conn) -> Turn {
        let end = self.renderer.out.len();
        if end > self.begin {
            self.leaving.push((conn.ticket, end));
            return Turn::Rests;
        }
        self.after_sending(conn)
    }

    /// Where the answers of the batch belong, for [`Exchange::send`]; forgotten here.
    #[inline]
    pub(super) fn take_leaving(&mut self) -> Vec<(Ticket, usize)> {
        std::mem::take(&mut self.leaving)
    }

    /// What was counted so far.
    #[inline]
    pub(super) fn totals(&mut self) -> &Counters {
        self.counters.client_errors = self.renderer.client_errors;
        self.counters.server_errors = self.renderer.server_errors;
        &self.counters
    }

    /// Ends a batch: nothing is left to send. Gives the list back, so that the next batch need not allocate.
    #[inline]
    pub(super) fn batch_sent(&mut self, mut leaving: Vec<(Ticket, usize)>) {
        leaving.clear();
        self.leaving = leaving;
        self.renderer.out.clear();
    }

    /// Answers every whole request in `bytes`; returns how many bytes that used up.
    #[inline]
    fn answer(&mut self, conn: &mut Conn, bytes: &[u8]) -> usize {
        let mut at = 0;
        loop {
            if matches!(conn.phase, Phase::Body(..)) {
                at += skip(conn, &bytes[at..]);
            } else if conn.flow.is_some() {
                at += self.feed(conn, &bytes[at..]);
            } else {
                let mut slots = header_slots();
                match parse_head(&bytes[at..], &mut slots) {
                    Ok(Some((head, length))) => {
                        at += length;
                        self.handle(conn, &head);
                        self.send_if_large(conn);
                    }
                    Ok(None) if is_blank(&bytes[at..]) && (bytes.len() - at).is_multiple_of(2) => {
                        // Empty lines behind a body: no request has begun, and no deadline with it.
                        return bytes.len();
                    }
                    Ok(None) => {
                        if conn.phase != Phase::Head {
                            (conn.phase, conn.since) = (Phase::Head, self.tick);
                        }
                        return at;
                    }
                    Err(HttpError::NewerMinor) => {
                        let used = self.answer_as_minor_1(conn, &bytes[at..]);
                        at += used;
                        if used == 0 {
                            return at;
                        }
                    }
                    Err(error) => self.refuse(conn, error),
                }
            }
            // Checked here and not before: the callers have bytes, and a connection that takes them.
            if at == bytes.len() || !conn.takes_bytes() {
                return at;
            }
        }
    }
}

impl Exchange {
    /// Answers one request of a later minor version as if it were HTTP/1.1 (RFC 9110 §2.5).
    #[cold]
    fn answer_as_minor_1(&mut self, conn: &mut Conn, bytes: &[u8]) -> usize {
        match with_minor_1(bytes) {
            Some(copy) => self.answer(conn, &copy),
            None => {
                self.refuse(conn, HttpError::NewerMinor);
                bytes.len()
            }
        }
    }
}

/// Skips what `bytes` hold of an unwanted body; returns how many bytes that were.
fn skip(conn: &mut Conn, bytes: &[u8]) -> usize {
    let Phase::Body(reader, budget) = &mut conn.phase else {
        return 0;
    };
    match reader.read(bytes) {
        Ok(progress) => {
            if progress.done {
                conn.phase = Phase::Between;
            } else if progress.consumed as u64 > *budget {
                conn.ending = Ending::Linger;
            } else {
                *budget -= progress.consumed as u64;
            }
            progress.consumed
        }
        Err(_) => {
            conn.ending = Ending::Linger;
            0
        }
    }
}
