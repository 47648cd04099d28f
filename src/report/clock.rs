//! The board's clock over a run: whether heat or the supply held it down, and when.

use super::spans::{Span, spans};
use super::{RunReport, SeriesRow};
use crate::telemetry::{ClockSample, Sample};

/// A clock and the one that it could be, in kHz.
pub(super) type Capped = (u64, u64);

/// Kilohertz in a megahertz.
const MHZ_KHZ: u64 = 1000;

/// As people read it.
pub(super) fn megahertz((cap, max): Capped) -> String {
    format!("{} of {} MHz", cap / MHZ_KHZ, max / MHZ_KHZ)
}

/// What the samples say of the clock.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct ClockSeen {
    /// Whether anything is known of it, and nothing that could hold it down goes without a word.
    pub(super) known: bool,
    /// Whether the board is a Raspberry Pi whose throttle word can't be read. Its firmware slows it down and leaves the cap as
    /// it is.
    pub(super) firmware_is_silent: bool,
    /// When it was held down by heat, by the supply, or by what is not known.
    pub(super) held: Vec<Span>,
    /// When a cap stood below the hardware's clock and somebody's setting can't be why.
    pub(super) capped: Vec<Span>,
    /// When the firmware said so.
    pub(super) firmware: Vec<Span>,
    /// When the supply was too low.
    pub(super) supply: Vec<Span>,
    /// When it was so hot that the kernel slows the processor down.
    pub(super) hot: Vec<Span>,
    /// The lowest cap while it was held down, and the highest clock of those cores' hardware.
    pub(super) lowest: Option<Capped>,
    /// A cap that stood all along without a sign of heat: somebody set it.
    pub(super) set: Option<Capped>,
    /// The highest temperature, in degrees Celsius.
    pub(super) hottest_c: Option<f64>,
    /// The temperature from which on the kernel slows the processor down.
    pub(super) trip_c: Option<f64>,
}

/// One sample, beside the one before it and the first.
struct Look<'a> {
    now: &'a Sample,
    before: &'a Sample,
    first: &'a Sample,
    /// Whether the board has nothing that could show heat.
    blind: bool,
}

impl ClockSeen {
    /// By the samples of a run, and by what its report says of the board.
    pub(super) fn of_run(report: &RunReport) -> Self {
        let seen = Self::of(&report.series);
        let samples = || report.series.iter().filter_map(|row| row.board.as_ref());
        let firmware_is_silent =
            is_raspberry_pi(report) && samples().all(|sample| sample.throttled.is_none());
        Self { known: seen.known && !firmware_is_silent, firmware_is_silent, ..seen }
    }

    /// Why its clock is not known; `None` when it is.
    pub(super) fn why_unknown(&self) -> Option<&'static str> {
        match self.known {
            true => None,
            false if self.firmware_is_silent => Some(
                "the firmware of a Raspberry Pi slows it down on its own, and this kernel does not say when (get_throttled)",
            ),
            false => Some("it does not say what it may have"),
        }
    }

    /// By the samples alone.
    pub(super) fn of(series: &[SeriesRow]) -> Self {
        let samples = || series.iter().filter_map(|row| row.board.as_ref());
        let Some(first) = samples().next() else { return Self::default() };
        let blind = samples().all(|sample| heat(sample).is_none() && sample.throttled.is_none());
        let mut before = first;
        let looks: Vec<Option<Look<'_>>> = series
            .iter()
            .map(|row| {
                let now = row.board.as_ref()?;
                Some(Look { now, before: std::mem::replace(&mut before, now), first, blind })
            })
            .collect();
        let when = |holds| when(series, &looks, holds);
        let held = when(Look::is_held);
        let caps = |held: bool| {
            let of = looks.iter().flatten().filter(move |look| look.is_held() == held);
            of.filter_map(|look| lowest_cap(look.now)).min_by(|a, b| by_ratio(*a, *b))
        };
        Self {
            known: samples().any(says_something),
            firmware_is_silent: false,
            capped: when(Look::is_capped),
            firmware: when(Look::is_slowed),
            hot: when(|look| heat(look.now) == Some(true)),
            supply: when(Look::is_supply_low),
            lowest: caps(true),
            set: caps(false).filter(|_| held.is_empty()),
            hottest_c: samples().filter_map(|sample| sample.cpu_temp_c).reduce(f64::max),
            trip_c: samples().find_map(|sample| sample.throttle_trip_c),
            held,
        }
    }

    /// Whether it was held down in the second that `row` is.
    pub(super) fn is_held_in(&self, row: &SeriesRow) -> bool {
        let middle = row.begin_s + row.length_s / 2.0;
        self.held.iter().any(|span| (span.from_s..span.to_s).contains(&middle))
    }
}

