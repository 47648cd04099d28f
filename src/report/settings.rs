//! What a run was asked to do.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::load::LoadPlan;

/// The plan of a run, as far as two runs must agree in it to be added up or compared.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Settings {
    /// The request line, without the version.
    pub request: String,
    /// Bytes of the whole request.
    pub request_bytes: u64,
    /// Connections.
    pub connections: usize,
    /// Threads asked for.
    pub threads: usize,
    /// How long to measure, in seconds.
    pub duration_s: f64,
    /// After how many requests to end before that; `null` where no number was asked for.
    pub requests: Option<usize>,
    /// How long to load before that, in seconds.
    pub warmup_s: f64,
    /// A request that waits longer is given up, in seconds.
    pub timeout_s: f64,
    /// Requests sent at once on each connection.
    pub pipeline: usize,
    /// Whether connections are used for more than one request.
    pub keep_alive: bool,
    /// Whether a request may be sent again, once, after the server closed a reused connection.
    pub retry: bool,
    /// The arrivals of an open loop, such as `2000` or `100..5000 in 10 steps`; `null` in a closed one.
    pub rate: Option<String>,
    /// Steps of a ramp; `null` where the rate does not change.
    pub steps: Option<usize>,
}

impl Settings {
    /// Those of a plan.
    #[must_use]
    pub fn of(plan: &LoadPlan) -> Self {
        let ramp = plan.schedule.as_ref().filter(|schedule| schedule.is_ramp());
        Self {
            request: plan.request.line(),
            request_bytes: plan.request.bytes.len() as u64,
            connections: plan.connections,
            threads: plan.threads,
            duration_s: plan.duration.as_secs_f64(),
            requests: plan.requests,
            warmup_s: plan.warmup.as_secs_f64(),
            timeout_s: plan.timeout.as_secs_f64(),
            pipeline: plan.pipeline,
            keep_alive: plan.request.keep_alive,
            retry: plan.retry,
            rate: plan.schedule.as_ref().map(ToString::to_string),
            steps: ramp.map(|ramp| ramp.steps(plan.duration).len()),
        }
    }
}
