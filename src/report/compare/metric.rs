//! The figures that servers are compared by.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::turn::Turn;

/// What servers are compared by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Metric {
    /// Requests per second. More is better.
    RequestsPerS,
    /// Processor time of the server for each request. Less is better.
    ServerCpuUs,
    /// The latency that half of the requests did not exceed. Less is better.
    P50Us,
    /// The latency that 99 of 100 requests did not exceed. Less is better.
    P99Us,
}

impl Metric {
    /// All of them, in the order in which they are told.
    pub const ALL: [Self; 4] = [Self::RequestsPerS, Self::ServerCpuUs, Self::P50Us, Self::P99Us];

    /// Its value in a turn; `None` when it is not known, or is zero and so no part of a ratio.
    pub(super) fn of(self, turn: &Turn) -> Option<f64> {
        let value = match self {
            Self::RequestsPerS => turn.requests_per_s,
            Self::ServerCpuUs => turn.server_cpu_us,
            Self::P50Us => turn.p50_us,
            Self::P99Us => turn.p99_us,
        };
        value.filter(|value| *value > 0.0)
    }

    pub(super) fn more_is_better(self) -> bool {
        self == Self::RequestsPerS
    }

    pub(super) fn title(self) -> &'static str {
        match self {
            Self::RequestsPerS => "Requests per second",
            Self::ServerCpuUs => "Server CPU per request",
            Self::P50Us => "Latency, 50 %",
            Self::P99Us => "Latency, 99 %",
        }
    }

    /// What a server is that has more of it, and what one is that has less.
    pub(super) fn more_and_less(self) -> (&'static str, &'static str) {
        match self {
            Self::RequestsPerS => ("faster", "slower"),
            Self::ServerCpuUs => ("dearer", "cheaper"),
            Self::P50Us | Self::P99Us => ("longer", "shorter"),
        }
    }
}
