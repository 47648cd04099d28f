//! What a load test watches: the laptop it runs on, and the board it loads.

mod missing;
mod server;

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{Heartbeat, Link, News, Remote, RemoteError, Sample, Sampler, Watched};
use crate::board::{BoardFacts, SysRoot};
pub use server::Holder;

/// How often a server that is gone is looked for: that takes milliseconds.
const LOOK_EVERY: Duration = Duration::from_secs(5);

/// Samples of the board that wait for a tick. Its clock and ours differ, so that one tick finds none and the next two; when
/// there are more, the board was away, and what is old is dropped.
const MAX_WAITING: usize = 2;

/// Watches the laptop and, where that is possible, the board, during a load test.
///
/// The board is the machine that the server runs on. That may be this one: when the address is one of its own, and nothing
/// is seen to pass connections on to another machine, laptop and board are one. Else it is known from its telemetry, or not.
#[derive(Debug)]
pub struct Watch {
    address: SocketAddr,
    local: bool,
    holder: Option<Holder>,
    looked: Instant,
    /// When the load could begin.
    begun: Instant,
    link: Option<Link>,
    sampler: Sampler,
    heartbeat: Option<Heartbeat>,
    remote: Option<Remote>,
    waiting: VecDeque<Sample>,
    /// What there is to say at the next tick.
    news: Vec<String>,
    lost: Option<RemoteError>,
    /// The last that was seen of each.
    laptop: Sample,
    board: Option<Sample>,
}

/// What one interval showed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Observed {
    /// This machine.
    pub laptop: Sample,
    /// The machine of the server: this one where the server runs here, else what its telemetry says. `None` when there is
    /// none, or no new sample came since the last tick.
    pub board: Option<Sample>,
    /// Whether the board's telemetry was lost or came back, one sentence each.
    pub news: Vec<String>,
}

/// The server as a process of this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerName {
    /// Its process number.
    pub pid: u32,
    /// Its name.
    pub name: String,
}

/// What is watched, and what is not.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Description {
    /// Whether the server runs on this very machine, so that laptop and board are one.
    pub local: bool,
    /// The network device that leads to the server; `None` when it is not known.
    pub link: Option<Link>,
    /// The server's process; only where it runs on this machine and may be looked at.
    pub server: Option<ServerName>,
    /// Facts about the board: read here where the server runs here, else as its telemetry served them.
    pub board: Option<Value>,
    /// Which evidence is missing and how to get it, one sentence each.
    pub missing: Vec<String>,
}

impl Watch {
    /// Begins to watch. `address` is the server's, `remote` the base URL of the board's telemetry (`http://board:9100`) and
    /// `token` what it wants to see. Takes some milliseconds, with telemetry as long as the board takes for two answers.
    ///
    /// # Errors
    /// When a base URL was given and a board's telemetry does not answer there.
    pub fn start(
        address: SocketAddr,
        remote: Option<&str>,
        token: Option<&str>,
    ) -> Result<Self, RemoteError> {
        Self::with_root(SysRoot::live(), address, remote, token)
    }

    /// Like [`Watch::start`], with this machine's /proc and /sys below `root`: for recorded machines.
    ///
    /// # Errors
    /// As [`Watch::start`].
    pub fn with_root(
        root: SysRoot,
        address: SocketAddr,
        remote: Option<&str>,
        token: Option<&str>,
    ) -> Result<Self, RemoteError> {
        let remote = remote.map(|base| Remote::start(base, token)).transpose()?;
        Ok(Self::new(root, address, remote))
    }

    fn new(root: SysRoot, address: SocketAddr, remote: Option<Remote>) -> Self {
        let link = Link::towards_in(&root, address);
        let is_here = link.as_ref().is_some_and(|link| link.loopback);
        let holder = is_here.then(|| Holder::find(&root, address));
        let is_tunnel = matches!(holder, Some(Holder::Tunnel { .. }));
        // Telemetry of another machine says that the server is there, whatever passes the connections on.
        let local = is_here && !is_tunnel && remote.as_ref().is_none_or(Remote::is_here);
        let server = holder.as_ref().filter(|_| local).and_then(Holder::pid);
        let mut watch = Self {
            sampler: Sampler::new(root, Watched { own: vec![std::process::id()], server }),
            heartbeat: Heartbeat::start().ok(),
            looked: Instant::now(),
            begun: Instant::now(),
            waiting: VecDeque::new(),
            news: Vec::new(),
            lost: None,
            laptop: Sample::default(),
            board: None,
            address,
            local,
            holder,
            link,
            remote,
        };
        // The first sample of the board is of the time before.
        watch.hear();
        watch.board = watch.waiting.pop_back();
        watch.waiting.clear();
        watch.begun = Instant::now();
        watch
    }

