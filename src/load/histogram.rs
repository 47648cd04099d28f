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

    /// Puts `new` in the place of `old`, all of which is recorded here.
    ///
    /// # Panics
    /// When `old` holds what is not recorded here.
    pub(super) fn replace(&mut self, old: &Self, new: &Self) {
        self.0.subtract(&old.0).expect("a part of it");
        self.add(new);
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
            min: self.0.min() as f64 / MICRO,
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
    fn steps_climb_to_the_longest_wait() {
        let mut histogram = LatencyHistogram::new();
        assert_eq!(histogram.steps().count(), 0);
        for us in 1..=10_000u64 {
            histogram.record(us * 1000);
        }
        let steps: Vec<_> = histogram.steps().collect();
        assert!(steps.windows(2).all(|two| two[0].quantile < two[1].quantile));
        assert!(steps.windows(2).all(|two| two[0].value_us <= two[1].value_us));
        for step in &steps {
            // Quantiles are sums of binary fractions, and may miss a value's edge by the last bit.
            let value = histogram.percentile_us(step.quantile * 100.0).unwrap();
            assert!((step.value_us / value - 1.0).abs() <= 0.001, "{step:?}, {value}");
        }
        let last = steps.last().unwrap();
        assert_eq!((last.quantile, last.count), (1.0, 10_000));
        assert_eq!(last.value_us, histogram.summary().unwrap().max);
        assert_eq!(histogram.buckets(), (32, 2048));
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
