//! Tests of the latency histogram.

use super::*;

#[test]
fn nothing_recorded_has_no_numbers() {
    let histogram = LatencyHistogram::new();
    assert_eq!(histogram.summary(), None);
    assert_eq!(histogram.percentile_us(50.0), None);
    assert_eq!(histogram.percentiles_us([50.0, 99.0]), [None; 2]);
}

#[test]
fn percentiles_are_within_the_stated_precision() {
    let mut histogram = LatencyHistogram::new();
    for us in 1..=10_000u64 {
        histogram.record(us * 1000);
    }
    let percents = [50.0, 66.0, 90.0, 99.0, 99.9, 100.0];
    for (percent, together) in percents.into_iter().zip(histogram.percentiles_us(percents)) {
        let (got, truth) = (histogram.percentile_us(percent).unwrap(), percent * 100.0);
        assert_eq!(together, Some(got), "{percent}");
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
    assert_eq!(histogram.buckets(), (37, 2048));
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
