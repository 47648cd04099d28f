//! One worker: a thread with its own epoll, connections and clock, serving whatever the dealer gives it.

mod moves;
mod timing;

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
use super::access::Recorder;
use super::alarm::Alarm;
use super::config::Deadlines;
use super::conn::{Conn, Phase};
use super::door::Door;
use super::exchange::{self, Exchange, Turn};
use super::tasks::Ticket;
use super::time::Time;
use super::wheel::Wheel;

/// Events taken per wait. More connections than that are ready only when the worker is far behind.
const EVENTS: usize = 256;

/// Bytes read at once. Requests are hundreds of bytes; a pipelined burst of a hundred fits.
const READ_BUFFER_BYTES: usize = 64 * 1024;

/// Room that the next read must have: a head of the usual length fits many times over.
const MIN_ROOM_BYTES: usize = 8 * 1024;

/// Rendered answers that are sent although the batch is not at its end: they should still be in the nearest cache.
const BATCH_BYTES: usize = 16 * 1024;

/// The epoll key of the mailbox's bell; connections have their ticket.
const MAILBOX: u64 = u64::MAX;

/// The epoll key of the alarm.
const ALARM: u64 = u64::MAX - 1;

/// The epoll key of the first listener; those of the others follow. A ticket's highest bit is never set.
const LISTENERS: u64 = 1 << 63;

/// The timeout of a wait that only looks.
const NO_TIME: Timespec = Timespec { tv_sec: 0, tv_nsec: 0 };

/// Edge-triggered, and for both directions from the start: no `epoll_ctl` ever follows.
const CONN_EVENTS: EventFlags =
    EventFlags::IN.union(EventFlags::OUT).union(EventFlags::RDHUP).union(EventFlags::ET);

/// Ticks between two looks at who holds more than its share. Closing is often followed by opening: wait for that.
const BALANCE_TICKS: u64 = 2;

/// How long a connection that is between requests is kept once the server stops: a request may be on its way.
const STOP_GRACE: Duration = Duration::from_secs(1);

/// Bytes in the worker's buffer that wait to be answered.
struct Arrived {
    ticket: Ticket,
    begin: usize,
    end: usize,
}

/// One worker thread's state.
pub(super) struct Worker {
    index: usize,
    shared: Arc<Shared>,
    epoll: OwnedFd,
    door: Door,
    alarm: Alarm,
    conns: Slab<Conn>,
    next_serial: u32,
    wheel: Wheel,
    deadlines: Deadlines,
    time: Time,
    exchange: Exchange,
    /// What the batch brought, one connection's bytes after the other's.
    buffer: Box<[u8]>,
    /// How much of the buffer holds bytes that wait to be answered, and whose they are.
    filled: usize,
    arrived: Vec<Arrived>,
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
        let alarm = Alarm::new()?;
        epoll::add(&epoll, alarm.timer(), EventData::new_u64(ALARM), EventFlags::IN | EventFlags::ET)?;
        let mut door = Door::new(LISTENERS);
        door.open(&epoll, &shared.listeners)?;
        let mut time = Time::new(shared.epoch);
        let (routes, mailbox) = (Arc::clone(&shared.routes), Arc::clone(&shared.mailboxes[index]));
        let exchange = Exchange::new(routes, &mut time, mailbox, Recorder::new(shared.access.clone(), index));
        Ok(Self {
            index,
            deadlines: shared.config.deadlines,
            shared,
            epoll,
            door,
            alarm,
            conns: Slab::new(),
            next_serial: 0,
            wheel: Wheel::new(),
            time,
            exchange,
            buffer: vec![0; READ_BUFFER_BYTES].into(),
            filled: 0,
            arrived: Vec::new(),
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
            // Either not at all, or for as long as it takes: the alarm ends it when something is due.
            let timeout = if self.may_sleep()? { None } else { Some(&NO_TIME) };
            match epoll::wait(&self.epoll, spare_capacity(&mut events), timeout) {
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
                MAILBOX => self.open_mail(),
                ALARM => self.alarm.rang(),
                key @ LISTENERS.. => self.accept(usize::try_from(key - LISTENERS).ok()),
                ticket => self.on_event(Ticket::from_u64(ticket), flags),
            }
        }
        self.answer_batch();
        self.go_on();
        self.finish_tasks();
        self.keep_time();
        self.exchange.recorder.flush();
        let served = self.exchange.counters.requests - requests;
        // With nothing served the time would be charged to nobody: spare the clock as well.
        let nanos = if served > 0 { self.time.since(start) } else { 0 };
        self.shared.stats[self.index].publish(&self.exchange.counters, served, nanos);
    }

    /// Whether nothing is left to do without an event; sets the alarm for what is due next.
    #[inline]
    fn may_sleep(&mut self) -> io::Result<bool> {
        if !self.again.is_empty() || self.exchange.tasks.before_sleep() {
            return Ok(false);
        }
        let dues = [self.wheel.next_due(), self.balance_at, self.door.due(), self.cut_at];
        if let Some(due) = dues.into_iter().flatten().min() {
            self.alarm.ring_by(due, &self.time)?;
        }
        Ok(true)
    }

    #[inline]
    fn on_event(&mut self, ticket: Ticket, flags: EventFlags) {
        if let Some(conn) = self.conns.get_mut(ticket.key as usize).filter(|conn| conn.ticket == ticket) {
            match self.exchange.on_event(conn, flags, &mut self.buffer[self.filled..]) {
                exchange::Event::Served(turn) => self.after_turn(ticket, turn),
                exchange::Event::Arrived(count) => {
                    self.arrived.push(Arrived { ticket, begin: self.filled, end: self.filled + count });
                    self.filled += count;
                    if self.buffer.len() - self.filled < MIN_ROOM_BYTES {
                        self.answer_batch();
                    }
                }
            }
        }
    }

    /// Puts a connection where it belongs after its turn.
    #[inline]
    fn after_turn(&mut self, ticket: Ticket, turn: Turn) {
        match turn {
            Turn::Ends => self.end(ticket.key),
            Turn::Again => self.again.push(ticket),
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
    fn answer_batch(&mut self) {
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
}
