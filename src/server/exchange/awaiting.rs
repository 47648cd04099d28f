//! Requests that a task answers: its body on the way in, its answer on the way out, whole or in pieces.

use crate::http::{BodyReader, CONTINUE_LINE, ConnectionHeader, RequestHead};

use super::super::conn::{Conn, Ending, Phase, Rest};
use super::super::flow::{Arriving, BodyError, Flow, Whole};
use super::super::reply::Terms;
use super::super::tasks::{Answer, Done};
use super::{Exchange, SKIP_MAX_BYTES, Turn};

impl Exchange {
    /// Hands a request to a task, which will take what is `arriving` of its body.
    #[cold]
    pub(super) fn begin_task(
        &mut self,
        conn: &mut Conn,
        head: &RequestHead<'_, '_>,
        answer: Answer,
        arriving: Option<Arriving>,
        terms: Terms,
    ) {
        if self.renderer.recording {
            self.recorder.keep(conn.ticket, head);
        }
        let task = self.tasks.spawn(conn.ticket, answer, head.minor > 0);
        conn.flow = Some(Box::new(Flow::new(task, arriving, head.expects_continue)));
        // Whether its body will have been read by then is seen when the answer is there.
        let connection = ConnectionHeader::answer(head.minor, head.keep_alive);
        (conn.phase, conn.since) = (Phase::Handler(Terms { connection, ..terms }), self.tick);
    }

    /// Gives the task what `bytes` hold of its request's body; returns how many bytes that were.
    #[cold]
    pub(super) fn feed(&mut self, conn: &mut Conn, bytes: &[u8]) -> usize {
        let Some(flow) = &mut conn.flow else { return 0 };
        let Some(body) = &mut flow.body else { return 0 };
        conn.since = self.tick;
        // It came unasked.
        flow.continue_due = false;
        match body.reader.read(bytes) {
            Ok(progress) => {
                let (begin, end) = progress.content;
                body.inbound.borrow_mut().push(&bytes[begin..end]);
                if progress.done {
                    body.inbound.borrow_mut().end(Ok(()));
                    flow.body = None;
                }
                progress.consumed
            }
            Err(_) => {
                flow.body_ends(BodyError::Malformed);
                0
            }
        }
    }

    /// The client has sent its last byte. Between requests that is its end; a task that still waits for a body hears of it.
    pub(super) fn on_last_byte(&mut self, conn: &mut Conn) {
        match &mut conn.flow {
            Some(flow) => {
                flow.body_ends(BodyError::Ended);
                // To be read again once the answer is given.
                conn.readable = true;
            }
            // The last answers are still to leave.
            None => conn.ending = Ending::Close,
        }
    }

    /// Takes the answer of a task.
    pub(in super::super) fn on_done(&mut self, conn: &mut Conn, done: Done, buffer: &mut [u8]) -> Turn {
        self.begin = self.renderer.out.len();
        if let Phase::Handler(terms) = conn.phase {
            self.take_answer(conn, done, terms);
        }
        self.go_on(conn, buffer)
    }

    fn take_answer(&mut self, conn: &mut Conn, mut done: Done, mut terms: Terms) {
        if !done.response.status.has_length() {
            // Its pieces would be taken for the next answer.
            done.outbound = None;
        }
        let has_pieces = done.outbound.is_some() && !terms.head_only;
        if has_pieces {
            self.ask_for_body(conn);
        }
        let rest = conn.flow.as_ref().map_or(Rest::Nothing, |flow| rest_of(flow));
        // A body that is being read while the answer is made may yet be read to its end.
        let reads_on = has_pieces && conn.flow.as_ref().is_some_and(|flow| flow.is_reading());
        let chunked = done.outbound.as_ref().map(|outbound| outbound.borrow().chunked);
        let unread = matches!(rest, Rest::Unread) && !reads_on;
        if self.stopping || unread || done.response.last || chunked == Some(false) {
            terms.connection = ConnectionHeader::Close;
        }
        self.renderer.reply(terms).response(done.response, chunked);
        self.record_done(conn);
        if let (Some(flow), Some(outbound), false) = (&mut conn.flow, done.outbound, terms.head_only) {
            flow.outbound = Some(outbound);
            (conn.phase, conn.since) = (Phase::Pieces(terms), self.tick);
            return;
        }
        conn.flow = None;
        self.answered(conn, terms, rest);
        self.send_if_large(conn);
    }

    /// Does what a task wants of its connection: the body that it asks for, pieces that it made, a file that is in memory now.
    pub(in super::super) fn on_touched(&mut self, conn: &mut Conn, buffer: &mut [u8]) -> Turn {
        self.begin = self.renderer.out.len();
        if let Some(unsent) = &mut conn.unsent
            && unsent.fetching.take().is_some()
        {
            if let Some(tail) = &mut unsent.tail {
                tail.fetched();
            }
            conn.since = self.tick;
            self.send_rest(conn);
        }
        if matches!(conn.phase, Phase::Handler(_)) {
            self.ask_for_body(conn);
        }
        self.go_on(conn, buffer)
    }

    /// Asks for the body that the client holds back, if the task wants it. Behind the head of the answer it would be taken
    /// for a part of that.
    fn ask_for_body(&mut self, conn: &mut Conn) {
        if let Some(flow) = &mut conn.flow
            && flow.continue_due
            && flow.is_reading()
        {
            flow.continue_due = false;
            conn.since = self.tick;
            self.renderer.out.extend_from_slice(CONTINUE_LINE);
        }
    }

    /// Sends the pieces that were made since the last call; after the last one the request is answered.
    #[cold]
    pub(super) fn move_pieces(&mut self, conn: &mut Conn, terms: Terms) {
        if conn.unsent.is_some() || conn.ending == Ending::Broken {
            return;
        }
        let Some(flow) = &conn.flow else { return };
        let Some(outbound) = &flow.outbound else { return };
        let mut outbound = outbound.borrow_mut();
        outbound.take_into(&mut self.renderer.out);
        let (ended, chunked) = (outbound.ended, outbound.chunked);
        drop(outbound);
        match ended {
            None => {}
            Some(Whole::Yes) => {
                let rest = rest_of(flow);
                conn.flow = None;
                self.answered(conn, terms, rest);
            }
            Some(Whole::No) => {
                conn.flow = None;
                conn.ending = Ending::Close;
                if !chunked {
                    // Without chunks the end looks like success.
                    conn.reset_if_cut_off();
                    conn.ending = Ending::Broken;
                }
            }
        }
    }
}

/// What is left of the body that a task was given.
fn rest_of(flow: &Flow) -> Rest {
    match &flow.body {
        _ if flow.broken => Rest::Unread,
        None => Rest::Nothing,
        // Whether the client will send it is not known.
        Some(_) if flow.continue_due => Rest::Unread,
        Some(body) => match body.reader {
            BodyReader::Length(left) if left > SKIP_MAX_BYTES => Rest::Unread,
            reader => Rest::Skip(reader),
        },
    }
}
