//! Results: what a run found, as a value that is printed for people ([`text`]) and written for programs ([`json`]).

mod answers;
mod environment;
#[cfg(test)]
mod fixture;
pub mod hgrm;
pub mod json;
mod latency;
pub mod like;
mod limit;
mod nothing;
mod open_loop;
pub mod preset;
pub mod text;
mod trial;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use crate::load::{ErrorCounts, FailureCounts};
use crate::load::{LoadPlan, Outcome};
pub use answers::{Answers, TimesUs};
pub use environment::Environment;
pub use latency::{LatencyUs, StatusReport};
pub use limit::{Limit, LimitedBy, Usage};
pub use open_loop::{OpenLoop, StartDelayUs};
pub use preset::PresetReport;
pub use trial::{ServerSide, TrialReport};

/// A connection that finished less than this part of an even share has starved; httpress draws the line there.
const STARVED_SHARE: u64 = 10;
/// Microseconds in a second.
const SECOND_US: f64 = 1_000_000.0;

/// The result of one load run. Every field is in the JSON under its own name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunReport {
    /// The URL that was loaded.
    pub url: String,
    /// Length of the measured part in seconds; in an open loop up to the last arrival.
    pub duration_s: f64,
    /// Requests with a complete answer, whatever its status.
    pub requests: u64,
    /// Those per second of `duration_s`, in an open loop with those that came after the last arrival; 0 when nothing
    /// finished.
    pub requests_per_s: f64,
    /// Bytes read from the wire.
    pub bytes: u64,
    /// Those per second.
    pub bytes_per_s: f64,
    /// Bytes of requests written to the wire.
    pub bytes_sent: u64,
    /// What the answers were made of.
    pub answers: Answers,
    /// Latency; all fields `null` when nothing finished.
    pub latency_us: LatencyUs,
    /// Parts of that time, and connecting besides; all fields `null` when nothing finished.
    pub times_us: TimesUs,
    /// Answers and their latency by status, such as `200`; `other` where there are too many statuses to keep apart.
    pub statuses: BTreeMap<String, StatusReport>,
    /// The same by class, such as `2xx`.
    pub classes: BTreeMap<String, StatusReport>,
    /// What became of the arrivals of an open loop; `null` in a closed one.
    pub open_loop: Option<OpenLoop>,
    /// Rate of a thread in requests per second, over samples of 100 ms; `null` when there are none.
    pub thread_rate: Option<Spread>,
    /// Threads used.
    pub threads: usize,
    /// Connections.
    pub connections: Connections,
    /// Errors by kind.
    pub errors: ErrorCounts,
    /// Connections opened anew after a normal close by the server.
    pub reconnects: u64,
    /// Requests of which something was sent and that got no complete answer (without `--no-retry`: not even when repeated).
    pub failed: u64,
    /// Those by what became of them; they add up to `failed`.
    pub failed_by: FailureCounts,
    /// Requests in flight when the run ended; in an open loop all arrivals that were neither answered nor failed by then.
    pub unfinished: u64,
    /// How evenly connections were served; `null` when nothing finished.
    pub fairness: Option<Fairness>,
    /// Whether the run was stopped before its time.
    pub partial: bool,
    /// Processor time of the load threads.
    pub client_cpu: ClientCpu,
    /// What the reader should know, one sentence each.
    pub notes: Vec<String>,
    /// The published test that this run has the shape of, and its figures; `null` without `--preset`.
    #[serde(default)]
    pub preset: Option<PresetReport>,
    /// The conditions, without which the numbers mean little.
    pub environment: Environment,
}

/// Statistics of a set of samples.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// Arithmetic mean.
    pub mean: f64,
    /// Standard deviation of the sample; 0 for a single one.
    pub stdev: f64,
    /// The largest.
    pub max: f64,
    /// Share of samples within one standard deviation of the mean, in percent.
    pub within_stdev_percent: f64,
}

/// Connections of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Connections {
    /// Asked for.
    pub asked: usize,
    /// Really open at some time.
    pub opened: usize,
    /// Connects begun, the first ones included unless there was a warm-up.
    pub connects: u64,
    /// Those of the asked for that finished a request.
    pub served: usize,
    /// Those that finished at least a tenth of an even share, and two requests at least: the others starved.
    pub served_fairly: usize,
    /// Closed by the server although its last answer on them, if any, had not said `Connection: close`.
    pub closed_without_notice: u64,
    /// Attempts that were refused, which is what a server that has ended does. No request was lost by them.
    pub refused: u64,
}

