//! A ramp step by step. An arrival belongs to the step in which it was due, whatever becomes of it and whenever.

use super::histogram::LatencyHistogram;
use super::shared::Shared;

/// What became of the arrivals that were due in one step.
#[derive(Debug, Clone, Default)]
pub struct StepCounts {
    /// Which step, from 0.
    pub step: usize,
    /// Arrivals that were due.
    pub arrivals: u64,
    /// Those with a complete answer, whatever its status.
    pub answered: u64,
    /// Those of the answers with a status above 399.
    pub refused: u64,
    /// Those that were sent and got no complete answer.
    pub failed: u64,
    /// Those that found all connections busy.
    pub waited: u64,
    /// Those that started more than a millisecond late although a connection was free.
    pub late: u64,
    /// Answers with a status below 400 that came while the step lasted, whichever step had asked for them: what was served
    /// meanwhile, after an overload also what had been left.
    pub served_meanwhile: u64,
    /// How long its requests took, and of those that got no answer the least they took.
    pub latency: LatencyHistogram,
}

/// The steps in which something was counted; none unless the run is a ramp.
#[derive(Debug, Clone, Default)]
pub struct Steps(Vec<StepCounts>);

impl Steps {
    /// Those in which something was counted, in no order.
    pub fn iter(&self) -> impl Iterator<Item = &StepCounts> {
        self.0.iter()
    }

    /// Adds what another thread, or another second, counted.
    pub(super) fn add(&mut self, other: &Self) {
        for theirs in &other.0 {
            let ours = self.of(theirs.step);
            ours.arrivals += theirs.arrivals;
            ours.answered += theirs.answered;
            ours.refused += theirs.refused;
            ours.failed += theirs.failed;
            ours.waited += theirs.waited;
            ours.late += theirs.late;
            ours.served_meanwhile += theirs.served_meanwhile;
            ours.latency.add(&theirs.latency);
        }
    }

    /// A tally is of a second or so, and has few of them.
    fn of(&mut self, step: usize) -> &mut StepCounts {
        let at = self.0.iter().rposition(|entry| entry.step == step).unwrap_or_else(|| {
            self.0.push(StepCounts { step, ..StepCounts::default() });
            self.0.len() - 1
        });
        &mut self.0[at]
    }
}

impl Shared<'_> {
    /// The counts of the step in which `time` is; `None` before the first step, after the last, and without a ramp.
    #[inline]
    pub(super) fn step_at(&mut self, time: u64) -> Option<&mut StepCounts> {
        if self.step_ends.is_empty() || time < self.count_from {
            return None;
        }
        let step = self.step_ends.partition_point(|end| *end <= time);
        (step < self.step_ends.len()).then(|| self.tally.steps.of(step))
    }

    /// Counts `count` requests that were due at `began` and have waited so long in vain.
    pub(super) fn count_unanswered(&mut self, began: u64, waited: u64, count: u64) {
        self.tally.waiting.record_n(waited, count);
        if let Some(step) = self.step_at(began) {
            step.latency.record_n(waited, count);
        }
    }

    /// Counts an answer that came just now, of a request that was due at `began`.
    #[cold]
    pub(super) fn count_in_steps(&mut self, began: u64, took: u64, refused: bool) {
        if let Some(step) = self.step_at(began) {
            step.answered += 1;
            step.refused += u64::from(refused);
            step.latency.record(took);
        }
        if let Some(step) = self.step_at(self.now).filter(|_| !refused) {
            step.served_meanwhile += 1;
        }
    }
}