    /// What happened since the last call, or since the start; to be called about once a second. Takes some milliseconds.
    pub fn tick(&mut self) -> Observed {
        let hold = self.heartbeat.as_ref().map(Heartbeat::take);
        let mut laptop = self.sampler.sample();
        laptop.held_back = hold.map(|hold| hold.share);
        laptop.longest_hold_us = hold.map(|hold| hold.longest_us);
        self.look_for_server(&laptop);
        self.hear();
        let news = std::mem::take(&mut self.news);
        let board = match self.remote {
            Some(_) => self.waiting.pop_front(),
            None => self.local.then(|| laptop.clone()),
        };
        self.laptop.clone_from(&laptop);
        if board.is_some() {
            self.board.clone_from(&board);
        }
        Observed { laptop, board, news }
    }

    /// A server that was restarted is another process.
    fn look_for_server(&mut self, laptop: &Sample) {
        // What is hidden from this user stays hidden.
        let is_hopeless = matches!(self.holder, Some(Holder::Hidden { .. } | Holder::Proxy { .. }));
        let is_due = self.looked.elapsed() >= LOOK_EVERY;
        if !self.local || laptop.server.is_some() || is_hopeless || !is_due {
            return;
        }
        self.looked = Instant::now();
        let holder = Holder::find(self.sampler.root(), self.address);
        self.sampler.watch_server(holder.pid());
        self.holder = Some(holder);
    }

    /// Takes what came from the board.
    fn hear(&mut self) {
        let own = std::process::id();
        for news in self.remote.iter().flat_map(Remote::news) {
            match news {
                News::Sample(new) => {
                    let early = new.may_begin_before(self.begun);
                    let mut sample = Sample { early, ..new.sample };
                    // Telemetry that is served on this very machine knows no load tester.
                    sample.others.retain(|other| !self.local || other.pid != own);
                    self.waiting.push_back(sample);
                }
                News::Lost(error) => {
                    self.news.push(format!("the board's telemetry is lost: {error}"));
                    self.lost = Some(error);
                }
                News::Back => {
                    self.news.push("the board's telemetry is back".to_owned());
                    self.lost = None;
                }
            }
        }
        let old = self.waiting.len().saturating_sub(MAX_WAITING);
        self.waiting.drain(..old);
    }

    /// What is watched, and what is not. To be asked after the last tick: it knows more then.
    #[must_use]
    pub fn describe(&self) -> Description {
        let here = || serde_json::to_value(BoardFacts::read(self.sampler.root())).ok();
        Description {
            local: self.local,
            link: self.link.clone(),
            server: self.server(),
            board: match &self.remote {
                Some(remote) => Some(remote.facts().clone()),
                None => self.local.then(here).flatten(),
            },
            missing: self.missing(),
        }
    }

    /// The process that the samples are of: a worker may hold the port, and its master is the server.
    fn server(&self) -> Option<ServerName> {
        let sampled = self.laptop.server.as_ref().map(|server| (server.pid, server.name.clone()));
        let found = || match self.holder.as_ref().filter(|_| self.local)? {
            Holder::Server { pid, name } => Some((*pid, name.clone())),
            _ => None,
        };
        sampled.or_else(found).map(|(pid, name)| ServerName { pid, name })
    }

    fn missing(&self) -> Vec<String> {
        let mut missing = Vec::new();
        let whose = if self.local { "this machine's" } else { "the board's" };
        match &self.board {
            Some(board) => missing.extend(missing::of_machine(board, whose)),
            None if self.local => {}
            None => missing.push(NO_TELEMETRY.to_owned()),
        }
        missing.extend(self.lost.as_ref().map(|error| format!("the board's telemetry was lost: {error}")));
        let server = self.board.as_ref().and_then(|board| board.server.as_ref());
        match &self.holder {
            Some(holder) if server.is_none() && (self.remote.is_none() || self.local) => {
                missing.extend(holder.missing(self.address));
            }
            _ => {}
        }
        if self.link.is_none() {
            missing.push(NO_LINK.to_owned());
        }
        if self.heartbeat.is_none() {
            missing.push(
                "whether this laptop was held back is unknown: no thread could be started to see it"
                    .to_owned(),
            );
        }
        missing
    }
}

const NO_LINK: &str =
    "no network device has an address that leads to the server: whether the link was full is unknown";

/// What a load test over a wire lacks most often.
const NO_TELEMETRY: &str = "no telemetry from the board: its cores, clock and heat are unknown; --telemetry URL \
     reads them from a board that serves them";

#[cfg(test)]
mod tests;
