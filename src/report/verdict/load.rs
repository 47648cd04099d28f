//! Too little load: nothing was busy, and more of it would have brought more.

use super::case::{Case, FILLS, percent};
use super::link;
use super::{Candidate, LimitedBy, State};
use crate::units::SECOND_US;

/// A proposal goes no further than this at once: the latency it is reckoned with is that of a server at rest.
const MOST_TIMES: f64 = 100.0;

/// A wait for a disk is worth mentioning from this share of a core's time on.
const DISK: f64 = 0.10;

/// Whether it was the limit, when nothing else was; `board_known` is whether the board's cores were seen, and `link_known`
/// whether the link had room left.
pub(super) fn judge(case: &Case<'_>, others_limit: bool, board_known: bool, link_known: bool) -> Candidate {
    let candidate = |state, evidence| Candidate { name: LimitedBy::TooLittleLoad, state, evidence };
    if case.report.requests == 0 {
        return candidate(State::Unknown, "nothing finished, so nothing can be reckoned".to_owned());
    }
    let line = little(case);
    if others_limit {
        return candidate(State::Clear, line);
    }
    if case.offer_met() == Some(true) {
        return candidate(State::Clear, line + &met(case));
    }
    if !board_known {
        return candidate(State::Unknown, line + "; whether the board had time left is not known");
    }
    if !link_known {
        return candidate(State::Unknown, line + "; whether the link had room left is not known");
    }
    if case.report.open_loop.as_ref().is_some_and(|open| open.waited == 0) {
        return candidate(
            State::Unknown,
            line + "; there was a connection for every arrival, and not all were answered",
        );
    }
    candidate(State::Limits, line + &proposal(case))
}

/// Little's law: requests under way = rate × time each.
fn little(case: &Case<'_>) -> String {
    let report = case.report;
    let mean_us = report.latency_us.mean.unwrap_or_default();
    let under_way = report.requests_per_s * mean_us / SECOND_US;
    let (rate, ms) = (report.requests_per_s, mean_us / 1000.0);
    let slots = report.connections.asked * report.settings.pipeline.max(1);
    format!("{rate:.0} requests/s × {ms:.3} ms each = {under_way:.1} under way, on {slots} {}", places(case))
}

fn places(case: &Case<'_>) -> &'static str {
    if case.report.settings.pipeline > 1 { "places (connections × pipeline)" } else { "connections" }
}

fn met(case: &Case<'_>) -> String {
    let Some(open) = &case.report.open_loop else { return String::new() };
    let waited = match open.waited {
        0 => String::new(),
        waited => format!(", {waited} of them after a wait for a connection (-c)"),
    };
    format!(
        "; {} of {} arrivals were answered{waited}: a higher --rate would show more",
        open.answered, open.arrivals
    )
}

/// What would fill it.
fn proposal(case: &Case<'_>) -> String {
    let connections = case.report.connections.asked as f64;
    let disk = case.board.disk_wait();
    let disk = if disk >= DISK {
        format!("; a core waited for a disk for {} of the time", percent(disk))
    } else {
        String::new()
    };
    if let Some(open) = case.report.open_loop.as_ref().filter(|open| !open.steps.is_empty()) {
        // Of a ramp, the rates are not one that connections could be reckoned for.
        return format!("{disk}; {} of {} arrivals waited for a connection (-c)", open.waited, open.arrivals);
    }
    if let Some(open) = &case.report.open_loop {
        let in_time = open.answered.saturating_sub(open.answered_after_end) as f64;
        let answered = (in_time / case.report.duration_s.max(f64::MIN_POSITIVE)).max(f64::MIN_POSITIVE);
        let needed = rounded_up(connections * (open.rate / answered).min(MOST_TIMES));
        return format!(
            "{disk}; {} of {} arrivals waited for a connection: {connections} × {:.0} offered ÷ {answered:.0} answered: \
             -c {needed}",
            open.waited, open.arrivals, open.rate
        );
    }
    let (share, what) = busiest(case);
    let times = (1.0 / share.max(f64::MIN_POSITIVE)).min(MOST_TIMES);
    let needed = rounded_up(connections * times);
    format!(
        "{disk}; {what} was busiest with {}: {connections} ÷ {:.2} is about -c {needed}; should that bring no more, the \
         server waits for something (a lock, a disk, a timer)",
        percent(share),
        1.0 / times
    )
}

/// What had the least time left.
fn busiest(case: &Case<'_>) -> (f64, &'static str) {
    let board = &case.board;
    let mut all = vec![(case.neediest.unwrap_or_default(), "the load tester's thread")];
    if let Some(server) = board.server {
        all.push((server.neediest_thread, "the server's busiest thread"));
    }
    // Where other programs fill cores, the server can still take its share of them.
    let crowded = board.others_cores() >= FILLS || (case.board_full() && !case.is_ours());
    if let Some((_, core)) = board.busiest_core().filter(|_| board.server.is_none() || !crowded) {
        all.push((core.busy() + core.steal, "the board's busiest core"));
    }
    if let Some(used) = link::used(case) {
        all.push((used, "the link"));
    }
    all.into_iter().max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or_default()
}

/// To two digits: more would be a promise.
fn rounded_up(count: f64) -> u64 {
    let step = 10f64.powf((count.max(1.0).log10().floor() - 1.0).max(0.0));
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positive, and saturates")]
    let rounded = ((count / step).ceil() * step) as u64;
    rounded
}
