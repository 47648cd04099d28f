//! What could not be looked at.

use super::super::clock::ClockSeen;
use super::super::verdict::Case;
use super::super::{RunReport, SeriesRow};

/// One line for each thing that could have spoken against a run.
pub(super) fn all(case: &Case<'_>) -> Vec<String> {
    let mut unknown = Vec::new();
    if case.report.requests == 0 {
        unknown.push("how fast the board serves: nothing finished".to_owned());
    }
    let RunReport { series, duration_s, .. } = case.report;
    let swap = |row: &SeriesRow| row.board.as_ref().is_some_and(|sample| sample.swap.is_some());
    if case.laptop.seconds == 0.0 {
        unknown.push("what else the laptop did".to_owned());
    }
    if case.board.seconds == 0.0 {
        unknown.push("the board: its clock, heat, memory and other programs".to_owned());
        return unknown;
    }
    if case.board.watched_s < 0.8 * duration_s {
        let seen = case.board.watched_s;
        unknown.push(format!("the board for {:.0} s of {duration_s:.0} s", duration_s - seen));
    }
    if let Some(why) = ClockSeen::of_run(case.report).why_unknown() {
        unknown.push(format!("the board's clock: {why}"));
    }
    if case.board.cores.is_empty() {
        unknown.push(
            "the load of the board's cores: whether some went off, and what the host of a virtual machine took"
                .to_owned(),
        );
    }
    if !series.iter().any(|row| row.board.as_ref().is_some_and(|sample| sample.others_seen)) {
        unknown.push("other programs of the board: who takes its samples may not see them".to_owned());
    }
    if !series.iter().any(swap) {
        unknown.push("whether the board swapped memory".to_owned());
    }
    unknown
}

#[cfg(test)]
mod tests {
    use super::super::super::hand::{each_board, other, raspberry_pi, run};
    use super::super::Validity;
    use super::*;
    use crate::telemetry::Throttle;

    /// What is done to a quiet run, and a part of what is then not seen.
    type Case = (&'static str, fn(&mut RunReport), &'static str);

    #[test]
    fn what_was_not_seen_is_neither_valid_nor_invalid() {
        let mut unseen = run(10);
        unseen.series.iter_mut().for_each(|row| row.board = None);
        let validity = Validity::of(&unseen);
        assert_eq!((validity.valid, validity.marks.len()), (None, 0));
        assert!(validity.unknown[0].starts_with("the board: "), "{:?}", validity.unknown);
        assert!(
            validity.render().starts_with("Validity: nothing was found against it, but not all was seen:\n")
        );

        let mut partly = run(10);
        partly.series.iter_mut().skip(6).for_each(|row| row.board = None);
        each_board(&mut partly, |_, board| board.clocks.clear());
        let validity = Validity::of(&partly);
        assert_eq!(validity.valid, None);
        assert!(
            validity.unknown.iter().any(|line| line == "the board for 4 s of 10 s"),
            "{:?}",
            validity.unknown
        );
        assert!(
            validity.unknown.iter().any(|line| line.starts_with("the board's clock")),
            "{:?}",
            validity.unknown
        );

        // What is seen to be wrong stays wrong, whatever else was not seen.
        each_board(&mut partly, |_, board| board.others = vec![other("apt", 0.9)]);
        assert_eq!(Validity::of(&partly).valid, Some(false));
        assert_eq!(Validity::of(&RunReport::default()).valid, None);
    }

    #[test]
    fn each_thing_that_was_not_seen_leaves_it_open() {
        let cases: &[Case] = &[
            (
                "no core",
                |report| each_board(report, |_, board| board.cores.clear()),
                "the load of the board's cores",
            ),
            (
                "hidden",
                |report| each_board(report, |_, board| board.others_seen = false),
                "other programs of the board",
            ),
            ("a Raspberry Pi that is silent", raspberry_pi, "get_throttled"),
            ("nothing finished", |report| (report.requests, report.failed) = (0, 10), "nothing finished"),
            ("too short", |report| each_board(report, |_, board| board.early = true), "the board: its clock"),
        ];
        for (name, change, says) in cases {
            let mut report = run(10);
            change(&mut report);
            let validity = Validity::of(&report);
            assert_eq!(validity.valid, None, "{name}: {}", validity.render());
            let [line] = &validity.unknown[..] else { panic!("{name}: {:?}", validity.unknown) };
            assert!(line.contains(says), "{name}: {line}");
        }
        let mut told = run(10);
        raspberry_pi(&mut told);
        each_board(&mut told, |_, board| board.throttled = Some(Throttle { raw: 0 }));
        assert_eq!(Validity::of(&told).valid, Some(true));
        // The first seconds of a board elsewhere begin before the load, and are seen all the same.
        let mut remote = run(10);
        each_board(&mut remote, |at, board| board.early = at < 3);
        assert_eq!(Validity::of(&remote).valid, Some(true));
    }
}
