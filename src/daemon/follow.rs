//! The board as it is followed while boardd serves: looked at once a second, and what changes carried out.

use std::time::{Duration, Instant};

use crate::board::{BoardFacts, Lookout, SysRoot};
use crate::server::{Handle, Level, Log};
use crate::tune::{Follow, WorkerPlan};

/// How often the board is looked at: heat takes seconds to build up, and a look costs some tens of system calls.
const EVERY: Duration = Duration::from_secs(1);

/// What is needed to follow a board.
pub(super) struct Follower {
    root: SysRoot,
    lookout: Lookout,
    follow: Follow,
    /// When the next look is due.
    pub(super) next: Instant,
    /// Changes so far.
    pub(super) changes: u64,
}

impl Follower {
    /// Follows the board at `root`, which had these facts, for these workers.
    pub(super) fn new(root: SysRoot, facts: &BoardFacts, workers: &[WorkerPlan]) -> Self {
        let (lookout, follow) = (Lookout::new(&root, facts), Follow::new(facts, workers));
        Self { root, lookout, follow, next: Instant::now() + EVERY, changes: 0 }
    }

    /// Looks, and tells the server what has changed.
    pub(super) fn tick(&mut self, handle: &Handle, log: &dyn Log) {
        // A look that was late is not made up for.
        self.next = Instant::now() + EVERY;
        let Some(change) = self.follow.step(&self.lookout.look(&self.root)) else { return };
        self.changes += 1;
        handle.reshare(&change.shares);
        let text = format!(
            "{}: {} of {} workers take connections",
            change.because,
            change.active,
            change.shares.len()
        );
        log.log(Level::Notice, "the board changed", &text);
    }
}
