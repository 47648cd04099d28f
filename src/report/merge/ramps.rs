//! Steps of ramps added up, where that means something.

use super::super::steps::StepReport;
use super::time::are_in_turn;
use super::{MergeError, MergedRun};
use crate::load::HistogramError;

/// Ramps that began no further apart than this part of a step went through it together: for the rest of it all were in it.
const APART: f64 = 0.25;

/// How the steps of several ramps are added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ramps {
    /// The runs went through each step together: rates add up.
    AtOnce,
    /// One run began when another was over: each step was gone through several times.
    InTurn,
}

impl Ramps {
    /// How those of these runs are added; `None` where they can't be, or a run is none.
    pub(super) fn of(runs: &[MergedRun]) -> Option<Self> {
        let first = &runs[0].settings;
        let same = |run: &MergedRun| {
            (run.settings.steps, run.settings.duration_s) == (first.steps, first.duration_s)
        };
        first.steps.filter(|_| runs.iter().all(same))?;
        if runs.iter().all(|run| is_near(&runs[0], run)) {
            return Some(Self::AtOnce);
        }
        let same = runs.iter().all(|run| run.settings.rate == first.rate);
        // However short a run is that was stopped, two that are near are no turns: else it would matter which are added first.
        let near = runs.windows(2).any(|two| is_near(&two[0], &two[1]));
        (same && !near && are_in_turn(runs)).then_some(Self::InTurn)
    }

    /// Adds `other`, the same step of another run.
    fn add(self, sum: &mut StepReport, other: &StepReport) -> Result<(), HistogramError> {
        match self {
            Self::InTurn => sum.length_s += other.length_s,
            Self::AtOnce if sum.length_s == other.length_s => sum.rate += other.rate,
            Self::AtOnce => {
                // One of them was stopped in it, and offered nothing for the rest of it.
                let arrivals = sum.rate * sum.length_s + other.rate * other.length_s;
                sum.length_s = sum.length_s.max(other.length_s);
                sum.rate = arrivals / sum.length_s;
            }
        }
        sum.arrivals += other.arrivals;
        sum.answered += other.answered;
        sum.failed += other.failed;
        sum.unanswered += other.unanswered;
        sum.errors += other.errors;
        sum.waited += other.waited;
        sum.late += other.late;
        sum.served_meanwhile += other.served_meanwhile;
        super::sum::histogram(&mut sum.histogram, &other.histogram)
    }
}

/// Adds `other`, all steps of another run, or forgets them where they can't be added.
pub(super) fn add(
    sum: &mut Vec<StepReport>,
    other: &[StepReport],
    ramps: Option<Ramps>,
) -> Result<(), HistogramError> {
    let Some(ramps) = ramps else {
        sum.clear();
        return Ok(());
    };
    for (index, theirs) in other.iter().enumerate() {
        match sum.get_mut(index) {
            Some(ours) => ramps.add(ours, theirs)?,
            None => sum.push(theirs.clone()),
        }
    }
    Ok(())
}

/// Whether steps can be added where all runs were asked for the same ramp.
pub(super) fn check(runs: &[MergedRun]) -> Result<(), MergeError> {
    if runs[0].settings.steps.is_none() || Ramps::of(runs).is_some() {
        return Ok(());
    }
    let one = &runs[0];
    let other = runs.iter().find(|run| !is_near(one, run)).unwrap_or(one);
    Err(MergeError::Steps {
        one: one.name.clone(),
        other: other.name.clone(),
        apart_s: other.started_unix_s - one.started_unix_s,
        step_s: step_s(one),
    })
}

fn step_s(run: &MergedRun) -> f64 {
    run.settings.duration_s / run.settings.steps.unwrap_or(1).max(1) as f64
}

fn is_near(first: &MergedRun, run: &MergedRun) -> bool {
    run.started_unix_s - first.started_unix_s <= APART * step_s(first)
}
