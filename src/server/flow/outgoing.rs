//! An answer in pieces, as its handler makes them.

use std::cell::RefCell;
use std::future::poll_fn;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Poll, Waker};

use smol::stream::Stream;

use crate::http::{LAST_CHUNK, write_chunk};

use super::{Link, WINDOW_BYTES};

/// The pieces of an answer. An error ends it before its end, and the connection with it, so that the client knows.
pub(in crate::server) type PieceStream = Pin<Box<dyn Stream<Item = io::Result<Vec<u8>>>>>;

/// Pieces that were made and have not left yet.
#[derive(Default)]
pub(in crate::server) struct Outbound {
    /// As they go over the wire.
    bytes: Vec<u8>,
    /// Whether each piece is framed as a chunk; HTTP/1.0 knows only the end of the connection.
    pub(in crate::server) chunked: bool,
    /// The task has made its last piece, or failed.
    pub(in crate::server) ended: Option<Whole>,
    maker: Option<Waker>,
}

/// How an answer in pieces ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::server) enum Whole {
    Yes,
    No,
}

impl Outbound {
    pub(in crate::server) fn new(chunked: bool) -> Self {
        Self { chunked, ..Self::default() }
    }

    /// Takes what waits, to be sent.
    pub(in crate::server) fn take_into(&mut self, out: &mut Vec<u8>) {
        out.append(&mut self.bytes);
        if let Some(maker) = self.maker.take() {
            maker.wake();
        }
    }

    fn push(&mut self, piece: &[u8]) {
        // An empty chunk would be the last.
        if piece.is_empty() {
            return;
        }
        if self.chunked {
            write_chunk(piece, &mut self.bytes);
        } else {
            self.bytes.extend_from_slice(piece);
        }
    }

    fn end(&mut self, whole: Whole) {
        if self.chunked && whole == Whole::Yes {
            self.bytes.extend_from_slice(LAST_CHUNK);
        }
        self.ended = Some(whole);
    }
}

/// Moves pieces from where they are made to where the connection takes them, no faster than it does.
pub(in crate::server) async fn drive(mut pieces: PieceStream, outbound: Rc<RefCell<Outbound>>, link: Link) {
    loop {
        let whole = match next(&mut pieces).await {
            Some(Ok(piece)) => {
                outbound.borrow_mut().push(&piece);
                link.touch();
                has_room(&outbound).await;
                continue;
            }
            Some(Err(_)) => Whole::No,
            None => Whole::Yes,
        };
        outbound.borrow_mut().end(whole);
        return link.touch();
    }
}

/// The next piece. A panic where it is made breaks the answer off, as an error does: the worker has other connections.
async fn next(pieces: &mut PieceStream) -> Option<io::Result<Vec<u8>>> {
    poll_fn(|context| {
        let poll = AssertUnwindSafe(|| pieces.as_mut().poll_next(context));
        catch_unwind(poll).unwrap_or_else(|_| Poll::Ready(Some(Err(io::ErrorKind::Other.into()))))
    })
    .await
}

async fn has_room(outbound: &Rc<RefCell<Outbound>>) {
    poll_fn(|context| {
        let mut outbound = outbound.borrow_mut();
        if outbound.bytes.len() < WINDOW_BYTES {
            return Poll::Ready(());
        }
        outbound.maker = Some(context.waker().clone());
        Poll::Pending
    })
    .await;
}
