//! The latency histogram: fixed memory, known precision, exact merging.

use base64::prelude::{BASE64_STANDARD, Engine as _};
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Deserializer, Serializer as _, V2DeflateSerializer};

/// Three significant digits: a value is known within 0.1 %, from one nanosecond up.
const SIGNIFICANT_DIGITS: u8 = 3;
/// One hour in nanoseconds. A longer wait is recorded as this; no run in use has a time-out near it.
const LONGEST_NS: u64 = 3_600_000_000_000;

/// How long requests took, in nanoseconds.
///
/// One takes about 260 KiB whatever it holds, and recording never allocates. Every value is kept within 0.1 %;
/// adding two histograms loses nothing more.
#[derive(Debug, Clone, PartialEq)]
pub struct LatencyHistogram(Histogram<u64>);

/// A text that is no histogram.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not an HdrHistogram in base64: {0}")]
pub struct HistogramError(String);

/// What is read from a histogram that is not empty. All in microseconds but the last.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LatencySummary {
    /// Arithmetic mean.
    pub mean: f64,
    /// Standard deviation.
    pub stdev: f64,
    /// The longest.
    pub max: f64,
    /// Share of values within one standard deviation of the mean, in percent, as wrk counts it.
    pub within_stdev_percent: f64,
}

/// Nanoseconds in a microsecond.
const MICRO: f64 = 1000.0;

impl LatencyHistogram {
    /// An empty histogram.
    ///
    /// # Panics
    /// Never: the bounds are constants that the crate accepts.
    #[must_use]
    pub fn new() -> Self {
        let histogram = Histogram::new_with_bounds(1, LONGEST_NS, SIGNIFICANT_DIGITS);
        Self(histogram.expect("constant bounds are valid"))
    }

    /// Records one wait in nanoseconds.
    #[inline]
    pub fn record(&mut self, ns: u64) {
        self.0.saturating_record(ns);
    }

    /// Records the same wait `count` times.
    pub fn record_n(&mut self, ns: u64, count: u64) {
        self.0.saturating_record_n(ns, count);
    }

    /// The histogram in HdrHistogram's own form: V2, deflated, in base64.
    ///
    /// # Panics
    /// Never: writing to memory does not fail, and the bounds are ones that the form has room for.
    #[must_use]
    pub fn to_base64(&self) -> String {
        let mut bytes = Vec::new();
        V2DeflateSerializer::new().serialize(&self.0, &mut bytes).expect("memory takes all bytes");
        BASE64_STANDARD.encode(&bytes)
    }

    /// Reads what [`to_base64`](Self::to_base64), or another HdrHistogram, has written.
    ///
    /// # Errors
    /// When the text is no such histogram.
    pub fn from_base64(text: &str) -> Result<Self, HistogramError> {
        let bytes = BASE64_STANDARD.decode(text).map_err(|error| HistogramError(error.to_string()))?;
        let read: Histogram<u64> = Deserializer::new()
            .deserialize(&mut bytes.as_slice())
            .map_err(|error| HistogramError(error.to_string()))?;
        let mut histogram = Self::new();
        for step in read.iter_recorded() {
            histogram.record_n(read.median_equivalent(step.value_iterated_to()), step.count_at_value());
        }
        Ok(histogram)
    }

    /// Adds all of `other`.
    ///
    /// # Panics
    /// Never: both have the same bounds.
    pub fn add(&mut self, other: &Self) {
        self.0.add(&other.0).expect("same bounds");
    }

    /// Forgets everything, keeping the memory.
    pub fn clear(&mut self) {
        self.0.reset();
    }

    /// How many waits are recorded.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.0.len()
    }

    /// The wait in microseconds that `percent` of all waits do not exceed; `None` when there are none.
    #[must_use]
    pub fn percentile_us(&self, percent: f64) -> Option<f64> {
        (!self.0.is_empty()).then(|| self.0.value_at_percentile(percent).min(self.0.max()) as f64 / MICRO)
    }

    /// Mean, deviation and maximum; `None` when nothing is recorded, so that nobody divides by zero.
    #[must_use]
    pub fn summary(&self) -> Option<LatencySummary> {
        if self.0.is_empty() {
            return None;
        }
        let (mean, stdev) = (self.0.mean(), self.0.stdev());
        let within = |value: f64| (mean - stdev..=mean + stdev).contains(&value);
        let inside: u64 = self
            .0
            .iter_recorded()
            .filter(|step| within(self.0.median_equivalent(step.value_iterated_to()) as f64))
            .map(|step| step.count_since_last_iteration())
            .sum();
        Some(LatencySummary {
            mean: mean / MICRO,
            stdev: stdev / MICRO,
            max: self.0.max() as f64 / MICRO,
            within_stdev_percent: 100.0 * inside as f64 / self.0.len() as f64,
        })
    }
}

impl Default for LatencyHistogram {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_recorded_has_no_numbers() {
        let histogram = LatencyHistogram::new();
        assert_eq!(histogram.summary(), None);
        assert_eq!(histogram.percentile_us(50.0), None);
    }

    #[test]
    fn percentiles_are_within_the_stated_precision() {
        let mut histogram = LatencyHistogram::new();
        for us in 1..=10_000u64 {
            histogram.record(us * 1000);
        }
        for percent in [50.0, 66.0, 90.0, 99.0, 99.9, 100.0] {
            let (got, truth) = (histogram.percentile_us(percent).unwrap(), percent * 100.0);
            assert!((got / truth - 1.0).abs() <= 0.001, "{percent}: {got} instead of {truth}");
        }
        let summary = histogram.summary().unwrap();
        assert!((summary.mean / 5000.5 - 1.0).abs() < 0.001);
        // Of a uniform spread, 1/√3 lies within one deviation.
        assert!((summary.within_stdev_percent - 57.7).abs() < 0.5);
    }

    #[test]
    fn too_long_waits_are_kept_and_merging_counts_all() {
        let mut one = LatencyHistogram::new();
        one.record(u64::MAX);
        let mut two = LatencyHistogram::new();
        two.record_n(5, 3);
        two.add(&one);
        assert_eq!(two.count(), 4);
        two.clear();
        assert_eq!(two.count(), 0);
    }
}
