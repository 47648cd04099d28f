//! Latencies as they are kept in a report: whole histograms, so that runs can be added up and not only averaged.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::load::{HistogramError, LatencyHistogram, Tally};

/// Statuses from here on are errors.
const FIRST_ERROR: u16 = 400;

/// A histogram of nanoseconds in HdrHistogram's own form: V2, deflated, in base64. Its loggers and plotters read it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct EncodedHistogram(String);

impl EncodedHistogram {
    /// Encodes a histogram; an empty one is an empty text.
    #[must_use]
    pub fn of(histogram: &LatencyHistogram) -> Self {
        if histogram.count() == 0 { Self::default() } else { Self(histogram.to_base64()) }
    }

    /// The text itself.
    pub(super) fn text(&self) -> &str {
        &self.0
    }

    /// The histogram again.
    ///
    /// # Errors
    /// When the text is no histogram.
    pub fn decode(&self) -> Result<LatencyHistogram, HistogramError> {
        if self.0.is_empty() { Ok(LatencyHistogram::new()) } else { LatencyHistogram::from_base64(&self.0) }
    }
}

/// Answers with one status.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct EncodedStatus {
    /// How long they took.
    pub latency: EncodedHistogram,
    /// How many came after the last arrival of an open loop was due.
    pub after_end: u64,
}

/// All histograms of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Histograms {
    /// Latencies of finished requests by status; `other` where there are too many statuses to keep apart.
    pub statuses: BTreeMap<String, EncodedStatus>,
    /// The least that requests took which timed out.
    pub timed_out: EncodedHistogram,
    /// The least that requests took which were still waiting when the run ended: in an open loop all of them, in a closed
    /// one those that had waited longer than any that was answered.
    pub waiting: EncodedHistogram,
    /// By how much the arrivals of an open loop started late that did not have to wait.
    pub start_delay: EncodedHistogram,
}

impl Histograms {
    /// Waits of all finished requests, and of those that got no answer the least they took.
    ///
    /// # Errors
    /// When one of the texts is no histogram.
    pub fn latency(&self) -> Result<LatencyHistogram, HistogramError> {
        let mut all = self.timed_out.decode()?;
        all.add(&self.waiting.decode()?);
        for status in self.statuses.values() {
            all.add(&status.latency.decode()?);
        }
        Ok(all)
    }

    /// Those of a tally.
    #[must_use]
    pub fn of(tally: &Tally) -> Self {
        let encoded = |entry: &crate::load::StatusLatency| EncodedStatus {
            latency: EncodedHistogram::of(&entry.latency),
            after_end: entry.after_end,
        };
        Self {
            statuses: tally.statuses.iter().map(|entry| (entry.name(), encoded(entry))).collect(),
            timed_out: EncodedHistogram::of(&tally.timed_out),
            waiting: EncodedHistogram::of(&tally.waiting),
            start_delay: EncodedHistogram::of(&tally.open.start_delay),
        }
    }
}

/// Whether answers of this status, as reports name it, are what was asked for: those below 400. What `other` holds is not
/// known to be.
pub(super) fn is_served(status: &str) -> bool {
    status.parse().is_ok_and(|status: u16| status < FIRST_ERROR)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_histogram_comes_back_as_it_was() {
        let mut histogram = LatencyHistogram::new();
        for us in 1..5_000u64 {
            histogram.record(us * 1_234);
        }
        let encoded = EncodedHistogram::of(&histogram);
        assert_eq!(encoded.decode().unwrap(), histogram);
        assert!(encoded.0.len() < 20_000, "{} bytes", encoded.0.len());
        let empty = EncodedHistogram::of(&LatencyHistogram::new());
        assert_eq!((empty.0.as_str(), empty.decode().unwrap().count()), ("", 0));
        assert!(EncodedHistogram("!".to_owned()).decode().is_err());
        assert!(EncodedHistogram("AAAA".to_owned()).decode().is_err());
    }
}
