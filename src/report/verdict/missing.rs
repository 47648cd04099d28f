//! Which evidence is missing, and what would provide it.

use super::case::Case;
use super::{Candidate, LimitedBy, State};

/// One sentence for each gap; none for what has no bearing any more.
pub(super) fn of(case: &Case<'_>, candidates: &[Candidate]) -> Vec<String> {
    let telemetry = case.report.telemetry.as_ref();
    let mut missing: Vec<String> = telemetry.map(|telemetry| telemetry.missing.clone()).unwrap_or_default();
    let told = !missing.is_empty();
    let unknown = |name| candidates.iter().any(|one| one.name == name && one.state == State::Unknown);
    let mut add = |text: &str| missing.push(text.to_owned());
    if case.laptop.seconds == 0.0 {
        add("whether the load tester was held back: this machine was not watched");
    }
    if case.board.watched_s == 0.0 && !told {
        add("load, clock and heat of the board: --telemetry URL reads them from a board that serves them");
    }
    if unknown(LimitedBy::Link) && case.report.requests > 0 {
        add("the link's speed: --link-speed says it, such as --link-speed 100M");
    }
    if case.board.seconds == 0.0 && case.board.watched_s > 0.0 {
        add(
            "load of the board: its samples began before the load did; a run of some seconds more has others",
        );
    }
    let covered = case.board.watched_s / case.report.duration_s.max(f64::MIN_POSITIVE);
    if case.board.watched_s > 0.0 && covered < 0.8 {
        let (seen, of) = (case.board.watched_s, case.report.duration_s);
        missing.push(format!("the board for part of the time: it was seen for {seen:.0} s of {of:.0} s"));
    }
    missing
}
