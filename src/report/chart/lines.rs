//! What the pictures show of a run over its time.

use super::slowed::{Slowed, slowed};
use super::thin::Reading;
use crate::report::{RunReport, SeriesRow, figures};
use crate::telemetry::Sample;

/// Rows that are shorter, at the end of a run, say more about chance than about the server.
const SHORTEST_S: f64 = 0.25;

/// The numbers of a run, second by second.
pub(super) struct Lines {
    /// When it ended.
    pub(super) end_s: f64,
    pub(super) rate: Vec<Reading>,
    pub(super) p50: Vec<Reading>,
    pub(super) p99: Vec<Reading>,
    /// Seconds with errors or failed requests: the middle, and how many.
    pub(super) errors: Vec<(f64, u64)>,
    pub(super) slowed: Vec<Slowed>,
}

impl Lines {
    /// Those of a report.
    pub(super) fn of(report: &RunReport) -> Self {
        let rows = in_order(&report.series);
        let shown: Vec<&SeriesRow> = rows.iter().copied().filter(|row| row.length_s >= SHORTEST_S).collect();
        let wrong = |row: &SeriesRow| figures::errors(&row.errors).max(row.failed);
        let errors = rows.iter().map(|row| (middle(row), wrong(row))).filter(|(_, count)| *count > 0);
        Self {
            end_s: end_s(&rows),
            rate: readings(&shown, |row| Some(row.requests_per_s)),
            p50: readings(&shown, |row| row.latency_us.p50),
            p99: readings(&shown, |row| row.latency_us.p99),
            errors: errors.collect(),
            slowed: slowed(&report.series),
        }
    }
}

/// Times and numbers beyond this, which no run has, are taken for unknown: a picture would show nothing but them.
const MOST: f64 = 1e15;

/// Between the end of a row and the beginning of the next, in seconds: more than that, and rows are missing.
pub(super) const MISSING_S: f64 = 1.5;

/// The rows by their time, without what has none.
pub(super) fn in_order(series: &[SeriesRow]) -> Vec<&SeriesRow> {
    let sound = |row: &&SeriesRow| (0.0..MOST).contains(&row.begin_s) && (0.0..MOST).contains(&row.length_s);
    let mut rows: Vec<&SeriesRow> = series.iter().filter(sound).collect();
    rows.sort_by(|one, two| one.begin_s.total_cmp(&two.begin_s));
    rows
}

/// When the last row ends.
pub(super) fn end_s(rows: &[&SeriesRow]) -> f64 {
    rows.iter().map(|row| row.begin_s + row.length_s).fold(0.0, f64::max)
}

/// The middle of a row.
fn middle(row: &SeriesRow) -> f64 {
    row.begin_s + row.length_s / 2.0
}

/// One number of each row; where rows are missing the line has a gap.
pub(super) fn readings<'a>(
    rows: &[&'a SeriesRow],
    value: impl Fn(&'a SeriesRow) -> Option<f64>,
) -> Vec<Reading> {
    let mut readings = Vec::with_capacity(rows.len());
    let mut end_s = 0.0;
    for row in rows {
        if row.begin_s - end_s > MISSING_S {
            readings.push(Reading { at_s: f64::midpoint(row.begin_s, end_s), value: None });
        }
        readings.push(Reading { at_s: middle(row), value: value(row).filter(|value| value.abs() < MOST) });
        end_s = row.begin_s + row.length_s;
    }
    readings
}

/// What the laptop did in that second, or else the board.
pub(super) fn watched(row: &SeriesRow, laptop: bool) -> Option<&Sample> {
    if laptop { row.laptop.as_ref() } else { row.board.as_ref() }
}