/// Requests finished by the worst- and the best-served connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fairness {
    /// By the connection with the fewest.
    pub slowest: u64,
    /// By the connection with the most.
    pub fastest: u64,
}

/// What the measuring itself cost.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ClientCpu {
    /// Processor time of all load threads while measuring, in seconds.
    pub total_s: f64,
    /// That per finished request, in microseconds; `null` when nothing finished.
    pub per_request_us: Option<f64>,
}

impl RunReport {
    /// The report of a finished run.
    #[must_use]
    pub fn new(plan: &LoadPlan, outcome: &Outcome, environment: Environment) -> Self {
        let tally = &outcome.tally;
        let seconds = outcome.measured.as_secs_f64();
        let per_second = |count: u64| {
            if seconds > 0.0 { count as f64 / seconds } else { 0.0 }
        };
        let finished = tally.requests > 0;
        let fewest_and_most = (outcome.per_connection.iter().min(), outcome.per_connection.iter().max());
        Self {
            url: plan.url.to_string(),
            duration_s: seconds,
            requests: tally.requests,
            requests_per_s: per_second(tally.requests),
            bytes: tally.bytes,
            bytes_per_s: per_second(tally.bytes),
            bytes_sent: tally.sent,
            answers: Answers::of(tally),
            latency_us: if finished { LatencyUs::of(&tally.latency()) } else { LatencyUs::default() },
            times_us: if finished { TimesUs::of(tally) } else { TimesUs::default() },
            statuses: latency::by_status(&tally.statuses),
            classes: latency::by_class(&tally.statuses),
            open_loop: plan.schedule.map(|schedule| OpenLoop::new(&schedule, tally)),
            thread_rate: Spread::of(&outcome.thread_rates),
            threads: outcome.threads,
            connections: Connections::of(outcome),
            errors: tally.errors,
            reconnects: tally.reconnects,
            failed: tally.failed.total(),
            failed_by: tally.failed,
            unfinished: tally.unfinished,
            fairness: match fewest_and_most {
                (Some(&slowest), Some(&fastest)) if finished => Some(Fairness { slowest, fastest }),
                _ => None,
            },
            partial: outcome.partial,
            client_cpu: ClientCpu {
                total_s: outcome.cpu.as_secs_f64(),
                per_request_us: finished
                    .then(|| outcome.cpu.as_secs_f64() * SECOND_US / tally.requests as f64),
            },
            notes: outcome.notes.clone(),
            preset: None,
            environment,
        }
    }
}

impl Connections {
    fn of(outcome: &Outcome) -> Self {
        let tally = &outcome.tally;
        let share = tally.requests / (outcome.asked as u64 * STARVED_SHARE).max(1);
        let with_at_least =
            |least: u64| outcome.per_connection.iter().filter(|count| **count >= least).count();
        Self {
            asked: outcome.asked,
            opened: outcome.opened,
            connects: tally.connects,
            served: with_at_least(1),
            served_fairly: with_at_least(share.max(2)),
            closed_without_notice: tally.closed_without_notice,
            refused: tally.refused,
        }
    }
}

impl Spread {
    /// Statistics of `samples`; `None` when there are none.
    #[must_use]
    pub fn of(samples: &[f64]) -> Option<Self> {
        let max = samples.iter().copied().reduce(f64::max)?;
        let count = samples.len() as f64;
        let mean = samples.iter().sum::<f64>() / count;
        let squares: f64 = samples.iter().map(|sample| (sample - mean).powi(2)).sum();
        let stdev = if samples.len() > 1 { (squares / (count - 1.0)).sqrt() } else { 0.0 };
        let inside = samples.iter().filter(|sample| (**sample - mean).abs() <= stdev).count();
        Some(Self { mean, stdev, max, within_stdev_percent: 100.0 * inside as f64 / count })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_of_nothing_is_none_and_of_one_has_no_deviation() {
        assert_eq!(Spread::of(&[]), None);
        let one = Spread::of(&[5.0]).unwrap();
        assert_eq!((one.mean, one.stdev, one.max, one.within_stdev_percent), (5.0, 0.0, 5.0, 100.0));
        let three = Spread::of(&[1.0, 2.0, 6.0]).unwrap();
        assert_eq!((three.mean, three.max), (3.0, 6.0));
        assert!((three.stdev - 7f64.sqrt()).abs() < 1e-12);
    }
}
