//! Values as they are typed, for more than one verb.

use std::num::IntErrorKind;
use std::str::FromStr;
use std::time::Duration;

use boardkit::load::{Schedule, ScheduleError};
use boardkit::units::{BitRate, Span};

/// No link that carries HTTP is slower; a bare number is meant as something else.
const SLOWEST_LINK: u64 = 1000;

/// What `--rate` says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Rate {
    /// So many requests a second.
    Constant(f64),
    /// From the one to the other, in steps.
    Ramp(f64, f64),
    /// The highest that keeps to what is asked of the server.
    Max,
}

impl Rate {
    /// The schedule, with `steps` where it is a ramp; `None` where the rate is yet to be found.
    pub(crate) fn schedule(self, steps: usize) -> Result<Option<Schedule>, ScheduleError> {
        match self {
            Self::Constant(rate) => Schedule::constant(rate).map(Some),
            Self::Ramp(from, to) => Schedule::ramp(from, to, steps).map(Some),
            Self::Max => Ok(None),
        }
    }
}

impl FromStr for Rate {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wanted =
            || "must be requests per second, such as 2000, a ramp, such as 100..5000, or max".to_owned();
        // `.2` is a number to the library, and `1...2` then a ramp that nobody meant.
        let plain = |text: &&str| text.starts_with(|first: char| first.is_ascii_digit() || first == '-');
        let number = |text: &str| {
            let text = Some(text.trim()).filter(plain).ok_or_else(wanted)?;
            text.parse::<f64>().map_err(|_| wanted())
        };
        let rate = match text.split_once("..") {
            None if text == "max" => Self::Max,
            Some((from, to)) => Self::Ramp(number(from)?, number(to)?),
            None => Self::Constant(number(text)?),
        };
        // The number of steps comes from elsewhere; the least that a ramp may have shows whether its rates are sound.
        rate.schedule(2).map_err(|error| error.to_string())?;
        Ok(rate)
    }
}

pub(super) fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(0) => Err("must be at least 1".to_owned()),
        Ok(number) => Ok(number),
        Err(error) if *error.kind() == IntErrorKind::PosOverflow => {
            Err(format!("must be at most {}", usize::MAX))
        }
        Err(_) => Err("must be a whole number, at least 1".to_owned()),
    }
}

/// Threads. A machine has fewer cores by far, and each thread takes half a megabyte.
pub(super) fn threads(text: &str) -> Result<usize, String> {
    up_to(MOST_THREADS, text)
}

/// More than any published test had.
const MOST_THREADS: usize = 1000;

/// Connections, which go from one address to another, each from a port of its own.
pub(super) fn connections(text: &str) -> Result<usize, String> {
    up_to(u16::MAX.into(), text).map_err(|wanted| format!("{wanted}, since each needs a port of its own"))
}

fn up_to(most: usize, text: &str) -> Result<usize, String> {
    let number = at_least_one(text).ok().filter(|number| *number <= most);
    number.ok_or_else(|| format!("must be a whole number from 1 to {most}"))
}

pub(super) fn link_speed(text: &str) -> Result<BitRate, String> {
    let fast_enough = |rate: &BitRate| rate.0 >= SLOWEST_LINK;
    let wanted = "must be a speed in bits per second, such as 100M or 2.5G";
    text.parse().ok().filter(fast_enough).ok_or_else(|| wanted.to_owned())
}

/// A year: longer than anybody waits, and short enough that sums and products of times have room.
const LONGEST: Duration = Duration::from_secs(365 * 24 * 60 * 60);

pub(super) fn span(text: &str) -> Result<Span, String> {
    match text.parse::<Span>() {
        Ok(span) if span.0 > LONGEST => Err(format!("must be at most {}, which is a year", Span(LONGEST))),
        Ok(span) => Ok(span),
        Err(error) => Err(error.to_string()),
    }
}

pub(super) fn positive_span(text: &str) -> Result<Span, String> {
    match span(text)? {
        Span(Duration::ZERO) => Err("must be longer than nothing, such as 2s".to_owned()),
        longer => Ok(longer),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_a_number_or_a_ramp() {
        assert_eq!("2.5".parse(), Ok(Rate::Constant(2.5)));
        assert_eq!("100..5000".parse(), Ok(Rate::Ramp(100.0, 5000.0)));
        assert_eq!("max".parse(), Ok(Rate::Max));
        assert_eq!("5e3..100.5".parse(), Ok(Rate::Ramp(5000.0, 100.5)));
        for text in
            ["", "many", "..", "1..", "..1", "1...2", "1..2..3", "0", "0..10", "1..inf", "-1..5", "1-5"]
        {
            assert!(text.parse::<Rate>().is_err(), "{text}");
        }
    }
}
