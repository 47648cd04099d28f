//! The board's clock, held down by heat or supply.

use super::super::RunReport;
use super::super::clock::{ClockSeen, megahertz};
use super::super::spans::in_words;
use super::case::percent;
use super::{Candidate, LimitedBy, State};

/// Held down for less than this share of the run, the clock has not made its figures.
const HELD_SHARE: f64 = 0.10;

/// A rate that fell by less may have fallen by itself.
const FALL: f64 = 0.05;

/// Whether it was the limit: cores are busy sooner when they are slow. `busy` is whether they were; `None` if that is not
/// known.
pub(super) fn judge(report: &RunReport, busy: Option<bool>) -> Candidate {
    let clock = ClockSeen::of_run(report);
    let candidate = |state, evidence| Candidate { name: LimitedBy::Clock, state, evidence };
    let unknown = clock.why_unknown().filter(|_| clock.held.is_empty());
    if let Some(why) = unknown {
        return candidate(State::Unknown, format!("the board's clock is not known: {why}"));
    }
    if clock.held.is_empty() {
        return candidate(State::Clear, free(&clock));
    }
    let held_s: f64 = clock.held.iter().map(|span| span.to_s - span.from_s).sum();
    let rates = rates(report, &clock);
    let fell = rates.is_some_and(|(free, held)| held < free * (1.0 - FALL));
    let state = match busy {
        _ if held_s < HELD_SHARE * report.duration_s => State::Clear,
        Some(true) => State::Limits,
        None if fell => State::Limits,
        None => State::Unknown,
        Some(false) => State::Clear,
    };
    let mut line = held(&clock);
    if let Some((free, held)) = rates {
        line += &format!("; {held:.0} requests/s then, {free:.0} else");
    }
    if busy == Some(false) {
        line += "; but no core was busy";
    }
    candidate(state, line)
}

/// Requests per second while the clock was free and while it was held down; `None` unless there were whole seconds of both.
fn rates(report: &RunReport, clock: &ClockSeen) -> Option<(f64, f64)> {
    let mean = |held: bool| {
        let whole = report.series.iter().filter(|row| row.length_s > 0.9);
        let rates: Vec<f64> =
            whole.filter(|row| clock.is_held_in(row) == held).map(|row| row.requests_per_s).collect();
        (!rates.is_empty()).then(|| rates.iter().sum::<f64>() / rates.len() as f64)
    };
    mean(false).zip(mean(true))
}

fn held(clock: &ClockSeen) -> String {
    let to = clock.lowest.map_or(String::new(), |cap| format!(" to {}", megahertz(cap)));
    let mut line = format!("held down{to} {}", in_words(&clock.held));
    line += &causes(clock);
    line
}

fn causes(clock: &ClockSeen) -> String {
    let mut causes = Vec::new();
    if let Some(hottest) = clock.hottest_c {
        let trip = clock.trip_c.map_or(String::new(), |trip| format!(", slowed from {trip:.0} °C on"));
        causes.push(format!("{hottest:.0} °C{trip}"));
    }
    if !clock.firmware.is_empty() {
        causes.push(format!("the firmware said so {}", in_words(&clock.firmware)));
    }
    if !clock.supply.is_empty() {
        causes.push(format!("the supply was too low {}", in_words(&clock.supply)));
    }
    if causes.is_empty() {
        "; by heat or by a setting is not known".to_owned()
    } else {
        format!(" ({})", causes.join("; "))
    }
}

fn free(clock: &ClockSeen) -> String {
    let mut line = match clock.set {
        Some((cap, max)) => {
            let share = percent(cap as f64 / max as f64);
            format!("set to at most {}, {share} of it, and not lowered further", megahertz((cap, max)))
        }
        None => "never held down".to_owned(),
    };
    if let Some(hottest) = clock.hottest_c {
        line += &format!("; {hottest:.0} °C at most");
    }
    line
}
