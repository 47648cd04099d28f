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
    /// Bytes read for each request.
    pub bytes_per_request: Option<f64>,
    /// Bytes read per second.
    pub bytes_per_s: Option<f64>,
    /// Requests of the connection that was served worst over those of the one that was served best; 1 is even.
    pub slowest_by_fastest: Option<f64>,
    /// The longest time in any turn in which a connection finished nothing, in milliseconds.
    pub worst_gap_ms: Option<f64>,
    /// Requests with a complete answer in all turns.
    pub requests: u64,
    /// Requests in all turns that were sent and got no complete answer.
    pub failed: u64,
    /// Errors in all turns by kind.
    pub errors: ErrorCounts,
    /// Turns in which nothing finished: they are in no ratio.
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
        let bytes: u64 = turns.iter().map(|turn| turn.bytes).sum();
        let mut errors = ErrorCounts::default();
        for turn in &turns {
            errors.add(&turn.errors);
        }
        let fairness = || turns.iter().filter_map(|turn| turn.fairness);
        Self {
            requests_per_s: metric(Metric::RequestsPerS),
            server_cpu_us: metric(Metric::ServerCpuUs),
            p50_us: metric(Metric::P50Us),
            p99_us: metric(Metric::P99Us),
            bytes_per_request: (requests > 0).then(|| bytes as f64 / requests as f64),
            bytes_per_s: typical(&|turn| {
                Some(turn.bytes as f64 / turn.duration_s).filter(|_| turn.requests > 0)
            }),
            slowest_by_fastest: centre(&fairness().map(evenness).collect::<Vec<_>>()),
            worst_gap_ms: fairness().map(|fairness| fairness.worst_gap_ms).reduce(f64::max),
            requests,
            failed: turns.iter().map(|turn| turn.failed).sum(),
            errors,
            empty_turns: turns.iter().filter(|turn| turn.requests == 0).count(),
        }
    }
}

/// Of a turn in which something finished, so that the fastest is not zero.
fn evenness(fairness: Fairness) -> f64 {
    fairness.slowest as f64 / fairness.fastest as f64
}
