//! What can't be added, and why.

use super::{Allow, MergedRun, time};
use crate::load::HistogramError;

/// Why reports can't be added up.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum MergeError {
    /// One report is its own sum.
    #[error("there is only one result: a sum needs two or more")]
    TooFew,
    /// Nothing was measured, or an older version wrote it.
    #[error("{0} does not say when it was measured, so that it can't be added to others")]
    NoTime(String),
    /// Adding a run to itself would double it.
    #[error("{0} and {1} are the same run: it would be counted twice")]
    Twice(String, String),
    /// What was asked for differs.
    #[error("{one} and {other} differ in {what} ({left} and {right}): --force adds them all the same")]
    Different {
        /// One report.
        one: String,
        /// The other.
        other: String,
        /// What differs.
        what: &'static str,
        /// What it is in the one.
        left: String,
        /// What it is in the other.
        right: String,
    },
    /// There is a time between them in which nothing measured.
    #[error(
        "{one} was over {apart_s:.1} s before {other} began: --sequential adds runs that were made one after the other"
    )]
    Apart {
        /// The earlier report.
        one: String,
        /// The later one.
        other: String,
        /// The time between them.
        apart_s: f64,
    },
    /// Ramps that were in different steps at the same time.
    #[error(
        "{one} and {other} are ramps that began {apart_s:.1} s apart, more than a quarter of a step ({step_s} s): --force \
         adds them without their steps"
    )]
    Steps {
        /// The earlier report.
        one: String,
        /// The later one.
        other: String,
        /// The time between their starts.
        apart_s: f64,
        /// The length of a step.
        step_s: f64,
    },
    /// A histogram can't be read.
    #[error("{name} has a histogram that can't be read: {source}")]
    Histogram {
        /// The report.
        name: String,
        /// Why.
        source: HistogramError,
    },
}

impl MergeError {
    pub(super) fn histogram(name: &str) -> impl Fn(HistogramError) -> Self {
        move |source| Self::Histogram { name: name.to_owned(), source }
    }
}

/// Whether each run has a time, and none is there twice.
pub(super) fn check_runs(runs: &[MergedRun]) -> Result<(), MergeError> {
    if let Some(run) = runs.iter().find(|run| run.started_unix_s <= 0.0) {
        return Err(MergeError::NoTime(run.name.clone()));
    }
    let same = |one: &MergedRun, other: &MergedRun| {
        one.started_unix_s == other.started_unix_s
            && one.digest == other.digest
            && one.command == other.command
    };
    // Sorted by all three, so that the same ones are neighbours.
    match runs.windows(2).find(|two| same(&two[0], &two[1])) {
        Some(two) => Err(MergeError::Twice(two[0].name.clone(), two[1].name.clone())),
        None => Ok(()),
    }
}

/// Whether there are times between the runs in which none measured.
pub(super) fn check_times(runs: &[MergedRun], allow: Allow) -> Result<bool, MergeError> {
    match time::gap(runs) {
        Some((one, other, apart_s)) if !allow.sequential => {
            Err(MergeError::Apart { one: one.name.clone(), other: other.name.clone(), apart_s })
        }
        gap => Ok(gap.is_some()),
    }
}
