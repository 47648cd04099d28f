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
    1.0, 2.0, 5.0, 10.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0, 900.0, 1800.0, 3600.0, 7200.0, 10_800.0,
    21_600.0, 43_200.0, 86_400.0, 604_800.0,
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
            _ if end <= 180.0 => format!("{}\u{a0}s", figures::digits(s)),
            _ if end <= 10_800.0 => format!("{}\u{a0}min", figures::digits(s / 60.0)),
            _ => format!("{}\u{a0}h", figures::digits(s / 3600.0)),
        };
        Self { log: false, from: 0.0, to: end, ticks: steps(end, step).map(|s| (s, unit(s))).collect() }
    }

    /// From 0 to at least `most`, with about `wanted` ticks, the highest at the end.
    pub(super) fn linear(most: f64, wanted: usize, label: impl Fn(f64) -> String) -> Self {
        let most = if most.is_finite() && most > 0.0 { most } else { 1.0 };
        let step = nice_step(most, wanted);
        let to = (most / step - 1e-9).ceil() * step;
        Self {
            log: false,
            from: 0.0,
            to,
            ticks: steps(to, step).map(|value| (value, label(value))).collect(),
        }
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
        // max() leaves out what is no number.
        let (least, most) = (least.max(0.1), most.max(0.1));
        let (least, most) = (least.min(1e12), most.min(1e12));
        if most / least < LOG_FROM {
            // The unit of the highest tick for all of them.
            return Self::linear(most, wanted, move |us| match most {
                _ if us == 0.0 => "0".to_owned(),
                _ if most < 1e3 => format!("{}\u{a0}µs", figures::digits(us)),
                _ if most < 1e6 => format!("{}\u{a0}ms", figures::digits(us / 1e3)),
                _ => format!("{}\u{a0}s", figures::digits(us / 1e6)),
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

    /// Powers of ten, and what is between them where there is room for it. Ends at a 1, 2 or 5 of a power of ten.
    fn decades(least: f64, most: f64, wanted: usize, label: impl Fn(f64) -> String) -> Self {
        let (from, to) = (least.log10(), most.log10());
        let all = (power(from)..=power(to) + 1)
            .flat_map(|decade| [1.0f64, 2.0, 5.0].map(|digit| (f64::from(decade), digit)));
        let place = |(decade, digit): (f64, f64)| decade + digit.log10();
        let places: Vec<(f64, f64)> = all.collect();
        let lower = places.iter().copied().map(place).rfind(|place| *place <= from + 1e-9).unwrap_or(from);
        let upper = places.iter().copied().map(place).find(|place| *place >= to - 1e-9).unwrap_or(to);
        let only_powers = (upper - lower) * 3.0 > wanted as f64 + 0.5;
        let kept = places.into_iter().filter(|(_, digit)| !only_powers || *digit < 2.0).map(place);
        let inside = kept.filter(|place| (lower - 1e-9..=upper + 1e-9).contains(place));
        let ticks = inside.map(|place| (place, label(10f64.powf(place)))).collect();
        Self { log: true, from: lower, to: upper, ticks }
    }

    /// Leaves the labels out that have no room between their neighbours on an axis of `room` pixels; `width` is that of a
    /// label. The ticks stay.
    pub(super) fn fitted(mut self, room: f64, width: impl Fn(&str) -> f64) -> Self {
        let mut free = f64::NEG_INFINITY;
        for place in 0..self.ticks.len() {
            let middle = self.share(self.ticks[place].0) * room;
            let half = width(&self.ticks[place].1) / 2.0;
            if middle - half < free {
                self.ticks[place].1.clear();
            } else {
                free = middle + half + 6.0;
            }
        }
        self
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

/// The power of ten below a number of which this is the logarithm.
#[expect(clippy::cast_possible_truncation, reason = "latencies have a dozen powers of ten")]
fn power(log: f64) -> i32 {
    log.floor() as i32
}

/// 1, 2 or 5 times a power of ten, such that `range` has at most `wanted` of it.
fn nice_step(range: f64, wanted: usize) -> f64 {
    let raw = range / wanted.max(1) as f64;
    let power = 10f64.powf(raw.log10().floor());
    [1.0, 2.0, 5.0]
        .iter()
        .map(|digit| digit * power)
        .find(|step| *step >= raw * 0.999)
        .unwrap_or(10.0 * power)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis) -> Vec<String> {
        axis.ticks.iter().map(|tick| tick.1.replace('\u{a0}', " ")).collect()
    }

    #[test]
    fn ticks_are_round_and_carry_their_unit() {
        assert_eq!(labels(&Axis::time(60.0, 6)), ["0", "10 s", "20 s", "30 s", "40 s", "50 s", "60 s"]);
        assert_eq!(labels(&Axis::time(3600.0, 4)), ["0", "15 min", "30 min", "45 min", "60 min"]);
        assert_eq!(labels(&Axis::time(86_400.0, 4)), ["0", "6 h", "12 h", "18 h", "24 h"]);
        assert_eq!(labels(&Axis::linear(52_000.0, 4, figures::short)), ["0", "20k", "40k", "60k"]);
        assert_eq!(labels(&Axis::latency(900.0, 4_000.0, 4)), ["0", "1 ms", "2 ms", "3 ms", "4 ms"]);
        assert_eq!(
            labels(&Axis::between(48.2, 83.0, 4, figures::digits)),
            ["40", "50", "60", "70", "80", "90"]
        );
    }

    #[test]
    fn far_apart_is_logarithmic() {
        let axis = Axis::latency(120.0, 80_000.0, 4);
        assert_eq!(labels(&axis), ["100 µs", "1 ms", "10 ms", "100 ms"]);
        assert!((axis.share(axis.at(1000.0)) - 1.0 / 3.0).abs() < 1e-9);
        // Not a whole power of ten for a little more than one.
        let axis = Axis::latency(1_000.0, 101_000.0, 5);
        assert_eq!(labels(&axis), ["1 ms", "10 ms", "100 ms"]);
        assert!((axis.to - 200_000f64.log10()).abs() < 1e-9);
        assert_eq!(axis.at(0.0), axis.from);
        assert_eq!(labels(&Axis::latency(90.0, 2_100.0, 6))[0], "50 µs");
    }

    #[test]
    fn percentiles_have_a_tick_for_each_nine() {
        assert_eq!(
            labels(&Axis::percentiles(123_456.0)),
            ["50 %", "90 %", "99 %", "99.9 %", "99.99 %", "99.999 %"]
        );
        assert_eq!(labels(&Axis::percentiles(3.0)), ["50 %", "90 %"]);
    }

    #[test]
    fn labels_without_room_are_left_out_and_their_ticks_stay() {
        let axis = Axis::percentiles(1e9).fitted(200.0, |text| text.len() as f64 * 6.0);
        let written = labels(&axis).into_iter().filter(|label| !label.is_empty()).count();
        assert_eq!((axis.ticks.len(), written), (10, 4));
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
