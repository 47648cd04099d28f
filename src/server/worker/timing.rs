//! What a worker does when its time has come: deadlines, balance, the end.

use super::super::conn::{Phase, ticks};
use super::super::flow::BodyError;
use super::super::log::Level;
use super::{STOP_GRACE, Worker};

impl Worker {
    /// Has the wheel look at a connection when its present wait is over, and no later than a whole idle time from
    /// now: coming back to between requests schedules nothing, and must find the wheel looking early enough even
    /// when other deadlines are longer or off.
    pub(super) fn schedule(&mut self, key: u32) {
        let (conn, tick) = (&self.conns[key as usize], self.time.tick());
        let idle = self.deadlines.idle;
        // When a task begins to wait for its body the wheel does not hear of it.
        let body = self.deadlines.head.filter(|_| conn.takes_body());
        let limits = [idle, body].into_iter().flatten().map(|limit| tick + ticks(limit));
        if let Some(look_at) = conn.due(&self.deadlines).into_iter().chain(limits).min() {
            self.wheel.schedule(key, look_at);
        }
    }

    /// Deadlines, balance and the door, when their time has come.
    #[inline]
    pub(super) fn keep_time(&mut self) {
        let tick = self.time.tick();
        if self.wheel.next_due().is_some_and(|due| due <= tick) {
            self.expire(tick);
        }
        if self.balance_at.is_some_and(|at| at <= tick) {
            self.ask_for_share(tick);
        }
        if self.door.due().is_some_and(|at| at <= tick) {
            self.accept(None);
        }
    }

    /// Says in the log, once a second, how many requests were refused since. The pool's are the first worker's to tell.
    #[cold]
    pub(super) fn tell_refused(&mut self) {
        let by_pool = if self.index == 0 { self.shared.pools.work.refused() } else { 0 };
        let refused = self.exchange.counters.shed + by_pool;
        if refused > self.refused_told {
            let text = format!("{} requests were answered with 503", refused - self.refused_told);
            self.shared.log.log(Level::Warning, "more work than can be done in time", &text);
            self.refused_told = refused;
        }
    }

    fn expire(&mut self, tick: u64) {
        let mut due = Vec::new();
        self.wheel.advance(tick, &mut due);
        for key in due {
            let Some(conn) = self.conns.get_mut(key as usize) else {
                continue;
            };
            match conn.due(&self.deadlines) {
                Some(due) if due > tick => self.schedule(key),
                Some(_) if conn.phase == Phase::Head && conn.unsent.is_none() => {
                    self.exchange.counters.timed_out += 1;
                    let ticket = conn.ticket;
                    let turn = self.exchange.on_head_timeout(conn);
                    self.after_turn(ticket, turn);
                }
                Some(_) if conn.waits_for_body() && conn.unsent.is_none() => {
                    self.exchange.counters.timed_out += 1;
                    // Its handler answers, or gives up.
                    if let Some(flow) = &mut conn.flow {
                        flow.body_ends(BodyError::Late);
                    }
                    self.schedule(key);
                }
                Some(_) => {
                    self.exchange.counters.timed_out += u64::from(!matches!(conn.phase, Phase::Linger(_)));
                    conn.reset_if_cut_off();
                    self.end(key);
                }
                None => self.schedule(key),
            }
        }
        self.send_batch();
    }

    /// Begins to stop at the first call; true once every connection has ended or had its time.
    #[cold]
    pub(super) fn stopped(&mut self) -> bool {
        // Connections that were given before the others knew.
        self.open_mail();
        let tick = self.time.tick();
        let cut_at = *self.cut_at.get_or_insert_with(|| tick + ticks(self.shared.config.drain));
        if !self.exchange.stopping {
            self.exchange.stopping = true;
            self.door.begin_to_shut(&self.epoll, &self.shared.listeners, tick);
            self.deadlines.idle = Some(self.deadlines.idle.map_or(STOP_GRACE, |idle| idle.min(STOP_GRACE)));
            let keys: Vec<u32> = self.conns.iter().map(|(_, conn)| conn.ticket.key).collect();
            for key in keys {
                let conn = &mut self.conns[key as usize];
                if conn.phase == Phase::Between {
                    conn.since = tick;
                }
                self.schedule(key);
            }
        }
        // Who comes while this is decided stays with the worker that took it.
        if tick >= cut_at {
            // Who is cut off shall know it.
            self.conns.iter().for_each(|(_, conn)| conn.reset_if_cut_off());
            return true;
        }
        self.conns.is_empty() && self.door.is_shut() && self.shared.mailboxes[self.index].close_if_empty()
    }
}
