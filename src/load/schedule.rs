//! When requests start in an open loop: decided ahead, whatever the server does.

use std::fmt;
use std::time::Duration;

/// Above this the clock's own steps decide, and no machine in use sends as much.
const MOST_PER_SECOND: f64 = 1e7;
/// One request in a quarter of an hour; below it a run has none.
const LEAST_PER_SECOND: f64 = 0.001;
/// More than anybody reads in a table.
const MOST_STEPS: usize = 1000;

/// Arrivals one after the other, the first of them at once: at a constant rate, or at one that changes in steps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Schedule {
    from: f64,
    to: f64,
    /// 1 is a constant rate.
    steps: usize,
}

/// A part of a ramp, with one rate. An arrival belongs to the step in which it is due.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// Arrivals per second.
    pub rate: f64,
    /// When it begins, after measuring began.
    pub begin: Duration,
    /// When it ends.
    pub end: Duration,
}

/// Why there is no such schedule.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ScheduleError {
    /// A rate that means nothing, or that no machine sends.
    #[error("a rate must be from {LEAST_PER_SECOND} to {MOST_PER_SECOND} requests per second")]
    Rate,
    /// A ramp of one step is no ramp.
    #[error("a ramp has from 2 to {MOST_STEPS} steps")]
    Steps,
}

impl Schedule {
    /// So many arrivals each second, over all connections.
    ///
    /// # Errors
    /// When the rate is outside of 0.001 to 10,000,000.
    pub fn constant(per_second: f64) -> Result<Self, ScheduleError> {
        checked(per_second).map(|rate| Self { from: rate, to: rate, steps: 1 })
    }

    /// A ramp: rates that rise, or fall, from `from` to `to` by equal amounts, in steps of equal length. A run has all of
    /// them in what is measured; its warm-up has the rate of the first.
    ///
    /// # Errors
    /// When a rate is outside of 0.001 to 10,000,000, or the number of steps outside of 2 to 1,000.
    pub fn ramp(from: f64, to: f64, steps: usize) -> Result<Self, ScheduleError> {
        let (from, to) = (checked(from)?, checked(to)?);
        let sound = (2..=MOST_STEPS).contains(&steps);
        sound.then_some(Self { from, to, steps }).ok_or(ScheduleError::Steps)
    }

    /// Arrivals per second, of a ramp on average.
    #[must_use]
    pub fn per_second(&self) -> f64 {
        self.from.midpoint(self.to)
    }

    /// Whether the rate changes.
    #[must_use]
    pub fn is_ramp(&self) -> bool {
        self.steps > 1
    }

    /// The steps of a run of that `duration`, in their order; a constant rate is one step.
    #[must_use]
    pub fn steps(&self, duration: Duration) -> Vec<Step> {
        // Each from its number, so that no rounding adds up.
        let edge = |index: usize| {
            let ns = duration.as_nanos() * index as u128 / self.steps as u128;
            Duration::from_nanos(u64::try_from(ns).unwrap_or(u64::MAX))
        };
        let step = |index| Step { rate: self.rate(index), begin: edge(index), end: edge(index + 1) };
        (0..self.steps).map(step).collect()
    }

    /// The rate of step `index`: at both ends exactly as it was asked for.
    fn rate(&self, index: usize) -> f64 {
        match self.steps - 1 {
            last if index == last => self.to,
            last => self.from + (self.to - self.from) * (index as f64 / last as f64),
        }
    }
}

fn checked(per_second: f64) -> Result<f64, ScheduleError> {
    let sound = (LEAST_PER_SECOND..=MOST_PER_SECOND).contains(&per_second);
    sound.then_some(per_second).ok_or(ScheduleError::Rate)
}

impl fmt::Display for Schedule {
    /// As it is typed, and for a ramp the number of its steps.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.steps {
            1 => self.from.fmt(f),
            steps => write!(f, "{}..{} in {steps} steps", self.from, self.to),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_that_mean_nothing_are_refused() {
        for per_second in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-9, 1e9] {
            assert_eq!(Schedule::constant(per_second), Err(ScheduleError::Rate), "{per_second}");
        }
        assert_eq!(Schedule::constant(2.5).map(|schedule| schedule.per_second()), Ok(2.5));
    }

    #[test]
    fn a_ramp_has_both_its_ends_and_equal_steps() {
        let second = Duration::from_secs(1);
        let ramp = Schedule::ramp(100.0, 500.0, 3).unwrap();
        let ms = |at: Duration| at.as_millis();
        let steps = ramp.steps(second);
        let steps: Vec<_> = steps.iter().map(|step| (step.rate, ms(step.begin), ms(step.end))).collect();
        assert_eq!(steps, [(100.0, 0, 333), (300.0, 333, 666), (500.0, 666, 1000)]);
        assert_eq!((ramp.to_string().as_str(), ramp.per_second()), ("100..500 in 3 steps", 300.0));
        let down = Schedule::ramp(500.0, 100.0, 2).unwrap().steps(second);
        assert_eq!(down.iter().map(|step| step.rate).collect::<Vec<_>>(), [500.0, 100.0]);
        assert_eq!(Schedule::constant(5.0).unwrap().steps(second).len(), 1);
    }

    #[test]
    fn ramps_that_mean_nothing_are_refused() {
        assert_eq!(Schedule::ramp(0.0, 10.0, 2), Err(ScheduleError::Rate));
        assert_eq!(Schedule::ramp(10.0, f64::INFINITY, 2), Err(ScheduleError::Rate));
        assert_eq!(Schedule::ramp(10.0, 20.0, 1), Err(ScheduleError::Steps));
        assert_eq!(Schedule::ramp(10.0, 20.0, 1001), Err(ScheduleError::Steps));
    }
}
