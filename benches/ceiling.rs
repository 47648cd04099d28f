//! The 100 % mark: the least work that an HTTP/1.1 server on epoll can do and still be one.
//!
//! Threads with an epoll each, connections registered once (edge-triggered) and dealt out in turn, one read buffer
//! per thread, `httparse` on the stack, one `recv` and one `send` per batch of requests of a connection. It parses
//! every head, keeps what is unfinished, finishes what the socket would not take, honours `Connection`, and sends
//! the bytes of boardd's `/plaintext` with a Date that is rendered once a second. It routes nothing, reads no bodies,
//! has no deadlines and counts nothing: what boardd costs on top of this is the price of being useful.
//!
//! `--spin NS` burns so many nanoseconds more for each request: a server that is dearer by a known amount, for telling
//! whether a comparison finds that.

#[path = "ceiling/answer.rs"]
mod answer;
#[path = "ceiling/connection.rs"]
mod connection;

use std::net::{TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;
use std::{io, thread};

use lexopt::ValueExt as _;
use rustix::event::{EventfdFlags, epoll, eventfd};
use rustix::io::Errno;
use rustix::process::{Resource, getrlimit, setrlimit};

use answer::Answer;
use connection::Connection;

/// One read takes at most this; also the longest request head. It stays in the first-level cache.
const READ_BUFFER: usize = 16 * 1024;
/// Answers leave before the end of a batch once they are this many bytes: pipelined ones would fall out of the cache.
const OUTPUT: usize = 16 * 1024;
/// Events taken by one wait.
const EVENTS: usize = 512;
/// The epoll token of the eventfd that announces a new connection; slab indices never get there.
const INBOX: u64 = u64::MAX;
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut listen = String::from("127.0.0.1:0");
    let mut workers = thread::available_parallelism()?.get();
    let mut spin = Duration::ZERO;
    let mut flags = lexopt::Parser::from_env();
    while let Some(flag) = flags.next()? {
        match flag {
            lexopt::Arg::Long("listen") => listen = flags.value()?.string()?,
            lexopt::Arg::Long("workers") => workers = flags.value()?.parse()?,
            lexopt::Arg::Long("spin") => spin = Duration::from_nanos(flags.value()?.parse()?),
            lexopt::Arg::Long("bench") => {
                // `cargo bench` runs every bench and would wait for this one for ever.
                println!("ceiling is a server to measure against: `./bars` starts it");
                return Ok(());
            }
            other => return Err(other.unexpected().into()),
        }
    }
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    setrlimit(Resource::Nofile, limit)?;

    let listener = TcpListener::bind(listen)?;
    rustix::net::listen(&listener, 4096)?;
    let inboxes = (0..workers.max(1)).map(|_| start_worker(spin)).collect::<io::Result<Vec<_>>>()?;
    println!("listening on {}", listener.local_addr()?);
    deal(&listener, &inboxes)
}

/// Accepts in this thread and deals in turn, so that the spread over the workers is exact.
fn deal(listener: &TcpListener, inboxes: &[Inbox]) -> Result<(), Box<dyn std::error::Error>> {
    for inbox in inboxes.iter().cycle() {
        let stream = loop {
            match listener.accept() {
                Ok((stream, _)) => break stream,
                // Out of descriptors, or the client is gone again: neither ends a server, nor may it spin.
                Err(_) => thread::sleep(Duration::from_millis(10)),
            }
        };
        stream.set_nodelay(true)?;
        stream.set_nonblocking(true)?;
        inbox.connections.send(stream)?;
        rustix::io::write(&inbox.bell, &1u64.to_ne_bytes())?;
    }
    Ok(())
}

/// Where a worker finds its new connections.
struct Inbox {
    connections: Sender<TcpStream>,
    bell: OwnedFd,
}

fn start_worker(spin: Duration) -> io::Result<Inbox> {
    let (connections, arrivals) = channel();
    let bell = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
    let poll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
    // Edge-triggered: each write is an edge of its own, so the counter need not be read back.
    epoll::add(
        &poll,
        &bell,
        epoll::EventData::new_u64(INBOX),
        epoll::EventFlags::IN | epoll::EventFlags::ET,
    )?;
    let worker = Worker {
        poll,
        arrivals,
        slab: Vec::new(),
        free: Vec::new(),
        input: vec![0; READ_BUFFER],
        output: Vec::with_capacity(READ_BUFFER),
        leaving: Vec::with_capacity(EVENTS),
        answer: Answer::new(spin),
    };
    thread::Builder::new().name("ceiling".into()).spawn(move || worker.run())?;
    Ok(Inbox { connections, bell })
}

struct Worker {
    poll: OwnedFd,
    arrivals: Receiver<TcpStream>,
    slab: Vec<Option<Connection>>,
    free: Vec<usize>,
    input: Vec<u8>,
    /// The answers of a batch, one connection's after the other's.
    output: Vec<u8>,
    /// Whose they are: slot, and where its answers end.
    leaving: Vec<(usize, usize)>,
    answer: Answer,
}

impl Worker {
    fn run(mut self) {
        let mut events = Vec::with_capacity(EVENTS);
        loop {
            events.clear();
            match epoll::wait(&self.poll, rustix::buffer::spare_capacity(&mut events), None) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => panic!("epoll_wait: {error}"),
            }
            self.answer.refresh();
            for event in &events {
                let (token, flags) = (event.data.u64(), event.flags);
                match usize::try_from(token) {
                    Ok(slot) if token != INBOX => self.serve(slot, flags),
                    _ => self.adopt(),
                }
                if self.output.len() >= OUTPUT {
                    self.send();
                }
            }
            self.send();
        }
    }

    fn adopt(&mut self) {
        let interest =
            epoll::EventFlags::IN | epoll::EventFlags::OUT | epoll::EventFlags::RDHUP | epoll::EventFlags::ET;
        while let Ok(stream) = self.arrivals.try_recv() {
            let slot = self.free.pop().unwrap_or(self.slab.len());
            if slot == self.slab.len() {
                self.slab.push(None);
            }
            if epoll::add(&self.poll, &stream, epoll::EventData::new_u64(slot as u64), interest).is_ok() {
                self.slab[slot] = Some(Connection::new(stream));
            } else {
                self.free.push(slot);
            }
        }
    }

    fn serve(&mut self, slot: usize, flags: epoll::EventFlags) {
        let Some(connection) = self.slab.get_mut(slot).and_then(Option::as_mut) else {
            return;
        };
        let start = self.output.len();
        if !connection.serve(flags, &mut self.input, &mut self.output, &self.answer) {
            self.output.truncate(start);
            self.close(slot);
        } else if self.output.len() > start {
            self.leaving.push((slot, self.output.len()));
        }
    }

    /// Sends the answers of the batch, after all of its requests were read. Each half stays in the instruction cache, and
    /// a client on the same machine is not woken in between: 4 to 6 % less CPU than answering each at once.
    fn send(&mut self) {
        let mut start = 0;
        for at in 0..self.leaving.len() {
            let (slot, end) = self.leaving[at];
            let sent = self.slab[slot].as_mut().is_some_and(|one| one.send(&self.output[start..end]));
            if !sent {
                self.close(slot);
            }
            start = end;
        }
        self.leaving.clear();
        self.output.clear();
    }

    fn close(&mut self, slot: usize) {
        // Closing the descriptor takes it out of the epoll as well.
        self.slab[slot] = None;
        self.free.push(slot);
    }
}
