//! Stretches of a run in which the board was slowed down: by its clock's cap, by its firmware, by heat, by its supply. What
//! counts is what the verdict goes by.

use crate::report::clock::{ClockSeen, by_ratio, lowest_cap};
use crate::report::spans::Span;
use crate::report::{SeriesRow, figures};

/// A stretch in which the board was slowed down.
#[derive(Debug, Clone, PartialEq)]
pub struct Slowed {
    /// When it began, in seconds after measuring began.
    pub from_s: f64,
    /// When it ended.
    pub to_s: f64,
    /// The shortest true word about it, such as `clock 1.2 of 1.8 GHz`.
    pub short: String,
    /// Everything that was seen.
    pub text: String,
}

/// The stretches of a series in their order. Signs that overlap or follow each other are one stretch.
#[must_use]
pub fn slowed(series: &[SeriesRow]) -> Vec<Slowed> {
    let seen = ClockSeen::of(series);
    let mut signs: Vec<Span> =
        [&seen.capped, &seen.firmware, &seen.supply, &seen.hot].into_iter().flatten().copied().collect();
    signs.sort_by(|one, two| one.from_s.total_cmp(&two.from_s));
    let mut found: Vec<Span> = Vec::new();
    for sign in signs {
        match found.last_mut() {
            Some(span) if sign.from_s <= span.to_s => span.to_s = span.to_s.max(sign.to_s),
            _ => found.push(sign),
        }
    }
    found.into_iter().map(|span| told(&seen, series, span)).collect()
}

/// A stretch with what was seen in it.
fn told(seen: &ClockSeen, series: &[SeriesRow], span: Span) -> Slowed {
    let samples = || within(series, span).iter().filter_map(|row| row.board.as_ref());
    let cap = || samples().filter_map(lowest_cap).min_by(|one, two| by_ratio(*one, *two)).map(clock);
    let words = [
        if meets(&seen.capped, span) { cap() } else { None },
        meets(&seen.supply, span).then(|| "supply too low".to_owned()),
        meets(&seen.firmware, span).then(|| "slowed by the firmware".to_owned()),
        if meets(&seen.hot, span) {
            Some(heat(samples().filter_map(|sample| sample.cpu_temp_c)))
        } else {
            None
        },
    ];
    let words: Vec<String> = words.into_iter().flatten().collect();
    let short = words.first().cloned().unwrap_or_default();
    Slowed { from_s: span.from_s, to_s: span.to_s, short, text: words.join(", ") }
}

/// The rows of a stretch.
fn within(series: &[SeriesRow], span: Span) -> &[SeriesRow] {
    let from = series.partition_point(|row| row.begin_s < span.from_s);
    let to = series.partition_point(|row| row.begin_s < span.to_s);
    &series[from.min(to)..to]
}

/// Whether one of some stretches in their order has a part in another.
fn meets(spans: &[Span], other: Span) -> bool {
    let next = spans.partition_point(|span| span.to_s <= other.from_s);
    spans.get(next).is_some_and(|span| span.from_s < other.to_s)
}

/// 1.2 of 1.8 GHz, but 800 MHz of 1.8 GHz.
fn clock((cap, max): (u64, u64)) -> String {
    let (low, high) = (figures::clock(cap as f64), figures::clock(max as f64));
    let unit = |text: &str| text.rsplit('\u{a0}').next().map(str::to_owned);
    let low = if unit(&low) == unit(&high) { low.split('\u{a0}').next().unwrap_or_default() } else { &low };
    format!("clock {low} of {high}")
}

fn heat(temperatures: impl Iterator<Item = f64>) -> String {
    temperatures
        .reduce(f64::max)
        .map_or("too hot".to_owned(), |c| format!("too hot at {}", figures::degrees(c)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::telemetry::{ClockSample, Sample, Throttle};

    fn series(samples: Vec<Sample>) -> Vec<SeriesRow> {
        let row = |(second, sample): (usize, Sample)| SeriesRow {
            begin_s: second as f64,
            length_s: 1.0,
            board: Some(sample),
            ..SeriesRow::default()
        };
        samples.into_iter().enumerate().map(row).collect()
    }

    fn capped(cap_khz: u64) -> Sample {
        let clock =
            ClockSample { cap_khz: Some(cap_khz), max_khz: Some(1_800_000), ..ClockSample::default() };
        Sample { clocks: vec![clock], ..Sample::default() }
    }

    fn seen(samples: Vec<Sample>) -> Vec<(f64, f64, String)> {
        let told = |one: Slowed| (one.from_s, one.to_s, one.text.replace('\u{a0}', " "));
        slowed(&series(samples)).into_iter().map(told).collect()
    }

    #[test]
    fn seconds_that_follow_each_other_are_one_stretch_with_the_lowest_clock() {
        let caps = [1_800_000, 1_500_000, 1_200_000, 1_800_000, 800_000];
        let expected = [(1.0, 3.0, "clock 1.2 of 1.8 GHz"), (4.0, 5.0, "clock 800 MHz of 1.8 GHz")];
        assert_eq!(
            seen(caps.map(capped).to_vec()),
            expected.map(|(from, to, text)| (from, to, text.to_owned()))
        );
    }

    #[test]
    fn each_sign_counts_and_is_named() {
        let at = |c| Sample { cpu_temp_c: Some(c), throttle_trip_c: Some(80.0), ..Sample::default() };
        let word = |raw| Sample { throttled: Some(Throttle { raw }), ..Sample::default() };
        for (samples, expected) in [
            (vec![at(60.0), at(82.0), at(85.0), at(79.0)], (1.0, 3.0, "too hot at 85 °C")),
            (vec![word(0), word(0b100)], (1.0, 2.0, "slowed by the firmware")),
            (vec![word(0b1), word(0)], (0.0, 1.0, "supply too low")),
        ] {
            let (from, to, text) = expected;
            assert_eq!(seen(samples), [(from, to, text.to_owned())]);
        }
        // What has been since boot was not in this run, and a clock that is at its highest is not held down.
        assert_eq!(seen(vec![word(0), capped(1_800_000), Sample::default()]), []);
        assert_eq!(slowed(&[SeriesRow::default()]), []);
    }
}
