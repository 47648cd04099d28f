//! Numbers as wrk prints them.

use super::SECOND_US;
use std::fmt;

/// How wrk climbs from one unit to the next.
struct Ladder {
    scale: f64,
    base: &'static str,
    steps: &'static [&'static str],
}

// wrk has hours and peta- in its tables and never comes to the last row of one.

/// wrk takes the next unit from 85 % of its size on: `0.90s` and not `900.00ms`.
const CLIMB_AT: f64 = 0.85;

const MICROS: Ladder = Ladder { scale: 1000.0, base: "us", steps: &["ms"] };
const SECONDS: Ladder = Ladder { scale: 60.0, base: "s", steps: &["m"] };
const METRIC: Ladder = Ladder { scale: 1000.0, base: "", steps: &["k", "M", "G", "T"] };
const BINARY: Ladder = Ladder { scale: 1024.0, base: "", steps: &["K", "M", "G", "T"] };

impl Ladder {
    fn print(&self, amount: f64) -> String {
        self.print_to(amount, 2)
    }

    fn print_to(&self, mut amount: f64, digits: usize) -> String {
        let mut unit = self.base;
        for step in self.steps {
            if amount < self.scale * CLIMB_AT {
                break;
            }
            amount /= self.scale;
            unit = step;
        }
        format!("{amount:.digits$}{unit}")
    }
}

/// Microseconds as wrk prints them: `61.20us`, `3.42ms`, `1.05s`, `2.00m`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WrkTime(pub f64);

/// Whole seconds as wrk prints the length of a test: `30s`, `2m`; 90 seconds are `2m` to wrk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WrkSpan(pub u64);

/// A count or a rate as wrk prints it: `12.35k`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WrkMetric(pub f64);

/// Bytes as wrk prints them, in powers of 1024: `4.56MB`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WrkBinary(pub f64);

impl fmt::Display for WrkTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 >= SECOND_US {
            f.pad(&SECONDS.print(self.0 / SECOND_US))
        } else {
            f.pad(&MICROS.print(self.0))
        }
    }
}

impl fmt::Display for WrkSpan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&SECONDS.print_to(self.0 as f64, 0))
    }
}

impl fmt::Display for WrkMetric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&METRIC.print(self.0))
    }
}

impl fmt::Display for WrkBinary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&(BINARY.print(self.0) + "B"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrk_prints_like_wrk() {
        assert_eq!(WrkTime(61.2).to_string(), "61.20us");
        assert_eq!(WrkTime(3420.0).to_string(), "3.42ms");
        assert_eq!(WrkTime(860.0).to_string(), "0.86ms");
        assert_eq!(WrkTime(900_000.0).to_string(), "900.00ms");
        assert_eq!(WrkTime(120_000_000.0).to_string(), "2.00m");
        assert_eq!(WrkTime(7_200_000_000.0).to_string(), "120.00m");
        assert_eq!(WrkMetric(12_350.0).to_string(), "12.35k");
        assert_eq!([10, 50, 90, 7200].map(|s| WrkSpan(s).to_string()), ["10s", "50s", "2m", "120m"]);
        assert_eq!(WrkBinary(4.56 * 1024.0 * 1024.0).to_string(), "4.56MB");
    }
}
