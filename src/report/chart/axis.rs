//! Axes: what range they have, where their ticks are and what is written there.

use std::ops::Range;

use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};

use crate::report::figures;

/// An axis. On a logarithmic one, positions are logarithms.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Axis {
    log: bool,
    /// Position of the lower end.
    pub(super) from: f64,
    /// Position of the upper end, above `from`.
    pub(super) to: f64,
    /// Positions with what is written there.
    pub(super) ticks: Vec<(f64, String)>,
}

/// Values that differ by more than this factor need a logarithmic axis: on a plain one the small ones lie on the ground.
const LOG_FROM: f64 = 20.0;

/// Steps of seconds that people think in.
const STEPS_S: [f64; 19] = [
    1.0, 2.0, 5.0, 10.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0, 900.0, 1800.0, 3600.0, 7200.0, 10_800.0, 21_600.0, 43_200.0,
    86_400.0, 604_800.0,
];

impl Axis {
    /// Seconds from 0 to `end`, with about `wanted` ticks.
    pub(super) fn time(end: f64, wanted: usize) -> Self {
        let end = if end.is_finite() { end.max(1.0) } else { 1.0 };
        let fits = |step: &&f64| end / **step <= wanted as f64;
        let step = STEPS_S.iter().find(fits).copied().unwrap_or_else(|| nice_step(end, wanted));
        // One unit for all ticks, so that they can be compared.
        let unit = |s: f64| match end {
            _ if s == 0.0 => "0".to_owned(),
            _ if end <= 180.0 => format!("{} s", figures::digits(s)),
            _ if end <= 10_800.0 => format!("{} min", figures::digits(s / 60.0)),
            _ => format!("{} h", figures::digits(s / 3600.0)),
        };
        Self { log: false, from: 0.0, to: end, ticks: steps(end, step).map(|s| (s, unit(s))).collect() }
    }

    /// From 0 to at least `most`, with about `wanted` ticks, the highest at the end.
    pub(super) fn linear(most: f64, wanted: usize, label: impl Fn(f64) -> String) -> Self {
        let most = if most.is_finite() && most > 0.0 { most } else { 1.0 };
        let step = nice_step(most, wanted);
        let to = (most / step - 1e-9).ceil() * step;
        Self { log: false, from: 0.0, to, ticks: steps(to, step).map(|value| (value, label(value))).collect() }
    }

    /// Between two values, near which nothing is at 0, such as temperatures.
    pub(super) fn between(least: f64, most: f64, wanted: usize, label: impl Fn(f64) -> String) -> Self {
        let step = nice_step((most - least).max(1.0), wanted);
        let (from, to) = ((least / step).floor() * step, (most / step).ceil() * step);
        let to = if to > from { to } else { from + step };
        let ticks = steps(to - from, step).map(|value| (from + value, label(from + value))).collect();
        Self { log: false, from, to, ticks }
    }

    /// Latencies in microseconds: from 0 where they are alike, logarithmic where they are not.
    pub(super) fn latency(least: f64, most: f64, wanted: usize) -> Self {
        let (least, most) = (least.clamp(0.1, 1e12), most.clamp(0.1, 1e12));
        if most / least < LOG_FROM {
            // The unit of the highest tick for all of them.
            return Self::linear(most, wanted, move |us| match most {
                _ if us == 0.0 => "0".to_owned(),
                _ if most < 1e3 => format!("{} µs", figures::digits(us)),
                _ if most < 1e6 => format!("{} ms", figures::digits(us / 1e3)),
                _ => format!("{} s", figures::digits(us / 1e6)),
            });
        }
        Self::decades(least, most, wanted, figures::latency)
    }

    /// The share of requests that were at least as fast, as 1/(1−p): each nine is as wide as the others.
    pub(super) fn percentiles(most: f64) -> Self {
        let most = if most.is_finite() { most.clamp(10.0, 1e12) } else { 10.0 };
        let label = |nines: i32| match nines {
            0 => "0 %".to_owned(),
            1 => "90 %".to_owned(),
            2 => "99 %".to_owned(),
            nines => format!("99.{} %", "9".repeat(usize::try_from(nines - 2).unwrap_or(1))),
        };
        let half = (2f64.log10(), "50 %".to_owned());
        let nines = (1..12).map(|nines| (f64::from(nines), label(nines)));
        let to = most.log10();
        let ticks = std::iter::once(half).chain(nines).filter(|tick| tick.0 <= to + 1e-9).collect();
        Self { log: true, from: 0.0, to, ticks }
    }

    /// Powers of ten, and what is between them where there is room for it.
    fn decades(least: f64, most: f64, wanted: usize, label: impl Fn(f64) -> String) -> Self {
        let (from, to) = (least.log10(), most.log10());
        let between: &[f64] = match (to - from) * 3.0 <= wanted as f64 {
            true => &[1.0, 2.0, 5.0],
            false => &[1.0],
        };
        let mut places = Vec::new();
        let mut decade = from.floor();
        while decade <= to {
            places.extend(between.iter().map(|digit| decade + digit.log10()));
            decade += 1.0;
        }
        let (below, above) = (|tick: &&f64| **tick <= from + 1e-9, |tick: &&f64| **tick >= to - 1e-9);
        let (from, to) = (
            places.iter().rfind(below).copied().unwrap_or(from),
            places.iter().find(above).copied().unwrap_or(to),
        );
        places.retain(|tick| (from - 1e-9..=to + 1e-9).contains(tick));
        let ticks = places.iter().map(|place| (*place, label(10f64.powf(*place)))).collect();
        Self { log: true, from, to, ticks }
    }

