//! Requests out, answers in: the hot half of a connection.

use std::mem::take;

use rustix::io::Errno;
use rustix::net::{self, RecvFlags, SendFlags};

use super::connection::{Connection, Phase};
use super::fault::Fault;
use super::head::Answer;
use super::response::ResponseError;
use super::shared::Shared;

impl Connection {
    /// Sends the next requests, whose time began at `began`.
    #[inline]
    pub(super) fn send_batch(&mut self, shared: &mut Shared<'_>, began: u64) {
        if shared.left == 0 {
            self.phase = Phase::Ready;
            return;
        }
        shared.left -= 1;
        self.began = began;
        self.sent_at = shared.now;
        self.unanswered = shared.plan.pipeline;
        self.repeating = false;
        self.sent_before = false;
        self.begin_send(shared, shared.plan.pipeline);
    }

    #[inline]
    pub(super) fn begin_send(&mut self, shared: &mut Shared<'_>, count: usize) {
        self.asked = count;
        self.written = 0;
        self.phase = Phase::Exchanging;
        self.flush(shared);
    }

    /// Hands the kernel what it has not yet taken.
    #[inline]
    pub(super) fn flush(&mut self, shared: &mut Shared<'_>) {
        let total = self.asked * shared.request_len;
        while self.written < total {
            let Some(socket) = &self.socket else { return };
            match net::send(socket, &shared.batch[self.written..total], SendFlags::NOSIGNAL) {
                Ok(sent) => {
                    self.written += sent;
                    shared.tally.sent_bytes += sent as u64;
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return,
                Err(error) => return self.lost(shared, Fault::Write(error)),
            }
        }
    }

    /// Reads until the socket is drained: a short read says so, unless a close waits behind it, whose edge is spent.
    #[inline]
    pub(super) fn receive(&mut self, shared: &mut Shared<'_>, peer_closed: bool) {
        while let Some(socket) = &self.socket {
            match net::recv(socket, &mut *shared.buffer, RecvFlags::empty()) {
                Ok((0, _)) => return self.end_of_stream(shared),
                Ok((count, _)) => {
                    shared.tally.bytes += count as u64;
                    let drained = count < shared.buffer.len() && !peer_closed;
                    if !self.consume(shared, count, peer_closed) || drained {
                        return;
                    }
                }
                Err(Errno::AGAIN) => return,
                Err(Errno::INTR) => {}
                Err(error) => return self.lost(shared, Fault::Read(error)),
            }
        }
    }

    /// Takes the answers out of `count` bytes just read; `false` when the socket was given up.
    #[inline]
    pub(super) fn consume(&mut self, shared: &mut Shared<'_>, count: usize, peer_closed: bool) -> bool {
        let mut at = 0;
        let mut read_clock = true;
        let mut keep = true;
        while at < count && keep {
            let begun = self.reader.has_begun();
            let fed = if self.unanswered == 0 {
                Err(ResponseError::Unasked)
            } else {
                self.reader.feed(&mut shared.parser, &shared.buffer[at..count])
            };
            match fed {
                Ok((used, answer)) => {
                    at += used;
                    if let Some(answer) = answer {
                        if take(&mut read_clock) {
                            shared.read_clock();
                        }
                        self.complete(shared, answer);
                        keep = answer.keep_alive && shared.plan.request.keep_alive;
                    } else if !begun {
                        shared.read_clock();
                        self.first_byte_at = shared.now;
                    }
                }
                Err(error) => {
                    self.lost(shared, Fault::Answer(error));
                    return false;
                }
            }
        }
        if !keep {
            self.closed_as_announced(shared);
        } else if self.unanswered == 0 {
            if peer_closed {
                self.closed_while_idle(shared);
            } else if self.written < self.asked * shared.request_len {
                // An answer to a request that was not sent whole leaves the stream in an unknown place.
                self.closed_as_announced(shared);
            } else {
                self.phase = Phase::Ready;
                shared.ready.push(self.index);
            }
        }
        matches!(self.phase, Phase::Exchanging | Phase::Ready)
    }

    #[inline]
    pub(super) fn complete(&mut self, shared: &mut Shared<'_>, answer: Answer) {
        self.unanswered -= 1;
        self.reused = true;
        self.repeating = false;
        let (connect, first_byte_at) = (take(&mut self.connect_ns), take(&mut self.first_byte_at));
        if self.began < shared.count_from {
            return;
        }
        let took = shared.now.saturating_sub(self.began);
        if connect > 0 {
            shared.tally.parts.record_fresh(connect, took);
        }
        if first_byte_at > 0 {
            shared.tally.parts.record_split(first_byte_at.saturating_sub(self.began), took);
        }
        let first_body = shared.first_body(&answer);
        shared.tally.answers.count(&answer, first_body);
        shared.tally.statuses.record(answer.status, took, shared.now > shared.last_due);
        shared.tally.requests += 1;
        shared.tally.head_bytes += u64::from(answer.head_len);
        let refused = answer.status > 399;
        shared.tally.errors.status += u64::from(refused);
        if !shared.step_ends.is_empty() {
            shared.count_in_steps(self.began, took, refused);
        }
        self.finished += 1;
        self.worst_gap_ns = self.worst_gap_ns.max(shared.now.saturating_sub(self.last_finish));
        self.last_finish = shared.now;
    }

    /// The server closed its side.
    pub(super) fn end_of_stream(&mut self, shared: &mut Shared<'_>) {
        if let Some(answer) = self.reader.end_of_stream() {
            shared.read_clock();
            self.complete(shared, answer);
            self.closed_as_announced(shared);
        } else {
            self.lost(shared, Fault::Closed);
        }
    }
}
