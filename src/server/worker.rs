//! One worker: a thread with its own epoll, connections and clock, serving whatever the dealer gives it.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use rustix::buffer::spare_capacity;
use rustix::event::Timespec;
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::io::Errno;
use slab::Slab;

use super::Shared;
use super::config::Deadlines;
use super::conn::{Conn, Phase};
use super::door::Door;
use super::exchange::{Exchange, Turn};
use super::mailbox::{Message, Moved};
use super::tasks::Ticket;
use super::time::Time;
use super::wheel::Wheel;

/// Events taken per wait. More connections than that are ready only when the worker is far behind.
const EVENTS: usize = 256;

/// Bytes read at once. Requests are hundreds of bytes; a pipelined burst of a hundred fits.
const READ_BUFFER_BYTES: usize = 32 * 1024;

/// Rendered answers that are sent although the batch is not at its end: they should still be in the nearest cache.
const BATCH_BYTES: usize = 16 * 1024;

/// The epoll key of the mailbox's bell; connections have their ticket.
const MAILBOX: u64 = u64::MAX;

/// The epoll key of the listener.
const LISTENER: u64 = u64::MAX - 1;

/// Edge-triggered, and for both directions from the start: no `epoll_ctl` ever follows.
const CONN_EVENTS: EventFlags =
    EventFlags::IN.union(EventFlags::OUT).union(EventFlags::RDHUP).union(EventFlags::ET);

/// Ticks between two looks at who holds more than its share. Closing is often followed by opening: wait for that.
const BALANCE_TICKS: u64 = 2;

/// How long a connection that is between requests is kept once the server stops: a request may be on its way.
const STOP_GRACE: Duration = Duration::from_secs(1);

/// One worker thread's state.
pub(super) struct Worker {
    index: usize,
    shared: Arc<Shared>,
    epoll: OwnedFd,
    door: Door,
    conns: Slab<Conn>,
    next_serial: u32,
    wheel: Wheel,
    deadlines: Deadlines,
    time: Time,
    exchange: Exchange,
    buffer: Box<[u8]>,
    /// Connections with more to read than one turn allows.
    again: Vec<Ticket>,
    /// When to look whether another worker holds too much.
    balance_at: Option<u64>,
    /// When the last connections are cut off; set once the server stops.
    cut_at: Option<u64>,
}

impl Worker {
    pub(super) fn new(index: usize, shared: Arc<Shared>) -> io::Result<Self> {
        let epoll = epoll::create(CreateFlags::CLOEXEC)?;
        let bell = shared.mailboxes[index].bell();
        epoll::add(&epoll, bell, EventData::new_u64(MAILBOX), EventFlags::IN | EventFlags::ET)?;
        let mut door = Door::new(LISTENER);
        door.open(&epoll, &shared.listener)?;
        let mut time = Time::new(shared.epoch);
        let exchange =
            Exchange::new(Arc::clone(&shared.routes), &mut time, Arc::clone(&shared.mailboxes[index]));
        Ok(Self {
            index,
            deadlines: shared.config.deadlines,
            shared,
            epoll,
            door,
            conns: Slab::new(),
            next_serial: 0,
            wheel: Wheel::new(),
            time,
            exchange,
            buffer: vec![0; READ_BUFFER_BYTES].into(),
            again: Vec::new(),
            balance_at: None,
            cut_at: None,
        })
    }

    /// Serves until the server stops and every connection has ended.
    pub(super) fn run(mut self) -> io::Result<()> {
        let mut events: Vec<Event> = Vec::with_capacity(EVENTS);
        loop {
            events.clear();
            let timeout = self.timeout();
            match epoll::wait(&self.epoll, spare_capacity(&mut events), timeout.as_ref()) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            self.batch(&events);
            if self.shared.stop.load(Ordering::Relaxed) && self.stopped() {
                return Ok(());
            }
        }
    }

