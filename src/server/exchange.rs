//! From bytes to answers: reads a connection, answers every whole request in what came, sends once.

use std::sync::Arc;

use rustix::event::epoll::EventFlags;
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags};

use crate::http::{
    BodyReader, ConnectionHeader, Framing, HttpError, MAX_HEAD_BYTES, Method, RequestHead, Status,
};
use crate::http::{header_slots, parse_head};

use super::conn::{Conn, Ending, LINGER_BYTES, Phase, Rest, Sending, Unsent, send_pieces};
use super::mailbox::Mailbox;
use super::reply::{Renderer, Reply, Response, Sent, Terms};
use super::routes::{Found, Handler, Request, Routes};
use super::stats::Counters;
use super::tasks::{Tasks, Ticket};
use super::time::Time;

/// Bytes of an unwanted body that are skipped to keep the connection; a new one is cheaper than more.
const SKIP_MAX_BYTES: u64 = 64 * 1024;

/// Rendered answers that are sent before the next pipelined request is looked at.
const SEND_AT_BYTES: usize = 64 * 1024;

/// Reads from one connection before the others have their turn.
const READS_PER_TURN: usize = 4;

/// Room for a head that did not come in one piece, added at each read.
const INPUT_STEP_BYTES: usize = 4 * 1024;

