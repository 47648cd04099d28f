//! What a load test watches: the laptop it runs on, and the board it loads.

use std::net::SocketAddr;

use serde_json::Value;

use super::{Heartbeat, Link, Remote, RemoteError, Sample, Sampler, Watched};
use crate::board::SysRoot;

/// Watches the laptop and, where that is possible, the board, during a load test.
#[derive(Debug)]
pub struct Watch {
    sampler: Sampler,
    heartbeat: Option<Heartbeat>,
    remote: Option<Remote>,
    link: Option<Link>,
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
    /// `token` what it wants to see.
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
        let watched = Watched { own: vec![std::process::id()], server: None };
        Ok(Self {
            link: Link::towards_in(&root, address),
            sampler: Sampler::new(root, watched),
            heartbeat: Heartbeat::start().ok(),
            remote: remote.map(|base| Remote::start(base, token)).transpose()?,
        })
    }

    /// What happened since the last call; to be called once a second. Takes a few milliseconds.
    pub fn tick(&mut self) -> Observed {
        let hold = self.heartbeat.as_ref().map(Heartbeat::take);
        let mut laptop = self.sampler.sample();
        laptop.held_back = hold.map(|hold| hold.share);
        laptop.longest_hold_us = hold.map(|hold| hold.longest_us);
        Observed { laptop, ..Observed::default() }
    }

    /// What is watched, and what is not. To be asked after the last tick: it knows more then.
    #[must_use]
    pub fn describe(&self) -> Description {
        Description {
            link: self.link.clone(),
            board: self.remote.as_ref().map(|remote| remote.facts().clone()),
            ..Description::default()
        }
    }
}
