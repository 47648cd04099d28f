//! What can't be added, and why.

use super::{Allow, MergedRun, Part};
use crate::load::HistogramError;

/// Clocks and starts that are this far apart are still the same time.
const SAME_TIME_S: f64 = 0.001;

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
    // Sorted by both, so that the same ones are neighbours.
    match runs.windows(2).find(|two| same(&two[0], &two[1])) {
        Some(two) => Err(MergeError::Twice(two[0].name.clone(), two[1].name.clone())),
        None => Ok(()),
    }
}

/// Whether there are times between the runs in which none measured.
pub(super) fn check_times(runs: &[MergedRun], allow: Allow) -> Result<bool, MergeError> {
    let (mut latest, mut gaps) = (&runs[0], false);
    let end = |run: &MergedRun| run.started_unix_s + run.duration_s;
    for run in &runs[1..] {
        let apart_s = run.started_unix_s - end(latest);
        if apart_s > SAME_TIME_S {
            gaps = true;
            if !allow.sequential {
                let (one, other) = (latest.name.clone(), run.name.clone());
                return Err(MergeError::Apart { one, other, apart_s });
            }
        }
        if end(run) > end(latest) {
            latest = run;
        }
    }
    Ok(gaps)
}

/// Whether two reports were asked for the same; `sequential` when they were not measured at the same time.
pub(super) fn check_settings(one: &Part<'_>, other: &Part<'_>, sequential: bool) -> Result<(), MergeError> {
    let (a, b) = (one.run, other.run);
    let (left, right) = (&a.settings, &b.settings);
    let yes = |yes: bool| if yes { "yes" } else { "no" }.to_owned();
    let seconds = |s: f64| format!("{s} s");
    let steps = |run: &super::RunReport| run.open_loop.as_ref().is_some_and(|open| !open.steps.is_empty());
    let ramp = steps(a) || steps(b);
    let mut pairs = vec![
        ("the URL", a.url.clone(), b.url.clone()),
        ("the request", left.request.clone(), right.request.clone()),
        ("the length of the request", left.request_bytes.to_string(), right.request_bytes.to_string()),
        ("--pipeline", left.pipeline.to_string(), right.pipeline.to_string()),
        ("keeping connections", yes(left.keep_alive), yes(right.keep_alive)),
        ("repeating requests", yes(left.retry), yes(right.retry)),
        ("--timeout", seconds(left.timeout_s), seconds(right.timeout_s)),
        ("--warmup", seconds(left.warmup_s), seconds(right.warmup_s)),
        ("being an open loop", yes(left.rate.is_some()), yes(right.rate.is_some())),
        ("being a ramp", yes(steps(a)), yes(steps(b))),
    ];
    if ramp {
        pairs.push(("--duration of a ramp", seconds(left.duration_s), seconds(right.duration_s)));
    }
    if sequential {
        let rate = |rate: &Option<String>| rate.clone().unwrap_or_default();
        pairs.push(("--rate", rate(&left.rate), rate(&right.rate)));
        pairs.push(("--connections", left.connections.to_string(), right.connections.to_string()));
    }
    let differs = pairs.into_iter().find(|(_, left, right)| left != right);
    differs.map_or(Ok(()), |(what, left, right)| {
        let (one, other) = (one.name.to_owned(), other.name.to_owned());
        Err(MergeError::Different { one, other, what, left, right })
    })
}
