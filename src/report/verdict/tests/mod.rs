//! The judges on runs made by hand.

mod board;
mod laptop;
mod link;
mod load;

use super::super::hand::{cores, each_board, run, server};
use super::*;
use crate::telemetry::Sample;

/// What is done to a quiet run, what is then the limit, and a part of its evidence.
pub(super) type Stage = (&'static str, fn(&mut RunReport), LimitedBy, &'static str);

pub(super) fn holds(stages: &[Stage]) {
    for (name, change, limited_by, says) in stages {
        let mut report = run(10);
        change(&mut report);
        let verdict = Verdict::of(&report);
        assert_eq!(verdict.limited_by, *limited_by, "{name}: {}", verdict.render());
        let said = match verdict.candidate(*limited_by) {
            Some(candidate) => candidate.evidence.as_str(),
            None => &verdict.headline,
        };
        assert!(said.contains(says), "{name}: {}", verdict.render());
        assert_eq!(verdict.candidates.len(), 7, "{name}");
        assert!(
            verdict.candidates.iter().all(|one| !one.evidence.is_empty() && !one.evidence.contains('\n'))
        );
        assert!(
            !verdict.render().contains("NaN") && !verdict.render().contains("inf "),
            "{}",
            verdict.render()
        );
    }
}

/// Fills all cores of the board with the server.
pub(super) fn fill(report: &mut RunReport) {
    each_board(report, |_, board| {
        board.cores = cores(&[0.98, 0.97, 0.96, 0.97]);
        server(board, 3.8, 0.96);
    });
}

#[test]
fn runs_with_holes_are_judged_by_what_there_is() {
    let verdict = Verdict::of(&RunReport::default());
    assert_eq!(verdict.limited_by, LimitedBy::Unknown);
    assert!(
        verdict.headline.contains("nothing finished") && !verdict.render().contains("NaN"),
        "{}",
        verdict.render()
    );
    assert!(
        verdict.candidates.iter().all(|candidate| candidate.state == State::Unknown),
        "{}",
        verdict.render()
    );

    let mut blind = run(10);
    blind.telemetry = None;
    blind.series.iter_mut().for_each(|row| (row.laptop, row.board) = (None, None));
    let verdict = Verdict::of(&blind);
    assert_eq!(verdict.limited_by, LimitedBy::Unknown);
    assert!(verdict.missing.iter().any(|line| line.contains("--telemetry")), "{:?}", verdict.missing);

    // The board was away for some seconds.
    let mut holes = run(10);
    fill(&mut holes);
    holes.series.iter_mut().skip(3).for_each(|row| row.board = None);
    let verdict = Verdict::of(&holes);
    assert_eq!(verdict.limited_by, LimitedBy::AllCores);
    assert!(
        verdict.missing.iter().any(|line| line.contains("seen for 3 s of 10 s")),
        "{:?}",
        verdict.missing
    );

    // One second, and half of one.
    let mut short = run(1);
    fill(&mut short);
    short.series[0].length_s = 0.4;
    short.duration_s = 0.4;
    short.series[0].board.as_mut().expect("watched").interval_s = 0.4;
    assert_eq!(Verdict::of(&short).limited_by, LimitedBy::AllCores);

    // No time went by between two looks.
    let mut none = run(1);
    each_board(&mut none, |_, board| *board = Sample { interval_s: 0.0, ..board.clone() });
    let verdict = Verdict::of(&none);
    assert_eq!(verdict.limited_by, LimitedBy::Unknown, "{}", verdict.render());
}

#[test]
fn the_time_before_the_load_is_no_time_left() {
    // A board elsewhere that was at rest until the load began.
    let mut report = run(4);
    fill(&mut report);
    each_board(&mut report, |at, board| {
        if at < 2 {
            board.early = true;
            board.cores.values_mut().for_each(|core| (core.user, core.idle) = (0.5, 0.5));
        }
    });
    let verdict = Verdict::of(&report);
    assert_eq!(verdict.limited_by, LimitedBy::AllCores, "{}", verdict.render());
    assert!(verdict.missing.is_empty(), "{:?}", verdict.missing);
    // Where there is nothing else, it is not known.
    each_board(&mut report, |_, board| board.early = true);
    let verdict = Verdict::of(&report);
    assert_eq!(verdict.limited_by, LimitedBy::Unknown, "{}", verdict.render());
    assert!(
        verdict.missing.iter().any(|line| line.contains("began before the load did")),
        "{:?}",
        verdict.missing
    );
}

#[test]
fn a_verdict_reads_as_a_heading_a_sentence_and_a_line_for_each_candidate() {
    let mut report = run(10);
    fill(&mut report);
    let text = Verdict::of(&report).render();
    assert!(
        text.starts_with("What limited it\n  all cores of the board were busy: this is what it can do\n"),
        "{text}"
    );
    assert!(text.contains("\n  all cores        limits   the 4 cores were 97 % busy"), "{text}");
    assert!(text.contains("\n  one core         clear    "), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
}

#[test]
fn a_verdict_comes_back_from_its_json() {
    let verdict = Verdict::of(&run(2));
    let text = serde_json::to_string(&verdict).expect("JSON");
    assert!(
        text.contains("\"limited_by\":\"too_little_load\"") && text.contains("\"state\":\"limits\""),
        "{text}"
    );
    assert_eq!(serde_json::from_str::<Verdict>(&text).expect("JSON"), verdict);
    assert!(serde_json::from_str::<Verdict>("{}").is_ok(), "an older form");
}
