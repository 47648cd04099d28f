//! What a run is asked to do.

use std::net::SocketAddr;
use std::time::Duration;

use super::request::Request;
use super::schedule::Schedule;
use super::target::Url;

/// What to load, how hard and how long.
///
/// A closed loop, in which each connection sends its next requests when it has the answers to the ones before; with a
/// schedule an open one, in which requests start at their time whatever the server does.
#[derive(Debug, Clone)]
pub struct LoadPlan {
    /// Where to.
    pub url: Url,
    /// What is sent.
    pub request: Request,
    /// Connections, at least 1.
    pub connections: usize,
    /// Threads, at least 1; no more than connections are used.
    pub threads: usize,
    /// How long to measure, after the warm-up.
    pub duration: Duration,
    /// After how many requests to end before that: so many are made, and each is answered or has failed. Needs a closed
    /// loop, a `pipeline` of 1 and no warm-up; `None` for as many as the time allows.
    pub requests: Option<usize>,
    /// How long to load before measuring; what happens then is left out of the result.
    pub warmup: Duration,
    /// A request that waits longer is given up, and so is a connect.
    pub timeout: Duration,
    /// Requests sent at once on each connection, at least 1.
    pub pipeline: usize,
    /// Whether requests are repeated once when the server closes a reused connection before their answer began.
    pub retry: bool,
    /// When requests start, if the answers before them do not decide that. Needs a `pipeline` of 1.
    pub schedule: Option<Schedule>,
}

/// A plan with its open questions answered: what the threads see.
#[derive(Debug)]
pub(super) struct Settled {
    pub(super) address: SocketAddr,
    pub(super) request: Request,
    pub(super) pipeline: usize,
    pub(super) retry: bool,
    pub(super) schedule: Option<Schedule>,
    pub(super) connections: usize,
    pub(super) threads: usize,
    pub(super) duration: Duration,
    pub(super) requests: Option<usize>,
    pub(super) warmup: Duration,
    pub(super) timeout: Duration,
}

impl Settled {
    pub(super) fn duration_ns(&self) -> u64 {
        nanos(self.duration)
    }

    pub(super) fn warmup_ns(&self) -> u64 {
        nanos(self.warmup)
    }

    pub(super) fn timeout_ns(&self) -> u64 {
        nanos(self.timeout)
    }
}

pub(super) fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
