//! The layout of `wrk --latency`.

use crate::units::SECOND_US;
use std::fmt::{self, Write as _};
use std::time::Duration;

use super::super::{LatencyUs, RunReport};
use super::{DASH, or_dash};
use crate::load::Url;
use crate::units::{Span, WrkBinary, WrkMetric, WrkSpan, WrkTime};

/// wrk's first line. It knows whole seconds only; what is no whole second is printed as it was typed.
pub(super) fn headline(duration: Duration, url: &Url) -> String {
    if duration.subsec_nanos() == 0 {
        format!("Running {} test @ {url}", WrkSpan(duration.as_secs()))
    } else {
        format!("Running {} test @ {url}", Span(duration))
    }
}

pub(super) fn all(out: &mut String, report: &RunReport) -> fmt::Result {
    threads(out, report)?;
    distribution(out, &report.latency_us)?;
    totals(out, report, "requests")
}

/// Latency and rate of the threads.
pub(in crate::report) fn threads(out: &mut String, report: &RunReport) -> fmt::Result {
    let latency = &report.latency_us;
    let rate = report.thread_rate.as_ref();
    writeln!(out, "  {} threads and {} connections", report.threads, report.connections.asked)?;
    writeln!(out, "  Thread Stats{:>6}{:>11}{:>8}{:>12}", "Avg", "Stdev", "Max", "+/- Stdev")?;
    let times = [latency.mean, latency.stdev, latency.max].map(|us| us.map(|us| WrkTime(us).to_string()));
    row(out, "Latency", &times, latency.within_stdev_percent)?;
    let rates = [rate.map(|rate| rate.mean), rate.map(|rate| rate.stdev), rate.map(|rate| rate.max)];
    let rates = rates.map(|rate| rate.map(|rate| WrkMetric(rate).to_string()));
    row(out, "Req/Sec", &rates, rate.map(|rate| rate.within_stdev_percent))
}

/// Widths of wrk's three columns.
const WIDTHS: [usize; 3] = [8, 10, 9];

fn row(out: &mut String, name: &str, cells: &[Option<String>; 3], percent: Option<f64>) -> fmt::Result {
    write!(out, "    {name:<10}")?;
    for (cell, width) in cells.iter().zip(WIDTHS) {
        units(out, cell.as_deref().unwrap_or(DASH), width)?;
    }
    match percent {
        Some(percent) => writeln!(out, "{percent:8.2}%"),
        None => writeln!(out, "{DASH:>8} "),
    }
}

/// A cell. The unit's letters hang over the edge so that the digits line up.
fn units(out: &mut String, cell: &str, width: usize) -> fmt::Result {
    let letters = cell.bytes().rev().take_while(u8::is_ascii_alphabetic).count().min(2);
    write!(out, "{cell:>0$}{1:2$}", width - 2 + letters, "", 2 - letters)
}

fn distribution(out: &mut String, latency: &LatencyUs) -> fmt::Result {
    writeln!(out, "  Latency Distribution")?;
    for (percent, us) in [(50, latency.p50), (75, latency.p75), (90, latency.p90), (99, latency.p99)] {
        write!(out, "{percent:7}%")?;
        units(out, &or_dash(us, |us| WrkTime(us).to_string()), 10)?;
        writeln!(out)?;
    }
    Ok(())
}

/// Everything below the latencies; `requests` is what the requests are called.
pub(in crate::report) fn totals(out: &mut String, report: &RunReport, requests: &str) -> fmt::Result {
    let (time, read) = (WrkTime(report.duration_s * SECOND_US), WrkBinary(report.bytes as f64));
    writeln!(out, "  {} {requests} in {time}, {read} read", report.requests)?;
    let errors = &report.errors;
    if errors.socket() > 0 {
        writeln!(
            out,
            "  Socket errors: connect {}, read {}, write {}, timeout {}",
            errors.connect, errors.read, errors.write, errors.timeout
        )?;
    }
    if errors.status > 0 {
        writeln!(out, "  Non-2xx or 3xx responses: {}", errors.status)?;
    }
    writeln!(out, "Requests/sec: {:9.2}", report.requests_per_s)?;
    writeln!(out, "Transfer/sec: {:>11}", WrkBinary(report.bytes_per_s).to_string())
}
