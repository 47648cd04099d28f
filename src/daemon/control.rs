//! What boardd does while the workers serve: signals, signs of life, and the end.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::DaemonError;
use super::access::Writer;
use super::log::Logger;
use super::notify::{Notifier, Watchdog};
use super::signals::{Signal, Signals};
use crate::server::{Handle, Level, Log, Stage};

/// How often the status is told anew while connections end.
const STATUS_EVERY: Duration = Duration::from_secs(1);

/// The thread that started the workers, and what it has to look after.
pub(super) struct Control<'a> {
    pub(super) signals: Signals,
    pub(super) handle: &'a Handle,
    pub(super) notifier: Notifier,
    pub(super) watchdog: Option<Watchdog>,
    pub(super) log: &'a Arc<Logger>,
    pub(super) access: Option<&'a Writer>,
    /// Where it listens and with how many workers, for the status line.
    pub(super) status: String,
}

/// What happened.
enum Event {
    Signal(Signal),
    Stage(Stage),
    /// The watchdog or the status is due.
    Due,
}

impl Control<'_> {
    /// Looks after everything until no worker is left.
    ///
    /// # Errors
    /// When the end was not the one that one signal asks for.
    pub(super) fn run(mut self) -> Result<(), DaemonError> {
        let (mut stage, mut told, mut status_at) = (Stage::Serving, false, None);
        // The first look only notes what it sees.
        self.look();
        self.notifier.ready(&self.status);
        loop {
            match self.next(stage, status_at) {
                Event::Signal(Signal::Reload) => self.reload(),
                Event::Signal(_) if told => return Err(DaemonError::AtOnce { open: self.open() }),
                Event::Signal(_) => {
                    told = true;
                    self.handle.stop();
                }
                Event::Stage(Stage::Ended) if told => return Ok(()),
                Event::Stage(Stage::Ended) => return Err(DaemonError::Broken),
                Event::Stage(now) => {
                    stage = now;
                    status_at = Some(Instant::now());
                    self.notifier.send("STOPPING=1");
                    self.log.say(Level::Info, &self.ending());
                }
                Event::Due => {
                    let now = Instant::now();
                    if self.watchdog.as_ref().is_some_and(|watchdog| watchdog.next <= now) && self.look() {
                        self.notifier.send("WATCHDOG=1");
                    }
                    if status_at.is_some_and(|at| at <= now) {
                        status_at = Some(now + STATUS_EVERY);
                        self.notifier.send(&format!("STATUS={}", self.ending()));
                    }
                }
            }
        }
    }

    /// The next thing that happens to a server that is at this stage.
    fn next(&mut self, stage: Stage, status_at: Option<Instant>) -> Event {
        let due = self.watchdog.as_ref().map(|watchdog| watchdog.next).into_iter().chain(status_at).min();
        loop {
            if let Some(signal) = self.signals.take() {
                return Event::Signal(signal);
            }
            let now = self.handle.stage();
            if now != stage {
                return Event::Stage(now);
            }
            if due.is_some_and(|due| due <= Instant::now()) {
                return Event::Due;
            }
            self.signals.wait(due);
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
        let counters = self.handle.stats().counters;
        counters.accepted.saturating_sub(counters.closed)
    }

    fn ending(&self) -> String {
        format!("stopping; {} connections are open", self.open())
    }
}
