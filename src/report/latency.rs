//! Latencies as they are reported: of all requests, by status, by class of status.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::load::{LatencyHistogram, StatusLatency, Statuses};

/// Latency in microseconds: from the start of a request's send, in an open loop from its intended start, to the last byte of
/// its answer. Known within 0.1 %.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[allow(missing_docs, reason = "each name is the statistic itself")]
pub struct LatencyUs {
    pub min: Option<f64>,
    pub mean: Option<f64>,
    pub stdev: Option<f64>,
    pub max: Option<f64>,
    /// Share of requests within one standard deviation of the mean, in percent.
    pub within_stdev_percent: Option<f64>,
    pub p50: Option<f64>,
    pub p66: Option<f64>,
    pub p75: Option<f64>,
    pub p80: Option<f64>,
    pub p90: Option<f64>,
    pub p95: Option<f64>,
    pub p98: Option<f64>,
    pub p99: Option<f64>,
    pub p999: Option<f64>,
}

/// Answers with one status, or of one class.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StatusReport {
    /// How many.
    pub count: u64,
    /// How many of them came after the last arrival of an open loop was due; 0 in a closed loop.
    pub after_end: u64,
    /// How long they took.
    pub latency_us: LatencyUs,
}

impl LatencyUs {
    pub(super) fn of(histogram: &LatencyHistogram) -> Self {
        let summary = histogram.summary();
        let [p50, p66, p75, p80, p90, p95, p98, p99, p999] =
            histogram.percentiles_us([50.0, 66.0, 75.0, 80.0, 90.0, 95.0, 98.0, 99.0, 99.9]);
        Self {
            min: summary.map(|summary| summary.min),
            mean: summary.map(|summary| summary.mean),
            stdev: summary.map(|summary| summary.stdev),
            max: summary.map(|summary| summary.max),
            within_stdev_percent: summary.map(|summary| summary.within_stdev_percent),
            p50,
            p66,
            p75,
            p80,
            p90,
            p95,
            p98,
            p99,
            p999,
        }
    }
}

/// Statuses by number.
pub(super) fn by_status(statuses: &Statuses) -> BTreeMap<String, StatusReport> {
    grouped(statuses, |status| status.to_string())
}

/// Statuses by their first digit.
pub(super) fn by_class(statuses: &Statuses) -> BTreeMap<String, StatusReport> {
    grouped(statuses, |status| format!("{}xx", status / 100))
}

/// Adds up what has the same name; histograms are added, percentiles can't be.
fn grouped(statuses: &Statuses, name: impl Fn(u16) -> String) -> BTreeMap<String, StatusReport> {
    let mut groups: BTreeMap<String, (LatencyHistogram, u64)> = BTreeMap::new();
    for StatusLatency { status, latency, after_end } in statuses.iter() {
        let group = groups.entry(status.map_or_else(|| "other".to_owned(), &name)).or_default();
        group.0.add(latency);
        group.1 += after_end;
    }
    let report = |(latency, after_end): (LatencyHistogram, u64)| StatusReport {
        count: latency.count(),
        after_end,
        latency_us: LatencyUs::of(&latency),
    };
    groups.into_iter().map(|(name, group)| (name, report(group))).collect()
}
