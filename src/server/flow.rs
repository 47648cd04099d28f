//! What a connection and the task that answers it share while the task works: the request's body on its way in, the
//! answer's pieces on their way out.

mod incoming;
mod outgoing;

use std::cell::RefCell;
use std::rc::Rc;

use smol::Task;

use crate::http::BodyReader;

pub(super) use incoming::Inbound;
pub use incoming::{BodyError, Incoming};
pub(super) use outgoing::{Outbound, PieceStream, Whole, drive};

use super::tasks::{Tasks, Ticket};

/// Bytes that may wait in either direction before whoever makes them has to wait: as much as is read at once, so that
/// a body moves in pieces of that size, and a client that sends or reads slowly costs no more.
pub(super) const WINDOW_BYTES: usize = 64 * 1024;

/// The side of a task that its connection keeps. Dropping it ends the task: its client is gone.
pub(super) struct Flow {
    _task: Task<()>,
    /// The body that the client still sends.
    pub(super) body: Option<Arriving>,
    /// The client waits for `100 Continue` before it sends the body.
    pub(super) continue_due: bool,
    /// The body ended before its end: nothing that follows on the connection can be trusted.
    pub(super) broken: bool,
    /// The pieces that the answer is made of, once the task gives them one by one.
    pub(super) outbound: Option<Rc<RefCell<Outbound>>>,
}

/// A body that has not arrived in full.
pub(super) struct Arriving {
    pub(super) reader: BodyReader,
    pub(super) inbound: Rc<RefCell<Inbound>>,
}

/// Tells the worker that a task has something for its connection.
#[derive(Clone)]
pub(super) struct Link {
    pub(super) ticket: Ticket,
    touched: Rc<RefCell<Vec<Ticket>>>,
}

impl Link {
    pub(super) const fn new(ticket: Ticket, touched: Rc<RefCell<Vec<Ticket>>>) -> Self {
        Self { ticket, touched }
    }

    /// Has the worker look at the connection after the tasks have run.
    pub(super) fn touch(&self) {
        let mut touched = self.touched.borrow_mut();
        if touched.last() != Some(&self.ticket) {
            touched.push(self.ticket);
        }
    }
}

impl Flow {
    pub(super) const fn new(task: Task<()>, body: Option<Arriving>, continue_due: bool) -> Self {
        Self { _task: task, body, continue_due, broken: false, outbound: None }
    }

    /// Whether the task has room for more of the body. A body that the client was not asked for yet does not come.
    pub(super) fn takes_body(&self) -> bool {
        self.body.as_ref().is_some_and(|body| body.inbound.borrow().has_room())
    }

    /// Whether the task waits for bytes of the client.
    pub(super) fn waits_for_client(&self) -> bool {
        self.body.as_ref().is_some_and(|body| body.inbound.borrow().is_waited_for())
    }

    /// Whether the task has asked for the body and did not get all of it yet.
    pub(super) fn is_reading(&self) -> bool {
        self.body.as_ref().is_some_and(|body| body.inbound.borrow().asked)
    }

    /// Notes that no more of the body will come: the task hears why.
    pub(super) fn body_ends(&mut self, why: BodyError) {
        if let Some(body) = self.body.take() {
            body.inbound.borrow_mut().end(Err(why));
            self.broken = true;
        }
    }
}

/// The body of a request for its handler, and the connection's side of it.
pub(super) fn body_of(
    tasks: &Tasks,
    ticket: Ticket,
    reader: Option<BodyReader>,
) -> (Incoming, Option<Arriving>) {
    let Some(reader) = reader else {
        return (Incoming::empty(), None);
    };
    let inbound = Rc::new(RefCell::new(Inbound::default()));
    let length = match reader {
        BodyReader::Length(length) => Some(length),
        BodyReader::Chunked(_) => None,
    };
    let incoming = Incoming::new(Rc::clone(&inbound), tasks.link(ticket), length);
    (incoming, Some(Arriving { reader, inbound }))
}
