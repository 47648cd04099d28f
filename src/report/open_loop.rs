//! The arrivals of an open loop: what became of each, and whose fault a late start was.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Knee, StepReport, steps};
use crate::load::{LatencyHistogram, LoadPlan, Outcome, Schedule};

/// What became of the arrivals. `arrivals` is the sum of `answered`, `failed` and `unanswered`, exactly.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OpenLoop {
    /// Arrivals per second that were asked for, of a ramp on average.
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
    /// Answers that came after the last arrival was due. They are in all counts and latencies, and in no rate.
    pub answered_after_end: u64,
    /// Bytes that came then; as with those answers.
    #[serde(default)]
    pub bytes_after_end: u64,
    /// Arrivals that found all connections busy. They waited for one, and their wait is in the latency.
    pub waited: u64,
    /// Arrivals that started more than 1 ms late although a connection was free: the load tester's own fault.
    pub late: u64,
    /// By how much those started late that did not have to wait for a connection; `null` when there were none.
    pub start_delay_us: StartDelayUs,
    /// The steps of a ramp that were begun; none of a constant rate.
    #[serde(default)]
    pub steps: Vec<StepReport>,
    /// Where the server stopped keeping up with a ramp; `null` when it kept up, and of a constant rate.
    #[serde(default)]
    pub knee: Option<Knee>,
}

/// How late requests were started, in microseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[allow(missing_docs, reason = "each name is the statistic itself")]
pub struct StartDelayUs {
    pub p50: Option<f64>,
    pub p99: Option<f64>,
    pub max: Option<f64>,
}

impl OpenLoop {
    pub(super) fn new(schedule: &Schedule, plan: &LoadPlan, outcome: &Outcome) -> Self {
        let tally = &outcome.tally;
        let counts = &tally.open;
        let steps = steps::of(schedule, plan.duration, outcome.measured, tally);
        Self {
            rate: schedule.per_second(),
            arrivals: counts.arrivals,
            answered: tally.requests,
            failed: tally.failed.total(),
            unanswered: tally.unfinished,
            unsent: counts.unsent,
            answered_after_end: tally.after_end(),
            bytes_after_end: tally.bytes_after_end,
            waited: counts.waited,
            late: counts.late,
            start_delay_us: StartDelayUs::of(&counts.start_delay),
            knee: Knee::of(&steps),
            steps,
        }
    }
}

impl StartDelayUs {
    pub(super) fn of(delays: &LatencyHistogram) -> Self {
        Self {
            p50: delays.percentile_us(50.0),
            p99: delays.percentile_us(99.0),
            max: delays.summary().map(|summary| summary.max),
        }
    }
}
