//! From bytes to answers: reads a connection, answers every whole request in what came, sends once.

mod answering;
mod sending;

use std::sync::Arc;

use rustix::event::epoll::EventFlags;
use rustix::io::Errno;
use rustix::net::RecvFlags;

use crate::http::MAX_HEAD_BYTES;
use crate::http::{header_slots, parse_head};

use super::conn::{Conn, Ending, Phase};
use super::mailbox::Mailbox;
use super::reply::{Renderer, Response};
use super::routes::Routes;
use super::stats::Counters;
use super::tasks::{Tasks, Ticket};
use super::time::Time;

/// Bytes of an unwanted body that are skipped to keep the connection; a new one is cheaper than more.
const SKIP_MAX_BYTES: u64 = 64 * 1024;

/// Reads from one connection before the others have their turn.
const READS_PER_TURN: usize = 4;

/// Room for a head that did not come in one piece, added at each read.
const INPUT_STEP_BYTES: usize = 4 * 1024;

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

/// Everything that turns bytes into answers, except the connections themselves.
pub(super) struct Exchange {
    pub(super) routes: Arc<Routes>,
    pub(super) renderer: Renderer,
    pub(super) tasks: Tasks,
    pub(super) counters: Counters,
    /// Whose answers wait in the renderer, in order, and where each one's end there.
    leaving: Vec<(Ticket, usize)>,
    /// Where the answers of the connection that is being served begin in the renderer.
    begin: usize,
    /// Present tick.
    pub(super) tick: u64,
    /// The server is stopping: every answer is its connection's last.
    pub(super) stopping: bool,
}

impl Exchange {
    pub(super) fn new(routes: Arc<Routes>, time: &mut Time, mailbox: Arc<Mailbox>) -> Self {
        Self {
            routes,
            renderer: Renderer::new(time.date()),
            tasks: Tasks::new(mailbox),
            counters: Counters::default(),
            leaving: Vec::new(),
            begin: 0,
            tick: time.tick(),
            stopping: false,
        }
    }

    /// Takes the events of one connection.
    #[inline]
    pub(super) fn on_event(&mut self, conn: &mut Conn, flags: EventFlags, buffer: &mut [u8]) -> Turn {
        const UNUSUAL: EventFlags = EventFlags::ERR.union(EventFlags::HUP).union(EventFlags::RDHUP);
        if conn.is_quiet() && !flags.intersects(UNUSUAL) && flags.contains(EventFlags::IN) {
            return self.serve_quiet(conn, buffer);
        }
        self.on_other_event(conn, flags, buffer)
    }

