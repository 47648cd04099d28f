//! The machine that runs the load.

use super::super::seen::BUSY;
use super::case::{Case, OUR_SHARE, REFUSED_SHARE, WAITED, percent};
use super::{Candidate, LimitedBy, State};

/// Held back for this share of the time, a load tester is slower than what it loads by as much.
const HELD: f64 = 0.10;

/// With cores as full as this every program waits for its turn now and then, and that is the cores' doing; only what cannot
/// come from sharing them counts then.
const CROWDED: f64 = 0.75;
/// A process that shares two full cores with a few others gets more than half of what it asks for.
const HELD_IN_CROWD: f64 = 0.50;

/// A quota that never bites is not worth a word.
const THROTTLED_LEAST: f64 = 0.01;

/// This share of late starts moves even the 90th percentile.
const LATE: f64 = 0.10;

/// Attempts without a free port, as a share of the requests that were made.
const NO_PORT: f64 = 0.01;

/// What kind of shortage it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::report) enum Kind {
    /// It did all that it could.
    Saturated,
    /// It was not allowed to do it.
    HeldBack,
    /// It did not do it in time.
    Late,
}

/// A thing that was looked at, with its numbers.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::report) struct Reason {
    pub(in crate::report) kind: Kind,
    /// Whether it was the limit.
    pub(in crate::report) limits: bool,
    pub(in crate::report) line: String,
}

/// Whether it was the limit.
pub(super) fn judge(case: &Case<'_>) -> Candidate {
    let mut reasons = reasons(case);
    // The sort is stable.
    reasons.sort_by_key(|reason| !reason.limits);
    let state = match reasons.first() {
        Some(first) if first.limits => State::Limits,
        _ if case.thread.is_none() => State::Unknown,
        _ => State::Clear,
    };
    let lines: Vec<_> = reasons.into_iter().map(|reason| reason.line).collect();
    let evidence = if lines.is_empty() { "nothing was seen of it".to_owned() } else { lines.join("; ") };
    Candidate { name: LimitedBy::Laptop, state, evidence }
}

/// All that was looked at.
pub(in crate::report) fn reasons(case: &Case<'_>) -> Vec<Reason> {
    let looks = [
        (Kind::Saturated, thread(case)),
        (Kind::HeldBack, held_back(case)),
        (Kind::HeldBack, throttled(case)),
        (Kind::Late, late(case)),
        (Kind::Saturated, all_cores(case)),
        (Kind::Saturated, ports(case)),
    ];
    let reason = |(kind, look): (Kind, Option<(bool, String)>)| {
        look.map(|(limits, line)| Reason { kind, limits, line })
    };
    looks.into_iter().filter_map(reason).collect()
}

/// A thread that ran or waited for a core all the time had always something to do.
fn thread(case: &Case<'_>) -> Option<(bool, String)> {
    let (share, neediest) = (case.thread?, case.neediest?);
    let mut line = format!("the busiest load thread used {} of a core", percent(share));
    if neediest - share >= WAITED {
        line += &format!(" and waited for one for {} of the time", percent(neediest - share));
    }
    // A refusal comes back at once, and a closed loop spins on it. More of them are not what is missing.
    if neediest >= BUSY && case.refused() >= REFUSED_SHARE {
        return Some((false, line + ", on refusals that came back at once"));
    }
    // Where it shares full cores with the server, it waits for the server.
    Some((share >= BUSY || (neediest >= BUSY && !case.is_shared_full()), line))
}

/// Stopped by signals, as cpulimit does, out of quota, or behind others.
fn held_back(case: &Case<'_>) -> Option<(bool, String)> {
    let share = case.laptop.held_back?;
    let longest = case.laptop.longest_hold_us.unwrap_or_default() as f64 / 1000.0;
    let crowded = case.laptop.occupied().is_some_and(|occupied| occupied >= CROWDED);
    let most = if crowded { HELD_IN_CROWD } else { HELD };
    let line = format!("it could not run for {} of the time, {longest:.0} ms at the longest", percent(share));
    Some((share >= most, line))
}

fn throttled(case: &Case<'_>) -> Option<(bool, String)> {
    let seconds = case.laptop.throttled.filter(|seconds| *seconds >= THROTTLED_LEAST)?;
    Some((seconds >= HELD, format!("its control group's quota stopped it for {seconds:.2} s of each second")))
}

fn late(case: &Case<'_>) -> Option<(bool, String)> {
    let open = case.report.open_loop.as_ref().filter(|open| open.arrivals > 0)?;
    let share = open.late as f64 / open.arrivals as f64;
    let line = format!("{} of {} requests were started late by it", open.late, open.arrivals);
    Some((share >= LATE && !case.is_shared_full(), line))
}

/// Cores that are full of other programs are no matter as long as the load tester gets its turn.
fn all_cores(case: &Case<'_>) -> Option<(bool, String)> {
    let occupied = case.laptop.occupied().filter(|_| !case.local)?;
    let count = case.laptop.cores.len();
    let is_ours = case.client_cores >= OUR_SHARE * count as f64;
    let line = format!("its {count} cores were {} busy", percent(occupied));
    Some((occupied >= BUSY && is_ours, line))
}

fn ports(case: &Case<'_>) -> Option<(bool, String)> {
    let without = case.report.connections.out_of_ports;
    let share = without as f64 / (case.report.requests + without).max(1) as f64;
    (without > 0).then(|| (share >= NO_PORT, format!("{without} connects found no free local port")))
}
