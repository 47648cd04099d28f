//! How far the workers are: counted, so that others can wait for it.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use rustix::event::{EventfdFlags, eventfd};

/// What a server is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// It serves.
    Serving,
    /// It was told to stop, or could not go on, and its connections are ending.
    Stopping,
    /// No worker is left.
    Ended,
}

/// How many workers have come how far.
pub(super) struct Stages {
    counts: Mutex<Counts>,
    changed: Condvar,
    bell: OwnedFd,
}

#[derive(Default)]
struct Counts {
    serving: usize,
    ended: usize,
    /// The first failure that ended a worker.
    failure: Option<io::Error>,
}

impl Stages {
    pub(super) fn new() -> io::Result<Self> {
        let bell = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        Ok(Self { counts: Mutex::default(), changed: Condvar::new(), bell })
    }

    /// Readable after each change, until [`Stages::heard`].
    pub(super) const fn bell(&self) -> &OwnedFd {
        &self.bell
    }

    pub(super) fn ring(&self) {
        // Fails only when the counter is full, and then it is readable anyway.
        let _ = rustix::io::write(&self.bell, &1_u64.to_ne_bytes());
    }

    pub(super) fn heard(&self) {
        // Fails when it has not rung.
        let _ = rustix::io::read(&self.bell, &mut [0_u8; 8]);
    }

    pub(super) fn worker_serves(&self) {
        self.lock().serving += 1;
        self.changed.notify_all();
    }

    pub(super) fn worker_ended(&self, how: io::Result<()>) {
        let mut counts = self.lock();
        counts.ended += 1;
        if let Err(error) = how {
            counts.failure.get_or_insert(error);
        }
        drop(counts);
        self.changed.notify_all();
        self.ring();
    }

    /// Waits until `workers` workers serve; false when one has ended instead.
    pub(super) fn all_serve(&self, workers: usize) -> bool {
        let mut counts = self.lock();
        while counts.ended == 0 && counts.serving < workers {
            counts = self.changed.wait(counts).unwrap_or_else(PoisonError::into_inner);
        }
        counts.ended == 0
    }

    /// Whether `workers` workers have ended.
    pub(super) fn have_ended(&self, workers: usize) -> bool {
        self.lock().ended >= workers
    }

    /// The first failure that ended a worker, once.
    pub(super) fn take_failure(&self) -> Option<io::Error> {
        self.lock().failure.take()
    }

    fn lock(&self) -> MutexGuard<'_, Counts> {
        // Numbers are whole at any time.
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
