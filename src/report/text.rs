//! A report as text: wrk's block, and ab's percentile table under it.

use std::fmt::{self, Display, Write as _};

use super::like::wrk;
use super::{LatencyUs, OpenLoop, RunReport, Validity, Verdict};

/// Microseconds in the milliseconds that ab's table is in.
const MILLI_US: f64 = 1000.0;
/// What stands for a number that does not exist.
const DASH: &str = "-";

/// Answers that came too late are told of from one in so many arrivals on.
const TELLS: u64 = 100;

/// The line above the block, printed before the load starts: that `what`, such as `10s test`, is run.
#[must_use]
pub fn headline(what: impl Display, url: impl Display) -> String {
    format!("Running {what} @ {url}")
}

/// The whole report below the headline.
#[must_use]
pub fn render(report: &RunReport) -> String {
    figures(report) + &judgement(report)
}

/// What was measured.
#[must_use]
pub fn figures(report: &RunReport) -> String {
    let mut out = String::new();
    // Writing to a string can't fail.
    let _ = block(&mut out, report);
    let _ = percentiles(&mut out, &report.latency_us);
    let _ = statuses(&mut out, report);
    let _ = steps(&mut out, report);
    let _ = remarks(&mut out, report);
    out
}

/// What limited it, and whether it is valid; nothing while that was not judged.
#[must_use]
pub fn judgement(report: &RunReport) -> String {
    let verdict = report.verdict.iter().map(Verdict::render);
    let validity = report.validity.iter().map(Validity::render);
    verdict.chain(validity).fold(String::new(), |text, block| text + "\n" + &block)
}

/// wrk's block, in wrk's layout.
fn block(out: &mut String, report: &RunReport) -> fmt::Result {
    wrk::threads(out, report)?;
    wrk::totals(out, report, if report.requests == 0 { "requests finished" } else { "requests" })
}

/// ab's table, with more digits: ab was made when a millisecond was short.
fn percentiles(out: &mut String, latency: &LatencyUs) -> fmt::Result {
    writeln!(out, "\nPercentage of the requests served within a certain time (ms)")?;
    let rows = [
        ("50", latency.p50),
        ("66", latency.p66),
        ("75", latency.p75),
        ("80", latency.p80),
        ("90", latency.p90),
        ("95", latency.p95),
        ("98", latency.p98),
        ("99", latency.p99),
        ("99.9", latency.p999),
        ("100", latency.max),
    ];
    for (percent, us) in rows {
        let value = millis(us);
        let longest = if percent == "100" { " (longest request)" } else { "" };
        writeln!(out, "{percent:>4}% {value:>10}{longest}")?;
    }
    Ok(())
}

/// Latency by status, where there is more to say than the table of all of them does.
fn statuses(out: &mut String, report: &RunReport) -> fmt::Result {
    if report.statuses.keys().all(|status| status == "200") && report.open_loop.is_none() {
        return Ok(());
    }
    writeln!(out, "\nLatency by status (ms)")?;
    writeln!(out, " status {:>10}{:>11}{:>11}{:>11}{:>11}", "count", "50%", "90%", "99%", "100%")?;
    for (status, answers) in &report.statuses {
        let latency = &answers.latency_us;
        let [p50, p90, p99, max] = [latency.p50, latency.p90, latency.p99, latency.max].map(millis);
        writeln!(out, " {status:>6} {:>10}{p50:>11}{p90:>11}{p99:>11}{max:>11}", answers.count)?;
    }
    Ok(())
}

/// Of a ramp, step by step.
fn steps(out: &mut String, report: &RunReport) -> fmt::Result {
    match &report.open_loop {
        Some(open) if !open.steps.is_empty() => super::steps::render(out, &open.steps, open.knee),
        _ => Ok(()),
    }
}

pub(super) fn millis(us: Option<f64>) -> String {
    us.map_or_else(|| DASH.to_owned(), |us| format!("{:.3}", us / MILLI_US))
}

