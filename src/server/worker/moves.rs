//! Connections come, go, and move between workers.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use rustix::event::epoll::{self, EventData};

use super::super::conn::Conn;
use super::super::door::Taker;
use super::super::mailbox::{Message, Moved};
use super::super::tasks::Ticket;
use super::{BALANCE_TICKS, CONN_EVENTS, Worker};

impl Worker {
    /// Takes connections from one listener, or from all when it is not said which.
    pub(super) fn accept(&mut self, at: Option<usize>) {
        let (shared, counters) = (Arc::clone(&self.shared), &mut self.exchange.counters);
        let tick = self.time.tick();
        let mut taker = Taker { epoll: &self.epoll, shared: &shared, index: self.index, tick, counters };
        for moved in self.door.knocked(&mut taker, at) {
            self.adopt(moved);
        }
    }

    /// Serves a connection from now on; the dealer has counted it here already.
    pub(super) fn adopt(&mut self, moved: Moved) {
        let entry = self.conns.vacant_entry();
        let Ok(key) = u32::try_from(entry.key()) else {
            return self.drop_unserved();
        };
        self.next_serial = self.next_serial.wrapping_add(1) & Ticket::SERIALS;
        let ticket = Ticket { key, serial: self.next_serial };
        if epoll::add(&self.epoll, &moved.socket, EventData::new_u64(ticket.to_u64()), CONN_EVENTS).is_err() {
            // The kernel has no room for another watch: the connection cannot be served here.
            return self.drop_unserved();
        }
        let conn = entry.insert(Conn::new(moved, ticket));
        if conn.paused {
            conn.queued = true;
            self.again.push(ticket);
        }
        self.schedule(key);
    }

    #[cold]
    fn drop_unserved(&mut self) {
        self.exchange.counters.closed += 1;
        self.shared.dealer.ended(self.index);
    }

    /// Forgets a connection; dropping its socket closes it and ends its watch.
    pub(super) fn end(&mut self, key: u32) {
        drop(self.conns.remove(key as usize));
        self.wheel.cancel(key);
        self.exchange.counters.closed += 1;
        self.shared.dealer.ended(self.index);
        self.mind_balance();
    }

    /// To be called whenever this worker holds less than before: sees to it that it asks for more if it should.
    pub(super) fn mind_balance(&mut self) {
        if self.balance_at.is_none() && self.shared.dealer.giver_for(self.index).is_some() {
            self.balance_at = Some(self.time.tick() + BALANCE_TICKS);
        }
    }

    pub(super) fn open_mail(&mut self) {
        // A connection whose request or answer waits here must not move away from it.
        self.answer_batch();
        for message in self.shared.mailboxes[self.index].collect() {
            match message {
                Message::Adopt(moved) => {
                    self.adopt(moved);
                    self.exchange.counters.moved += 1;
                }
                Message::Share { to } => self.give(to),
            }
        }
        // The shares may have changed.
        self.mind_balance();
    }

    /// Asks the fullest worker for connections, and looks again later whether it could give enough.
    pub(super) fn ask_for_share(&mut self, tick: u64) {
        let giver = self.shared.dealer.giver_for(self.index);
        if let Some(giver) = giver {
            // A full mailbox means a busy giver; the next look asks again.
            let _ = self.shared.mailboxes[giver].post(Message::Share { to: self.index });
            self.shared.mailboxes[giver].ring();
        }
        self.balance_at = giver.map(|_| tick + BALANCE_TICKS);
    }

    /// Gives connections away for as long as that brings both workers closer to their shares.
    pub(super) fn give(&mut self, to: usize) {
        // Who asked may have ended since, and nobody would answer what is given to it.
        if self.shared.stop.load(Ordering::Relaxed) {
            return;
        }
        let movable: Vec<usize> =
            self.conns.iter().filter(|(_, conn)| conn.is_movable()).map(|(key, _)| key).collect();
        for key in movable {
            if !self.shared.dealer.hand_over(self.index, to) {
                break;
            }
            let conn = self.conns.remove(key);
            self.wheel.cancel(conn.ticket.key);
            // Registering it anew elsewhere reports whatever came in between.
            let _ = epoll::delete(&self.epoll, &conn.socket);
            if let Err(Message::Adopt(moved)) =
                self.shared.mailboxes[to].post(Message::Adopt(conn.into_moved()))
            {
                self.shared.dealer.take_back(to, self.index);
                self.adopt(moved);
                break;
            }
        }
        self.shared.mailboxes[to].ring();
        // Two that ask the same giver at once leave it with too little itself.
        self.mind_balance();
    }
}
