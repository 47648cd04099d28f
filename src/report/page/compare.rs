//! Several runs side by side.

use super::html::Html;
use crate::report::RunReport;
use crate::report::chart::{Named, slowed};
use crate::report::figures::{self, UNKNOWN, maybe_latency};
use crate::telemetry::Sample;

/// What it is, and how it is told of a run.
type Row = (&'static str, fn(&RunReport) -> String);

/// What is said of each run, in this order.
const ROWS: [Row; 21] = [
    (
        "Requests/s",
        |run| if run.requests > 0 { figures::rate(run.requests_per_s) } else { UNKNOWN.to_owned() },
    ),
    ("p50", |run| maybe_latency(run.latency_us.p50)),
    ("p90", |run| maybe_latency(run.latency_us.p90)),
    ("p99", |run| maybe_latency(run.latency_us.p99)),
    ("p99.9", |run| maybe_latency(run.latency_us.p999)),
    ("Longest", |run| maybe_latency(run.latency_us.max)),
    ("Errors", |run| figures::count(figures::errors(&run.errors))),
    ("Failed", |run| figures::count(run.failed)),
    ("Server's CPU per request", |run| maybe_latency(server_cpu_us(run))),
    ("Mean load of the board's cores", |run| mean_load(run).map_or(UNKNOWN.to_owned(), figures::percent)),
    ("Load tester's CPU per request", |run| maybe_latency(run.client_cpu.per_request_us)),
    ("Slowed down", slow),
    ("Hottest", hottest),
    ("Limited by", |run| {
        run.verdict.as_ref().map_or(UNKNOWN.to_owned(), |verdict| verdict.limited_by.to_string())
    }),
    ("Valid", valid),
    ("Length", length),
    ("Connections", |run| run.connections.asked.to_string()),
    ("Load", load),
    ("URL", |run| known(&run.url)),
    ("Load tester on", |run| known(&run.environment.machine)),
    ("Command", |run| known(&run.environment.command)),
];

/// Rows of what has no blanks and is of any length.
const BREAKABLE: [&str; 2] = ["URL", "Command"];

/// The table: a column for each run.
pub(super) fn table(html: &mut Html, runs: &[Named<'_>]) {
    let heads: Vec<&str> = std::iter::once("").chain(runs.iter().map(|named| named.name)).collect();
    let row = |(name, of): &Row| {
        std::iter::once((*name).to_owned()).chain(runs.iter().map(|named| of(named.run))).collect()
    };
    let rows: Vec<_> = ROWS.iter().map(row).collect();
    html.table_of_runs("A column for each run", &heads, &rows, &BREAKABLE);
}

/// Samples of the board, with the requests of their seconds.
fn board(run: &RunReport) -> impl Iterator<Item = (&Sample, u64)> {
    run.series.iter().filter_map(|row| Some((row.board.as_ref()?, row.requests)))
}

/// Processor time of the server for each request, in microseconds, over the seconds in which both are known.
fn server_cpu_us(run: &RunReport) -> Option<f64> {
    let seconds = board(run).filter_map(|(sample, requests)| {
        Some((sample.server.as_ref()?.cores * sample.interval_s, requests as f64))
    });
    let (cpu_s, requests) = seconds.fold((0.0, 0.0), |sum, second| (sum.0 + second.0, sum.1 + second.1));
    (requests > 0.0).then(|| cpu_s * 1e6 / requests)
}

/// Mean load of the board's cores, from 0 to 1.
fn mean_load(run: &RunReport) -> Option<f64> {
    let loads = board(run).flat_map(|(sample, _)| sample.cores.values().map(crate::board::CoreLoad::busy));
    let (sum, count) = loads.fold((0.0, 0u32), |(sum, count), load| (sum + load, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}

fn slow(run: &RunReport) -> String {
    let watched = run.series.iter().any(|row| row.board.is_some());
    let stretches = slowed(&run.series);
    let seconds: f64 = stretches.iter().map(|stretch| stretch.to_s - stretch.from_s).sum();
    match stretches.first() {
        None if watched => "no".to_owned(),
        None => UNKNOWN.to_owned(),
        Some(first) => format!("for {}: {}", figures::moment(seconds), first.short),
    }
}

fn hottest(run: &RunReport) -> String {
    let hottest = board(run).filter_map(|(sample, _)| sample.cpu_temp_c).reduce(f64::max);
    hottest.map_or(UNKNOWN.to_owned(), figures::degrees)
}

fn valid(run: &RunReport) -> String {
    match run.validity.as_ref().map(|validity| validity.valid) {
        Some(Some(true)) => "yes".to_owned(),
        Some(Some(false)) => "no".to_owned(),
        Some(None) | None => UNKNOWN.to_owned(),
    }
}

fn length(run: &RunReport) -> String {
    let partial = if run.partial { ", partial" } else { "" };
    figures::moment(run.duration_s) + partial
}

fn load(run: &RunReport) -> String {
    match (&run.open_loop, run.settings.rate.as_deref()) {
        (None, _) => "closed loop".to_owned(),
        (Some(_), rate) => format!("open loop, {} a second", rate.unwrap_or(UNKNOWN)),
    }
}

fn known(text: &str) -> String {
    if text.is_empty() { UNKNOWN.to_owned() } else { text.to_owned() }
}
