//! The 100 % mark: the least work that an HTTP/1.1 server on epoll can do and still be one.
//!
//! Threads with an epoll each, connections registered once (edge-triggered) and dealt out in turn, one read buffer
//! per thread, `httparse` on the stack, one `recv` and one `send` per batch of requests of a connection. It parses
//! every head, keeps what is unfinished, finishes what the socket would not take, honours `Connection`, and sends
//! the bytes of boardd's `/plaintext` with a Date that is rendered once a second. It routes nothing, reads no bodies,
//! has no deadlines and counts nothing: what boardd costs on top of this is the price of being useful.

use std::io::Write as _;
use std::mem::MaybeUninit;
use std::net::{TcpListener, TcpStream};
use std::os::fd::{AsFd as _, OwnedFd};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use std::{io, thread};

use lexopt::ValueExt as _;
use rustix::event::{EventfdFlags, epoll, eventfd};
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, recv, send};
use rustix::process::{Resource, getrlimit, setrlimit};

/// One read takes at most this; also the longest request head. It stays in the first-level cache.
const READ_BUFFER: usize = 16 * 1024;
/// Events taken by one wait.
const EVENTS: usize = 512;
/// The epoll token of the eventfd that announces a new connection; slab indices never get there.
const INBOX: u64 = u64::MAX;
/// Header slots on the stack, left uninitialised until a header is there.
const HEADERS: usize = 32;

/// What comes before and after the Date in every answer.
const BEFORE_DATE: &[u8] = b"HTTP/1.1 200 OK\r\nServer: boardd\r\nDate: ";
const AFTER_DATE: &[u8] = b"\r\nContent-Type: text/plain\r\nContent-Length: 13\r\n";
const BODY: &[u8] = b"\r\nHello, World!";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut listen = String::from("127.0.0.1:0");
    let mut workers = thread::available_parallelism()?.get();
    let mut flags = lexopt::Parser::from_env();
    while let Some(flag) = flags.next()? {
        match flag {
            lexopt::Arg::Long("listen") => listen = flags.value()?.string()?,
            lexopt::Arg::Long("workers") => workers = flags.value()?.parse()?,
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
    let inboxes = (0..workers.max(1)).map(|_| start_worker()).collect::<io::Result<Vec<_>>>()?;
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

fn start_worker() -> io::Result<Inbox> {
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
        answer: Answer::default(),
    };
    thread::Builder::new().name("ceiling".into()).spawn(move || worker.run())?;
    Ok(Inbox { connections, bell })
}

/// One connection. Both buffers stay unallocated unless a request or an answer was cut short.
struct Connection {
    stream: TcpStream,
    /// The start of a request whose rest has not come yet.
    unread: Vec<u8>,
    /// What the socket would not take yet.
    unsent: Vec<u8>,
    /// To be closed once all is sent.
    closing: bool,
}

struct Worker {
    poll: OwnedFd,
    arrivals: Receiver<TcpStream>,
    slab: Vec<Option<Connection>>,
    free: Vec<usize>,
    input: Vec<u8>,
    output: Vec<u8>,
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
            }
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
                let (unread, unsent) = (Vec::new(), Vec::new());
                self.slab[slot] = Some(Connection { stream, unread, unsent, closing: false });
            } else {
                self.free.push(slot);
            }
        }
    }

    fn serve(&mut self, slot: usize, flags: epoll::EventFlags) {
        let Some(connection) = self.slab.get_mut(slot).and_then(Option::as_mut) else {
            return;
        };
        if !connection.serve(flags, &mut self.input, &mut self.output, &self.answer) {
            // Closing the descriptor takes it out of the epoll as well.
            self.slab[slot] = None;
            self.free.push(slot);
        }
    }
}

