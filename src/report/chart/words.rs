//! What the pictures show, in words: for those who don't see them, and for those who search.

use std::fmt::Write as _;

use super::cores::CoresPicture;
use super::lines::Lines;
use super::slowed::Slowed;
use super::thin::Reading;
use crate::load::LatencyHistogram;
use crate::report::figures;

/// Stretches that are told one by one.
const MOST_STRETCHES: usize = 4;

/// Cores that are told one by one.
const MOST_CORES: usize = 16;

/// Of the picture over time.
pub(super) fn time(runs: &[(String, Lines)]) -> String {
    let mut out = String::new();
    for (name, lines) in runs {
        if runs.len() > 1 {
            let _ = write!(out, "{name}: ");
        }
        let _ = write!(out, "{} long. ", figures::moment(lines.end_s));
        range(&mut out, "Requests per second", &lines.rate, figures::rate);
        range(&mut out, "p50", &lines.p50, figures::latency);
        range(&mut out, "p99", &lines.p99, figures::latency);
        if lines.errors.is_empty() {
            out.push_str("No errors. ");
        } else {
            let count: u64 = lines.errors.iter().fold(0, |sum, (_, count)| sum.saturating_add(*count));
            let seconds = lines.errors.len();
            let s = if seconds == 1 { "" } else { "s" };
            let _ = write!(out, "{} errors in {seconds} second{s}. ", figures::count(count));
        }
        stretches(&mut out, &lines.slowed);
    }
    out.trim_end().to_owned()
}

fn range(out: &mut String, what: &str, readings: &[Reading], unit: fn(f64) -> String) {
    let known = || readings.iter().filter_map(|reading| Some((reading.at_s, reading.value?)));
    let lowest = known().min_by(|one, two| one.1.total_cmp(&two.1));
    let highest = known().max_by(|one, two| one.1.total_cmp(&two.1));
    let Some((lowest, highest)) = lowest.zip(highest) else { return };
    let at = |s: f64| figures::moment(s.floor());
    let _ = write!(
        out,
        "{what}: lowest {} at {}, highest {} at {}. ",
        unit(lowest.1),
        at(lowest.0),
        unit(highest.1),
        at(highest.0)
    );
}

fn stretches(out: &mut String, slowed: &[Slowed]) {
    for stretch in slowed.iter().take(MOST_STRETCHES) {
        let (from, to) = (figures::moment(stretch.from_s), figures::moment(stretch.to_s));
        let _ = write!(out, "Slowed down from {from} to {to}: {}. ", stretch.text);
    }
    if let Some(more) = slowed.len().checked_sub(MOST_STRETCHES).filter(|more| *more > 0) {
        let _ = write!(out, "And {more} more times. ");
    }
}

/// Of the picture by percentile.
pub(super) fn percentiles(runs: &[(String, LatencyHistogram)]) -> String {
    let mut out = String::new();
    for (name, histogram) in runs {
        if runs.len() > 1 {
            let _ = write!(out, "{name}: ");
        }
        let Some(summary) = histogram.summary() else {
            out.push_str("nothing finished. ");
            continue;
        };
        for percent in [50.0, 90.0, 99.0, 99.9, 99.99] {
            let _ = write!(
                out,
                "{percent}\u{a0}% within {}, ",
                figures::maybe_latency(histogram.percentile_us(percent))
            );
        }
        let _ = write!(out, "longest {}. ", figures::latency(summary.max));
    }
    out.trim_end().to_owned()
}

/// Of the picture of cores.
pub(super) fn cores(picture: &CoresPicture) -> String {
    let mut out = String::from("Mean load: ");
    for (core, mean) in picture.cores().iter().zip(picture.means()).take(MOST_CORES) {
        let load = mean.map_or(figures::UNKNOWN.to_owned(), |(busy, network)| {
            format!("{}, network interrupts {}", figures::percent(busy), figures::percent(network))
        });
        let _ = write!(out, "core {core} {load}; ");
    }
    if let Some(more) = picture.cores().len().checked_sub(MOST_CORES).filter(|more| *more > 0) {
        let _ = write!(out, "and {more} more cores; ");
    }
    out.truncate(out.trim_end_matches("; ").len());
    out.push('.');
    picture.machine().words(&mut out);
    out
}
