//! Seconds of several machines put together by their clocks.

use std::collections::BTreeMap;

use super::super::{RowLatencyUs, SeriesRow};
use super::{MergeError, Part};

/// The rows of all parts, each whole in the second since 1970 that most of it is in; `zero` is the second of the first.
pub(super) fn merged(parts: &[Part<'_>], zero: f64) -> Result<Vec<SeriesRow>, MergeError> {
    let mut rows: BTreeMap<u64, SeriesRow> = BTreeMap::new();
    for part in parts {
        for row in &part.run.series {
            // A sum's rows begin with a second, and stay where they are. Negative times are of no clock in use.
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "see above")]
            let second = (part.run.started_unix_s + row.begin_s).round() as u64;
            let begin_s = second as f64 - zero;
            match rows.get_mut(&second) {
                Some(sum) => add(sum, row).map_err(MergeError::histogram(part.name))?,
                None => drop(rows.insert(second, SeriesRow { begin_s, laptop: None, ..row.clone() })),
            }
        }
    }
    Ok(rows.into_values().collect())
}

fn add(sum: &mut SeriesRow, row: &SeriesRow) -> Result<(), crate::load::HistogramError> {
    let mut latency = sum.histogram.decode()?;
    latency.add(&row.histogram.decode()?);
    sum.histogram = super::super::EncodedHistogram::of(&latency);
    sum.latency_us = RowLatencyUs::of(&latency);
    sum.length_s = sum.length_s.max(row.length_s);
    sum.requests += row.requests;
    sum.requests_per_s = if sum.length_s > 0.0 { sum.requests as f64 / sum.length_s } else { 0.0 };
    sum.bytes += row.bytes;
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
    // All of them have looked at the same board; the laptops are different ones.
    sum.board = sum.board.take().or_else(|| row.board.clone());
    Ok(())
}
