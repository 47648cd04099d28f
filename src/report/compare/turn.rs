//! What was measured, and nothing concluded yet.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::load::{ErrorCounts, LatencyHistogram, Outcome, StatusLatency};
use crate::report::Fairness;
use crate::report::histograms::is_served;

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
    /// Those of them with a status below 400: what was asked for.
    pub served: u64,
    /// Those per second, without what came after the last arrival of an open loop was due; `null` when nothing was served.
    pub requests_per_s: Option<f64>,
    /// Processor time of the server for each served request, in microseconds, connecting included; `null` when it is not
    /// known.
    pub server_cpu_us: Option<f64>,
    /// Latency that half of the served requests did not exceed, in microseconds. Those that got no answer are among them with
    /// the least they took.
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

/// What was served in a turn.
#[derive(Default)]
struct Served {
    count: u64,
    in_time: u64,
    latency: LatencyHistogram,
}

impl Served {
    fn add(&mut self, entry: &StatusLatency) {
        let count = entry.latency.count();
        self.count += count;
        self.in_time += count - entry.after_end;
        self.latency.add(&entry.latency);
    }
}

impl Turn {
    /// The turn that came out so, in which the server used `cpu_ns` nanoseconds of processor time, if that is known.
    #[must_use]
    pub fn new(outcome: &Outcome, cpu_ns: Option<u64>) -> Self {
        let tally = &outcome.tally;
        let (seconds, requests) = (outcome.measured.as_secs_f64(), tally.requests);
        let finished = requests > 0 && seconds > 0.0;
        let mut served = Served { latency: tally.unanswered(), ..Served::default() };
        tally.statuses.iter().filter(|entry| is_served(&entry.name())).for_each(|entry| served.add(entry));
        let Served { count, in_time, latency } = served;
        let any = count > 0 && seconds > 0.0;
        Self {
            duration_s: seconds,
            requests,
            served: count,
            requests_per_s: any.then(|| in_time as f64 / seconds),
            server_cpu_us: cpu_ns.filter(|_| any).map(|ns| ns as f64 / MICRO_NS / count as f64),
            p50_us: latency.percentile_us(50.0).filter(|_| any),
            p99_us: latency.percentile_us(99.0).filter(|_| any),
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
