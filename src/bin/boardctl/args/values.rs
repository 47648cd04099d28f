//! Values as they are typed, for more than one verb.

use boardkit::load::Schedule;
use boardkit::units::{BitRate, Span};

/// No link that carries HTTP is slower; a bare number is meant as something else.
const SLOWEST_LINK: u64 = 1000;

pub(super) fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("must be at least 1".to_owned()),
        Ok(number) => Ok(number),
        Err(_) => Err("must be a whole number, at least 1".to_owned()),
    }
}

/// Threads. A machine has fewer cores by far, and each thread takes half a megabyte.
pub(super) fn threads(text: &str) -> Result<usize, String> {
    at_least_one(text)
        .ok()
        .filter(|threads| *threads <= MOST_THREADS)
        .ok_or_else(|| format!("must be a whole number from 1 to {MOST_THREADS}"))
}

/// More than any published test had.
const MOST_THREADS: usize = 1000;

pub(super) fn rate(text: &str) -> Result<Schedule, String> {
    let wanted = "must be requests per second, from 0.001 to 10000000";
    text.parse().ok().and_then(Schedule::constant).ok_or_else(|| wanted.to_owned())
}

pub(super) fn link_speed(text: &str) -> Result<BitRate, String> {
    let fast_enough = |rate: &BitRate| rate.0 >= SLOWEST_LINK;
    let wanted = "must be a speed in bits per second, such as 100M or 2.5G";
    text.parse().ok().filter(fast_enough).ok_or_else(|| wanted.to_owned())
}

pub(super) fn positive_span(text: &str) -> Result<Span, String> {
    match text.parse::<Span>() {
        Ok(span) if span.0.is_zero() => Err("must be longer than nothing, such as 2s".to_owned()),
        Ok(span) => Ok(span),
        Err(error) => Err(error.to_string()),
    }
}
