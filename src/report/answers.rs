//! What the answers of a run were made of, and what parts their time had.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::LatencyUs;
use crate::load::{LatencyHistogram, Tally};

/// What the answers of finished requests held.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Answers {
    /// Bytes of all content, without the chunks around it.
    pub body_bytes: u64,
    /// Content of the shortest answer in bytes; `null` when nothing finished.
    pub shortest_body_bytes: Option<u64>,
    /// Content of the longest answer in bytes; `null` when nothing finished.
    pub longest_body_bytes: Option<u64>,
    /// Answers whose content had another length than that of the first.
    pub other_length: u64,
    /// Answers after which the server kept the connection.
    pub kept_alive: u64,
}

impl Answers {
    pub(super) fn of(tally: &Tally) -> Self {
        let counts = &tally.answers;
        Self {
            body_bytes: counts.body_bytes,
            shortest_body_bytes: counts.body_range.map(|range| range.0),
            longest_body_bytes: counts.body_range.map(|range| range.1),
            other_length: counts.other_length,
            kept_alive: counts.kept,
        }
    }
}

/// Parts of the time of a request in microseconds, each over all requests of the run, beside the latency itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TimesUs {
    /// Connecting: 0 for a request whose connection was open already.
    pub connect: LatencyUs,
    /// From the start of the send to the first bytes of the answer.
    pub first_byte: LatencyUs,
    /// Connecting and latency together.
    pub total: LatencyUs,
}

impl TimesUs {
    /// The parts of `latency`, of which the statistics are `latency_us`.
    pub(super) fn of(tally: &Tally, latency: &LatencyHistogram, latency_us: LatencyUs) -> Self {
        let parts = &tally.parts;
        let of = |part: Option<LatencyHistogram>| part.map_or(latency_us, |part| LatencyUs::of(&part));
        Self {
            connect: LatencyUs::of(&parts.connect(latency.count())),
            first_byte: of(parts.first_byte(latency)),
            total: of(parts.with_connect(latency)),
        }
    }
}