/// What a worker does with a connection after a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    /// It waits for an event.
    Waits,
    /// Its answers are rendered and leave with the batch's; what follows is known then.
    Leaves,
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
    #[inline]
    pub(super) fn pump(&mut self, conn: &mut Conn, buffer: &mut [u8]) -> Turn {
        self.begin = self.renderer.out.len();
        self.go_on(conn, buffer)
    }

    #[inline]
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
            return Turn::Leaves;
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
    #[inline]
    fn read(&mut self, conn: &mut Conn, buffer: &mut [u8]) {
        let direct = conn.input.is_empty() || matches!(conn.phase, Phase::Linger(_));
        let received = if direct {
            rustix::net::recv(&conn.socket, &mut *buffer, RecvFlags::empty())
                .map(|(count, _)| (count, buffer.len()))
        } else {
            conn.input.reserve(INPUT_STEP_BYTES);
            let room = conn.input.capacity() - conn.input.len();
            rustix::net::recv(
                &conn.socket,
                rustix::buffer::spare_capacity(&mut conn.input),
                RecvFlags::empty(),
            )
            .map(|(count, _)| (count, room))
        };
        match received {
            // The last answers are still to leave.
            Ok((0, _)) => conn.ending = Ending::Close,
            Ok((count, room)) => {
                self.counters.received_bytes += count as u64;
                // A short read emptied the socket; what comes later brings its own edge.
                conn.readable = count == room || conn.half_closed;
                match &mut conn.phase {
                    Phase::Linger(left) if *left <= count => conn.ending = Ending::Broken,
                    Phase::Linger(left) => *left -= count,
                    _ if direct => self.answer_fresh(conn, &buffer[..count]),
                    Phase::Head if !may_complete(&conn.input, count) => {}
                    _ => self.answer_stored(conn),
                }
            }
            Err(Errno::AGAIN) => conn.readable = false,
            Err(Errno::INTR) => {}
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

    /// Answers one request, or hands it to a task.
    #[inline]
    fn handle(&mut self, conn: &mut Conn, head: &RequestHead<'_, '_>) {
        let rest = match head.framing {
            Framing::Empty => Rest::Nothing,
            framing => rest_after(head, framing),
        };
        let keep_alive = head.keep_alive && !self.stopping && !matches!(rest, Rest::Unread);
        let connection = ConnectionHeader::answer(head.minor, keep_alive);
        let terms = Terms { connection, head_only: head.method == Method::Head };
        match self.routes.find(head.method, head.path) {
            Found::Handler(Handler::InPlace(handler), params) => {
                let request = Request::new(head, params, conn.peer);
                handler(&request, self.renderer.reply(terms));
            }
            Found::Handler(Handler::Awaiting(handler), params) => {
                let request = Request::new(head, params, conn.peer).to_owned();
                self.tasks.spawn(conn.ticket, handler(request));
                conn.phase = Phase::Handler(terms, rest);
                return;
            }
            ref found => {
                no_handler(&self.routes, head, found, self.renderer.reply(terms));
            }
        }
        self.answered(conn, terms, rest);
    }

    /// Notes that a request was answered, and what comes next on its connection.
    #[inline]
    fn answered(&mut self, conn: &mut Conn, terms: Terms, rest: Rest) {
        self.counters.requests += 1;
        conn.since = self.tick;
        conn.phase = Phase::Between;
        if let Rest::Skip(reader) = rest {
            conn.phase = Phase::Body(reader, SKIP_MAX_BYTES);
        }
        if terms.connection == ConnectionHeader::Close {
            // A client that did not ask for the end may have sent more already; unread, it would make a reset of it.
            let expected = matches!(rest, Rest::Nothing) && !self.stopping;
            conn.ending = if expected { Ending::Close } else { Ending::Linger };
        }
    }

    /// Answers a head that did not come in time.
    pub(super) fn on_head_timeout(&mut self, conn: &mut Conn) -> Turn {
        self.begin = self.renderer.out.len();
        self.refuse(conn, HttpError::HeadTimeout);
        self.leave(conn)
    }

    /// Answers bytes that are no request, or no request in time; the connection's last answer.
    #[cold]
    fn refuse(&mut self, conn: &mut Conn, error: HttpError) {
        let terms = Terms { connection: ConnectionHeader::Close, head_only: false };
        let text = format!("{}: {error}\n", error.status().text());
        self.renderer.reply(terms).with_status(error.status()).text(&text);
        self.answered(conn, terms, Rest::Unread);
    }

    /// Sends at once what should not wait for the batch: a body that lies elsewhere, or a long pipeline's answers.
    #[inline]
    fn send_if_large(&mut self, conn: &mut Conn) {
        let end = self.renderer.out.len();
        if self.renderer.tail.is_some() || end - self.begin >= SEND_AT_BYTES {
            self.send_slowly(conn, self.begin, end, 0);
            self.renderer.out.truncate(self.begin);
        }
    }

    /// Sends one connection's part of the batch's answers; what the socket does not take waits on the connection.
    #[inline]
    pub(super) fn send(&mut self, conn: &mut Conn, begin: usize, end: usize) -> Turn {
        if conn.ending != Ending::Broken {
            match rustix::net::send(&conn.socket, &self.renderer.out[begin..end], SendFlags::NOSIGNAL) {
                Ok(count) if count == end - begin => self.counters.sent_bytes += count as u64,
                Ok(count) => {
                    self.counters.sent_bytes += count as u64;
                    self.send_slowly(conn, begin, end, count);
                }
                Err(Errno::AGAIN | Errno::INTR) => self.send_slowly(conn, begin, end, 0),
                Err(_) => self.lose(conn),
            }
        }
        self.after_sending(conn)
    }

    /// The rest of answers that are large, or larger than the socket has room for.
    fn send_slowly(&mut self, conn: &mut Conn, begin: usize, end: usize, sent: usize) {
        let (bytes, mut tail, mut at) = (&self.renderer.out[begin..end], self.renderer.tail.take(), sent);
        match send_pieces(&conn.socket, bytes, &mut at, &mut tail, &mut self.counters.sent_bytes) {
            Sending::Done => {}
            Sending::Full => {
                conn.since = self.tick;
                conn.unsent = Some(Box::new(Unsent { bytes: bytes[at..].to_vec(), at: 0, tail }));
            }
            Sending::Broken => self.lose(conn),
        }
    }

    /// What a connection does next, once its answers have left or wait for room.
    #[inline]
    fn after_sending(&mut self, conn: &mut Conn) -> Turn {
        if conn.ending == Ending::Linger && conn.unsent.is_none() {
            self.linger(conn);
        }
        match conn.ending {
            Ending::Broken => Turn::Ends,
            Ending::Close if conn.unsent.is_none() => Turn::Ends,
            _ if conn.has_work() => Turn::Again,
            _ => Turn::Waits,
        }
    }

    /// Goes on sending what the socket had no room for.
    fn send_rest(&mut self, conn: &mut Conn) {
        let Some(unsent) = &mut conn.unsent else { return };
        let before = self.counters.sent_bytes;
        match unsent.push(&conn.socket, &mut self.counters.sent_bytes) {
            Sending::Done => {
                conn.unsent = None;
                conn.since = self.tick;
            }
            Sending::Full if self.counters.sent_bytes > before => conn.since = self.tick,
            Sending::Full => {}
            Sending::Broken => self.lose(conn),
        }
    }

    #[cold]
    fn lose(&mut self, conn: &mut Conn) {
        self.counters.reset += 1;
        conn.unsent = None;
        conn.ending = Ending::Broken;
    }

    /// Ends the sending side, so that the client sees the end, and reads on for a while.
    #[cold]
    fn linger(&mut self, conn: &mut Conn) {
        let over = rustix::net::shutdown(&conn.socket, rustix::net::Shutdown::Write);
        conn.ending = if over.is_ok() { Ending::Keep } else { Ending::Broken };
        (conn.phase, conn.since) = (Phase::Linger(LINGER_BYTES), self.tick);
        conn.input = Vec::new();
    }
}

/// What to do with a body that nobody wants.
#[cold]
fn rest_after(head: &RequestHead<'_, '_>, framing: Framing) -> Rest {
    match framing {
        // The final answer comes instead of `100 Continue`, and the client may or may not send the body all the same.
        // Where its next request starts is then anybody's guess.
        _ if head.expects_continue => Rest::Unread,
        Framing::Length(length) if length > SKIP_MAX_BYTES => Rest::Unread,
        framing => BodyReader::new(framing).map_or(Rest::Nothing, Rest::Skip),
    }
}

/// Answers a request that no handler wants.
#[cold]
fn no_handler(routes: &Routes, head: &RequestHead<'_, '_>, found: &Found<'_, '_>, reply: Reply<'_>) -> Sent {
    let allowed = match found {
        Found::WrongMethod(allowed) => Some(*allowed),
        _ if head.method == Method::Options && head.path == "*" => Some(routes.all_methods()),
        _ => None,
    };
    match (head.method, allowed) {
        (Method::Other | Method::Connect, _) => reply.error(Status::NOT_IMPLEMENTED),
        (Method::Options, Some(allowed)) => {
            reply.with_status(Status::NO_CONTENT).with_header("Allow", &allowed.allow()).empty()
        }
        (_, Some(allowed)) => reply.with_header("Allow", &allowed.allow()).error(Status::METHOD_NOT_ALLOWED),
        (_, None) => reply.error(Status::NOT_FOUND),
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