    /// Everything that one wait brought. Between the two clock readings here, no other is made.
    fn batch(&mut self, events: &[Event]) {
        let start = self.time.read();
        self.exchange.tick = self.time.tick();
        if self.time.second_began() {
            self.exchange.renderer.date = self.time.date();
        }
        let requests = self.exchange.counters.requests;
        self.exchange.tasks.after_sleep();
        for event in events {
            let (flags, data) = (event.flags, event.data);
            match data.u64() {
                LISTENER => self.accept(),
                MAILBOX => self.open_mail(),
                ticket => self.on_event(Ticket::from_u64(ticket), flags),
            }
        }
        self.send_batch();
        self.go_on();
        self.finish_tasks();
        self.keep_time();
        let served = self.exchange.counters.requests - requests;
        // With nothing served the time would be charged to nobody: spare the clock as well.
        let nanos = if served > 0 { self.time.since(start) } else { 0 };
        self.shared.stats[self.index].publish(&self.exchange.counters, served, nanos);
    }

    /// How long to wait at most; `None` while nothing is due.
    #[inline]
    fn timeout(&self) -> Option<Timespec> {
        if !self.again.is_empty() || self.exchange.tasks.before_sleep() {
            return Some(Timespec { tv_sec: 0, tv_nsec: 0 });
        }
        let dues = [self.wheel.next_due(), self.balance_at, self.door.retry_at(), self.cut_at];
        dues.into_iter().flatten().min().map(|due| self.time.until(due))
    }

    #[inline]
    fn on_event(&mut self, ticket: Ticket, flags: EventFlags) {
        if let Some(conn) = self.conns.get_mut(ticket.key as usize).filter(|conn| conn.ticket == ticket) {
            let turn = self.exchange.on_event(conn, flags, &mut self.buffer);
            self.after_turn(ticket, turn);
            if self.exchange.renderer.out.len() >= BATCH_BYTES {
                self.send_batch();
            }
        }
    }

