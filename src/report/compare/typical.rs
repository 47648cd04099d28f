//! One server over all its turns.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::interval::centre;
use super::metric::Metric;
use super::turn::{Round, Turn};
use crate::load::ErrorCounts;
use crate::report::Fairness;

/// A server in a typical turn, and what went wrong in all of them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Typical {
    /// Requests per second; like all of a typical turn the trimmed geometric mean, `null` when it is not known.
    pub requests_per_s: Option<f64>,
    /// Processor time of the server for each request, in microseconds.
    pub server_cpu_us: Option<f64>,
    /// Latency that half of the requests did not exceed, in microseconds.
    pub p50_us: Option<f64>,
    /// Latency that 99 of 100 requests did not exceed, in microseconds.
    pub p99_us: Option<f64>,
    /// Bytes of content in each answer, on average over all turns.
    pub body_bytes: Option<f64>,
    /// Bytes of head in each answer.
    pub head_bytes: Option<f64>,
    /// Bytes read for each answer: head, content and framing, and what had begun to come when a turn ended.
    pub wire_bytes: Option<f64>,
    /// Content of the shortest and of the longest answer in bytes; `null` when nothing finished.
    pub body_range: Option<(u64, u64)>,
    /// Bytes of content per second: of a typical turn with an average answer.
    pub body_bytes_per_s: Option<f64>,
    /// Bytes read per second.
    pub wire_bytes_per_s: Option<f64>,
    /// Requests of the connection that was served worst over those of the one that was served best; 1 is even.
    pub slowest_by_fastest: Option<f64>,
    /// The longest time in any turn in which a connection finished nothing, in milliseconds.
    pub worst_gap_ms: Option<f64>,
    /// Processor time of the load tester's threads, on average of them, as a share of a core.
    pub client_thread: Option<f64>,
    /// Requests with a status below 400 in all turns.
    pub served: u64,
    /// Requests with a complete answer in all turns.
    pub requests: u64,
    /// Requests in all turns that were sent and got no complete answer.
    pub failed: u64,
    /// Errors in all turns by kind.
    pub errors: ErrorCounts,
    /// Turns in which nothing was served: they are in no ratio.
    pub empty_turns: usize,
}

impl Typical {
    /// Of the server at `place`.
    pub(super) fn of(rounds: &[Round], place: usize) -> Self {
        let turns: Vec<&Turn> = rounds.iter().filter_map(|round| round.turns.get(place)).collect();
        let typical = |value: &dyn Fn(&Turn) -> Option<f64>| {
            let values = turns.iter().filter_map(|turn| value(turn));
            centre(&values.filter(|value| *value > 0.0).map(f64::ln).collect::<Vec<_>>()).map(f64::exp)
        };
        let metric = |metric: Metric| typical(&|turn| metric.of(turn));
        let requests: u64 = turns.iter().map(|turn| turn.requests).sum();
        let each = |bytes: &dyn Fn(&Turn) -> u64| {
            let all: u64 = turns.iter().map(|turn| bytes(turn)).sum();
            (requests > 0).then(|| all as f64 / requests as f64)
        };
        let requests_per_s = metric(Metric::RequestsPerS);
        let per_s = |each: Option<f64>| Some(each? * requests_per_s?);
        let (body_bytes, wire_bytes) = (each(&|turn| turn.body_bytes), each(&|turn| turn.bytes));
        let mut errors = ErrorCounts::default();
        for turn in &turns {
            errors.add(&turn.errors);
        }
        let fairness = || turns.iter().filter_map(|turn| turn.fairness);
        Self {
            requests_per_s,
            server_cpu_us: metric(Metric::ServerCpuUs),
            p50_us: metric(Metric::P50Us),
            p99_us: metric(Metric::P99Us),
            body_bytes,
            head_bytes: each(&|turn| turn.head_bytes),
            wire_bytes,
            body_range: turns.iter().filter_map(|turn| turn.body_range).reduce(widest),
            body_bytes_per_s: per_s(body_bytes),
            wire_bytes_per_s: per_s(wire_bytes),
            slowest_by_fastest: centre(&fairness().map(evenness).collect::<Vec<_>>()),
            worst_gap_ms: fairness().map(|fairness| fairness.worst_gap_ms).reduce(f64::max),
            client_thread: typical(&|turn| turn.client_thread),
            served: turns.iter().map(|turn| turn.served).sum(),
            requests,
            failed: turns.iter().map(|turn| turn.failed).sum(),
            errors,
            empty_turns: turns.iter().filter(|turn| turn.served == 0).count(),
        }
    }
}

impl Typical {
    /// Share of the requests that were not served: errors by status, and requests without an answer; 0 when there were none.
    pub(super) fn unserved(&self) -> f64 {
        let all = self.requests + self.failed;
        if all == 0 { 0.0 } else { (all - self.served) as f64 / all as f64 }
    }
}

fn widest(one: (u64, u64), other: (u64, u64)) -> (u64, u64) {
    (one.0.min(other.0), one.1.max(other.1))
}

/// Of a turn in which something finished, so that the fastest is not zero.
fn evenness(fairness: Fairness) -> f64 {
    fairness.slowest as f64 / fairness.fastest as f64
}