/// What became of the arrivals of an open loop, and whose fault it was when they started late.
fn arrivals(out: &mut String, open: &OpenLoop, is_sum: bool) -> fmt::Result {
    let OpenLoop { arrivals, answered, failed, unanswered, unsent, answered_after_end: after, .. } = open;
    // Where the server keeps up, one or two are under way when the last arrival is due.
    let told = if *after * TELLS < *arrivals {
        String::new()
    } else {
        format!(", {after} of them after the last was due and so in no rate")
    };
    let rate = match open.steps.as_slice() {
        [first, .., last] => format!("{} to {}/s", first.rate, last.rate),
        _ if is_sum => format!("{:.1}/s on average", open.rate),
        _ => format!("{}/s", open.rate),
    };
    writeln!(
        out,
        "Arrivals: {arrivals} at {rate}: {answered} answered{told}, {failed} failed, {unanswered} unanswered \
         ({unsent} never sent)"
    )?;
    let delay = &open.start_delay_us;
    let [p50, p99, max] = [delay.p50, delay.p99, delay.max].map(millis);
    writeln!(
        out,
        "Late starts: {} by more than 1 ms through the client's fault (50% {p50}, 99% {p99}, 100% {max} ms); \
         {} waited for a connection",
        open.late, open.waited
    )
}

/// What neither wrk nor ab says.
fn remarks(out: &mut String, report: &RunReport) -> fmt::Result {
    let connections = &report.connections;
    writeln!(out)?;
    if let Some(open) = &report.open_loop {
        arrivals(out, open, report.merged.is_some())?;
    }
    write!(out, "Connections: {} asked, {} opened", connections.asked, connections.opened)?;
    if report.reconnects > 0 {
        write!(out, ", {} reconnects after the server closed", report.reconnects)?;
    }
    if connections.closed_without_notice > 0 {
        write!(out, ", {} closed without notice", connections.closed_without_notice)?;
    }
    if connections.refused > 0 {
        write!(out, ", {} refused", connections.refused)?;
    }
    writeln!(out)?;
    let answers = &report.answers;
    if let (Some(least), Some(most), 1..) =
        (answers.shortest_body_bytes, answers.longest_body_bytes, answers.other_length)
    {
        writeln!(
            out,
            "Contents: {least} to {most} bytes; {} not as long as the first",
            answers.other_length
        )?;
    }
    if let Some(fairness) = report.fairness {
        let (slowest, fastest) = (fairness.slowest, fairness.fastest);
        writeln!(out, "Requests per connection: {slowest} at the slowest, {fastest} at the fastest")?;
    }
    let cpu = report.client_cpu;
    match cpu.per_request_us {
        Some(us) => writeln!(out, "Client CPU: {:.2}s, {us:.2}us per request", cpu.total_s)?,
        None => writeln!(out, "Client CPU: {:.2}s", cpu.total_s)?,
    }
    shortcomings(out, report)
}

/// What the reader must know to trust the figures: requests that failed, a run that was stopped, notes, and why the run is
/// not valid, if it is not. Empty where there is nothing of the kind.
#[must_use]
pub fn warnings(report: &RunReport) -> String {
    let mut out = String::new();
    // Writing to a string can't fail.
    let _ = shortcomings(&mut out, report);
    let invalid = report.validity.iter().filter(|validity| validity.valid == Some(false));
    invalid.fold(out, |text, validity| text + &validity.render())
}

fn shortcomings(out: &mut String, report: &RunReport) -> fmt::Result {
    failures(out, report)?;
    if let Some(slo) = &report.slo {
        let found: Vec<_> = slo.bounds.iter().map(ToString::to_string).collect();
        let verdict = if slo.met { "kept" } else { "broken" };
        writeln!(out, "SLO {}: {verdict} ({})", slo.asked, found.join(", "))?;
    }
    if report.partial {
        writeln!(out, "Partial: stopped before its time")?;
    }
    for note in &report.notes {
        writeln!(out, "Note: {note}")?;
    }
    Ok(())
}

/// Requests that got no complete answer, and why.
fn failures(out: &mut String, report: &RunReport) -> fmt::Result {
    if report.failed == 0 {
        return Ok(());
    }
    let by = &report.failed_by;
    let kinds = [
        ("connection closed before the answer", by.closed),
        ("answer broken off", by.broken_off),
        ("answer not understood", by.not_understood),
        ("timed out", by.timed_out),
        ("no connection to send it again", by.not_repeated),
    ];
    let kinds: Vec<_> =
        kinds.iter().filter(|(_, count)| *count > 0).map(|(kind, count)| format!("{kind} {count}")).collect();
    let (failed, kinds) = (report.failed, kinds.join(", "));
    writeln!(out, "Failed: {failed} requests were sent and got no complete answer ({kinds})")
}

#[cfg(test)]
#[path = "text_tests.rs"]
mod tests;
