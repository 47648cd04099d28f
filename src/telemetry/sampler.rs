//! Fills a [`Sample`] from /proc and /sys.

use std::time::Instant;

use super::Sample;
use crate::board::SysRoot;

/// Whose share of the machine is told apart.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Watched {
    /// Numbers of the processes that are the load tester's: they are nobody's disturbance.
    pub own: Vec<u32>,
    /// The number of the server's process, if it runs on this machine; any of them where several are one server.
    pub server: Option<u32>,
}

/// Keeps the last reading of every counter, for the difference to the next.
#[derive(Debug)]
pub struct Sampler {
    root: SysRoot,
    watch: Watched,
    at: Instant,
}

impl Sampler {
    /// Takes the first reading; the first sample is of the time from here on.
    #[must_use]
    pub fn new(root: SysRoot, watch: Watched) -> Self {
        Self { root, watch, at: Instant::now() }
    }

    /// What the machine did since the last call.
    pub fn sample(&mut self) -> Sample {
        let now = Instant::now();
        let interval_s = now.duration_since(self.at).as_secs_f64();
        self.at = now;
        Sample { interval_s, ..Sample::default() }
    }

    /// Looks at another server from now on.
    pub fn watch_server(&mut self, server: Option<u32>) {
        self.watch.server = server;
    }

    /// The machine that is read.
    #[must_use]
    pub fn root(&self) -> &SysRoot {
        &self.root
    }
}
