//! Seconds of several machines put together by their clocks.

use std::collections::BTreeMap;

use super::super::{RowLatencyUs, SeriesRow};
use super::{MergeError, Part};
use crate::telemetry::Sample;

/// The rows of all parts, each whole in the second since 1970 that most of it is in; `zero` is the second of the first.
/// Samples of the board are kept where it is the same one, which is for the caller to say.
pub(super) fn merged(parts: &[Part<'_>], zero: f64, same_board: bool) -> Result<Vec<SeriesRow>, MergeError> {
    let mut rows: BTreeMap<u64, SeriesRow> = BTreeMap::new();
    for part in parts {
        for row in &part.run.series {
            // A sum's rows begin with a second, and stay where they are. Negative times are of no clock in use.
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "see above")]
            let second = (part.run.started_unix_s + row.begin_s).round() as u64;
            let begin_s = second as f64 - zero;
            let board = row.board.clone().filter(|_| same_board);
            let row = SeriesRow { begin_s, laptop: None, board, ..row.clone() };
            match rows.get_mut(&second) {
                Some(sum) => add(sum, row).map_err(MergeError::histogram(part.name))?,
                None => drop(rows.insert(second, row)),
            }
        }
    }
    Ok(rows.into_values().collect())
}

fn add(sum: &mut SeriesRow, row: SeriesRow) -> Result<(), crate::load::HistogramError> {
    let mut latency = sum.histogram.decode()?;
    latency.add(&row.histogram.decode()?);
    sum.histogram = super::super::EncodedHistogram::of(&latency);
    sum.latency_us = RowLatencyUs::of(&latency);
    sum.length_s = sum.length_s.max(row.length_s);
    sum.requests += row.requests;
    sum.after_end += row.after_end;
    let in_time = sum.requests.saturating_sub(sum.after_end);
    sum.requests_per_s = if sum.length_s > 0.0 { in_time as f64 / sum.length_s } else { 0.0 };
    sum.bytes += row.bytes;
    sum.bytes_after_end += row.bytes_after_end;
    sum.sent_bytes += row.sent_bytes;
    for (status, count) in &row.statuses {
        *sum.statuses.entry(status.clone()).or_default() += count;
    }
    sum.errors.add(&row.errors);
    sum.failed += row.failed;
    sum.arrivals += row.arrivals;
    sum.late += row.late;
    sum.waited += row.waited;
    sum.client_cores += row.client_cores;
    sum.client_busiest_thread = sum.client_busiest_thread.max(row.client_busiest_thread);
    let neediest = [sum.client_neediest_thread, row.client_neediest_thread];
    sum.client_neediest_thread = neediest.into_iter().flatten().reduce(f64::max);
    // The laptops are different ones.
    sum.board = [sum.board.take(), row.board].into_iter().flatten().reduce(one_of);
    Ok(())
}

/// One of two samples of a board in one second, the same one in whatever order they come: the later one.
fn one_of(one: Sample, other: Sample) -> Sample {
    let when = |sample: &Sample| (sample.uptime_s.unwrap_or_default(), sample.interval_s);
    let text = |sample: &Sample| serde_json::to_string(sample).unwrap_or_default();
    let ((later, longer), (than, by)) = (when(&one), when(&other));
    let order = later.total_cmp(&than).then(longer.total_cmp(&by));
    if order.then_with(|| text(&one).cmp(&text(&other))).is_lt() { other } else { one }
}
