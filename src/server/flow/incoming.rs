//! The body of a request, as its handler reads it.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use serde::de::DeserializeOwned;
use smol::stream::Stream;

use crate::http::Status;

use super::super::failure::Failure;
use super::super::response::Response;
use super::{Link, WINDOW_BYTES};

/// Why a body did not arrive whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BodyError {
    /// It is longer than the handler wants; answered with 413.
    #[error("the body is longer than {0} bytes")]
    TooLarge(u64),
    /// Its chunks break RFC 9112 §7.1; answered with 400.
    #[error("the chunked body is malformed")]
    Malformed,
    /// The client went away before its end; nobody is left to answer.
    #[error("the client went away in the middle of the body")]
    Ended,
    /// No byte of it came for longer than the deadline of a head; answered with 408.
    #[error("the body did not arrive in time")]
    Late,
}

impl From<BodyError> for io::Error {
    fn from(error: BodyError) -> Self {
        let kind = match error {
            BodyError::TooLarge(_) => io::ErrorKind::FileTooLarge,
            BodyError::Malformed => io::ErrorKind::InvalidData,
            BodyError::Ended => io::ErrorKind::UnexpectedEof,
            BodyError::Late => io::ErrorKind::TimedOut,
        };
        Self::new(kind, error)
    }
}

/// The pieces that came and were not taken yet.
#[derive(Default)]
pub(in crate::server) struct Inbound {
    pieces: VecDeque<Vec<u8>>,
    queued: usize,
    end: Option<Result<(), BodyError>>,
    taker: Option<Waker>,
    /// The handler has asked for the body: now it is wanted.
    pub(in crate::server) asked: bool,
}

impl Inbound {
    pub(super) const fn has_room(&self) -> bool {
        self.queued < WINDOW_BYTES
    }

    pub(super) const fn is_waited_for(&self) -> bool {
        self.taker.is_some()
    }

    /// Adds a piece that came.
    pub(in crate::server) fn push(&mut self, piece: &[u8]) {
        if !piece.is_empty() {
            self.queued += piece.len();
            self.pieces.push_back(piece.to_vec());
            self.wake();
        }
    }

    /// Notes the end, good or bad.
    pub(in crate::server) fn end(&mut self, end: Result<(), BodyError>) {
        self.end = Some(end);
        self.wake();
    }

    fn wake(&mut self) {
        if let Some(taker) = self.taker.take() {
            taker.wake();
        }
    }
}

/// The body of a request. A stream of pieces as they arrive, at most [`Incoming::WINDOW`] bytes ahead of the reader; a
/// client that waits for `100 Continue` is sent it when the body is first asked for.
///
/// What a handler leaves unread is skipped when it is short, else its connection ends after the answer.
pub struct Incoming {
    inner: Option<(Rc<RefCell<Inbound>>, Link)>,
    length: Option<u64>,
    /// Bytes that may come, in all and from now on.
    limit: u64,
    left: u64,
}

impl Incoming {
    /// Bytes that are read ahead of the handler.
    pub const WINDOW: usize = WINDOW_BYTES;

    pub(super) const fn new(inbound: Rc<RefCell<Inbound>>, link: Link, length: Option<u64>) -> Self {
        Self { inner: Some((inbound, link)), length, limit: u64::MAX, left: u64::MAX }
    }

    pub(super) const fn empty() -> Self {
        Self { inner: None, length: Some(0), limit: u64::MAX, left: u64::MAX }
    }

    /// Length of the whole body in bytes, if the client said so: not of a chunked one.
    #[must_use]
    pub const fn length(&self) -> Option<u64> {
        self.length
    }

    /// The next piece; `None` after the last.
    ///
    /// # Errors
    /// [`BodyError`] when the body ends before its end.
    pub async fn piece(&mut self) -> Result<Option<Vec<u8>>, BodyError> {
        poll_fn(|context| self.poll_piece(context)).await
    }

    /// The whole body, if it is at most `limit` bytes long. One that says it is longer is not even asked for.
    ///
    /// # Errors
    /// [`BodyError::TooLarge`] as soon as that is known, else as [`Incoming::piece`].
    pub async fn bytes(&mut self, limit: usize) -> Result<Vec<u8>, BodyError> {
        self.limit(limit as u64)?;
        let mut whole = Vec::new();
        while let Some(piece) = self.piece().await? {
            whole.extend_from_slice(&piece);
        }
        Ok(whole)
    }

    /// The whole body as a value in JSON, if it is at most `limit` bytes long; its media type is not looked at.
    ///
    /// # Errors
    /// A [`Failure`] that answers with 400 and what is wrong with the JSON, or as [`Incoming::bytes`].
    pub async fn json<T: DeserializeOwned>(&mut self, limit: usize) -> Result<T, Failure> {
        let bytes = self.bytes(limit).await?;
        serde_json::from_slice(&bytes).map_err(|error| {
            let status = Status::BAD_REQUEST;
            Response::text(format!("{}: {error}\n", status.text())).with_status(status).into()
        })
    }

    /// Lets at most `limit` bytes more come: the piece that would be more is [`BodyError::TooLarge`] instead. Without a
    /// limit a body may be as long as its client likes.
    ///
    /// # Errors
    /// [`BodyError::TooLarge`] at once if the body says that it is longer; it is not even asked for then.
    pub const fn limit(&mut self, limit: u64) -> Result<(), BodyError> {
        if let Some(length) = self.length
            && length > limit
        {
            return Err(BodyError::TooLarge(limit));
        }
        (self.limit, self.left) = (limit, limit);
        Ok(())
    }

    fn poll_piece(&mut self, context: &Context<'_>) -> Poll<Result<Option<Vec<u8>>, BodyError>> {
        let Some((inbound, link)) = &self.inner else {
            return Poll::Ready(Ok(None));
        };
        let mut inbound = inbound.borrow_mut();
        if !inbound.asked {
            inbound.asked = true;
            link.touch();
        }
        if let Some(piece) = inbound.pieces.pop_front() {
            let was_full = !inbound.has_room();
            inbound.queued -= piece.len();
            if was_full && inbound.has_room() {
                link.touch();
            }
            let left = self.left.checked_sub(piece.len() as u64);
            // Nothing comes behind what was too much.
            self.left = left.unwrap_or(0);
            if left.is_none() {
                return Poll::Ready(Err(BodyError::TooLarge(self.limit)));
            }
            return Poll::Ready(Ok(Some(piece)));
        }
        match inbound.end {
            Some(end) => Poll::Ready(end.map(|()| None)),
            None => {
                inbound.taker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }
}

impl Stream for Incoming {
    type Item = io::Result<Vec<u8>>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        let polled = this.poll_piece(context).map(|piece| piece.map_err(io::Error::from).transpose());
        // A stream ends with its error.
        if let Poll::Ready(Some(Err(_))) = polled {
            this.inner = None;
        }
        polled
    }
}
