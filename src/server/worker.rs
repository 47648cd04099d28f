//! One worker: a thread with its own epoll, connections and clock, serving whatever the dealer gives it.

mod moves;
mod timing;
mod turns;

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

use crate::tune::TurnQuota;

use super::Shared;
use super::access::Recorder;
use super::alarm::Alarm;
use super::config::Deadlines;
use super::conn::Conn;
use super::door::Door;
use super::exchange::{self, Exchange};
use super::sleep::Sleeps;
use super::tasks::Ticket;
use super::time::{Time, nanos};
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

/// How long a turn may last. A page takes seconds to load, and a core that is shared loses some hundredths: a quarter of a
/// second is noticed, and not reached by accident.
const MAX_TURN: Duration = Duration::from_millis(250);

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
    sleeps: Sleeps,
    exchange: Exchange,
    /// How many requests a turn may take.
    quota: TurnQuota,
    /// Refusals that the log knows of.
    refused_told: u64,
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
        let epoch = shared.epoch;
        let mut time = Time::new(epoch);
        let exchange = Exchange::new(
            Arc::clone(&shared.routes),
            &mut time,
            Arc::clone(&shared.mailboxes[index]),
            Recorder::new(shared.access.clone(), index),
            shared.mailboxes.len(),
        );
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
            sleeps: Sleeps::enter(epoch),
            exchange,
            quota: TurnQuota::new(MAX_TURN),
            refused_told: 0,
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
            self.tell_refused();
        }
        let (requests, shed) = (self.exchange.counters.requests, self.exchange.counters.shed);
        self.exchange.quota_ends = requests + self.quota.most();
        self.exchange.turn_ends = start + nanos(MAX_TURN);
        self.exchange.tasks.after_sleep();
        self.sleeps.wake(start);
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
        // What was refused took no time.
        let taken = served - (self.exchange.counters.shed - shed);
        self.quota.learn(taken, Duration::from_nanos(nanos));
        self.shared.stats[self.index].publish(self.exchange.totals(), served, nanos);
    }

    /// Whether nothing is left to do without an event; sets the alarm for what is due next.
    #[inline]
    fn may_sleep(&mut self) -> io::Result<bool> {
        if !self.again.is_empty() || self.exchange.tasks.before_sleep() {
            return Ok(false);
        }
        /// Beyond any server's life: a comparison is cheaper than looking whether there is something to compare.
        const NEVER: u64 = u64::MAX;
        let at = |due: Option<u64>| due.unwrap_or(NEVER);
        let tick =
            at(self.wheel.next_due()).min(at(self.balance_at)).min(at(self.door.due())).min(at(self.cut_at));
        let due = Time::nanos_of(tick).min(at(self.sleeps.next_due()));
        if due != NEVER {
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
}
