//! A ramp step by step, and the rate from which on the server no longer kept up.

use std::fmt::{self, Write as _};
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{EncodedHistogram, RowLatencyUs};
use crate::load::{Schedule, Step, StepCounts, Tally};

/// A server keeps up with a rate when it serves this much of it: less would be taken from it by chance.
const KEPT_UP: f64 = 0.95;
/// Requests that are just under way are allowed for up to this share of a step.
const UNDER_WAY: f64 = 0.10;
/// From this share of late starts on it was this machine that did not keep up.
const LATE: f64 = 0.01;

/// One step of a ramp. An arrival belongs to the step in which it was due, and so do its answer, its latency and its
/// errors; only `achieved_per_s` is of what came while the step lasted.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct StepReport {
    /// Arrivals per second that were asked for.
    pub rate: f64,
    /// When it began, in seconds after measuring began.
    pub begin_s: f64,
    /// How long it was, in seconds; shorter than asked for where the run was stopped in it.
    pub length_s: f64,
    /// Arrivals that were due.
    pub arrivals: u64,
    /// Those with a complete answer, whatever its status and whenever it came.
    pub answered: u64,
    /// Those that were sent and got no complete answer.
    pub failed: u64,
    /// Those with neither.
    pub unanswered: u64,
    /// Those with no answer, or one with a status above 399.
    pub errors: u64,
    /// Those that found all connections busy.
    pub waited: u64,
    /// Those that started more than 1 ms late although a connection was free: the load tester's own fault.
    pub late: u64,
    /// Answers with a status below 400 that came while the step lasted, those to earlier steps included.
    pub served_meanwhile: u64,
    /// Those per second; `null` for a step of no length.
    pub achieved_per_s: Option<f64>,
    /// Latency of its requests, of those that timed out the least they took.
    pub latency_us: RowLatencyUs,
    /// Whether the server kept up: it served 95 % of what was due while the step lasted, or all but what was just under way.
    pub kept_up: bool,
    /// All latencies of its requests.
    pub histogram: EncodedHistogram,
}

/// Where a server stopped keeping up.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Knee {
    /// The lowest rate with which it did not keep up, nor with any above it.
    pub rate: f64,
    /// The highest rate below it with which it did; `null` when there is none.
    pub kept_up_to: Option<f64>,
    /// Whether this machine started more than one in a hundred requests late from there on: the server may have been able
    /// to do more.
    pub client_late: bool,
}

/// The steps of a ramp that were begun before `measured` was over; none without a ramp.
pub(super) fn of(
    schedule: &Schedule,
    duration: Duration,
    measured: Duration,
    tally: &Tally,
) -> Vec<StepReport> {
    if !schedule.is_ramp() {
        return Vec::new();
    }
    let steps = schedule.steps(duration);
    let begun = steps.iter().enumerate().filter(|(_, step)| step.begin < measured);
    let mut rows: Vec<_> = begun
        .map(|(index, step)| {
            let counts = tally.steps.iter().find(|counts| counts.step == index);
            StepReport::new(step, measured, counts.unwrap_or(&StepCounts::default()))
        })
        .collect();
    judge(&mut rows, 1);
    rows
}

impl StepReport {
    fn new(step: &Step, measured: Duration, counts: &StepCounts) -> Self {
        let length_s = (step.end.min(measured) - step.begin).as_secs_f64();
        let unanswered = counts.arrivals.saturating_sub(counts.answered + counts.failed);
        Self {
            rate: step.rate,
            begin_s: step.begin.as_secs_f64(),
            length_s,
            arrivals: counts.arrivals,
            answered: counts.answered,
            failed: counts.failed,
            unanswered,
            errors: counts.refused + counts.failed + unanswered,
            waited: counts.waited,
            late: counts.late,
            served_meanwhile: counts.served_meanwhile,
            achieved_per_s: None,
            latency_us: RowLatencyUs::of(&counts.latency),
            kept_up: false,
            histogram: EncodedHistogram::of(&counts.latency),
        }
    }
}

/// Works out what follows from the counts; each step was gone through so many `times`, one after the other.
pub(super) fn judge(steps: &mut [StepReport], times: usize) {
    // An answer takes its time also where nothing waits: the least of the medians says how long.
    let usual_us = steps.iter().filter_map(|step| step.latency_us.p50).reduce(f64::min).unwrap_or_default();
    for step in steps {
        let served = step.served_meanwhile as f64;
        step.achieved_per_s = (step.length_s > 0.0).then(|| served / step.length_s);
        let under_way = (step.rate * usual_us / 1e6 * times as f64).min(step.arrivals as f64 * UNDER_WAY);
        step.kept_up = served + under_way >= step.arrivals as f64 * KEPT_UP;
    }
}

