//! Stretches of a run in which the machine was slowed down: by its clock's cap, by its firmware, by heat.

use crate::report::{SeriesRow, figures};
use crate::telemetry::{Sample, Throttle};

/// A stretch in which a machine was slowed down.
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

/// No processor lives at more degrees than this: it is no temperature.
const HOTTEST_C: f64 = 1000.0;

/// What is seen in one second.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Signs {
    /// The lowest cap in kHz, and the highest clock that the hardware of those cores has.
    cap: Option<(u64, u64)>,
    firmware: bool,
    supply: bool,
    /// Temperature and trip point in degrees Celsius.
    heat: Option<(f64, f64)>,
    /// The board gave nothing: it is the laptop.
    laptop: bool,
}

impl Signs {
    fn of(row: &SeriesRow) -> Option<Self> {
        let sample = row.board.as_ref().or(row.laptop.as_ref())?;
        let signs = Self {
            cap: cap(sample),
            firmware: sample.throttled.is_some_and(Throttle::slowed),
            supply: sample.throttled.is_some_and(Throttle::under_voltage),
            heat: sample
                .cpu_temp_c
                .zip(sample.throttle_trip_c)
                .filter(|(now, trip)| now >= trip && *now < HOTTEST_C),
            laptop: row.board.is_none(),
        };
        (signs.cap.is_some() || signs.firmware || signs.supply || signs.heat.is_some()).then_some(signs)
    }

    /// Both together, with the worst numbers.
    fn with(self, other: Self) -> Self {
        let share = |(cap, max): (u64, u64)| cap as f64 / max as f64;
        Self {
            cap: match (self.cap, other.cap) {
                (Some(one), Some(two)) => Some(if share(two) < share(one) { two } else { one }),
                (one, two) => one.or(two),
            },
            firmware: self.firmware || other.firmware,
            supply: self.supply || other.supply,
            heat: match (self.heat, other.heat) {
                (Some(one), Some(two)) => Some(if two.0 > one.0 { two } else { one }),
                (one, two) => one.or(two),
            },
            laptop: self.laptop || other.laptop,
        }
    }

    fn words(&self) -> Vec<String> {
        let clock = |(cap, max): (u64, u64)| {
            // 1.2 of 1.8 GHz, but 800 MHz of 1.8 GHz.
            let (low, high) = (figures::clock(cap as f64), figures::clock(max as f64));
            let same_unit = low.rsplit('\u{a0}').next() == high.rsplit('\u{a0}').next();
            let low = if same_unit { low.split('\u{a0}').next().unwrap_or_default() } else { &low };
            format!("clock {low} of {high}")
        };
        let heat =
            |(now, trip): (f64, f64)| format!("{}, trip {}", figures::degrees(now), figures::degrees(trip));
        let words = [
            self.cap.map(clock),
            self.supply.then(|| "supply too low".to_owned()),
            self.firmware.then(|| "slowed by the firmware".to_owned()),
            self.heat.map(heat),
        ];
        words.into_iter().flatten().collect()
    }
}

/// The group of cores whose clock is capped the most.
fn cap(sample: &Sample) -> Option<(u64, u64)> {
    let capped = sample.clocks.iter().filter_map(|clock| clock.cap_khz.zip(clock.max_khz));
    let share = |pair: &(u64, u64)| pair.0 as f64 / pair.1 as f64;
    capped.filter(|(cap, max)| cap < max).min_by(|one, two| share(one).total_cmp(&share(two)))
}

/// The stretches of a series in the order of its rows. Seconds that follow each other are one stretch.
#[must_use]
pub fn slowed<'a>(rows: impl IntoIterator<Item = &'a SeriesRow>) -> Vec<Slowed> {
    let mut found: Vec<(f64, f64, Signs)> = Vec::new();
    for row in rows {
        let Some(signs) = Signs::of(row) else { continue };
        let end_s = row.begin_s + row.length_s;
        match found.last_mut() {
            Some((_, to, before)) if (row.begin_s - *to).abs() < 0.5 => {
                (*to, *before) = (end_s, before.with(signs));
            }
            _ => found.push((row.begin_s, end_s, signs)),
        }
    }
    let stretch = |(from_s, to_s, signs): (f64, f64, Signs)| {
        let words = signs.words();
        let whose = if signs.laptop { "laptop: " } else { "" };
        let short = format!("{whose}{}", words.first().map_or("", String::as_str));
        Slowed { from_s, to_s, short, text: format!("{whose}{}", words.join(", ")) }
    };
    found.into_iter().map(stretch).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::telemetry::ClockSample;

    fn row(begin_s: f64, sample: Sample) -> SeriesRow {
        SeriesRow { begin_s, length_s: 1.0, board: Some(sample), ..SeriesRow::default() }
    }

    fn capped(cap_khz: u64) -> Sample {
        let clock =
            ClockSample { cap_khz: Some(cap_khz), max_khz: Some(1_800_000), ..ClockSample::default() };
        Sample { clocks: vec![clock], ..Sample::default() }
    }

    #[test]
    fn seconds_that_follow_each_other_are_one_stretch_with_the_worst_numbers() {
        let caps = [1_800_000, 1_500_000, 1_200_000, 1_800_000, 800_000];
        let series: Vec<SeriesRow> =
            caps.iter().enumerate().map(|(second, cap)| row(second as f64, capped(*cap))).collect();
        let found = slowed(&series);
        let seen: Vec<_> =
            found.iter().map(|one| (one.from_s, one.to_s, one.short.replace('\u{a0}', " "))).collect();
        let expected = [(1.0, 3.0, "clock 1.2 of 1.8 GHz"), (4.0, 5.0, "clock 800 MHz of 1.8 GHz")];
        assert_eq!(seen, expected.map(|(from, to, short)| (from, to, short.to_owned())));
    }

    #[test]
    fn each_sign_counts_and_is_named() {
        let hot = Sample { cpu_temp_c: Some(82.0), throttle_trip_c: Some(80.0), ..Sample::default() };
        let word = |raw| Sample { throttled: Some(Throttle { raw }), ..Sample::default() };
        for (sample, expected) in [
            (hot, "82 °C, trip 80 °C"),
            (word(0b100), "slowed by the firmware"),
            (word(0b1), "supply too low"),
        ] {
            assert_eq!(slowed(&[row(0.0, sample)])[0].text.replace('\u{a0}', " "), expected);
        }
        // What has been since boot was not in this run, and a clock that is only low was not wanted higher.
        for fine in [word(0xf_0000), capped(1_800_000), Sample::default()] {
            assert_eq!(slowed(&[row(0.0, fine)]), []);
        }
        let laptop = SeriesRow { laptop: Some(capped(900_000)), ..SeriesRow::default() };
        assert_eq!(slowed(&[laptop])[0].short.replace('\u{a0}', " "), "laptop: clock 900 MHz of 1.8 GHz");
    }
}
