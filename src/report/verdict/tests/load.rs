//! Requests that were turned away, and too little load.

use super::super::super::hand::{busy, cores, each_board, open, refuse, run};
use super::super::{LimitedBy, Verdict};
use super::{fill, holds};
use crate::board::CoreLoad;

#[test]
fn admission() {
    holds(&[
        (
            "refusals from second 2 on, with busy cores",
            |report| {
                fill(report);
                refuse(report, "503", 0.4);
                report.series.iter_mut().take(2).for_each(|row| _ = row.statuses.remove("503"));
            },
            LimitedBy::Admission,
            "40 % of the answers said \"not now\" (503, 429), from second 2 on",
        ),
        ("a rate limiter", |report| refuse(report, "429", 0.2), LimitedBy::Admission, "20 %"),
        (
            "a few",
            |report| {
                fill(report);
                refuse(report, "503", 0.003);
            },
            LimitedBy::AllCores,
            "",
        ),
    ]);
    let mut report = run(3);
    fill(&mut report);
    refuse(&mut report, "503", 0.4);
    let verdict = Verdict::of(&report);
    assert!(verdict.headline.ends_with("(and behind that: all cores)"), "{}", verdict.headline);
}

#[test]
fn too_little_load() {
    holds(&[
        (
            "a closed loop",
            |_| {},
            LimitedBy::TooLittleLoad,
            "1000 requests/s × 10.000 ms each = 10.0 under way, on 10 connections; the board's busiest core was busiest \
             with 20 %: 10 ÷ 0.20 is about -c 50",
        ),
        (
            "next to nothing to do",
            |report| {
                each_board(report, |_, board| (board.cores, board.server) = (cores(&[0.001, 0.0]), None));
            },
            LimitedBy::TooLittleLoad,
            "the load tester's thread was busiest with 10 %: 10 ÷ 0.10 is about -c 100",
        ),
        (
            "a disk",
            |report| {
                each_board(report, |_, board| {
                    board.cores.insert(1, CoreLoad { iowait: 0.6, ..busy(0.2) });
                });
            },
            LimitedBy::TooLittleLoad,
            "a core waited for a disk for 60 % of the time",
        ),
        (
            "pipelines",
            |report| report.settings.pipeline = 8,
            LimitedBy::TooLittleLoad,
            "on 80 places (connections × pipeline)",
        ),
        (
            "an open loop with too few connections",
            |report| {
                open(report);
                let open = report.open_loop.as_mut().expect("open");
                (open.rate, open.arrivals, open.unsent) = (2000.0, 20_000, 10_000);
                (open.unanswered, open.waited) = (10_000, 15_000);
            },
            LimitedBy::TooLittleLoad,
            "15000 of 20000 arrivals waited for a connection: 10 × 2000 offered ÷ 1000 answered: -c 21",
        ),
        ("an open loop that is met", open, LimitedBy::Nothing, ""),
        (
            "an open loop whose arrivals fail",
            |report| {
                open(report);
                let open = report.open_loop.as_mut().expect("open");
                (open.answered, open.failed) = (5_000, 5_000);
            },
            LimitedBy::Unknown,
            "",
        ),
        (
            "a board that nobody looked at",
            |report| report.series.iter_mut().for_each(|row| row.board = None),
            LimitedBy::Unknown,
            "not all was seen",
        ),
    ]);
}