impl Knee {
    /// Of the steps of a ramp, up or down; `None` when the server kept up with the highest rate.
    #[must_use]
    pub fn of(steps: &[StepReport]) -> Option<Self> {
        let kept_up = steps.iter().filter(|step| step.kept_up).map(|step| step.rate).reduce(f64::max);
        let behind = || steps.iter().filter(|step| kept_up.is_none_or(|rate| step.rate > rate));
        let rate = behind().map(|step| step.rate).reduce(f64::min)?;
        let (late, arrivals) = behind().fold((0, 0), |sum, step| (sum.0 + step.late, sum.1 + step.arrivals));
        Some(Self { rate, kept_up_to: kept_up, client_late: late as f64 > arrivals as f64 * LATE })
    }
}

/// The table of steps, and the knee under it.
pub(super) fn render(out: &mut String, steps: &[StepReport], knee: Option<Knee>) -> fmt::Result {
    writeln!(out, "\nSteps (1/s, and ms from when a request was due)")?;
    writeln!(
        out,
        " {:>10}{:>11}{:>11}{:>11}{:>11}{:>11}{:>9}{:>9}",
        "asked", "achieved", "50%", "90%", "99%", "100%", "errors", "late"
    )?;
    for step in steps {
        let us = &step.latency_us;
        let [p50, p90, p99, max] = [us.p50, us.p90, us.p99, us.max].map(super::text::millis);
        let mark = if knee.is_some_and(|knee| step.rate >= knee.rate) { '*' } else { ' ' };
        let achieved = step.achieved_per_s.map_or_else(|| "-".to_owned(), |rate| format!("{rate:.1}"));
        writeln!(
            out,
            "{mark}{:>10.1}{achieved:>11}{p50:>11}{p90:>11}{p99:>11}{max:>11}{:>9}{:>9}",
            step.rate, step.errors, step.late
        )?;
    }
    match knee {
        None => writeln!(out, "The server kept up with every rate."),
        Some(Knee { rate, client_late: true, .. }) => writeln!(
            out,
            "* From {rate:.1}/s on it did not keep up, nor did this machine, which started requests late: the server may \
             be able to do more."
        ),
        Some(Knee { rate, .. }) => writeln!(out, "* From {rate:.1}/s on the server no longer kept up."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps of 10 s: rate, and what was served per second; an answer usually takes a millisecond.
    fn steps(rates: &[(u32, u64)]) -> Vec<StepReport> {
        let step = |&(rate, served): &(u32, u64)| StepReport {
            rate: rate.into(),
            length_s: 10.0,
            arrivals: u64::from(rate) * 10,
            served_meanwhile: served * 10,
            latency_us: RowLatencyUs { p50: Some(1_000.0), ..RowLatencyUs::default() },
            ..StepReport::default()
        };
        let mut steps: Vec<_> = rates.iter().map(step).collect();
        judge(&mut steps, 1);
        steps
    }

    fn knee(rates: &[(u32, u64)]) -> Option<(f64, Option<f64>)> {
        Knee::of(&steps(rates)).map(|knee| (knee.rate, knee.kept_up_to))
    }

    #[test]
    fn the_knee_is_where_all_higher_rates_fell_behind() {
        assert_eq!(knee(&[(100, 100), (200, 200), (300, 300)]), None);
        let up = [(100, 100), (200, 200), (300, 210), (400, 205)];
        assert_eq!(knee(&up), Some((300.0, Some(200.0))));
        // Down: what was left over is served in the steps after it.
        let down = [(400, 205), (300, 210), (200, 210), (100, 180)];
        assert_eq!(knee(&down), Some((300.0, Some(200.0))));
        // A dent below a rate that was kept up with is no knee.
        assert_eq!(knee(&[(100, 100), (200, 150), (300, 300), (400, 310)]), Some((400.0, Some(300.0))));
        assert_eq!(knee(&[(300, 100), (400, 100)]), Some((300.0, None)));
        assert_eq!(knee(&[]), None);
    }

    #[test]
    fn what_is_just_under_way_is_not_behind() {
        // 300 ms an answer: of a step of a second 300 of 1,000 come when it is over, of one of 10 s 300 of 10,000.
        let mut rows = steps(&[(1000, 970)]);
        rows[0].latency_us.p50 = Some(300_000.0);
        judge(&mut rows, 1);
        assert!(rows[0].kept_up);
        // But no more than a tenth.
        rows[0].served_meanwhile = 8_000;
        judge(&mut rows, 1);
        assert!(!rows[0].kept_up);
    }

    #[test]
    fn a_late_client_is_said() {
        let mut rows = steps(&[(100, 100), (200, 120)]);
        rows[1].late = 100;
        let knee = Knee::of(&rows).unwrap();
        assert!(knee.client_late);
        let mut text = String::new();
        render(&mut text, &rows, Some(knee)).unwrap();
        assert!(text.contains("\n      100.0      100.0      1.000          -"), "{text}");
        assert!(text.contains("\n*     200.0      120.0"), "{text}");
        assert!(text.ends_with("* From 200.0/s on it did not keep up, nor did this machine, which started requests late: the server may be able to do more.\n"));
    }
}
