//! Answers: written in place by a handler on the worker, or handed over whole by one that awaited.

use std::io::IoSlice;
use std::sync::Arc;

use serde::Serialize;

use crate::http::{ConnectionHeader, DateHeader, HeadRoom, ResponseHead, Status};

use super::body::{Body, MAX_PIECES};
use super::response::{HTML, Response, TEXT, push_header};
use super::tail::Tail;

/// Bodies up to this many bytes are copied beside their head and leave in the same `send`; above it a second
/// buffer in `sendmsg` is cheaper than the copy.
const COPY_MAX_BYTES: usize = 4 * 1024;

/// What the request decided about its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Terms {
    pub(super) connection: ConnectionHeader,
    /// HEAD: everything but the body.
    pub(super) head_only: bool,
}

/// A worker's buffers for answers; reused for all its connections.
pub(super) struct Renderer {
    /// Rendered answers that have not left yet, one connection's after the other's.
    pub(super) out: Vec<u8>,
    /// A body too large to copy, which follows the last of them.
    pub(super) tail: Option<Tail>,
    pub(super) date: DateHeader,
    /// Bodies whose length must be known before their head is written.
    scratch: Vec<u8>,
    /// Where heads are put together.
    room: HeadRoom,
    /// Header lines that the answer being written adds.
    extra: Vec<u8>,
    /// Answers with 4xx and 5xx since the worker started.
    pub(super) client_errors: u64,
    pub(super) server_errors: u64,
    /// Whether `last` is wanted.
    pub(super) recording: bool,
    /// Status of the last answer, and the length of its body as it is sent, for the access log.
    pub(super) last: (u16, u64),
}

impl Renderer {
    pub(super) fn new(date: DateHeader) -> Self {
        Self {
            out: Vec::with_capacity(COPY_MAX_BYTES),
            tail: None,
            date,
            scratch: Vec::new(),
            room: HeadRoom::default(),
            extra: Vec::new(),
            client_errors: 0,
            server_errors: 0,
            recording: false,
            last: (0, 0),
        }
    }

    /// Takes back an answer that was begun and will not be finished.
    #[cold]
    pub(super) fn forget_answer(&mut self, begin: usize) {
        self.out.truncate(begin);
        self.tail = None;
        self.extra.clear();
    }

    /// A writer for one answer.
    #[inline]
    pub(super) fn reply(&mut self, terms: Terms) -> Reply<'_> {
        Reply { renderer: self, terms, status: Status::OK }
    }
}

/// Writes one answer into the worker's buffer. A handler ends by calling one of the methods that return
/// [`Sent`], which nothing else makes: an answer cannot be forgotten or given twice.
pub struct Reply<'w> {
    renderer: &'w mut Renderer,
    terms: Terms,
    status: Status,
}

/// Proof that an answer was written.
#[derive(Debug)]
pub struct Sent(());

