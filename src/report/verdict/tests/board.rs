//! The board: its cores and its clock.

use super::super::super::hand::{clock, cores, each_board, local, other, raspberry_pi, run, server};
use super::super::{LimitedBy, RunReport, State, Verdict};
use super::{fill, holds};
use crate::telemetry::Throttle;

#[test]
fn one_core_and_all_of_them() {
    holds(&[
        (
            "one thread",
            |report| {
                each_board(report, |_, board| {
                    board.cores = cores(&[0.5, 0.6, 0.3, 0.3]);
                    server(board, 1.02, 0.97);
                });
            },
            LimitedBy::OneCore,
            "the server's busiest thread used 97 % of a core, all its threads 1.02 of 4 cores",
        ),
        (
            "one thread beside programs that fill the rest",
            |report| {
                each_board(report, |_, board| {
                    board.cores = cores(&[1.0, 1.0, 1.0, 1.0]);
                    server(board, 1.02, 0.97);
                    board.others = vec![other("cc1", 1.5), other("cc1", 1.4)];
                });
            },
            LimitedBy::OneCore,
            "97 % of a core",
        ),
        (
            "one thread that has to share its core",
            |report| {
                each_board(report, |_, board| {
                    board.cores = cores(&[1.0, 1.0]);
                    server(board, 0.6, 0.55);
                    let server = board.server.as_mut().expect("a server");
                    (server.waited, server.neediest_thread) = (Some(0.42), Some(0.96));
                    board.others = vec![other("cc1", 1.3)];
                });
            },
            LimitedBy::OneCore,
            "the server's busiest thread used 55 % of a core and waited for one for 41 % of the time, all its threads 0.60",
        ),
        (
            "threads that all have to share",
            |report| {
                local(report);
                each_board(report, |_, board| {
                    board.cores = cores(&[1.0, 1.0]);
                    server(board, 1.1, 0.56);
                    let server = board.server.as_mut().expect("a server");
                    (server.waited, server.neediest_thread) = (Some(0.8), Some(0.96));
                });
            },
            LimitedBy::AllCores,
            "the server used 1.10 of them",
        ),
        (
            "one core with the network's interrupts",
            |report| {
                each_board(report, |_, board| {
                    board.cores = cores(&[0.5, 0.3, 0.3, 0.3]);
                    let core = board.cores.get_mut(&0).expect("core 0");
                    (core.user, core.softirq, core.idle) = (0.2, 0.78, 0.02);
                    // Another program of that size is elsewhere.
                    board.others = vec![other("cc1", 0.6)];
                });
            },
            LimitedBy::OneCore,
            "core 0, the busiest, was 98 % busy, 78 % with the network's interrupts",
        ),
        (
            "one core of a board that does not say who",
            |report| {
                each_board(report, |_, board| {
                    board.cores = cores(&[0.2, 0.2, 0.97, 0.2]);
                    board.server = None;
                });
            },
            LimitedBy::OneCore,
            "core 2, the busiest, was 97 % busy",
        ),
        (
            "one core that is another program's",
            |report| {
                each_board(report, |_, board| {
                    board.cores = cores(&[0.2, 0.2, 0.97, 0.2]);
                    board.others = vec![other("apt", 0.96)];
                });
            },
            LimitedBy::TooLittleLoad,
            "",
        ),
        (
            "all",
            fill,
            LimitedBy::AllCores,
            "the 4 cores were 97 % busy on average; the server used 3.80 of them",
        ),
        (
            "all, with the network's interrupts on one",
            |report| {
                each_board(report, |_, board| {
                    board.cores = cores(&[0.4, 0.97, 0.97, 0.97]);
                    let core = board.cores.get_mut(&0).expect("core 0");
                    (core.softirq, core.idle) = (0.6, 0.0);
                    server(board, 3.31, 0.97);
                });
            },
            LimitedBy::AllCores,
            "the 4 cores were 98 % busy on average; the server used 3.31 of them",
        ),
        (
            "one thread beside interrupts and programs that fill the rest",
            |report| {
                each_board(report, |_, board| {
                    board.cores = cores(&[0.4, 1.0, 1.0, 1.0]);
                    let core = board.cores.get_mut(&0).expect("core 0");
                    (core.softirq, core.idle) = (0.6, 0.0);
                    server(board, 1.02, 0.97);
                    board.others = vec![other("cc1", 2.3)];
                });
            },
            LimitedBy::OneCore,
            "97 % of a core",
        ),
        (
            "all, with a host that takes its part",
            |report| {
                fill(report);
                each_board(report, |_, board| {
                    for core in board.cores.values_mut() {
                        (core.user, core.steal, core.idle) = (0.7, 0.27, 0.03);
                    }
                });
            },
            LimitedBy::AllCores,
            "the host of this virtual machine took 27 % of its time",
        ),
        (
            "all, but not with the server",
            |report| {
                each_board(report, |_, board| {
                    board.cores = cores(&[1.0, 1.0, 1.0, 1.0]);
                    board.others = vec![other("cc1", 3.5)];
                });
            },
            LimitedBy::TooLittleLoad,
            "the server's busiest thread was busiest with 15 %",
        ),
        (
            "the only one",
            |report| {
                each_board(report, |_, board| {
                    board.cores = cores(&[0.98]);
                    server(board, 0.97, 0.95);
                });
            },
            LimitedBy::AllCores,
            "the only core was 98 % busy",
        ),
    ]);
}

