//! What speaks against a run, one finder for each kind.

use std::collections::BTreeSet;

use super::super::clock::{ClockSeen, megahertz};
use super::super::seen::{OTHERS, STEAL};
use super::super::spans::{Span, spans};
use super::super::verdict::{Case, Kind, Reason, percent, reasons};
use super::super::{RunReport, SeriesRow};
use super::{Mark, MarkKind};
use crate::telemetry::Sample;

/// Late starts from here on move the 99th percentile.
const LATE: f64 = 0.01;

/// Answers that take so long at most come in every second, in microseconds.
const USUAL_US: f64 = 200_000.0;

/// Arrivals of a second of which some are answered by chance.
const ASKED: u64 = 10;

/// A row that is shorter than this has too little time in it.
const WHOLE_S: f64 = 0.5;

/// A second in which the load tester was held back.
const HELD: f64 = 0.10;

/// Less swapped than this is the kernel tidying up.
const SWAPPED_BYTES: u64 = 1 << 20;

/// Packets dropped or sent again each second; a switch or a full link loses one now and then.
const LOST_PER_S: f64 = 1.0;

/// Errors from this share of the requests on are more than accidents: what they cost is in the rate.
const ERRORS: f64 = 0.01;

/// All marks, what is about the board first.
pub(super) fn all(case: &Case<'_>) -> Vec<Mark> {
    let series = &case.report.series;
    let clock = ClockSeen::of_run(case.report);
    [
        errors(case),
        silent(case),
        capped(&clock),
        throttled(&clock),
        supply(&clock),
        swapped(series),
        cores_lost(series),
        others(case),
        steal(case),
        laptop(case),
        laptop_others(case),
        link_errors(case),
        shared(case),
    ]
    .concat()
}

fn mark(kind: MarkKind, invalid: bool, span: Option<Span>, text: String) -> Mark {
    let (from_s, to_s) = (span.map(|span| span.from_s), span.map(|span| span.to_s));
    Mark { kind, invalid, from_s, to_s, text }
}

fn each(kind: MarkKind, spans: &[Span], text: &str) -> Vec<Mark> {
    spans.iter().map(|span| mark(kind, true, Some(*span), format!("{text} {span}"))).collect()
}

/// An error costs something else than an answer, and says nothing of how fast those are served. A refusal is the server's way
/// of saying what it can.
fn errors(case: &Case<'_>) -> Vec<Mark> {
    let RunReport { requests, failed, .. } = *case.report;
    let asked = requests + failed;
    // What is only errors is not measured, and what is nothing is neither.
    if requests == 0 {
        return Vec::new();
    }
    let refusals = case.refusals();
    let answers = case.report.errors.status.saturating_sub(refusals);
    let share = |count: u64| count as f64 / asked as f64;
    let mut marks = Vec::new();
    if share(failed + answers) >= ERRORS {
        let text = format!(
            "of {asked} requests {failed} failed and {answers} were answered with an error (status 400 and above)"
        );
        marks.push(mark(MarkKind::Errors, true, None, text));
    }
    if share(refusals) >= ERRORS {
        let text =
            format!("{refusals} of {requests} answers, which the rate counts, said \"not now\" (503, 429)");
        marks.push(mark(MarkKind::Errors, false, None, text));
    }
    marks
}

/// Seconds in which nothing was answered, and much was asked for: a mean over them is one of two servers. Where answers take
/// about as long as a second, some have none by chance.
fn silent(case: &Case<'_>) -> Vec<Mark> {
    let RunReport { series, latency_us, .. } = case.report;
    if latency_us.p50.is_none_or(|p50| p50 > USUAL_US) {
        return Vec::new();
    }
    let is_silent = |row: &SeriesRow| {
        let asked = case.report.open_loop.is_none() || row.arrivals >= ASKED;
        (row.length_s >= WHOLE_S).then_some(row.requests == 0 && asked)
    };
    each(MarkKind::Silent, &spans(series, series.iter().map(is_silent)), "no answer came")
}

fn capped(clock: &ClockSeen) -> Vec<Mark> {
    let to = clock.lowest.map_or(String::new(), |cap| format!(" to {}", megahertz(cap)));
    let heat = clock.hottest_c.map_or(String::new(), |hottest| format!(" at up to {hottest:.0} °C"));
    let mut marks = each(MarkKind::ClockCapped, &clock.capped, &format!("the clock was held down{to}{heat}"));
    if let Some(cap) = clock.set {
        let text = format!("the clock was set to at most {} all along", megahertz(cap));
        marks.push(mark(MarkKind::ClockCapped, false, None, text));
    }
    marks
}

fn throttled(clock: &ClockSeen) -> Vec<Mark> {
    each(MarkKind::Throttled, &clock.firmware, "the firmware slowed the processor down")
}

fn supply(clock: &ClockSeen) -> Vec<Mark> {
    each(MarkKind::UnderVoltage, &clock.supply, "the supply was too low (under-voltage)")
}

fn swapped(series: &[SeriesRow]) -> Vec<Mark> {
    let bytes = |row: &SeriesRow| {
        let swap = row.board.as_ref()?.swap?;
        Some(swap.in_bytes + swap.out_bytes)
    };
    let all: u64 = series.iter().filter_map(bytes).sum();
    if all < SWAPPED_BYTES {
        return Vec::new();
    }
    let text = format!("memory was swapped ({:.1} MiB in all)", all as f64 / f64::from(1 << 20));
    each(MarkKind::Swapped, &spans(series, series.iter().map(|row| bytes(row).map(|bytes| bytes > 0))), &text)
}

