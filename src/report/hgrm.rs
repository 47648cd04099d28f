//! A percentile distribution as the text file that HdrHistogram writes and its plotter reads.
//!
//! Four columns, each row one step of the distribution; the last row, of the longest wait, has no fourth. Values are in
//! milliseconds, the plotter's own default. Three lines that begin with `#` follow, with what the rows do not say.

use std::fmt::{self, Write as _};
use std::fs::File;
use std::io;
use std::path::Path;

use crate::load::LatencyHistogram;

/// Microseconds in a millisecond.
const MILLI_US: f64 = 1000.0;

/// Writes the distribution to `path` so that a reader sees the old file or the whole new one, never a part.
///
/// # Errors
/// When the folder can't be written to, or the disk is full; nothing is left behind then.
pub fn write(latency: &LatencyHistogram, path: &Path) -> io::Result<()> {
    super::json::replace_text(render(latency).as_bytes(), path, File::sync_all)
}

/// The file's text. Nothing recorded has no rows, and dashes under them: a plotter then shows an empty picture.
#[must_use]
pub fn render(latency: &LatencyHistogram) -> String {
    let mut out = String::new();
    // Writing to a string can't fail.
    let _ = rows(&mut out, latency);
    let _ = footer(&mut out, latency);
    out
}

fn rows(out: &mut String, latency: &LatencyHistogram) -> fmt::Result {
    writeln!(out, "{:>12} {:>14} {:>10} {:>14}\n", "Value", "Percentile", "TotalCount", "1/(1-Percentile)")?;
    for step in latency.steps() {
        // To the nanosecond: three digits would be a hundredth of a wait of 100 us.
        write!(out, "{:12.6} {:.12} {:10}", step.value_us / MILLI_US, step.quantile, step.count)?;
        if step.quantile < 1.0 {
            write!(out, " {:14.2}", 1.0 / (1.0 - step.quantile))?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn footer(out: &mut String, latency: &LatencyHistogram) -> fmt::Result {
    let summary = latency.summary();
    let cell =
        |us: Option<f64>| us.map_or_else(|| format!("{:>12}", "-"), |us| format!("{:12.6}", us / MILLI_US));
    let [mean, stdev, max] = [
        cell(summary.map(|summary| summary.mean)),
        cell(summary.map(|summary| summary.stdev)),
        cell(summary.map(|summary| summary.max)),
    ];
    let (buckets, sub_buckets) = latency.buckets();
    writeln!(out, "#[Mean    = {mean}, StdDeviation   = {stdev}]")?;
    writeln!(out, "#[Max     = {max}, Total count    = {:12}]", latency.count())?;
    writeln!(out, "#[Buckets = {buckets:12}, SubBuckets     = {sub_buckets:12}]")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the plotter does: lines that are no comment and have four columns are points, the rest is passed over.
    fn points(text: &str) -> Vec<[f64; 4]> {
        let rows = text.lines().filter(|line| !line.starts_with('#'));
        let columns = rows.map(|row| row.split_whitespace().filter_map(|cell| cell.parse().ok()).collect());
        columns.filter_map(|columns: Vec<f64>| columns.try_into().ok()).collect()
    }

    #[test]
    fn the_file_has_the_histograms_percentiles() {
        let mut latency = LatencyHistogram::new();
        for us in 1..=100_000u64 {
            latency.record(us * 700);
        }
        let text = render(&latency);
        let points = points(&text);
        assert!(points.len() > 50, "{text}");
        for [millis, quantile, count, inverse] in points {
            let truth = latency.percentile_us(quantile * 100.0).unwrap() / MILLI_US;
            assert!((millis / truth - 1.0).abs() < 0.001, "{millis} at {quantile}, instead of {truth}");
            assert!(
                count >= quantile * 100_000.0 && (inverse - 1.0 / (1.0 - quantile)).abs() < 0.01,
                "{text}"
            );
        }
        assert!(text.contains("#[Max     =    70.0"), "{text}");
        assert!(text.contains(", Total count    =       100000]\n"), "{text}");
    }

    #[test]
    fn the_layout_is_that_of_hdrhistograms_own_files() {
        let mut latency = LatencyHistogram::new();
        for millis in [25, 50, 75] {
            latency.record(millis * 1_000_000);
        }
        let text = render(&latency);
        // The published example of these three values, with three digits more and counters from one nanosecond up.
        let expected = "       Value     Percentile TotalCount 1/(1-Percentile)\n
   25.001983 0.000000000000          1           1.00
   25.001983 0.100000000000          1           1.11
   25.001983 0.200000000000          1           1.25
   25.001983 0.300000000000          1           1.43
   50.003967 0.400000000000          2           1.67
   50.003967 0.500000000000          2           2.00
   50.003967 0.550000000000          2           2.22
   50.003967 0.600000000000          2           2.50
   50.003967 0.650000000000          2           2.86
   75.038719 0.700000000000          3           3.33
   75.038719 1.000000000000          3
#[Mean    =    49.995776, StdDeviation   =    20.417380]
#[Max     =    75.038719, Total count    =            3]
#[Buckets =           37, SubBuckets     =         2048]
";
        assert_eq!(text, expected);
    }

    #[test]
    fn nothing_has_no_rows_and_no_numbers() {
        let text = render(&LatencyHistogram::new());
        assert!(points(&text).is_empty());
        assert!(text.contains("#[Mean    =            -, StdDeviation   =            -]\n"), "{text}");
        assert!(text.contains("#[Max     =            -, Total count    =            0]\n"), "{text}");
    }
}
