//! Mean and deviation of a set of samples.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Statistics of a set of samples.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
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
