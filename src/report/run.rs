//! The report of one load run.

use crate::units::SECOND_US;
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::latency::{self, LatencyUs, StatusReport};
use super::merge::Merged;
use super::verdict::Case;
use super::{
    Answers, Environment, Histograms, OpenLoop, PresetReport, SearchReport, SeriesRow, Settings, SloReport,
    SoakReport, Spread, TelemetryReport, TimesUs, Validity, Verdict,
};
use crate::load::{ErrorCounts, FailureCounts, LoadPlan, Outcome};

/// Milliseconds in a second.
const SECOND_MS: f64 = 1000.0;

/// The result of one load run. Every field is in the JSON under its own name.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RunReport {
    /// The form of this report: [`RunReport::FORM`].
    pub form: String,
    /// When measuring began, in seconds since 1970 by this machine's clock. All else is timed by a clock that nobody sets.
    pub started_unix_s: f64,
    /// The URL that was loaded.
    pub url: String,
    /// Length of the measured part in seconds; in an open loop up to the last arrival.
    pub duration_s: f64,
    /// Requests with a complete answer, whatever its status.
    pub requests: u64,
    /// Those per second of `duration_s`, without what came after the last arrival of an open loop was due; 0 when nothing
    /// finished.
    pub requests_per_s: f64,
    /// Bytes read: heads, bodies and their framing.
    pub bytes: u64,
    /// Those of them that were heads of finished requests.
    pub head_bytes: u64,
    /// Bytes sent.
    pub sent_bytes: u64,
    /// Those per second of `duration_s`, without what came after the last arrival of an open loop was due.
    pub bytes_per_s: f64,
    /// What the answers held.
    pub answers: Answers,
    /// Latency of finished requests, and of those that got no answer the least they took; all fields `null` when nothing
    /// finished.
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
    /// Whether the run is not, or was not, carried out to its end.
    pub partial: bool,
    /// Processor time of the load threads.
    pub client_cpu: ClientCpu,
    /// Whether the run kept to what was asked of the server; `null` when nothing was, and while the run goes on.
    pub slo: Option<SloReport>,
    /// The search of which this is the run at the highest rate that held; `null` for any other run.
    pub search: Option<SearchReport>,
    /// How the board did over time; `null` for any other run than a soak.
    pub soak: Option<SoakReport>,
    /// Of what this is the sum; `null` for a run.
    pub merged: Option<Merged>,
    /// What the reader should know, one sentence each.
    pub notes: Vec<String>,
    /// What was asked for.
    pub settings: Settings,
    /// The published test that this run has the shape of, and its figures; `null` without `--preset`.
    pub preset: Option<PresetReport>,
    /// Second by second.
    pub series: Vec<SeriesRow>,
    /// Who was watched; `null` when nobody was.
    pub telemetry: Option<TelemetryReport>,
    /// What limited the run; `null` while that was not judged.
    pub verdict: Option<Verdict>,
    /// Whether it is good as a measurement of the board; `null` while that was not judged.
    pub validity: Option<Validity>,
    /// All latencies, for adding runs up exactly.
    pub histograms: Histograms,
    /// The conditions, without which the numbers mean little.
    pub environment: Environment,
}

/// Connections of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Connections {
    /// Asked for.
    pub asked: usize,
    /// Really open at some time.
    pub opened: usize,
    /// Connects begun, the first ones included unless there was a warm-up.
    pub connects: u64,
    /// Connections that finished a request.
    pub served: usize,
    /// Those that finished at least a tenth of an even share of what their thread did, and two requests at least: the others
    /// starved.
    pub served_fairly: usize,
    /// Closed by the server although its last answer on them, if any, had not said `Connection: close`.
    pub closed_without_notice: u64,
    /// Attempts that were refused, which is what a server that has ended does. No request was lost by them.
    pub refused: u64,
    /// Attempts that found no free local port.
    pub out_of_ports: u64,
}

/// Requests finished by the worst- and the best-served connection.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Fairness {
    /// By the connection with the fewest.
    pub slowest: u64,
    /// By the connection with the most.
    pub fastest: u64,
    /// The longest time in which a connection finished nothing, in milliseconds.
    pub worst_gap_ms: f64,
}

