//! The turns of the connections within a batch: what arrived is answered, what was answered is sent, what tasks have to say.

use super::super::conn::Phase;
use super::super::exchange::Turn;
use super::super::tasks::Ticket;
use super::{Arrived, BATCH_BYTES, Worker};

impl Worker {
    /// Puts a connection where it belongs after its turn.
    #[inline]
    pub(super) fn after_turn(&mut self, ticket: Ticket, turn: Turn) {
        match turn {
            Turn::Ends => self.end(ticket.key),
            // Once: an event may have come for one that waits for its turn already, and two turns between two sends would
            // have the second one's answers overtake the first one's.
            Turn::Again => {
                let conn = &mut self.conns[ticket.key as usize];
                if !std::mem::replace(&mut conn.queued, true) {
                    self.again.push(ticket);
                }
            }
            Turn::Rests => {}
            Turn::Waits => {
                let conn = &self.conns[ticket.key as usize];
                // Between requests the deadline only moves away, and the wheel looks again by itself. Any other
                // wait may end sooner than the wheel knows of.
                if conn.phase != Phase::Between || conn.unsent.is_some() {
                    self.schedule(ticket.key);
                }
            }
        }
    }

    /// Answers everything that arrived since the last call, and sends the answers.
    #[inline]
    pub(super) fn answer_batch(&mut self) {
        let mut arrived = std::mem::take(&mut self.arrived);
        for &Arrived { ticket, begin, end } in &arrived {
            if let Some(conn) = self.conns.get_mut(ticket.key as usize).filter(|conn| conn.ticket == ticket) {
                let turn = self.exchange.on_arrived(conn, &self.buffer[begin..end]);
                self.after_turn(ticket, turn);
                if self.exchange.renderer.out.len() >= BATCH_BYTES {
                    self.send_batch();
                }
            }
        }
        arrived.clear();
        // Given back, so that the next batch need not allocate.
        self.arrived = arrived;
        self.filled = 0;
        self.send_batch();
    }

    /// Sends the answers that were rendered since the last call, in that order.
    #[inline]
    pub(super) fn send_batch(&mut self) {
        let (leaving, mut begin) = (self.exchange.take_leaving(), 0);
        for &(ticket, end) in &leaving {
            // A connection that was reset in the meantime has nobody to send to.
            if let Some(conn) = self.conns.get_mut(ticket.key as usize).filter(|conn| conn.ticket == ticket) {
                let turn = self.exchange.send(conn, begin, end);
                self.after_turn(ticket, turn);
            }
            begin = end;
        }
        self.exchange.batch_sent(leaving);
    }

    /// Another turn for those that had more to read.
    #[inline]
    pub(super) fn go_on(&mut self) {
        if self.again.is_empty() {
            return;
        }
        for ticket in std::mem::take(&mut self.again) {
            if let Some(conn) = self.conns.get_mut(ticket.key as usize).filter(|conn| conn.ticket == ticket) {
                conn.queued = false;
                let turn = self.exchange.pump(conn, &mut self.buffer);
                self.after_turn(ticket, turn);
            }
        }
        self.send_batch();
    }

    /// Sends what handlers that awaited have to say.
    #[inline]
    pub(super) fn finish_tasks(&mut self) {
        if self.exchange.tasks.run() {
            self.serve_tasks();
        }
    }

    #[cold]
    fn serve_tasks(&mut self) {
        for done in self.exchange.tasks.take_done() {
            let ticket = done.ticket;
            // The connection may have ended in the meantime, and its slot may be another's.
            if let Some(conn) = self.conns.get_mut(ticket.key as usize).filter(|conn| conn.ticket == ticket) {
                let turn = self.exchange.on_done(conn, done, &mut self.buffer);
                // While the task worked the wheel may have lost sight of the connection.
                self.schedule(ticket.key);
                self.after_turn(ticket, turn);
            }
        }
        // A connection has one turn between two sends: a second would find its answer neither sent nor unsent.
        self.send_batch();
        let touched = self.exchange.tasks.take_touched();
        for ticket in &touched {
            if let Some(conn) = self.conns.get_mut(ticket.key as usize) {
                conn.touched = true;
            }
        }
        for ticket in touched {
            let conn = self.conns.get_mut(ticket.key as usize).filter(|conn| conn.ticket == ticket);
            if let Some(conn) = conn.filter(|conn| conn.touched) {
                conn.touched = false;
                let turn = self.exchange.on_touched(conn, &mut self.buffer);
                self.after_turn(ticket, turn);
            }
        }
        self.send_batch();
    }
}
