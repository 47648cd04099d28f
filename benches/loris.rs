//! Clients that never finish asking: thousands of connections that each send a request head, a byte every few seconds.
//!
//! `loris ADDR:PORT [--connections N] [--every SECONDS] [--seconds S]` opens them, prints `open N` when all are, keeps
//! so many open for S seconds (one that the server closes is opened anew when its next byte is due), and prints at the end
//! how many were closed and what they were answered. `benches/bars/issue2_loris.py` drives it. One thread and one epoll,
//! so that on a machine shared with the server it takes next to nothing of its cores.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::os::fd::OwnedFd;
use std::thread;
use std::time::{Duration, Instant};

use lexopt::ValueExt as _;
use rustix::event::epoll;
use rustix::io::Errno;
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, bind, connect};
use rustix::process::{Resource, getrlimit, setrlimit};

/// What is sent, over and over behind the first line: a head without an end.
const FIRST: &[u8] = b"GET /plaintext HTTP/1.1\r\nHost: loris\r\n";
const FIELD: &[u8] = b"X-Slow: 1\r\n";
/// Source addresses, so that the ports of one do not run out.
const SOURCES: usize = 8;
/// The clock is looked at this often; what is due is sent at once.
const STEP: Duration = Duration::from_millis(10);
/// How many more connections are opened in a step at the start: a backlog holds them.
const OPENED_PER_STEP: usize = 200;

struct Settings {
    target: SocketAddr,
    connections: usize,
    every: Duration,
    seconds: Duration,
}

/// One of the connections, and how much of its head it has sent.
#[derive(Default)]
struct Loris {
    socket: Option<OwnedFd>,
    sent: usize,
}

struct Flock {
    settings: Settings,
    poll: OwnedFd,
    members: Vec<Loris>,
    opened: u64,
    closed: u64,
    refused: u64,
    bytes: u64,
    /// First lines of what they were answered.
    answers: BTreeMap<String, u64>,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let Some(settings) = settings()? else {
        println!("loris is a load to measure under: benches/bars/issue2_loris.py starts it");
        return Ok(());
    };
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    setrlimit(Resource::Nofile, limit)?;
    let poll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
    let members = (0..settings.connections).map(|_| Loris::default()).collect();
    let mut flock = Flock {
        settings,
        poll,
        members,
        opened: 0,
        closed: 0,
        refused: 0,
        bytes: 0,
        answers: BTreeMap::new(),
    };
    flock.open_all()?;
    println!("open {}", flock.members.iter().filter(|one| one.socket.is_some()).count());
    flock.torment()?;
    println!(
        "opened {} closed {} refused {} bytes {} answers {:?}",
        flock.opened, flock.closed, flock.refused, flock.bytes, flock.answers
    );
    Ok(())
}

/// What was asked for; `None` for `cargo bench`, which passes a flag to every bench and would wait for this one.
fn settings() -> Result<Option<Settings>, Box<dyn std::error::Error>> {
    let mut settings = Settings {
        target: SocketAddr::from(([127, 0, 0, 1], 0)),
        connections: 10_000,
        every: Duration::from_secs(5),
        seconds: Duration::from_secs(30),
    };
    let mut flags = lexopt::Parser::from_env();
    while let Some(flag) = flags.next()? {
        match flag {
            lexopt::Arg::Value(target) => settings.target = target.string()?.parse()?,
            lexopt::Arg::Long("connections") => settings.connections = flags.value()?.parse()?,
            lexopt::Arg::Long("every") => settings.every = Duration::from_secs_f64(flags.value()?.parse()?),
            lexopt::Arg::Long("seconds") => {
                settings.seconds = Duration::from_secs_f64(flags.value()?.parse()?);
            }
            lexopt::Arg::Long("bench") => return Ok(None),
            other => return Err(other.unexpected().into()),
        }
    }
    Ok(Some(settings))
}

