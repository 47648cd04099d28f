//! The layout of ab.

use std::fmt::{self, Write as _};

use super::super::{LatencyUs, RunReport};
use super::{Conditions, DASH, or_dash};
use crate::load::ProbeAnswer;

/// Microseconds in a millisecond.
const MILLI_US: f64 = 1000.0;
/// Milliseconds in a second.
const SECOND_MS: f64 = 1000.0;
/// Bytes in ab's kilobyte.
const KILO: f64 = 1024.0;

pub(super) fn all(out: &mut String, report: &RunReport, conditions: &Conditions<'_>) -> fmt::Result {
    document(out, conditions)?;
    counts(out, report, conditions)?;
    if report.requests > 0 && report.duration_s > 0.0 {
        rates(out, report, conditions)?;
        connection_times(out, report)?;
    }
    // Of a single request ab has no percentages either.
    if report.requests > 1 { percentages(out, &report.times_us.total) } else { Ok(()) }
}

fn document(out: &mut String, conditions: &Conditions<'_>) -> fmt::Result {
    let Conditions { url, first, .. } = conditions;
    // ab has nothing there for a server that does not give its name: it has looked, and so have we.
    let server = first.map_or(DASH, |answer| answer.field("server").unwrap_or_default());
    writeln!(out, "Server Software:        {server}")?;
    writeln!(out, "Server Hostname:        {}", url.host())?;
    writeln!(out, "Server Port:            {}\n", url.port())?;
    writeln!(out, "Document Path:          {}", url.path())?;
    let length = or_dash(*first, |answer: &ProbeAnswer| answer.body_bytes.to_string());
    writeln!(out, "Document Length:        {length} bytes\n")
}

fn counts(out: &mut String, report: &RunReport, conditions: &Conditions<'_>) -> fmt::Result {
    writeln!(out, "Concurrency Level:      {}", report.connections.asked)?;
    writeln!(out, "Time taken for tests:   {:.3} seconds", report.duration_s)?;
    writeln!(out, "Complete requests:      {}", report.requests)?;
    failures(out, report)?;
    if report.errors.write > 0 {
        writeln!(out, "Write errors:           {}", report.errors.write)?;
    }
    let other = report.requests - report.classes.get("2xx").map_or(0, |class| class.count);
    if other > 0 {
        writeln!(out, "Non-2xx responses:      {other}")?;
    }
    if conditions.keep_alive {
        writeln!(out, "Keep-Alive requests:    {}", report.answers.kept_alive)?;
    }
    writeln!(out, "Total transferred:      {} bytes", report.bytes)?;
    if conditions.sent_body {
        writeln!(out, "Total body sent:        {}", report.sent_bytes)?;
    }
    writeln!(out, "HTML transferred:       {} bytes", report.answers.body_bytes)
}

/// ab takes connects that failed for requests that failed, and answers of another length than the first one.
fn failures(out: &mut String, report: &RunReport) -> fmt::Result {
    let by = &report.failed_by;
    // A request that could not be sent again had its connect fail.
    let connect = report.errors.connect.max(by.not_repeated);
    let receive = by.closed + by.broken_off + by.timed_out;
    let length = report.answers.other_length;
    let all = connect + receive + length + by.not_understood;
    writeln!(out, "Failed requests:        {all}")?;
    if all == 0 {
        return Ok(());
    }
    writeln!(
        out,
        "   (Connect: {connect}, Receive: {receive}, Length: {length}, Exceptions: {})",
        by.not_understood
    )
}

fn rates(out: &mut String, report: &RunReport, conditions: &Conditions<'_>) -> fmt::Result {
    let (seconds, requests) = (report.duration_s, report.requests_per_s * report.duration_s);
    let each = seconds * SECOND_MS / requests;
    let (received, sent) = (report.bytes_per_s / KILO, report.sent_bytes as f64 / KILO / seconds);
    writeln!(out, "Requests per second:    {:.2} [#/sec] (mean)", requests / seconds)?;
    writeln!(out, "Time per request:       {:.3} [ms] (mean)", each * report.connections.asked as f64)?;
    writeln!(out, "Time per request:       {each:.3} [ms] (mean, across all concurrent requests)")?;
    writeln!(out, "Transfer rate:          {received:.2} [Kbytes/sec] received")?;
    if conditions.sent_body {
        writeln!(out, "                        {sent:.2} kb/s sent")?;
        writeln!(out, "                        {:.2} kb/s total", received + sent)?;
    }
    Ok(())
}

fn connection_times(out: &mut String, report: &RunReport) -> fmt::Result {
    let times = &report.times_us;
    let rows = [
        ("Connect:", "the initial connection time", &times.connect),
        ("Processing:", "the processing time", &report.latency_us),
        ("Waiting:", "the waiting time", &times.first_byte),
        ("Total:", "the total time", &times.total),
    ];
    writeln!(out, "\nConnection Times (ms)\n              min  mean[+/-sd] median   max")?;
    for (name, _, part) in rows {
        let whole = |us: Option<f64>| or_dash(us, |us| rounded(us).to_string());
        let stdev = or_dash(part.stdev, |us| format!("{:.1}", us / MILLI_US));
        let [min, mean, median, max] = [part.min, part.mean, part.p50, part.max].map(whole);
        writeln!(out, "{name:<11} {min:>5} {mean:>4} {stdev:>5} {median:>6} {max:>7}")?;
    }
    for (_, what, part) in rows {
        doubt(out, what, part)?;
    }
    Ok(())
}

/// Where mean and median lie far apart ab says so, going by the rounded figures.
fn doubt(out: &mut String, what: &str, part: &LatencyUs) -> fmt::Result {
    let (Some(mean), Some(median), Some(stdev)) = (part.mean, part.p50, part.stdev) else { return Ok(()) };
    let (apart, stdev) = ((rounded(mean) - rounded(median)).abs(), stdev / MILLI_US);
    if apart > 2.0 * stdev {
        writeln!(out, "ERROR: The median and mean for {what} are more than twice the standard")?;
        writeln!(out, "       deviation apart. These results are NOT reliable.")?;
    } else if apart > stdev {
        writeln!(out, "WARNING: The median and mean for {what} are not within a normal deviation")?;
        writeln!(out, "        These results are probably not that reliable.")?;
    }
    Ok(())
}

fn percentages(out: &mut String, total: &LatencyUs) -> fmt::Result {
    writeln!(out, "\nPercentage of the requests served within a certain time (ms)")?;
    let rows = [
        (50, total.p50),
        (66, total.p66),
        (75, total.p75),
        (80, total.p80),
        (90, total.p90),
        (95, total.p95),
        (98, total.p98),
        (99, total.p99),
    ];
    let whole = |us: Option<f64>| or_dash(us, |us| rounded(us).to_string());
    for (percent, us) in rows {
        writeln!(out, "  {percent}%  {:>5}", whole(us))?;
    }
    writeln!(out, " 100%  {:>5} (longest request)", whole(total.max))
}

/// Whole milliseconds, as ab rounds.
fn rounded(us: f64) -> f64 {
    (us / MILLI_US).round()
}
