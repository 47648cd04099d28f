//! What was measured, and nothing concluded yet.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::load::{ErrorCounts, Outcome};
use crate::report::Fairness;

/// Nanoseconds in a microsecond.
const MICRO_NS: f64 = 1000.0;

/// One round: each server was loaded once, one after the other, in random order.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Round {
    /// The places of the servers in the order in which they had their turns.
    pub order: Vec<usize>,
    /// Their turns, in the order of the servers.
    pub turns: Vec<Turn>,
}

/// One server's turn in one round.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Turn {
    /// How long it was, in seconds.
    pub duration_s: f64,
    /// Requests with a complete answer, whatever its status.
    pub requests: u64,
    /// Those per second; `null` when nothing finished.
    pub requests_per_s: Option<f64>,
    /// Processor time of the server for each of them, in microseconds, connecting included; `null` when it is not known.
    pub server_cpu_us: Option<f64>,
    /// Latency that half of them did not exceed, in microseconds.
    pub p50_us: Option<f64>,
    /// Latency that 99 of 100 of them did not exceed, in microseconds.
    pub p99_us: Option<f64>,
    /// Bytes read: heads, contents and their framing.
    pub bytes: u64,
    /// Those of them that were heads of finished requests.
    pub head_bytes: u64,
    /// Those of them that were content of finished requests.
    pub body_bytes: u64,
    /// Content of the shortest and of the longest answer in bytes; `null` when nothing finished.
    pub body_range: Option<(u64, u64)>,
    /// How evenly connections were served; `null` when nothing finished.
    pub fairness: Option<Fairness>,
    /// Processor time of the load tester's threads, on average of them, as a share of a core: near 1 it was the limit.
    pub client_thread: Option<f64>,
    /// Errors by kind.
    pub errors: ErrorCounts,
    /// Requests that were sent and got no complete answer.
    pub failed: u64,
}

impl Turn {
    /// The turn that came out so, in which the server used `cpu_ns` nanoseconds of processor time, if that is known.
    #[must_use]
    pub fn new(outcome: &Outcome, cpu_ns: Option<u64>) -> Self {
        let tally = &outcome.tally;
        let (seconds, requests) = (outcome.measured.as_secs_f64(), tally.requests);
        let finished = requests > 0 && seconds > 0.0;
        let latency = tally.latency();
        Self {
            duration_s: seconds,
            requests,
            requests_per_s: finished.then(|| requests as f64 / seconds),
            server_cpu_us: cpu_ns.filter(|_| finished).map(|ns| ns as f64 / MICRO_NS / requests as f64),
            p50_us: latency.percentile_us(50.0).filter(|_| finished),
            p99_us: latency.percentile_us(99.0).filter(|_| finished),
            bytes: tally.bytes,
            head_bytes: tally.head_bytes,
            body_bytes: tally.answers.body_bytes,
            body_range: tally.answers.body_range,
            client_thread: finished
                .then(|| outcome.cpu.as_secs_f64() / seconds / outcome.threads.max(1) as f64),
            fairness: finished.then(|| Fairness::of(outcome)),
            errors: tally.errors,
            failed: tally.failed.total(),
        }
    }
}