impl Flock {
    fn open_all(&mut self) -> Result<(), Errno> {
        for index in 0..self.members.len() {
            self.open(index)?;
            if index % OPENED_PER_STEP == 0 {
                thread::sleep(STEP);
            }
        }
        Ok(())
    }

    /// Begins to connect; whether that worked shows when the first byte is sent.
    fn open(&mut self, index: usize) -> Result<(), Errno> {
        let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
        let socket = rustix::net::socket_with(AddressFamily::INET, SocketType::STREAM, flags, None)?;
        let last = u8::try_from(index % SOURCES).unwrap_or_default() + 2;
        bind(&socket, &SocketAddr::new(IpAddr::V4(Ipv4Addr::new(127, 0, 0, last)), 0))?;
        match connect(&socket, &self.settings.target) {
            Ok(()) | Err(Errno::INPROGRESS) => {}
            Err(_) => {
                self.refused += 1;
                return Ok(());
            }
        }
        let interest = epoll::EventFlags::IN | epoll::EventFlags::RDHUP | epoll::EventFlags::ET;
        epoll::add(&self.poll, &socket, epoll::EventData::new_u64(index as u64), interest)?;
        self.members[index] = Loris { socket: Some(socket), sent: 0 };
        self.opened += 1;
        Ok(())
    }

    /// Sends each its byte in turn, all of them once in `every`.
    fn torment(&mut self) -> Result<(), Errno> {
        let begun = Instant::now();
        let (mut done, mut next) = (0u128, 0);
        while begun.elapsed() < self.settings.seconds {
            self.read_events()?;
            let due =
                begun.elapsed().as_nanos() * self.members.len() as u128 / self.settings.every.as_nanos();
            while done < due {
                self.send_byte(next)?;
                next = (next + 1) % self.members.len();
                done += 1;
            }
            thread::sleep(STEP);
        }
        self.read_events()
    }

    fn send_byte(&mut self, index: usize) -> Result<(), Errno> {
        let one = &mut self.members[index];
        let Some(socket) = &one.socket else { return self.open(index) };
        let byte = match one.sent.checked_sub(FIRST.len()) {
            None => FIRST[one.sent],
            Some(behind) => FIELD[behind % FIELD.len()],
        };
        match rustix::net::send(socket, &[byte], SendFlags::NOSIGNAL) {
            Ok(_) => {
                one.sent += 1;
                self.bytes += 1;
            }
            // Still connecting, or the server takes nothing: its turn comes again.
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(_) => self.close(index),
        }
        Ok(())
    }

    /// Notes what was answered, and who was closed.
    fn read_events(&mut self) -> Result<(), Errno> {
        let mut events = Vec::with_capacity(1024);
        let at_once = rustix::event::Timespec { tv_sec: 0, tv_nsec: 0 };
        epoll::wait(&self.poll, rustix::buffer::spare_capacity(&mut events), Some(&at_once))?;
        let mut buffer = [0; 4096];
        for event in &events {
            let index = usize::try_from(event.data.u64()).unwrap_or(usize::MAX);
            let Some(socket) = self.members.get(index).and_then(|one| one.socket.as_ref()) else { continue };
            match rustix::net::recv(socket, &mut buffer, RecvFlags::empty()) {
                Ok((count, _)) if count > 0 => {
                    let text = String::from_utf8_lossy(&buffer[..count]).into_owned();
                    let line = text.lines().next().unwrap_or_default().to_owned();
                    *self.answers.entry(line).or_default() += 1;
                    let closing = epoll::EventFlags::RDHUP | epoll::EventFlags::HUP | epoll::EventFlags::ERR;
                    let flags = event.flags;
                    if flags.intersects(closing) {
                        self.close(index);
                    }
                }
                Err(Errno::AGAIN) => {}
                _ => self.close(index),
            }
        }
        Ok(())
    }

    fn close(&mut self, index: usize) {
        self.members[index].socket = None;
        self.closed += 1;
    }
}