impl Connection {
    /// Answers all that has come. False when the connection is done.
    fn serve(
        &mut self,
        flags: epoll::EventFlags,
        input: &mut [u8],
        output: &mut Vec<u8>,
        answer: &Answer,
    ) -> bool {
        if !self.unsent.is_empty() {
            let rest = std::mem::take(&mut self.unsent);
            if !self.send(&rest) {
                return false;
            }
        }
        let more =
            flags.intersects(epoll::EventFlags::RDHUP | epoll::EventFlags::HUP | epoll::EventFlags::ERR);
        // Answers that can't leave stop the reading: the client reads first.
        while self.unsent.is_empty() {
            if self.closing {
                return false;
            }
            let kept = self.unread.len();
            input[..kept].copy_from_slice(&self.unread);
            let read = match recv(&self.stream, &mut input[kept..], RecvFlags::empty()) {
                Ok((_, 0)) => return false,
                Ok((_, read)) => read,
                Err(Errno::AGAIN) => return true,
                Err(Errno::INTR) => continue,
                Err(_) => return false,
            };
            let filled = &input[..kept + read];
            output.clear();
            let Some(used) = self.answer(filled, output, answer) else {
                return false;
            };
            self.unread.clear();
            self.unread.extend_from_slice(&filled[used..]);
            if self.unread.len() == input.len() || !self.send(output) {
                return false;
            }
            // A short read means drained; what comes later is an edge of its own.
            if kept + read < input.len() && !more && !self.closing {
                return true;
            }
        }
        true
    }

    /// Appends an answer for each whole request in `input`: how much of it that was, or None if it is no HTTP.
    fn answer(&mut self, input: &[u8], output: &mut Vec<u8>, answer: &Answer) -> Option<usize> {
        let mut used = 0;
        while used < input.len() && !self.closing {
            let mut headers = [const { MaybeUninit::uninit() }; HEADERS];
            let mut request = httparse::Request::new(&mut []);
            match request.parse_with_uninit_headers(&input[used..], &mut headers) {
                Ok(httparse::Status::Complete(length)) => used += length,
                Ok(httparse::Status::Partial) => break,
                Err(_) => return None,
            }
            let old = request.version == Some(0);
            let keep = keep_alive(&request).unwrap_or(!old);
            self.closing = !keep;
            output.extend_from_slice(if old && keep { &answer.with_keep_alive } else { &answer.plain });
        }
        Some(used)
    }

    /// Sends or keeps all of `bytes`. False when the peer is gone.
    fn send(&mut self, mut bytes: &[u8]) -> bool {
        while !bytes.is_empty() {
            match send(self.stream.as_fd(), bytes, SendFlags::NOSIGNAL) {
                Ok(sent) => bytes = &bytes[sent..],
                Err(Errno::AGAIN) => {
                    self.unsent.extend_from_slice(bytes);
                    break;
                }
                Err(Errno::INTR) => {}
                Err(_) => return false,
            }
        }
        true
    }
}

/// What the request's `Connection` header asks for, if there is one.
fn keep_alive(request: &httparse::Request<'_, '_>) -> Option<bool> {
    let header = request.headers.iter().find(|header| header.name.eq_ignore_ascii_case("connection"))?;
    let asks = |word: &str| {
        header
            .value
            .split(|&byte| byte == b',')
            .any(|one| one.trim_ascii().eq_ignore_ascii_case(word.as_bytes()))
    };
    if asks("close") { Some(false) } else { asks("keep-alive").then_some(true) }
}

/// The two answers there are, rendered again when the second changes.
#[derive(Default)]
struct Answer {
    second: u64,
    plain: Vec<u8>,
    with_keep_alive: Vec<u8>,
}

impl Answer {
    fn refresh(&mut self) {
        let now = SystemTime::now();
        let second = now.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        if second != self.second || self.plain.is_empty() {
            self.second = second;
            render(&mut self.plain, now, b"");
            render(&mut self.with_keep_alive, now, b"Connection: keep-alive\r\n");
        }
    }
}

fn render(into: &mut Vec<u8>, now: SystemTime, extra: &[u8]) {
    into.clear();
    into.extend_from_slice(BEFORE_DATE);
    let _ = write!(into, "{}", httpdate::fmt_http_date(now));
    for part in [AFTER_DATE, extra, BODY] {
        into.extend_from_slice(part);
    }
}
