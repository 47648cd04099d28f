//! All that follows from the counts of a sum, and from the runs in it.

use std::collections::{BTreeMap, BTreeSet};

use super::super::{
    Environment, Knee, LatencyUs, RowLatencyUs, RunReport, SeriesRow, Settings, StartDelayUs, StatusReport,
    TimesUs, steps,
};
use super::{MergedRun, Ramps, Together, time};
use crate::load::{HistogramError, LatencyHistogram};
use crate::units::SECOND_US;

/// Works it out anew: `zero` is the second since 1970 in which the first run began.
pub(super) fn finish(sum: &mut RunReport, zero: f64, command: &str) -> Result<(), HistogramError> {
    let Some(mut merged) = sum.merged.take() else { return Ok(()) };
    let runs = &merged.runs;
    sum.started_unix_s = zero;
    sum.duration_s = time::covered_s(runs);
    let per_s = |count: u64| if sum.duration_s > 0.0 { count as f64 / sum.duration_s } else { 0.0 };
    let answers_late: u64 = sum.histograms.statuses.values().map(|status| status.after_end).sum();
    let bytes_late: u64 = sum.series.iter().map(|row| row.bytes_after_end).sum();
    sum.requests_per_s = per_s(sum.requests.saturating_sub(answers_late));
    sum.bytes_per_s = per_s(sum.bytes.saturating_sub(bytes_late));
    latencies(sum)?;
    open_loop(sum, runs)?;
    sum.client_cpu.total_s = runs.iter().map(|run| run.client_cpu_s).sum();
    sum.client_cpu.per_request_us =
        (sum.requests > 0).then(|| sum.client_cpu.total_s * SECOND_US / sum.requests as f64);
    sum.url = distinct(runs, |run| &run.url);
    sum.settings = settings(sum, runs);
    sum.environment = environment(runs, command);
    // These are of one run, or of the one machine that ran it.
    (sum.times_us, sum.thread_rate) = (TimesUs::default(), None);
    (sum.slo, sum.search, sum.soak, sum.preset) = (None, None, None, None);
    (sum.telemetry, sum.verdict, sum.validity) = (None, None, None);
    merged.together = together(sum, runs);
    sum.merged = Some(merged);
    Ok(())
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

fn open_loop(sum: &mut RunReport, runs: &[MergedRun]) -> Result<(), HistogramError> {
    let Some(open) = &mut sum.open_loop else { return Ok(()) };
    open.rate = if sum.duration_s > 0.0 { open.arrivals as f64 / sum.duration_s } else { 0.0 };
    open.start_delay_us = StartDelayUs::of(&sum.histograms.start_delay.decode()?);
    for step in &mut open.steps {
        step.latency_us = RowLatencyUs::of(&step.histogram.decode()?);
    }
    let times = if Ramps::of(runs) == Some(Ramps::InTurn) { runs.len() } else { 1 };
    steps::judge(&mut open.steps, times);
    open.knee = Knee::of(&open.steps);
    Ok(())
}

/// What was asked for at a time, at most; requests in all.
fn settings(sum: &RunReport, runs: &[MergedRun]) -> Settings {
    let (busiest, together_s) = time::busiest(runs);
    let rates: Option<Vec<_>> = busiest.iter().map(|run| run.settings.rate.clone()).collect();
    let at_most = if together_s < sum.duration_s / 2.0 && busiest.len() > 1 { "at most " } else { "" };
    let is_open = sum.open_loop.is_some();
    Settings {
        connections: busiest.iter().map(|run| run.settings.connections).sum(),
        threads: busiest.iter().map(|run| run.settings.threads).sum(),
        duration_s: runs.iter().map(|run| run.settings.duration_s).fold(0.0, f64::max),
        requests: runs.iter().map(|run| run.settings.requests).sum(),
        rate: rates.filter(|_| is_open).map(|rates| format!("{at_most}{}", rates.join(" + "))),
        steps: Ramps::of(runs).and(runs[0].settings.steps),
        // In these they are the same, or there is a note.
        ..runs[0].settings.clone()
    }
}

fn environment(runs: &[MergedRun], command: &str) -> Environment {
    let mut versions: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for (program, version) in runs.iter().flat_map(|run| &run.versions) {
        versions.entry(program.clone()).or_default().insert(version);
    }
    Environment {
        machine: distinct(runs, |run| &run.machine),
        kernel: distinct(runs, |run| &run.kernel),
        versions: versions.into_iter().map(|(program, all)| (program, joined(all))).collect(),
        command: command.to_owned(),
    }
}

fn distinct(runs: &[MergedRun], value: fn(&MergedRun) -> &str) -> String {
    joined(runs.iter().map(value).collect())
}

fn joined(values: BTreeSet<&str>) -> String {
    values.into_iter().collect::<Vec<_>>().join("; ")
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
    let per_s = |of: fn(&SeriesRow) -> u64| rows.iter().map(|row| of(row)).sum::<u64>() as f64 / length_s;
    Some(Together {
        started_unix_s: begin,
        length_s,
        requests_per_s: per_s(|row| row.requests.saturating_sub(row.after_end)),
        arrivals_per_s: sum.open_loop.as_ref().map(|_| per_s(|row| row.arrivals)),
    })
}