    /// The position of a value; what is outside is at the nearer end.
    pub(super) fn at(&self, value: f64) -> f64 {
        let position = if self.log { value.max(f64::MIN_POSITIVE).log10() } else { value };
        if position.is_nan() { self.from } else { position.clamp(self.from, self.to) }
    }

    /// What is written at a position.
    pub(super) fn written(&self, position: f64) -> String {
        let near = |tick: &&(f64, String)| (tick.0 - position).abs() < 1e-9 * (1.0 + position.abs());
        self.ticks.iter().find(near).map(|tick| tick.1.clone()).unwrap_or_default()
    }

    /// Where a position is between the ends, from 0 to 1.
    pub(super) fn share(&self, position: f64) -> f64 {
        (position - self.from) / (self.to - self.from)
    }
}

/// For the plotting library: values are positions, and the ticks are its only key points.
impl Ranged for Axis {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    #[expect(clippy::cast_possible_truncation, reason = "between the limits")]
    fn map(&self, position: &f64, limit: (i32, i32)) -> i32 {
        limit.0 + (f64::from(limit.1 - limit.0) * self.share(*position)).round() as i32
    }

    fn key_points<H: KeyPointHint>(&self, hint: H) -> Vec<f64> {
        let ticks = if hint.weight().allow_light_points() { &[][..] } else { &self.ticks };
        ticks.iter().map(|tick| tick.0).collect()
    }

    fn range(&self) -> Range<f64> {
        self.from..self.to
    }
}

/// 0, `step`, 2 `step` and so on up to `end`.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "some ticks")]
fn steps(end: f64, step: f64) -> impl Iterator<Item = f64> {
    let last = (end / step + 1e-6).floor().clamp(0.0, 50.0) as u32;
    (0..=last).map(move |number| f64::from(number) * step)
}

/// 1, 2 or 5 times a power of ten, such that `range` has at most `wanted` of it.
fn nice_step(range: f64, wanted: usize) -> f64 {
    let raw = range / wanted.max(1) as f64;
    let power = 10f64.powf(raw.log10().floor());
    [1.0, 2.0, 5.0].iter().map(|digit| digit * power).find(|step| *step >= raw * 0.999).unwrap_or(10.0 * power)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis) -> Vec<&str> {
        axis.ticks.iter().map(|tick| tick.1.as_str()).collect()
    }

    #[test]
    fn ticks_are_round_and_carry_their_unit() {
        assert_eq!(labels(&Axis::time(60.0, 6)), ["0", "10 s", "20 s", "30 s", "40 s", "50 s", "60 s"]);
        assert_eq!(labels(&Axis::time(3600.0, 4)), ["0", "15 min", "30 min", "45 min", "60 min"]);
        assert_eq!(labels(&Axis::time(86_400.0, 4)), ["0", "6 h", "12 h", "18 h", "24 h"]);
        assert_eq!(labels(&Axis::linear(52_000.0, 4, figures::short)), ["0", "20k", "40k", "60k"]);
        assert_eq!(labels(&Axis::latency(900.0, 4_000.0, 4)), ["0", "1 ms", "2 ms", "3 ms", "4 ms"]);
        assert_eq!(labels(&Axis::between(48.2, 83.0, 4, figures::digits)), ["40", "50", "60", "70", "80", "90"]);
    }

    #[test]
    fn far_apart_is_logarithmic() {
        let axis = Axis::latency(120.0, 80_000.0, 4);
        assert_eq!(labels(&axis), ["100 µs", "1 ms", "10 ms", "100 ms"]);
        assert!((axis.share(axis.at(1000.0)) - 1.0 / 3.0).abs() < 1e-9);
        assert_eq!(axis.at(0.0), axis.from);
        assert_eq!(labels(&Axis::latency(90.0, 2_100.0, 6)).first(), Some(&"50 µs"));
    }

    #[test]
    fn percentiles_have_a_tick_for_each_nine() {
        assert_eq!(labels(&Axis::percentiles(123_456.0)), ["50 %", "90 %", "99 %", "99.9 %", "99.99 %", "99.999 %"]);
        assert_eq!(labels(&Axis::percentiles(3.0)), ["50 %", "90 %"]);
    }

    #[test]
    fn nothing_that_a_file_may_hold_breaks_an_axis() {
        for odd in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e300, 1e-300] {
            for axis in [
                Axis::time(odd, 6),
                Axis::linear(odd, 4, figures::short),
                Axis::latency(odd, odd, 4),
                Axis::percentiles(odd),
            ] {
                assert!(axis.to > axis.from && axis.ticks.len() < 60, "{odd}: {axis:?}");
                assert!((0.0..=1.0).contains(&axis.share(axis.at(odd))), "{odd}: {axis:?}");
            }
        }
    }
}