/// What the measuring itself cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ClientCpu {
    /// Processor time of all load threads while measuring, in seconds.
    pub total_s: f64,
    /// That per finished request, in microseconds; `null` when nothing finished.
    pub per_request_us: Option<f64>,
}

impl RunReport {
    /// The form of the reports that this version writes; a report of another form may lack what is read from it.
    pub const FORM: &str = "boardkit-run-1";

    /// The report of a finished run.
    #[must_use]
    pub fn new(plan: &LoadPlan, outcome: &Outcome, environment: Environment) -> Self {
        let tally = &outcome.tally;
        let seconds = outcome.measured.as_secs_f64();
        let per_second = |count: u64| {
            if seconds > 0.0 { count as f64 / seconds } else { 0.0 }
        };
        let finished = tally.requests > 0;
        let latency = tally.latency();
        let latency_us = if finished { LatencyUs::of(&latency) } else { LatencyUs::default() };
        Self {
            form: Self::FORM.to_owned(),
            started_unix_s: 0.0,
            url: plan.url.to_string(),
            duration_s: seconds,
            requests: tally.requests,
            requests_per_s: per_second(tally.requests - tally.after_end()),
            bytes: tally.bytes,
            head_bytes: tally.head_bytes,
            sent_bytes: tally.sent_bytes,
            bytes_per_s: per_second(tally.bytes - tally.bytes_after_end),
            answers: Answers::of(tally),
            latency_us,
            times_us: if finished { TimesUs::of(tally, &latency, latency_us) } else { TimesUs::default() },
            statuses: latency::by_status(&tally.statuses),
            classes: latency::by_class(&tally.statuses),
            open_loop: plan.schedule.as_ref().map(|schedule| OpenLoop::new(schedule, plan, outcome)),
            thread_rate: Spread::of(&outcome.thread_rates),
            threads: outcome.threads,
            connections: Connections {
                asked: outcome.asked,
                opened: outcome.opened(),
                connects: tally.connects,
                served: outcome.places.iter().map(|places| places.served).sum(),
                served_fairly: outcome.places.iter().map(|places| places.served_fairly).sum(),
                closed_without_notice: tally.closed_without_notice,
                refused: tally.refused,
                out_of_ports: tally.out_of_ports,
            },
            errors: tally.errors,
            reconnects: tally.reconnects,
            failed: tally.failed.total(),
            failed_by: tally.failed,
            unfinished: tally.unfinished,
            fairness: finished.then(|| Fairness::of(outcome)),
            partial: outcome.partial,
            client_cpu: ClientCpu::of(outcome),
            slo: None,
            search: None,
            soak: None,
            merged: None,
            notes: outcome.notes.clone(),
            settings: Settings::of(plan),
            preset: None,
            series: Vec::new(),
            telemetry: None,
            verdict: None,
            validity: None,
            histograms: Histograms::of(tally),
            environment,
        }
    }
}

impl RunReport {
    /// Judges the run by what it says: verdict and validity, anew.
    pub fn judge(&mut self) {
        let case = Case::new(self);
        let (verdict, validity) = (Verdict::of_case(&case), Validity::of_case(&case));
        (self.verdict, self.validity) = (Some(verdict), Some(validity));
    }
}

impl ClientCpu {
    fn of(outcome: &Outcome) -> Self {
        let (total_s, requests) =
            ((outcome.cpu + outcome.cpu_after_end).as_secs_f64(), outcome.tally.requests);
        Self { total_s, per_request_us: (requests > 0).then(|| total_s * SECOND_US / requests as f64) }
    }
}

impl Fairness {
    pub(super) fn of(outcome: &Outcome) -> Self {
        Self {
            slowest: outcome.places.iter().map(|places| places.fewest).min().unwrap_or_default(),
            fastest: outcome.places.iter().map(|places| places.most).max().unwrap_or_default(),
            worst_gap_ms: outcome.worst_gap().as_secs_f64() * SECOND_MS,
        }
    }
}
