//! The layout of `httpress -q`: three lines, all numbers whole but the times.

use std::fmt::{self, Write as _};

use super::super::RunReport;
use super::or_dash;

/// Bytes in the kilobyte of httpress.
const KILO: f64 = 1024.0;
/// Milliseconds in a second.
const MILLIS: f64 = 1000.0;

pub(super) fn all(out: &mut String, report: &RunReport) -> fmt::Result {
    let RunReport { requests, failed, duration_s, answers, connections, .. } = report;
    writeln!(
        out,
        "TOTALS:  {} connect, {} requests, {requests} success, {failed} fail, {} ({}) real concurrency",
        connections.connects,
        requests + failed,
        connections.served,
        connections.served_fairly
    )?;
    let each = |bytes: u64| or_dash(bytes.checked_div(*requests), |bytes| bytes.to_string());
    writeln!(
        out,
        "TRAFFIC: {} avg bytes, {} avg overhead, {} bytes, {} overhead",
        each(answers.body_bytes),
        each(report.head_bytes),
        answers.body_bytes,
        report.head_bytes
    )?;
    let per_second = |count: f64| if *duration_s > 0.0 { count / duration_s } else { 0.0 };
    let read = answers.body_bytes + report.head_bytes;
    // Whole milliseconds, and whole numbers, are cut off and not rounded there.
    let time = (duration_s * MILLIS).floor() / MILLIS;
    let average = (*requests > 0).then(|| duration_s * connections.asked as f64 / *requests as f64 * MILLIS);
    writeln!(
        out,
        "TIMING:  {time:.3} seconds, {:.0} rps, {:.0} kbps, {} ms avg req time",
        per_second(*requests as f64).floor(),
        (per_second(read as f64) / KILO).floor(),
        or_dash(average, |average| format!("{average:.1}"))
    )
}