/// The stretches in which `holds` says yes.
fn when<'a>(series: &[SeriesRow], looks: &[Option<Look<'a>>], holds: fn(&Look<'a>) -> bool) -> Vec<Span> {
    spans(series, looks.iter().map(|look| look.as_ref().map(holds)))
}

impl Look<'_> {
    fn is_held(&self) -> bool {
        self.is_slowed() || self.is_capped()
    }

    /// Lower than at first, or below the hardware's clock with a sign of heat, or on a board that can't show any.
    fn is_capped(&self) -> bool {
        let hot = heat(self.now) == Some(true);
        let capped = lowest_cap(self.now).is_some();
        let lower = self.now.clocks.iter().any(|clock| {
            let then = self.first.clocks.iter().find(|then| then.cpus == clock.cpus);
            then.and_then(|then| then.cap_khz).zip(clock.cap_khz).is_some_and(|(then, now)| now < then)
        });
        lower || (capped && (hot || self.blind))
    }

    fn is_slowed(&self) -> bool {
        self.now.throttled.is_some_and(|word| {
            let news = self.before.throttled.map(|before| word.news_since(before));
            news.unwrap_or(word).slowed()
        })
    }

    fn is_supply_low(&self) -> bool {
        let news = self.now.throttled.zip(self.before.throttled).map(|(now, before)| now.news_since(before));
        self.now.under_voltage == Some(true)
            || self.now.throttled.is_some_and(crate::telemetry::Throttle::under_voltage)
            || news.is_some_and(crate::telemetry::Throttle::under_voltage)
    }
}

/// By the facts that the board gave of itself.
fn is_raspberry_pi(report: &RunReport) -> bool {
    let facts = report.telemetry.as_ref().and_then(|telemetry| telemetry.board.as_ref());
    let model = facts.and_then(|facts| facts.get("model")?.as_str());
    model.is_some_and(|model| model.contains("Raspberry Pi"))
}

/// Whether the board is so hot that it is slowed down for it; `None` when it can't tell.
fn heat(sample: &Sample) -> Option<bool> {
    let cooling = sample.cooling_state.map(|state| state > 0);
    let trip = sample.cpu_temp_c.zip(sample.throttle_trip_c).map(|(now, trip)| now >= trip);
    cooling.zip(trip).map_or(cooling.or(trip), |(cooling, trip)| Some(cooling || trip))
}

fn says_something(sample: &Sample) -> bool {
    let clock = |clock: &ClockSample| clock.cap_khz.is_some();
    sample.throttled.is_some() || sample.clocks.iter().any(clock)
}

/// The cap that is furthest below the hardware's clock; `None` when none is below.
pub(super) fn lowest_cap(sample: &Sample) -> Option<Capped> {
    let below = |clock: &ClockSample| clock.cap_khz.zip(clock.max_khz).filter(|(cap, max)| cap < max);
    sample.clocks.iter().filter_map(below).min_by(|a, b| by_ratio(*a, *b))
}

pub(super) fn by_ratio(a: Capped, b: Capped) -> std::cmp::Ordering {
    // A file may hold any numbers.
    let product = |one: u64, other: u64| u128::from(one) * u128::from(other);
    product(a.0, b.1).cmp(&product(b.0, a.1))
}
