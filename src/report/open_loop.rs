//! The arrivals of an open loop: what became of each, and whose fault a late start was.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::load::{LatencyHistogram, Schedule, Tally};

/// What became of the arrivals. `arrivals` is the sum of `answered`, `failed` and `unanswered`, exactly.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OpenLoop {
    /// Arrivals per second that were asked for.
    pub rate: f64,
    /// Arrivals that were due.
    pub arrivals: u64,
    /// Those with a complete answer, whatever its status.
    pub answered: u64,
    /// Those that were sent and got no complete answer.
    pub failed: u64,
    /// Those with neither when the time to wait for the rest was over.
    pub unanswered: u64,
    /// Those of the unanswered that were never sent, as no connection came free for them.
    pub unsent: u64,
    /// Answers that came after the last arrival was due.
    pub answered_after_end: u64,
    /// Arrivals that found all connections busy. They waited for one, and their wait is in the latency.
    pub waited: u64,
    /// Arrivals that started more than 1 ms late although a connection was free: the load tester's own fault.
    pub late: u64,
    /// By how much those started late that did not have to wait for a connection; `null` when there were none.
    pub start_delay_us: StartDelayUs,
}

/// How late requests were started, in microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[allow(missing_docs, reason = "each name is the statistic itself")]
pub struct StartDelayUs {
    pub p50: Option<f64>,
    pub p99: Option<f64>,
    pub max: Option<f64>,
}

impl OpenLoop {
    pub(super) fn new(schedule: &Schedule, tally: &Tally) -> Self {
        let counts = &tally.open;
        Self {
            rate: schedule.per_second(),
            arrivals: counts.arrivals,
            answered: tally.requests,
            failed: tally.failed.total(),
            unanswered: tally.unfinished,
            unsent: counts.unsent,
            answered_after_end: tally.statuses.iter().map(|entry| entry.after_end).sum(),
            waited: counts.waited,
            late: counts.late,
            start_delay_us: StartDelayUs::of(&counts.start_delay),
        }
    }
}

impl StartDelayUs {
    fn of(delays: &LatencyHistogram) -> Self {
        Self {
            p50: delays.percentile_us(50.0),
            p99: delays.percentile_us(99.0),
            max: delays.summary().map(|summary| summary.max),
        }
    }
}