impl Reply<'_> {
    /// Answers with this status instead of `200 OK`.
    #[must_use]
    pub fn with_status(mut self, status: Status) -> Self {
        self.status = status;
        self
    }

    /// Adds a header, by the rules of [`Response::with_header`].
    #[must_use]
    pub fn with_header(self, name: &str, value: &str) -> Self {
        push_header(&mut self.renderer.extra, name, value);
        self
    }

    /// Adds header lines that are known to be whole.
    pub(super) fn with_lines(self, lines: &[u8]) -> Self {
        self.renderer.extra.extend_from_slice(lines);
        self
    }

    /// Answers with a text.
    #[inline]
    pub fn text(self, text: &str) -> Sent {
        self.bytes(TEXT, text.as_bytes())
    }

    /// Answers with a page. What comes from outside goes through [`crate::http::escape_html`] first.
    pub fn html(self, page: &str) -> Sent {
        self.bytes(HTML, page.as_bytes())
    }

    /// Sends the client elsewhere: see [`Response::redirect`].
    pub fn redirect(self, status: Status, location: &str) -> Sent {
        self.with_header("Location", location).error(status)
    }

    /// Answers with a value serialised now, as application/json. A value that cannot be is answered with 500.
    pub fn json<T: Serialize>(self, value: &T) -> Sent {
        let mut body = std::mem::take(&mut self.renderer.scratch);
        body.clear();
        let Reply { renderer, terms, status } = self;
        let reply = Reply { renderer: &mut *renderer, terms, status };
        let sent = match serde_json::to_writer(&mut body, value) {
            Ok(()) => reply.bytes("application/json", &body),
            Err(_) => reply.error(Status::INTERNAL_SERVER_ERROR),
        };
        renderer.scratch = body;
        sent
    }

    /// Answers with bytes, copied into the worker's buffer.
    #[inline]
    pub fn bytes(mut self, content_type: &'static str, body: &[u8]) -> Sent {
        if self.head(Some(content_type), Some(body.len() as u64)) {
            self.renderer.out.extend_from_slice(body);
        }
        Sent(())
    }

    /// Answers with bytes that many answers share: copied beside their head when they are few.
    #[inline]
    pub(super) fn shared(self, content_type: &'static str, body: &Arc<[u8]>) -> Sent {
        if body.len() <= COPY_MAX_BYTES {
            self.bytes(content_type, body)
        } else {
            self.whole(Some(content_type), Body::Shared(Arc::clone(body)))
        }
    }

    /// Answers without a body.
    pub fn empty(mut self) -> Sent {
        self.head(None, Some(0));
        Sent(())
    }

    /// Answers with a status and its name as the text, for people who look.
    pub fn error(self, status: Status) -> Sent {
        let mut text = status.text().to_owned();
        text.push('\n');
        self.with_status(status).text(&text)
    }

    /// Answers with a body that is sent from where it lies when it is large. Control bytes in the media type are left out.
    pub fn body(self, content_type: &'static str, body: Body) -> Sent {
        self.whole(Some(content_type), body)
    }

    /// Answers with what a handler that awaited returned. Of an answer in pieces, `chunked` or not, only the head is
    /// written: they follow.
    pub(super) fn response(self, response: Response, chunked: Option<bool>) -> Sent {
        let Response { status, content_type, extra, body, last: _ } = response;
        self.renderer.extra.extend_from_slice(&extra);
        let mut reply = self.with_status(status);
        let Some(chunked) = chunked else {
            return reply.whole(content_type.as_deref(), body);
        };
        if chunked {
            reply.renderer.extra.extend_from_slice(b"Transfer-Encoding: chunked\r\n");
        }
        reply.head(content_type.as_deref(), None);
        Sent(())
    }

    fn whole(mut self, content_type: Option<&str>, body: Body) -> Sent {
        let length = body.length();
        let has_body = self.head(content_type, length);
        let Some(length) = length.filter(|_| has_body) else {
            return Sent(());
        };
        if length > COPY_MAX_BYTES as u64 || matches!(body, Body::File(_)) {
            self.renderer.tail = Tail::of(body);
            return Sent(());
        }
        let mut pieces = [IoSlice::new(&[]); MAX_PIECES];
        let count = body.pieces(0, &mut pieces);
        for piece in &pieces[..count] {
            self.renderer.out.extend_from_slice(piece);
        }
        Sent(())
    }

    /// Writes the head; returns whether a body follows it: none to HEAD, and none with a status that forbids it, where the
    /// client would take it for the next answer.
    #[inline]
    fn head(&mut self, content_type: Option<&str>, length: Option<u64>) -> bool {
        let has_body = !self.terms.head_only && self.status.has_length();
        let Renderer { out, date, extra, client_errors, server_errors, recording, last, room, .. } =
            &mut *self.renderer;
        if *recording {
            *last = (self.status.code(), length.filter(|_| has_body).unwrap_or(0));
        }
        match self.status.code() {
            500.. => *server_errors += 1,
            400.. => *client_errors += 1,
            _ => {}
        }
        let (status, connection) = (self.status, self.terms.connection);
        ResponseHead { status, content_type, length, connection, extra }.write(out, date, room);
        extra.clear();
        has_body
    }
}

#[cfg(test)]
mod tests;
