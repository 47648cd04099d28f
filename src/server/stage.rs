//! How far the workers are: counted, so that others can wait for it.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

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
#[derive(Default)]
pub(super) struct Stages {
    counts: Mutex<Counts>,
    changed: Condvar,
}

#[derive(Default)]
struct Counts {
    serving: usize,
    ended: usize,
    call: Option<Box<dyn Fn() + Send>>,
}

impl Stages {
    pub(super) fn worker_serves(&self) {
        self.lock().serving += 1;
        self.changed.notify_all();
    }

    pub(super) fn worker_ended(&self) {
        self.lock().ended += 1;
        self.changed.notify_all();
        self.changed();
    }

    /// Waits until `workers` workers serve; false when one has ended instead.
    pub(super) fn all_serve(&self, workers: usize) -> bool {
        let undecided = |counts: &mut Counts| counts.ended == 0 && counts.serving < workers;
        let counts = self.changed.wait_while(self.lock(), undecided);
        counts.unwrap_or_else(PoisonError::into_inner).ended == 0
    }

    /// Whether `workers` workers have ended.
    pub(super) fn have_ended(&self, workers: usize) -> bool {
        self.lock().ended >= workers
    }

    /// What to call at each change.
    pub(super) fn call(&self, call: Box<dyn Fn() + Send>) {
        self.lock().call = Some(call);
    }

    /// Tells who waits for a change.
    pub(super) fn changed(&self) {
        if let Some(call) = &self.lock().call {
            call();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Counts> {
        // Numbers and a call are whole at any time.
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