    /// Puts a connection where it belongs after its turn.
    #[inline]
    fn after_turn(&mut self, ticket: Ticket, turn: Turn) {
        match turn {
            Turn::Ends => self.end(ticket.key),
            Turn::Again => self.again.push(ticket),
            Turn::Leaves => {}
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

    /// Sends the answers that were rendered since the last call, in that order.
    #[inline]
    fn send_batch(&mut self) {
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

    /// Has the wheel look at a connection when its present wait is over, and no later than a whole idle time from
    /// now: coming back to between requests schedules nothing, and must find the wheel looking early enough even
    /// when other deadlines are longer or off.
    fn schedule(&mut self, key: u32) {
        let idle = self.deadlines.idle.map(|idle| self.time.tick() + super::conn::ticks(idle));
        let due = self.conns[key as usize].due(&self.deadlines);
        if let Some(look_at) = due.into_iter().chain(idle).min() {
            self.wheel.schedule(key, look_at);
        }
    }

    /// Another turn for those that had more to read.
    #[inline]
    fn go_on(&mut self) {
        if self.again.is_empty() {
            return;
        }
        for ticket in std::mem::take(&mut self.again) {
            if let Some(conn) = self.conns.get_mut(ticket.key as usize).filter(|conn| conn.ticket == ticket) {
                let turn = self.exchange.pump(conn, &mut self.buffer);
                self.after_turn(ticket, turn);
            }
        }
        self.send_batch();
    }

    /// Sends what handlers that awaited have to say.
    #[inline]
    fn finish_tasks(&mut self) {
        let done = self.exchange.tasks.run();
        if done.is_empty() {
            return;
        }
        for (ticket, response) in done {
            // The connection may have ended in the meantime, and its slot may be another's.
            if let Some(conn) = self.conns.get_mut(ticket.key as usize).filter(|conn| conn.ticket == ticket) {
                let turn = self.exchange.on_done(conn, response, &mut self.buffer);
                // While the task worked the wheel may have lost sight of the connection.
                self.schedule(ticket.key);
                self.after_turn(ticket, turn);
            }
        }
        self.send_batch();
    }

    /// Deadlines, balance and the door, when their time has come.
    #[inline]
    fn keep_time(&mut self) {
        let tick = self.time.tick();
        if self.wheel.next_due().is_some_and(|due| due <= tick) {
            self.expire(tick);
        }
        if self.balance_at.is_some_and(|at| at <= tick) {
            self.ask_for_share(tick);
        }
        if self.door.retry_at().is_some_and(|at| at <= tick) && self.cut_at.is_none() {
            self.accept();
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
                Some(_) => {
                    self.exchange.counters.timed_out += u64::from(!matches!(conn.phase, Phase::Linger(_)));
                    self.end(key);
                }
                None => self.schedule(key),
            }
        }
        self.send_batch();
    }

    fn accept(&mut self) {
        let (shared, counters) = (Arc::clone(&self.shared), &mut self.exchange.counters);
        let tick = self.time.tick();
        let mine = self.door.accept(&self.epoll, &shared, self.index, tick, counters);
        for moved in mine {
            self.adopt(moved);
        }
    }

    /// Serves a connection from now on; the dealer has counted it here already.
    fn adopt(&mut self, moved: Moved) {
        let entry = self.conns.vacant_entry();
        let Ok(key) = u32::try_from(entry.key()) else {
            return self.shared.dealer.ended(self.index);
        };
        self.next_serial = self.next_serial.wrapping_add(1) & Ticket::SERIALS;
        let ticket = Ticket { key, serial: self.next_serial };
        if epoll::add(&self.epoll, &moved.socket, EventData::new_u64(ticket.to_u64()), CONN_EVENTS).is_err() {
            // The kernel has no room for another watch: the connection cannot be served here.
            return self.shared.dealer.ended(self.index);
        }
        let conn = entry.insert(Conn::new(moved, ticket));
        if conn.paused {
            self.again.push(ticket);
        }
        self.schedule(key);
    }

    /// Forgets a connection; dropping its socket closes it and ends its watch.
    fn end(&mut self, key: u32) {
        drop(self.conns.remove(key as usize));
        self.wheel.cancel(key);
        self.exchange.counters.closed += 1;
        self.shared.dealer.ended(self.index);
        self.mind_balance();
    }

    /// To be called whenever this worker holds less than before: sees to it that it asks for more if it should.
    fn mind_balance(&mut self) {
        if self.balance_at.is_none() && self.shared.dealer.giver_for(self.index).is_some() {
            self.balance_at = Some(self.time.tick() + BALANCE_TICKS);
        }
    }

    fn open_mail(&mut self) {
        // A connection whose answer waits here must not move away from it.
        self.send_batch();
        for message in self.shared.mailboxes[self.index].collect() {
            match message {
                Message::Adopt(moved) => {
                    self.adopt(moved);
                    self.exchange.counters.moved += 1;
                }
                Message::Share { to } => self.give(to),
            }
        }
    }

    /// Asks the fullest worker for connections, and looks again later whether it could give enough.
    fn ask_for_share(&mut self, tick: u64) {
        let giver = self.shared.dealer.giver_for(self.index);
        if let Some(giver) = giver {
            // A full mailbox means a busy giver; the next look asks again.
            let _ = self.shared.mailboxes[giver].post(Message::Share { to: self.index });
            self.shared.mailboxes[giver].ring();
        }
        self.balance_at = giver.map(|_| tick + BALANCE_TICKS);
    }

    /// Gives connections away for as long as that brings both workers closer to their shares.
    fn give(&mut self, to: usize) {
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

    /// Begins to stop at the first call; true once every connection has ended or had its time.
    #[cold]
    fn stopped(&mut self) -> bool {
        // Connections that were given before the others knew.
        self.open_mail();
        let tick = self.time.tick();
        let cut_at = *self.cut_at.get_or_insert_with(|| tick + super::conn::ticks(self.shared.config.drain));
        if !self.exchange.stopping {
            self.exchange.stopping = true;
            self.door.close(&self.epoll, &self.shared.listener);
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
        self.conns.is_empty() || tick >= cut_at
    }
}