    /// Nearly every event: a connection between two requests has the next. One read and its answers, without all that
    /// could also be.
    #[inline]
    fn serve_quiet(&mut self, conn: &mut Conn, buffer: &mut [u8]) -> Turn {
        self.begin = self.renderer.out.len();
        match rustix::net::recv(&conn.socket, &mut *buffer, RecvFlags::empty()) {
            Ok((count, _)) if count > 0 && count < buffer.len() => {
                self.counters.received_bytes += count as u64;
                self.answer_fresh(conn, &buffer[..count]);
                self.leave(conn)
            }
            other => {
                let room = buffer.len();
                self.received(conn, other.map(|(count, _)| count), room, Some(buffer));
                self.go_on(conn, buffer)
            }
        }
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

    /// Takes the answer of a task.
    pub(super) fn on_done(&mut self, conn: &mut Conn, response: Response, buffer: &mut [u8]) -> Turn {
        self.begin = self.renderer.out.len();
        if let Phase::Handler(terms, rest) = conn.phase {
            self.renderer.reply(terms).response(response);
            self.answered(conn, terms, rest);
            self.send_if_large(conn);
        }
        self.go_on(conn, buffer)
    }

    /// Serves a connection for as long as it has something to read and may be answered.
    pub(super) fn pump(&mut self, conn: &mut Conn, buffer: &mut [u8]) -> Turn {
        self.begin = self.renderer.out.len();
        self.go_on(conn, buffer)
    }

    fn go_on(&mut self, conn: &mut Conn, buffer: &mut [u8]) -> Turn {
        for _ in 0..READS_PER_TURN {
            if !conn.has_work() {
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

    /// Ends a turn: its answers leave with the batch's. All requests of a batch are read before the first answer is
    /// sent: a client on the same machine is not woken in between, and each half stays in the instruction cache.
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

    /// Ends a batch: nothing is left to send. Gives the list back, so that the next batch need not allocate.
    #[inline]
    pub(super) fn batch_sent(&mut self, mut leaving: Vec<(Ticket, usize)>) {
        leaving.clear();
        self.leaving = leaving;
        self.renderer.out.clear();
    }

    /// One read, and the answers to what it brought.
    fn read(&mut self, conn: &mut Conn, buffer: &mut [u8]) {
        if conn.input.is_empty() || matches!(conn.phase, Phase::Linger(_)) {
            let received = rustix::net::recv(&conn.socket, &mut *buffer, RecvFlags::empty());
            let room = buffer.len();
            return self.received(conn, received.map(|(count, _)| count), room, Some(buffer));
        }
        conn.input.reserve(INPUT_STEP_BYTES);
        let room = conn.input.capacity() - conn.input.len();
        let spare = rustix::buffer::spare_capacity(&mut conn.input);
        let received = rustix::net::recv(&conn.socket, spare, RecvFlags::empty());
        self.received(conn, received.map(|(count, _)| count), room, None);
    }

    /// What came of a read into `room` bytes of the worker's `buffer`, or else of the connection's own input.
    fn received(
        &mut self,
        conn: &mut Conn,
        received: Result<usize, Errno>,
        room: usize,
        buffer: Option<&mut [u8]>,
    ) {
        match received {
            // The last answers are still to leave.
            Ok(0) => conn.ending = Ending::Close,
            Ok(count) => {
                self.counters.received_bytes += count as u64;
                // A short read emptied the socket; what comes later brings its own edge.
                conn.readable = count == room || conn.half_closed;
                match (&mut conn.phase, buffer) {
                    (Phase::Linger(left), _) if *left <= count => conn.ending = Ending::Broken,
                    (Phase::Linger(left), _) => *left -= count,
                    (_, Some(buffer)) => self.answer_fresh(conn, &buffer[..count]),
                    (Phase::Head, None) if !may_complete(&conn.input, count) => {}
                    (_, None) => self.answer_stored(conn),
                }
            }
            Err(Errno::AGAIN) => conn.readable = false,
            Err(Errno::INTR) => conn.readable = true,
            Err(_) => {
                self.counters.reset += 1;
                conn.ending = Ending::Broken;
            }
        }
    }

    /// Answers what just came, and keeps what is left of it.
    #[inline]
    fn answer_fresh(&mut self, conn: &mut Conn, bytes: &[u8]) {
        let used = self.answer(conn, bytes);
        if used < bytes.len() {
            self.keep_rest(conn, &bytes[used..]);
        }
    }

    /// Answers what was kept.
    fn answer_stored(&mut self, conn: &mut Conn) {
        let bytes = std::mem::take(&mut conn.input);
        let used = self.answer(conn, &bytes);
        if used == 0 {
            conn.input = bytes;
        } else if used < bytes.len() {
            self.keep_rest(conn, &bytes[used..]);
        }
    }

    #[cold]
    fn keep_rest(&mut self, conn: &mut Conn, rest: &[u8]) {
        match conn.ending {
            Ending::Keep => {
                conn.input.extend_from_slice(rest);
                conn.paused = conn.phase != Phase::Head;
            }
            // Bytes after the last request: closing at once would answer them with a reset.
            Ending::Close => conn.ending = Ending::Linger,
            Ending::Linger | Ending::Broken => {}
        }
    }

    /// Answers every whole request in `bytes`; returns how many bytes that used up.
    #[inline]
    fn answer(&mut self, conn: &mut Conn, bytes: &[u8]) -> usize {
        let mut at = 0;
        loop {
            if matches!(conn.phase, Phase::Body(..)) {
                at += skip(conn, &bytes[at..]);
            } else {
                let mut slots = header_slots();
                match parse_head(&bytes[at..], &mut slots) {
                    Ok(Some((head, length))) => {
                        at += length;
                        self.handle(conn, &head);
                        self.send_if_large(conn);
                    }
                    Ok(None) => {
                        if conn.phase != Phase::Head {
                            (conn.phase, conn.since) = (Phase::Head, self.tick);
                        }
                        return at;
                    }
                    Err(error) => self.refuse(conn, error),
                }
            }
            // Checked here and not before: the callers have bytes, and a connection that takes them.
            if at == bytes.len() || !conn.takes_requests() {
                return at;
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

/// Whether the last `fresh` bytes of an unfinished head may have finished it, or made it too long: parsing it
/// anew at each byte of a slow client would cost the square of its length.
fn may_complete(input: &[u8], fresh: usize) -> bool {
    /// The empty line may have begun in the bytes before: `\n\r` then `\n`.
    const BEFORE: usize = 2;
    let from = (input.len() - fresh).saturating_sub(BEFORE);
    let ends = |at: usize| input[at] == b'\n' && matches!(input[at + 1..], [b'\n', ..] | [b'\r', b'\n', ..]);
    input.len() >= MAX_HEAD_BYTES || (from..input.len()).any(ends)
}
