//! What becomes of a connection, and of its requests, when it ends.

use rustix::io::Errno;

use super::connection::Connection;
use super::fault::{Failure, Fault};
use super::shared::Shared;

impl Connection {
    /// A normal close: the next requests, or those the server left unanswered, go out on a new connection.
    pub(super) fn closed_as_announced(&mut self, shared: &mut Shared<'_>) {
        shared.tally.reconnects += u64::from(shared.plan.request.keep_alive);
        if self.unanswered > 0 {
            if shared.plan.retry {
                self.carried = true;
            } else {
                shared.tally.fault(Fault::Closed);
                self.give_up(shared, Failure::Closed);
            }
        }
        self.open(shared);
    }

    /// The server closed a connection that waited for nothing, and whose last answer, if any, had not said so.
    pub(super) fn closed_while_idle(&mut self, shared: &mut Shared<'_>) {
        shared.tally.closed_without_notice += 1;
        self.ended_idle(shared);
    }

    fn ended_idle(&mut self, shared: &mut Shared<'_>) {
        shared.tally.reconnects += u64::from(shared.plan.request.keep_alive);
        self.reopen(shared);
    }

    /// The connection broke. A server may close a reused connection at any time, also just as we send: as long as no
    /// byte of the answer has come, that is no error, and the requests are repeated once on a new connection.
    pub(super) fn lost(&mut self, shared: &mut Shared<'_>, fault: Fault) {
        let by_server = closed_by_server(fault);
        shared.tally.closed_without_notice += u64::from(by_server);
        let understood = !matches!(fault, Fault::Answer(_));
        if self.unanswered == 0 && understood {
            return self.ended_idle(shared);
        }
        let untouched = !self.reader.has_begun() && understood;
        if untouched && self.written == 0 && !self.sent_before {
            // Not a byte went out, so nothing is tried again: these requests have yet to be made.
            shared.tally.reconnects += 1;
            self.unanswered = 0;
            shared.left += 1;
            if shared.is_open_loop() {
                shared.returned.push(self.began);
            }
            return self.reopen(shared);
        }
        if untouched && self.reused && !self.repeating && shared.plan.retry {
            shared.tally.reconnects += 1;
            self.repeating = true;
            self.carried = true;
            return self.open(shared);
        }
        shared.tally.fault(fault);
        let failure = match fault {
            Fault::Answer(_) => Failure::NotUnderstood,
            _ if untouched => Failure::Closed,
            _ => Failure::BrokenOff,
        };
        self.give_up(shared, failure);
        self.reopen(shared);
    }

    /// Connects anew, after a pause where this connection never gave an answer: a server that closes every connection
    /// unanswered must not make us spin.
    fn reopen(&mut self, shared: &mut Shared<'_>) {
        if self.reused {
            self.open(shared);
        } else {
            self.pause(shared);
        }
    }

    /// The requests have waited too long: they are recorded with the least they took.
    pub(super) fn timed_out(&mut self, shared: &mut Shared<'_>) {
        let count = self.waiting(shared.count_from);
        let waited = shared.now.saturating_sub(self.began);
        shared.tally.timed_out.record_n(waited, count);
        shared.tally.errors.timeout += count;
        if let Some(step) = shared.step_at(self.began) {
            step.latency.record_n(waited, count);
        }
        self.give_up(shared, Failure::TimedOut);
        self.open(shared);
    }

    /// Counts the requests of which at least one byte was sent, and which now get no answer, as failed. Of an arrival of
    /// an open loop that is given up something must become, sent or not.
    pub(super) fn give_up(&mut self, shared: &mut Shared<'_>, failure: Failure) {
        let answered = self.asked - self.unanswered;
        let whole = self.sent_before || self.carried || shared.is_open_loop();
        let sent = if whole { self.asked } else { self.written.div_ceil(shared.request_len) };
        if self.began >= shared.count_from {
            let count = sent.saturating_sub(answered) as u64;
            shared.tally.failed.count(failure, count);
            if let Some(step) = shared.step_at(self.began) {
                step.failed += count;
            }
        }
        self.unanswered = 0;
        self.repeating = false;
        self.carried = false;
    }
}

/// Whether it was the server that ended the connection, and not a fault on the way or our own judgement.
fn closed_by_server(fault: Fault) -> bool {
    matches!(
        fault,
        Fault::Closed | Fault::Read(Errno::CONNRESET) | Fault::Write(Errno::CONNRESET | Errno::PIPE)
    )
}
