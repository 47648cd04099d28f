//! The judges on runs made by hand.

use super::super::hand::{
    busy, clock, cores, each_board, each_laptop, local, open, other, refuse, run, server,
};
use super::super::{Connections, LinkReport, SeriesRow};
use super::*;
use crate::telemetry::{Sample, Throttle};

/// What is done to a quiet run, what is then the limit, and a part of its evidence.
type Stage = (&'static str, fn(&mut RunReport), LimitedBy, &'static str);

fn holds(stages: &[Stage]) {
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
fn fill(report: &mut RunReport) {
    each_board(report, |_, board| {
        board.cores = cores(&[0.98, 0.97, 0.96, 0.97]);
        server(board, 3.8, 0.96);
    });
}

fn nic(report: &mut RunReport, rx_bytes: u64) {
    let per_row = |row: &mut SeriesRow| {
        row.bytes = rx_bytes * 94 / 100;
        let nic = row.laptop.as_mut().expect("watched").nics.first_mut().expect("eth0");
        (nic.rx_bytes, nic.rx_packets) = (rx_bytes, rx_bytes / 1514);
    };
    report.series.iter_mut().for_each(per_row);
    report.bytes = report.series.iter().map(|row| row.bytes).sum();
}

fn link(report: &mut RunReport, change: fn(&mut LinkReport)) {
    let telemetry = report.telemetry.as_mut().expect("watched");
    change(telemetry.link.as_mut().expect("a link"));
}

#[test]
fn the_laptop() {
    holds(&[
        (
            "a thread that has no time left",
            |report| report.series.iter_mut().for_each(|row| row.client_busiest_thread = 0.97),
            LimitedBy::Laptop,
            "the busiest load thread used 97 % of a core",
        ),
        (
            "stopped by signals",
            |report| {
                each_laptop(report, |_, laptop| {
                    (laptop.held_back, laptop.longest_hold_us) = (Some(0.8), Some(80_000));
                });
            },
            LimitedBy::Laptop,
            "it could not run for 80 % of the time, 80 ms at the longest",
        ),
        (
            "out of quota",
            |report| each_laptop(report, |_, laptop| laptop.own_throttled_us = Some(400_000)),
            LimitedBy::Laptop,
            "quota stopped it for 0.40 s of each second",
        ),
        (
            "late",
            |report| {
                open(report);
                report.open_loop.as_mut().expect("open").late = 2_000;
            },
            LimitedBy::Laptop,
            "2000 of 10000 requests were started late by it",
        ),
        (
            "all its cores",
            |report| {
                each_laptop(report, |_, laptop| laptop.cores = cores(&[0.95, 0.95, 0.95, 0.95]));
                report.series.iter_mut().for_each(|row| row.client_cores = 2.6);
            },
            LimitedBy::Laptop,
            "its 4 cores were 95 % busy",
        ),
        (
            "a thread that has to share its core",
            |report| {
                each_laptop(report, |_, laptop| laptop.cores = cores(&[1.0, 1.0, 1.0, 1.0]));
                for row in &mut report.series {
                    (row.client_busiest_thread, row.client_neediest_thread) = (0.6, Some(0.97));
                }
            },
            LimitedBy::Laptop,
            "the busiest load thread used 60 % of a core and waited for one for 37 % of the time",
        ),
        (
            "out of ports",
            |report| report.connections = Connections { out_of_ports: 500, ..report.connections },
            LimitedBy::Laptop,
            "500 connects found no free local port",
        ),
        (
            "it comes before all else",
            |report| {
                fill(report);
                refuse(report, "503", 0.5);
                report.series.iter_mut().for_each(|row| row.client_busiest_thread = 0.97);
                each_laptop(report, |_, laptop| laptop.held_back = Some(0.5));
            },
            LimitedBy::Laptop,
            "it could not run for 50 %",
        ),
    ]);
}

#[test]
fn what_is_not_the_laptops_doing() {
    holds(&[
        (
            "a thread that spins on refusals",
            |report| {
                refuse(report, "503", 0.9);
                report.series.iter_mut().for_each(|row| row.client_busiest_thread = 0.97);
            },
            LimitedBy::Admission,
            "90 % of the answers",
        ),
        (
            "waits for a turn on cores that are full",
            |report| {
                fill(report);
                local(report);
                each_laptop(report, |_, laptop| laptop.held_back = Some(0.3));
            },
            LimitedBy::AllCores,
            "the server used 3.80 of them and the load tester 0.20",
        ),
        (
            "a thread that shares full cores with the server",
            |report| {
                fill(report);
                local(report);
                for row in &mut report.series {
                    (row.client_busiest_thread, row.client_neediest_thread) = (0.6, Some(0.97));
                }
            },
            LimitedBy::AllCores,
            "",
        ),
        (
            "late on cores that it shares",
            |report| {
                open(report);
                report.open_loop.as_mut().expect("open").late = 5_000;
                fill(report);
                local(report);
            },
            LimitedBy::AllCores,
            "97 % busy",
        ),
        (
            "all its cores, with other programs, and it gets its turn",
            |report| each_laptop(report, |_, laptop| laptop.cores = cores(&[1.0, 1.0, 1.0, 1.0])),
            LimitedBy::TooLittleLoad,
            "",
        ),
        (
            "a few late starts",
            |report| {
                open(report);
                report.open_loop.as_mut().expect("open").late = 200;
            },
            LimitedBy::Nothing,
            "all that was offered was answered",
        ),
    ]);
}

#[test]
fn the_link() {
    holds(&[
        (
            "full by the device",
            |report| nic(report, 119_000_000),
            LimitedBy::Link,
            "97 % of the 1000 Mbit/s that eth0 has",
        ),
        (
            "full by the slower end",
            |report| {
                nic(report, 11_900_000);
                each_board(report, |_, board| {
                    let (name, rx_bytes) = ("end0".to_owned(), 12_000_000);
                    board.nics = vec![crate::telemetry::NicSample {
                        name,
                        rx_bytes,
                        speed_mbit: Some(100),
                        ..crate::telemetry::NicSample::default()
                    }];
                });
            },
            LimitedBy::Link,
            "97 % of the 100 Mbit/s that the board's end0 has",
        ),
        (
            "full by what was typed",
            |report| {
                local(report);
                link(report, |link| link.said_mbit = Some(10.0));
                report.series.iter_mut().for_each(|row| row.bytes = 1_180_000);
            },
            LimitedBy::Link,
            "of the 10 Mbit/s of --link-speed",
        ),
        (
            "slower than its device says",
            |report| nic(report, 11_900_000),
            LimitedBy::Link,
            "it looks like a 100 Mbit/s link",
        ),
        (
            "of unknown speed",
            |report| {
                nic(report, 11_900_000);
                link(report, |link| link.speed_mbit = None);
            },
            LimitedBy::Link,
            "it looks like a 100 Mbit/s link",
        ),
        (
            "upwards",
            |report| {
                link(report, |link| (link.device, link.speed_mbit) = (None, None));
                report.series.iter_mut().for_each(|row| row.sent_bytes = 11_750_000);
            },
            LimitedBy::Link,
            "94.0 Mbit/s of HTTP towards the server, about 99.8 with headers, even from second to second",
        ),
        (
            "a proxy on loopback",
            |report| {
                local(report);
                report.series.iter_mut().for_each(|row| row.bytes = 1_220_000);
                report.bytes = 12_200_000;
                report.requests = 190;
            },
            LimitedBy::Link,
            "it looks like a 10 Mbit/s link",
        ),
        (
            "before busy cores, when its speed is known",
            |report| {
                nic(report, 119_000_000);
                fill(report);
            },
            LimitedBy::Link,
            "97 %",
        ),
    ]);
}

#[test]
fn what_only_looks_like_a_full_link() {
    holds(&[
        (
            "a rate that goes up and down",
            |report| {
                nic(report, 11_900_000);
                for row in report.series.iter_mut().step_by(2) {
                    row.bytes = row.bytes * 8 / 10;
                }
            },
            LimitedBy::TooLittleLoad,
            "",
        ),
        (
            "an even rate of busy cores",
            |report| {
                nic(report, 11_900_000);
                fill(report);
            },
            LimitedBy::AllCores,
            "",
        ),
        (
            "an offered rate that is met",
            |report| {
                nic(report, 11_900_000);
                open(report);
            },
            LimitedBy::Nothing,
            "",
        ),
        (
            "small answers on loopback",
            |report| {
                local(report);
                report.series.iter_mut().for_each(|row| row.bytes = 1_220_000);
            },
            LimitedBy::TooLittleLoad,
            "",
        ),
    ]);
    let mut unknown = run(10);
    link(&mut unknown, |link| link.speed_mbit = None);
    let verdict = Verdict::of(&unknown);
    assert_eq!(verdict.candidate(LimitedBy::Link).map(|link| link.state), Some(State::Unknown));
    assert!(verdict.missing.iter().any(|line| line.contains("--link-speed")), "{:?}", verdict.missing);
}

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
    let mut set = run(3);
    each_board(&mut set, |_, board| board.clocks = clock(912_000));
    let verdict = Verdict::of(&set);
    let said = verdict.candidate(LimitedBy::Clock).map(|clock| clock.evidence.as_str());
    assert_eq!(
        said,
        Some("set to at most 912 of 1368 MHz, 67 % of it, and not lowered further; 50 °C at most")
    );
}

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
                each_board(report, |_, board| (board.cores, board.server) = (cores(&[0.001, 0.0]), None))
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

use crate::board::CoreLoad;

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