/// Heat lowers the cap from second 4 on, and the rate with it.
fn heat(report: &mut RunReport) {
    each_board(report, |at, board| {
        if at >= 4 {
            board.clocks = clock(1_008_000);
            (board.cpu_temp_c, board.cooling_state) = (Some(81.0), Some(3));
        }
    });
    report.series.iter_mut().skip(4).for_each(|row| row.requests_per_s = 700.0);
}

#[test]
fn the_clock() {
    holds(&[
        (
            "heat with busy cores",
            |report| {
                fill(report);
                heat(report);
            },
            LimitedBy::Clock,
            "held down to 1008 of 1368 MHz from 4 s to 10 s (81 °C, slowed from 75 °C on); 700 requests/s then, 1000 else",
        ),
        (
            "heat of a board whose cores are not seen",
            |report| {
                heat(report);
                each_board(report, |_, board| (board.cores, board.server) = Default::default());
            },
            LimitedBy::Clock,
            "700 requests/s then",
        ),
        (
            "the firmware, for the supply",
            |report| {
                fill(report);
                each_board(report, |at, board| {
                    let raw = if (3..6).contains(&at) { 0x0005_0005 } else { 0x0005_0000 };
                    board.throttled = Some(Throttle { raw });
                });
            },
            LimitedBy::Clock,
            "the firmware said so from 3 s to 6 s; the supply was too low from 3 s to 6 s",
        ),
        (
            "the firmware in between two looks",
            |report| {
                fill(report);
                each_board(report, |at, board| {
                    board.throttled = Some(Throttle { raw: if at >= 7 { 0x0004_0000 } else { 0 } });
                });
            },
            LimitedBy::Clock,
            "the firmware said so from 7 s to 8 s",
        ),
        (
            "a cap that nobody explains, on a board without a sensor",
            |report| {
                fill(report);
                each_board(report, |_, board| {
                    board.clocks = clock(912_000);
                    (board.cpu_temp_c, board.cooling_state) = (None, None);
                });
            },
            LimitedBy::Clock,
            "held down to 912 of 1368 MHz from 0 s to 10 s; by heat or by a setting is not known",
        ),
        (
            "hot all along",
            |report| {
                fill(report);
                each_board(report, |_, board| {
                    (board.clocks, board.cooling_state) = (clock(912_000), Some(2));
                });
            },
            LimitedBy::Clock,
            "from 0 s to 10 s",
        ),
        (
            "set by somebody",
            |report| {
                fill(report);
                each_board(report, |_, board| board.clocks = clock(912_000));
            },
            LimitedBy::AllCores,
            "",
        ),
        ("heat without load", heat, LimitedBy::TooLittleLoad, ""),
        (
            "words of an earlier day",
            |report| {
                fill(report);
                each_board(report, |_, board| board.throttled = Some(Throttle { raw: 0x000f_0000 }));
            },
            LimitedBy::AllCores,
            "",
        ),
    ]);
    let mut silent = run(3);
    raspberry_pi(&mut silent);
    let verdict = Verdict::of(&silent);
    let state = |verdict: &Verdict| verdict.candidate(LimitedBy::Clock).map(|clock| clock.state);
    assert_eq!(state(&verdict), Some(State::Unknown), "{}", verdict.render());
    // A cap that falls is seen on any board.
    fill(&mut silent);
    each_board(&mut silent, |at, board| board.clocks = clock(if at > 0 { 600_000 } else { 1_368_000 }));
    assert_eq!(Verdict::of(&silent).limited_by, LimitedBy::Clock);
    let mut set = run(3);
    each_board(&mut set, |_, board| board.clocks = clock(912_000));
    let verdict = Verdict::of(&set);
    let said = verdict.candidate(LimitedBy::Clock).map(|clock| clock.evidence.as_str());
    assert_eq!(
        said,
        Some("set to at most 912 of 1368 MHz, 67 % of it, and not lowered further; 50 °C at most")
    );
}
