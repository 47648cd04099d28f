//! All that follows from the counts of a sum, and from the runs in it.

use crate::units::SECOND_US;
use std::collections::{BTreeMap, BTreeSet};

use super::super::{Knee, LatencyUs, RowLatencyUs, RunReport, StartDelayUs, StatusReport, TimesUs, steps};
use super::{Merged, MergedRun, Together};
use crate::load::{HistogramError, LatencyHistogram};

/// Works it out anew: `zero` is the second since 1970 in which the first run began.
pub(super) fn finish(sum: &mut RunReport, zero: f64, command: &str) -> Result<(), HistogramError> {
    let Some(mut merged) = sum.merged.take() else { return Ok(()) };
    sum.started_unix_s = zero;
    sum.duration_s = covered_s(&merged.runs);
    let per_s = |count: u64| if sum.duration_s > 0.0 { count as f64 / sum.duration_s } else { 0.0 };
    (sum.requests_per_s, sum.bytes_per_s) = (per_s(sum.requests), per_s(sum.bytes));
    latencies(sum)?;
    open_loop(sum, &merged)?;
    sum.client_cpu.total_s = merged.runs.iter().map(|run| run.client_cpu_s).sum();
    sum.client_cpu.per_request_us =
        (sum.requests > 0).then(|| sum.client_cpu.total_s * SECOND_US / sum.requests as f64);
    merged.together = together(sum, &merged.runs);
    settings(sum, &merged);
    sum.notes = notes(sum, &merged);
    let distinct = |value: fn(&MergedRun) -> &String| {
        merged
            .runs
            .iter()
            .map(value)
            .collect::<BTreeSet<_>>()
            .into_iter()
            .cloned()
            .collect::<Vec<_>>()
            .join("; ")
    };
    sum.environment.machine = distinct(|run| &run.machine);
    sum.environment.kernel = distinct(|run| &run.kernel);
    command.clone_into(&mut sum.environment.command);
    // These are of one run, or of the one machine that ran it.
    (sum.times_us, sum.thread_rate) = (TimesUs::default(), None);
    (sum.slo, sum.search, sum.soak, sum.preset) = (None, None, None, None);
    (sum.telemetry, sum.verdict, sum.validity) = (None, None, None);
    sum.merged = Some(merged);
    Ok(())
}

/// Seconds in which any run measured.
fn covered_s(runs: &[MergedRun]) -> f64 {
    let (mut covered, mut until) = (0.0, f64::NEG_INFINITY);
    for run in runs {
        let end = run.started_unix_s + run.duration_s;
        covered += (end - run.started_unix_s.max(until)).max(0.0);
        until = until.max(end);
    }
    covered
}

fn latencies(sum: &mut RunReport) -> Result<(), HistogramError> {
    let all = sum.histograms.latency()?;
    sum.latency_us = if sum.requests > 0 { LatencyUs::of(&all) } else { LatencyUs::default() };
    let mut classes: BTreeMap<String, (LatencyHistogram, u64)> = BTreeMap::new();
    sum.statuses.clear();
    for (status, entry) in &sum.histograms.statuses {
        let latency = entry.latency.decode()?;
        sum.statuses.insert(status.clone(), report(&latency, entry.after_end));
        let digit = status.chars().next().filter(char::is_ascii_digit);
        let class = digit.map_or_else(|| status.clone(), |digit| format!("{digit}xx"));
        let class = classes.entry(class).or_default();
        class.0.add(&latency);
        class.1 += entry.after_end;
    }
    sum.classes = classes
        .iter()
        .map(|(name, (latency, after_end))| (name.clone(), report(latency, *after_end)))
        .collect();
    Ok(())
}

fn report(latency: &LatencyHistogram, after_end: u64) -> StatusReport {
    StatusReport { count: latency.count(), after_end, latency_us: LatencyUs::of(latency) }
}

fn open_loop(sum: &mut RunReport, merged: &Merged) -> Result<(), HistogramError> {
    let Some(open) = &mut sum.open_loop else { return Ok(()) };
    let rates = || merged.runs.iter().filter_map(|run| run.rate_per_s);
    open.rate = if merged.sequential { rates().fold(0.0, f64::max) } else { rates().sum() };
    open.start_delay_us = StartDelayUs::of(&sum.histograms.start_delay.decode()?);
    for step in &mut open.steps {
        step.latency_us = RowLatencyUs::of(&step.histogram.decode()?);
    }
    steps::judge(&mut open.steps);
    open.knee = Knee::of(&open.steps);
    Ok(())
}

/// What was asked for in all; of runs one after the other, what was asked for at a time.
fn settings(sum: &mut RunReport, merged: &Merged) {
    let runs = &merged.runs;
    sum.settings.duration_s = runs.iter().map(|run| run.duration_s).fold(0.0, f64::max);
    if merged.sequential {
        return;
    }
    sum.settings.connections = sum.connections.asked;
    sum.settings.threads = sum.threads;
    let rates: Vec<_> = runs.iter().filter_map(|run| run.rate.clone()).collect();
    sum.settings.rate = (!rates.is_empty()).then(|| rates.join(" + "));
}

/// The whole seconds that all runs have, and what was served in them.
fn together(sum: &RunReport, runs: &[MergedRun]) -> Option<Together> {
    let begin = runs.iter().map(|run| run.started_unix_s.round()).fold(f64::NEG_INFINITY, f64::max);
    let end = runs
        .iter()
        .map(|run| run.started_unix_s.round() + run.duration_s.floor())
        .fold(f64::INFINITY, f64::min);
    let length_s = end - begin;
    let within = |at: f64| (begin..end).contains(&(sum.started_unix_s + at));
    let rows: Vec<_> = sum.series.iter().filter(|row| within(row.begin_s)).collect();
    // A second that is missing would be one in which nothing was served.
    if length_s < 1.0 || (rows.len() as f64) < length_s {
        return None;
    }
    let requests: u64 = rows.iter().map(|row| row.requests).sum();
    Some(Together { started_unix_s: begin, length_s, requests_per_s: requests as f64 / length_s })
}

fn notes(sum: &RunReport, merged: &Merged) -> Vec<String> {
    let (count, covered) = (merged.runs.len(), sum.duration_s);
    let mut notes = vec![match merged.together {
        _ if merged.sequential => {
            format!(
                "{count} runs, not all at the same time: rates are over the {covered:.1} s in which any measured"
            )
        }
        Some(Together { length_s, requests_per_s, .. }) => format!(
            "{count} runs, by the clocks of their machines {length_s:.0} s at the same time, {requests_per_s:.2} \
             requests/s in those; rates above are over the {covered:.1} s in which any measured"
        ),
        None => format!(
            "{count} runs that did not all measure at the same time: rates are over the {covered:.1} s in which any did"
        ),
    }];
    for run in &merged.runs {
        let partial = run.partial.then(|| "stopped before its time".to_owned());
        notes.extend(partial.iter().chain(&run.notes).map(|note| format!("{}: {note}", run.name)));
    }
    notes
}
