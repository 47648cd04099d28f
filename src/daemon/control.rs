//! What boardd does while the workers serve: signals, signs of life, and the end.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};

use super::DaemonError;
use super::access::Writer;
use super::follow::Follower;
use super::log::Logger;
use super::notify::{Notifier, Watchdog};
use super::signals::{Signals, came};
use crate::server::{Handle, Level, Log, Stage};

/// How often the status is told anew while connections end.
const STATUS_EVERY: Duration = Duration::from_secs(1);

/// A signal that comes sooner after the first is the same one again: `timeout`, and what starts a program from a terminal
/// and passes its signals on, send it to the process and to its group.
const SECOND_AFTER: Duration = Duration::from_millis(500);

/// The thread that started the workers, and what it has to look after.
pub(super) struct Control<'a> {
    pub(super) signals: Signals,
    pub(super) handle: &'a Handle,
    pub(super) notifier: Notifier,
    pub(super) watchdog: Option<Watchdog>,
    pub(super) log: &'a Arc<Logger>,
    pub(super) access: Option<&'a Writer>,
    /// The board, unless it is not to be followed.
    pub(super) follower: Option<Follower>,
    /// Where it listens and with how many workers, for the status line.
    pub(super) status: String,
}

impl Control<'_> {
    /// Looks after everything until no worker is left.
    ///
    /// # Errors
    /// When the end was not the one that one signal asks for.
    pub(super) fn run(mut self) -> Result<(), DaemonError> {
        let (mut told_at, mut status_at) = (None::<Instant>, None);
        // The first look only notes what it sees.
        self.look();
        self.notifier.ready(&self.status);
        loop {
            self.wait(status_at)?;
            if came(&self.signals.reload) {
                self.reload();
            }
            if came(&self.signals.end) {
                if told_at.is_some_and(|at| at.elapsed() >= SECOND_AFTER) {
                    return Err(DaemonError::AtOnce { open: self.open() });
                }
                told_at.get_or_insert_with(Instant::now);
                self.handle.stop();
            }
            let stage = self.handle.stage();
            // It may have ended already, without having been seen to stop.
            if stage != Stage::Serving && status_at.is_none() {
                self.notifier.send("STOPPING=1");
                self.log.say(Level::Info, &self.ending());
                status_at = Some(Instant::now());
            }
            match stage {
                Stage::Ended if told_at.is_some() => return Ok(()),
                Stage::Ended => return Err(DaemonError::Broken),
                Stage::Serving | Stage::Stopping => {}
            }
            let now = Instant::now();
            if let Some(follower) = self.follower.as_mut().filter(|follower| follower.next <= now) {
                follower.tick(self.handle, &**self.log);
            }
            if self.watchdog.as_ref().is_some_and(|watchdog| watchdog.next <= now) && self.look() {
                self.notifier.send("WATCHDOG=1");
            }
            if status_at.is_some_and(|at| at <= now) {
                status_at = Some(now + STATUS_EVERY);
                self.notifier.send(&format!("STATUS={}", self.ending()));
            }
        }
    }

    /// Waits for a signal, another stage of the server, or until something is due.
    fn wait(&self, status_at: Option<Instant>) -> Result<(), DaemonError> {
        let watchdog = self.watchdog.as_ref().map(|watchdog| watchdog.next);
        let follower = self.follower.as_ref().map(|follower| follower.next);
        let due = [watchdog, follower, status_at].into_iter().flatten().min();
        let left = due.map(|due| due.saturating_duration_since(Instant::now()));
        // What is too long for the kernel is looked at again before it has passed.
        let left = left.map(|left| Timespec::try_from(left).unwrap_or(Timespec { tv_sec: 3600, tv_nsec: 0 }));
        let bell = self.handle.stage_bell();
        let mut watched = [
            PollFd::new(&self.signals.end, PollFlags::IN),
            PollFd::new(&self.signals.reload, PollFlags::IN),
            PollFd::new(&bell, PollFlags::IN),
        ];
        match rustix::event::poll(&mut watched, left.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(DaemonError::System { what: "cannot wait for signals", error: error.into() }),
        }
    }

    /// Whether every worker has shown since the last look that it goes on.
    fn look(&mut self) -> bool {
        let Some(watchdog) = &mut self.watchdog else { return false };
        let stuck = watchdog.stuck(self.handle);
        for worker in &stuck {
            self.log.log(Level::Warning, "watchdog", &format!("worker {worker} does not go on"));
        }
        stuck.is_empty()
    }

    fn reload(&self) {
        self.notifier.reloading();
        if let Some(access) = self.access {
            access.reopen(self.log);
        }
        self.notifier.ready(&self.status);
    }

    /// Connections that are open.
    fn open(&self) -> u64 {
        self.handle.stats().counters.open()
    }

    fn ending(&self) -> String {
        format!("stopping; open connections: {}", self.open())
    }
}
