//! Who answers a request, and what that means for its connection.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::http::{BodyReader, ConnectionHeader, Framing, HttpError, Method, RequestHead, Status};

use super::super::conn::{Conn, Ending, Phase, Rest};
use super::super::flow::body_of;
use super::super::pool::RETRY_AFTER_SECONDS;
use super::super::reply::{Reply, Sent, Terms};
use super::super::request::Request;
use super::super::routes::{Found, Handler, Routes};
use super::super::time::nanos;
use super::{Exchange, SKIP_MAX_BYTES, Turn};

impl Exchange {
    /// Answers one request, or hands it to a task.
    #[inline]
    pub(super) fn handle(&mut self, conn: &mut Conn, head: &RequestHead<'_, '_>) {
        let rest = match head.framing {
            Framing::Empty => Rest::Nothing,
            framing => rest_after(head, framing),
        };
        let keep_alive = head.keep_alive && !self.stopping && !matches!(rest, Rest::Unread);
        let connection = ConnectionHeader::answer(head.minor, keep_alive);
        let terms = Terms { connection, head_only: head.method == Method::Head };
        if self.counters.requests >= self.quota_ends && self.turn_is_over() {
            return self.shed(conn, head, terms, rest);
        }
        match self.routes.find(head.method, head.path) {
            Found::Handler(Handler::InPlace(handler), params) => {
                let request = Request::new(head, params, conn.peer);
                let (before, renderer) = (self.renderer.out.len(), &mut self.renderer);
                let call = AssertUnwindSafe(|| handler(&request, renderer.reply(terms)));
                if catch_unwind(call).is_err() {
                    self.renderer.forget_answer(before);
                    self.renderer.reply(terms).error(Status::INTERNAL_SERVER_ERROR);
                }
            }
            Found::Handler(Handler::Awaiting(handler), params) => {
                let (body, arriving) = body_of(&self.tasks, conn.ticket, BodyReader::new(head.framing));
                let answer = handler(Request::new(head, params, conn.peer).to_owned(body));
                return self.begin_task(conn, head, answer, arriving, terms);
            }
            Found::Nothing if self.files.is_some() && head.path != "*" => {
                return self.answer_file(conn, head, terms, rest);
            }
            ref found => {
                no_handler(&self.routes, head, found, self.renderer.reply(terms));
            }
        }
        self.answered_in_place(conn, head, terms, rest);
    }

    /// Notes that a request was answered without a task.
    #[inline]
    pub(super) fn answered_in_place(
        &mut self,
        conn: &mut Conn,
        head: &RequestHead<'_, '_>,
        terms: Terms,
        rest: Rest,
    ) {
        if self.renderer.recording {
            self.record(conn, Some(head));
        }
        self.answered(conn, terms, rest);
    }

    /// Puts the last answer into the access log.
    #[cold]
    fn record(&mut self, conn: &Conn, head: Option<&RequestHead<'_, '_>>) {
        let (status, bytes) = self.renderer.last;
        self.recorder.record(&self.renderer.date, conn.peer, head, status, bytes);
    }

    /// The same for an answer that was awaited.
    pub(super) fn record_done(&mut self, conn: &Conn) {
        if self.renderer.recording {
            let (status, bytes) = self.renderer.last;
            self.recorder.record_done(&self.renderer.date, conn.peer, conn.ticket, status, bytes);
        }
    }

    /// Notes that a request was answered, and what comes next on its connection.
    #[inline]
    pub(super) fn answered(&mut self, conn: &mut Conn, terms: Terms, rest: Rest) {
        self.counters.requests += 1;
        conn.since = self.tick;
        conn.phase = Phase::Between;
        if let Rest::Skip(reader) = rest {
            conn.phase = Phase::Body(reader, SKIP_MAX_BYTES);
        }
        if terms.connection == ConnectionHeader::Close || matches!(rest, Rest::Unread) {
            // A client that did not ask for the end may have sent more already; unread, it would make a reset of it.
            let expected = matches!(rest, Rest::Nothing) && !self.stopping;
            conn.ending = if expected { Ending::Close } else { Ending::Linger };
        }
    }

    /// Whether the turn has lasted its time. How many requests fit into it is only a guess from the turns before: one in
    /// which the process was stopped would have requests refused for which there is time.
    #[cold]
    fn turn_is_over(&mut self) -> bool {
        let is_over = nanos(self.epoch.elapsed()) >= self.turn_ends;
        if !is_over {
            self.quota_ends = self.counters.requests + 1;
        }
        is_over
    }

    /// Refuses a request because the turn has lasted too long already.
    #[cold]
    fn shed(&mut self, conn: &mut Conn, head: &RequestHead<'_, '_>, terms: Terms, rest: Rest) {
        let reply = self.renderer.reply(terms).with_header("Retry-After", RETRY_AFTER_SECONDS);
        reply.error(Status::SERVICE_UNAVAILABLE);
        self.counters.shed += 1;
        self.answered_in_place(conn, head, terms, rest);
    }

    /// Answers a head that did not come in time.
    pub(in super::super) fn on_head_timeout(&mut self, conn: &mut Conn) -> Turn {
        self.begin = self.renderer.out.len();
        self.refuse(conn, HttpError::HeadTimeout);
        self.leave(conn)
    }

    /// Answers bytes that are no request, or no request in time; the connection's last answer.
    #[cold]
    pub(super) fn refuse(&mut self, conn: &mut Conn, error: HttpError) {
        let terms = Terms { connection: ConnectionHeader::Close, head_only: false };
        let text = format!("{}: {error}\n", error.status().text());
        self.renderer.reply(terms).with_status(error.status()).text(&text);
        if self.renderer.recording {
            self.record(conn, None);
        }
        self.answered(conn, terms, Rest::Unread);
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
pub(super) fn no_handler(
    routes: &Routes,
    head: &RequestHead<'_, '_>,
    found: &Found<'_, '_>,
    reply: Reply<'_>,
) -> Sent {
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
