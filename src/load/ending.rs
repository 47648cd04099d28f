//! What becomes of a connection, and of its requests, when it ends.

use super::connection::Connection;
use super::shared::Shared;
use super::tally::Fault;

impl Connection {
    /// A normal close: the next requests, or those the server left unanswered, go out on a new connection.
    pub(super) fn closed_as_announced(&mut self, shared: &mut Shared<'_>) {
        shared.tally.reconnects += u64::from(shared.plan.request.keep_alive);
        if self.unanswered > 0 {
            if shared.plan.retry {
                self.carried = true;
            } else {
                shared.tally.fault(Fault::Closed);
                self.give_up(shared);
            }
        }
        self.open(shared);
    }

    /// The connection broke. A server may close a reused connection at any time, also just as we send: as long as no
    /// byte of the answer has come, that is no error, and the requests are repeated once on a new connection.
    pub(super) fn lost(&mut self, shared: &mut Shared<'_>, fault: Fault) {
        if self.unanswered == 0 && !matches!(fault, Fault::Answer(_)) {
            return self.closed_as_announced(shared);
        }
        let untouched = !self.reader.has_begun() && !matches!(fault, Fault::Answer(_));
        if untouched && self.reused && !self.repeating && shared.plan.retry {
            shared.tally.reconnects += 1;
            self.repeating = true;
            self.carried = true;
            return self.open(shared);
        }
        shared.tally.fault(fault);
        self.give_up(shared);
        if self.reused {
            self.open(shared);
        } else {
            // A server that closes every connection unanswered must not make us spin.
            self.pause(shared);
        }
    }

    /// Counts the requests of which at least one byte was sent, and which now get no answer, as failed.
    pub(super) fn give_up(&mut self, shared: &mut Shared<'_>) {
        let answered = self.asked - self.unanswered;
        shared.tally.failed += self.written.div_ceil(shared.request_len).saturating_sub(answered) as u64;
        self.unanswered = 0;
        self.repeating = false;
        self.carried = false;
    }
}