/// In a shorter sample a core that is there may have counted no time, and then looks as if it were off.
const TELLING_S: f64 = 0.5;

/// Cores that were there in an earlier second.
fn cores_lost(series: &[SeriesRow]) -> Vec<Mark> {
    let mut had: BTreeSet<u32> = BTreeSet::new();
    let mut lost: BTreeSet<u32> = BTreeSet::new();
    let mut missing = |sample: &Sample| {
        if sample.interval_s < TELLING_S {
            return None;
        }
        let now: BTreeSet<u32> = sample.cores.keys().copied().collect();
        had.extend(&now);
        let gone: Vec<u32> = had.difference(&now).copied().collect();
        lost.extend(&gone);
        // A sample without any core has not been read.
        (!now.is_empty()).then_some(!gone.is_empty())
    };
    let holds: Vec<Option<bool>> =
        series.iter().map(|row| row.board.as_ref().and_then(&mut missing)).collect();
    let names: Vec<String> = lost.iter().map(u32::to_string).collect();
    each(MarkKind::CoresLost, &spans(series, holds), &format!("core {} was off", names.join(", ")))
}

fn others(case: &Case<'_>) -> Vec<Mark> {
    programs(
        &case.report.series,
        &case.board.others,
        |row| row.board.as_ref(),
        (MarkKind::OtherProcess, true),
    )
}

fn laptop_others(case: &Case<'_>) -> Vec<Mark> {
    if case.local {
        return Vec::new();
    }
    programs(
        &case.report.series,
        &case.laptop.others,
        |row| row.laptop.as_ref(),
        (MarkKind::LaptopOtherProcess, false),
    )
}

fn programs(
    series: &[SeriesRow],
    others: &[(String, f64)],
    of: fn(&SeriesRow) -> Option<&Sample>,
    (kind, invalid): (MarkKind, bool),
) -> Vec<Mark> {
    let whose = if kind == MarkKind::OtherProcess { "" } else { " of the laptop" };
    let took = |sample: &Sample, name: &str| {
        let same = sample.others.iter().filter(|other| other.name == name);
        same.map(|other| other.cores).sum::<f64>() > OTHERS
    };
    let program = |(name, cores): &(String, f64)| {
        let when = spans(series, series.iter().map(|row| of(row).map(|sample| took(sample, name))));
        let hull = when.first().zip(when.last());
        let hull = hull.map(|(first, last)| Span { from_s: first.from_s, to_s: last.to_s });
        // This one is in nobody's list.
        let another = if name == "boardctl" { "another " } else { "" };
        mark(kind, invalid, hull, format!("{another}{name} took {cores:.2} cores{whose}"))
    };
    others.iter().filter(|(_, cores)| *cores > OTHERS).map(program).collect()
}

fn steal(case: &Case<'_>) -> Vec<Mark> {
    let took = case.board.steal();
    let text = || format!("the host of this virtual machine took {} of its time", percent(took));
    Vec::from_iter((took >= STEAL).then(|| mark(MarkKind::Steal, true, None, text())))
}

fn laptop(case: &Case<'_>) -> Vec<Mark> {
    let late =
        case.report.open_loop.as_ref().map_or(0.0, |open| open.late as f64 / open.arrivals.max(1) as f64);
    let of = |reason: Reason| {
        let kind = match reason.kind {
            Kind::Saturated => MarkKind::LaptopSaturated,
            Kind::HeldBack => MarkKind::LaptopHeldBack,
            Kind::Late => MarkKind::LateStarts,
        };
        let is_note = reason.kind == Kind::Late && late >= LATE;
        (reason.limits || is_note).then(|| {
            let span = (kind == MarkKind::LaptopHeldBack).then(|| held(&case.report.series)).flatten();
            mark(kind, reason.limits, span, format!("the load tester: {}", reason.line))
        })
    };
    reasons(case).into_iter().filter_map(of).collect()
}

/// From the first to the last second in which it was held back.
fn held(series: &[SeriesRow]) -> Option<Span> {
    let share = |row: &SeriesRow| row.laptop.as_ref()?.held_back;
    let when = spans(series, series.iter().map(|row| share(row).map(|share| share >= HELD)));
    let (first, last) = when.first().zip(when.last())?;
    Some(Span { from_s: first.from_s, to_s: last.to_s })
}

fn link_errors(case: &Case<'_>) -> Vec<Mark> {
    let (again, dropped) = (case.resent(), case.dropped());
    let per_s = (again + dropped) as f64 / case.report.duration_s.max(f64::MIN_POSITIVE);
    let text = || format!("{again} TCP segments were sent again, {dropped} packets dropped");
    Vec::from_iter((per_s >= LOST_PER_S).then(|| mark(MarkKind::LinkErrors, false, None, text())))
}

fn shared(case: &Case<'_>) -> Vec<Mark> {
    let used = case.client_cores;
    let text =
        || format!("server and load tester shared one machine; the load tester used {used:.2} of its cores");
    Vec::from_iter(case.local.then(|| mark(MarkKind::SharedMachine, false, None, text())))
}
