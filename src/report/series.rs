//! A run second by second.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::EncodedHistogram;
use crate::load::{ErrorCounts, LatencyHistogram, Second, ThreadSecond};
use crate::telemetry::Sample;

/// One second of what was measured. What belongs to a request is counted when it ends, an arrival when it is due.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SeriesRow {
    /// When it began, in seconds after measuring began.
    pub begin_s: f64,
    /// How long it was: 1, in the last row the rest. In an open loop the last row also counts the answers that came after the
    /// last arrival was due, `after_end`, of which no rate in it knows.
    pub length_s: f64,
    /// Requests with a complete answer, whatever its status.
    pub requests: u64,
    /// Those of them that came after the last arrival of an open loop was due; 0 in all rows but the last.
    pub after_end: u64,
    /// The others per second.
    pub requests_per_s: f64,
    /// Bytes read.
    pub bytes: u64,
    /// Those of them that came after the last arrival of an open loop was due.
    pub bytes_after_end: u64,
    /// Bytes sent.
    pub sent_bytes: u64,
    /// Latency of what ended in this second.
    pub latency_us: RowLatencyUs,
    /// Answers by status.
    pub statuses: BTreeMap<String, u64>,
    /// Errors by kind.
    pub errors: ErrorCounts,
    /// Requests that were sent and got no complete answer.
    pub failed: u64,
    /// Arrivals of an open loop that were due.
    pub arrivals: u64,
    /// Those that started more than 1 ms late although a connection was free: the load tester's own fault.
    pub late: u64,
    /// Those that found all connections busy.
    pub waited: u64,
    /// Processor time of all load threads, in cores.
    pub client_cores: f64,
    /// Processor time of the busiest load thread, as a share of a core.
    pub client_busiest_thread: f64,
    /// The most that a load thread ran or waited for a core, as a share of a core: near 1 it had always something to do;
    /// `null` where the kernel does not count it.
    pub client_neediest_thread: Option<f64>,
    /// All latencies of this second.
    pub histogram: EncodedHistogram,
    /// What the machine that ran the load did; `null` when it was not watched.
    pub laptop: Option<Sample>,
    /// What the board did; `null` when it gave no telemetry. On one machine the same as `laptop`.
    pub board: Option<Sample>,
}

/// Latency in microseconds; `null` when nothing ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[allow(missing_docs, reason = "each name is the statistic itself")]
pub struct RowLatencyUs {
    pub mean: Option<f64>,
    pub p50: Option<f64>,
    pub p90: Option<f64>,
    pub p99: Option<f64>,
    pub p999: Option<f64>,
    pub max: Option<f64>,
}

impl SeriesRow {
    /// The row of a second, with nothing known of the machines.
    #[must_use]
    pub fn new(second: &Second) -> Self {
        let tally = &second.tally;
        let length_s = second.length.as_secs_f64();
        let per_s = |amount: f64| if length_s > 0.0 { amount / length_s } else { 0.0 };
        let latency = tally.latency();
        let cpu = || second.threads.iter().map(|thread| thread.cpu.as_secs_f64());
        let needs = |thread: &ThreadSecond| Some((thread.cpu + thread.waited?).as_secs_f64());
        Self {
            begin_s: second.begin.as_secs_f64(),
            length_s,
            requests: tally.requests,
            after_end: tally.after_end(),
            requests_per_s: per_s((tally.requests - tally.after_end()) as f64),
            bytes: tally.bytes,
            bytes_after_end: tally.bytes_after_end,
            sent_bytes: tally.sent_bytes,
            latency_us: RowLatencyUs::of(&latency),
            statuses: tally.statuses.iter().map(|one| (one.name(), one.latency.count())).collect(),
            errors: tally.errors,
            failed: tally.failed.total(),
            arrivals: tally.open.arrivals,
            late: tally.open.late,
            waited: tally.open.waited,
            client_cores: per_s(cpu().sum()),
            client_busiest_thread: per_s(cpu().fold(0.0, f64::max)),
            client_neediest_thread: second.threads.iter().filter_map(needs).reduce(f64::max).map(per_s),
            histogram: EncodedHistogram::of(&latency),
            laptop: None,
            board: None,
        }
    }
}

impl RowLatencyUs {
    /// Of a histogram.
    #[must_use]
    pub fn of(histogram: &LatencyHistogram) -> Self {
        let summary = histogram.summary();
        Self {
            mean: summary.map(|summary| summary.mean),
            p50: histogram.percentile_us(50.0),
            p90: histogram.percentile_us(90.0),
            p99: histogram.percentile_us(99.0),
            p999: histogram.percentile_us(99.9),
            max: summary.map(|summary| summary.max),
        }
    }
}
