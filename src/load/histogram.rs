//! The latency histogram: fixed memory, known precision, exact merging.

use base64::prelude::{BASE64_STANDARD, Engine as _};
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Deserializer, Serializer as _, V2DeflateSerializer};

/// Three significant digits: a value is known within 0.1 %, from one nanosecond up.
const SIGNIFICANT_DIGITS: u8 = 3;
/// A day in nanoseconds. A longer wait is recorded as this; in an open loop one may be as long as the whole run.
const LONGEST_NS: u64 = 86_400_000_000_000;

/// How long requests took, in nanoseconds.
///
/// One takes about 310 KiB whatever it holds, and recording never allocates. Every value is kept within 0.1 %;
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
    /// The shortest.
    pub min: f64,
    /// The longest.
    pub max: f64,
    /// Share of values within one standard deviation of the mean, in percent, as wrk counts it.
    pub within_stdev_percent: f64,
}

/// One step of a percentile distribution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PercentileStep {
    /// The share of all values, from 0 to 1, that this step stands for.
    pub quantile: f64,
    /// The wait in microseconds that this share does not exceed.
    pub value_us: f64,
    /// How many values are not longer than that.
    pub count: u64,
}

/// Steps for each halving of the rest, as HdrHistogram's own files have it.
const STEPS_PER_HALVING: u32 = 5;

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
        // The crate would take the wait for the longest also when it is recorded no times.
        if count > 0 {
            self.0.saturating_record_n(ns, count);
        }
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

    /// This histogram with `new` in the place of `old`, all of which is recorded in it.
    ///
    /// # Panics
    /// When `old` holds what is not recorded here.
    pub(super) fn with_replaced(&self, old: &Self, new: &Self) -> Self {
        let mut changed = self.clone();
        changed.0.subtract(&old.0).expect("a part of it");
        changed.add(new);
        changed
    }

    /// Forgets everything, keeping the memory.
    pub fn clear(&mut self) {
        self.0.reset();
    }

    /// The longest wait in nanoseconds; 0 when nothing is recorded.
    pub(super) fn longest_ns(&self) -> u64 {
        self.0.max()
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

    /// The same for several in ascending order, all in one go over the counters.
    #[must_use]
    pub fn percentiles_us<const N: usize>(&self, percents: [f64; N]) -> [Option<f64>; N] {
        let mut found = [None; N];
        if !self.0.is_empty() {
            for (place, value) in found.iter_mut().zip(self.0.value_at_percentiles(percents)) {
                *place = Some(value.min(self.0.max()) as f64 / MICRO);
            }
        }
        found
    }

    /// The percentile distribution: five steps up to 50 %, five more up to 75 %, and so on in halves of the rest, up to the
    /// longest wait, which is the step of quantile 1. No step when nothing is recorded.
    pub fn steps(&self) -> impl Iterator<Item = PercentileStep> {
        let mut count = 0;
        // The crate gives one step of the smallest value for nothing at all.
        let steps = self.0.iter_quantiles(STEPS_PER_HALVING).filter(|_| !self.0.is_empty());
        steps.map(move |step| {
            count += step.count_since_last_iteration();
            let value = step.value_iterated_to().min(self.0.max());
            PercentileStep { quantile: step.quantile_iterated_to(), value_us: value as f64 / MICRO, count }
        })
    }

    /// How the memory is laid out: buckets, and counters in each of the first.
    #[must_use]
    pub fn buckets(&self) -> (u64, u64) {
        let buckets = u64::from(self.0.buckets());
        // Every bucket but the first shares its lower half with the one before.
        (buckets, 2 * self.0.distinct_values() as u64 / (buckets + 1))
    }

    /// Mean, deviation and maximum; `None` when nothing is recorded, so that nobody divides by zero.
    #[must_use]
    pub fn summary(&self) -> Option<LatencySummary> {
        if self.0.is_empty() {
            return None;
        }
        // Once over the counters: the crate's own functions would go over them four times.
        let middle = |value: u64| self.0.median_equivalent(value) as f64;
        let steps = self.0.iter_recorded();
        let recorded: Vec<(f64, f64)> =
            steps.map(|step| (middle(step.value_iterated_to()), step.count_at_value() as f64)).collect();
        let count = self.0.len() as f64;
        let mean = recorded.iter().map(|(value, times)| value * times).sum::<f64>() / count;
        let squares: f64 = recorded.iter().map(|(value, times)| (value - mean).powi(2) * times).sum();
        let stdev = (squares / count).sqrt();
        let within = recorded.iter().filter(|(value, _)| (mean - stdev..=mean + stdev).contains(value));
        let inside: f64 = within.map(|(_, times)| times).sum();
        Some(LatencySummary {
            mean: mean / MICRO,
            stdev: stdev / MICRO,
            min: self.0.min() as f64 / MICRO,
            max: self.0.max() as f64 / MICRO,
            within_stdev_percent: 100.0 * inside / count,
        })
    }
}

impl Default for LatencyHistogram {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
#[path = "histogram_tests.rs"]
mod tests;
