//! What the runs of a sum were not all asked for.

use super::{MergeError, MergedRun, time};

/// Something in which they differ.
pub(super) struct Difference {
    what: &'static str,
    /// What it is, each value once, with the first run that has it.
    values: Vec<(String, String)>,
}

impl Difference {
    /// The first two values, as the reason why the runs can't be added.
    pub(super) fn error(self) -> MergeError {
        let mut values = self.values.into_iter();
        let (left, one) = values.next().unwrap_or_default();
        let (right, other) = values.next().unwrap_or_default();
        MergeError::Different { one, other, what: self.what, left, right }
    }

    /// As what the reader of the sum should know.
    pub(super) fn note(&self) -> String {
        let values: Vec<_> = self.values.iter().map(|(value, _)| value.as_str()).collect();
        format!("the runs differ in {} ({})", self.what, values.join("; "))
    }
}

/// All differences; `gaps` where the runs were not all measured at the same time.
pub(super) fn differences(runs: &[MergedRun], gaps: bool) -> Vec<Difference> {
    type Value = fn(&MergedRun) -> String;
    let mut kinds: Vec<(&'static str, Value)> = vec![
        ("the URL", |run| run.url.clone()),
        ("the request", |run| run.settings.request.clone()),
        ("the length of the request", |run| run.settings.request_bytes.to_string()),
        ("--pipeline", |run| run.settings.pipeline.to_string()),
        ("keeping connections", |run| yes(run.settings.keep_alive)),
        ("repeating requests", |run| yes(run.settings.retry)),
        ("--timeout", |run| seconds(run.settings.timeout_s)),
        ("--warmup", |run| seconds(run.settings.warmup_s)),
        ("being an open loop", |run| yes(run.settings.rate.is_some())),
        ("being a ramp", |run| yes(run.settings.steps.is_some())),
    ];
    let is_ramp = |run: &MergedRun| run.settings.steps.is_some();
    let ramps = runs.iter().all(is_ramp);
    if ramps {
        kinds.push(("--steps", |run| run.settings.steps.unwrap_or_default().to_string()));
    }
    if runs.iter().any(is_ramp) {
        kinds.push(("--duration of a ramp", |run| seconds(run.settings.duration_s)));
    }
    if gaps || (ramps && time::are_in_turn(runs)) {
        kinds.push(("--rate", |run| run.settings.rate.clone().unwrap_or_default()));
    }
    if gaps {
        kinds.push(("--connections", |run| run.settings.connections.to_string()));
    }
    let found = kinds.into_iter().map(|(what, value)| Difference { what, values: distinct(runs, value) });
    found.filter(|difference| difference.values.len() > 1).collect()
}

fn distinct(runs: &[MergedRun], value: fn(&MergedRun) -> String) -> Vec<(String, String)> {
    let mut values: Vec<(String, String)> = Vec::new();
    for run in runs {
        let value = value(run);
        if !values.iter().any(|(known, _)| *known == value) {
            values.push((value, run.name.clone()));
        }
    }
    values
}

fn yes(yes: bool) -> String {
    if yes { "yes" } else { "no" }.to_owned()
}

fn seconds(s: f64) -> String {
    format!("{s} s")
}
