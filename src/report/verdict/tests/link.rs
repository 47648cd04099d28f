//! The link, and what only looks like a full one.

use super::super::super::hand::{each_board, local, open, run};
use super::super::super::{LinkReport, SeriesRow};
use super::super::{LimitedBy, RunReport, State, Verdict};
use super::{fill, holds};
use crate::telemetry::NicSample;

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
                    board.nics =
                        vec![NicSample { name, rx_bytes, speed_mbit: Some(100), ..NicSample::default() }];
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

/// The board's device of this name and speed carries what the laptop's does.
fn board_nic(report: &mut RunReport, name: &str, speed_mbit: Option<u32>) {
    each_board(report, |_, board| {
        let (name, tx_bytes) = (name.to_owned(), 1_000_000);
        board.nics = vec![NicSample { name, tx_bytes, speed_mbit, ..NicSample::default() }];
    });
}

/// What is done to a quiet run, what is then the limit, what the link is, and a part of the evidence for that.
type LinkStage = (&'static str, fn(&mut RunReport), LimitedBy, State, &'static str);

#[test]
fn a_link_with_an_end_of_unknown_speed_may_be_full() {
    let cases: &[LinkStage] = &[
        (
            "Wi-Fi of the laptop, and a board that does not say",
            |report| {
                nic(report, 3_300_000);
                link(report, |link| link.speed_mbit = None);
            },
            LimitedBy::Unknown,
            State::Unknown,
            "; the speed of eth0 is not known",
        ),
        (
            "Wi-Fi of the laptop, and a gigabit board",
            |report| {
                nic(report, 3_300_000);
                link(report, |link| (link.device, link.speed_mbit) = (Some("wlan0".to_owned()), None));
                board_nic(report, "end0", Some(1000));
            },
            LimitedBy::Unknown,
            State::Unknown,
            "3 % of the 1000 Mbit/s that the board's end0 has; the speed of wlan0 is not known",
        ),
        (
            "Wi-Fi of the board, and a gigabit laptop",
            |report| {
                nic(report, 3_300_000);
                board_nic(report, "wlan0", None);
            },
            LimitedBy::Unknown,
            State::Unknown,
            "the speed of the board's wlan0 is not known",
        ),
        (
            "a tunnel that says 10 Mbit/s and carries more",
            |report| {
                nic(report, 7_500_000);
                link(report, |link| (link.device, link.speed_mbit) = (Some("tun0".to_owned()), Some(10.0)));
            },
            LimitedBy::Unknown,
            State::Unknown,
            "; the speed of tun0 is not known",
        ),
        (
            "a tunnel to another machine",
            |report| {
                link(report, |link| {
                    (link.device, link.speed_mbit, link.loopback) = (Some("lo".to_owned()), None, true);
                });
            },
            LimitedBy::Unknown,
            State::Unknown,
            "the speed of lo is not known",
        ),
        (
            "Wi-Fi whose speed was typed",
            |report| {
                nic(report, 3_300_000);
                link(report, |link| (link.speed_mbit, link.said_mbit) = (None, Some(60.0)));
                board_nic(report, "wlan0", None);
            },
            LimitedBy::TooLittleLoad,
            State::Clear,
            "of the 60 Mbit/s of --link-speed",
        ),
        (
            "both ends known",
            |report| {
                nic(report, 3_300_000);
                board_nic(report, "end0", Some(100));
            },
            LimitedBy::TooLittleLoad,
            State::Clear,
            "27 % of the 100 Mbit/s that the board's end0 has",
        ),
        (
            "both directions in turns",
            |report| {
                link(report, |link| (link.speed_mbit, link.half_duplex) = (Some(100.0), Some(true)));
                for row in &mut report.series {
                    let nic = row.laptop.as_mut().expect("watched").nics.first_mut().expect("eth0");
                    (nic.rx_bytes, nic.tx_bytes) = (7_000_000, 5_000_000);
                }
            },
            LimitedBy::Link,
            State::Limits,
            "98 % of the 100 Mbit/s that eth0 has (half duplex: both directions together)",
        ),
    ];
    for (name, change, limited_by, state, says) in cases {
        let mut report = run(10);
        change(&mut report);
        let verdict = Verdict::of(&report);
        assert_eq!(verdict.limited_by, *limited_by, "{name}: {}", verdict.render());
        let link = verdict.candidate(LimitedBy::Link).expect("a candidate");
        assert_eq!(link.state, *state, "{name}: {}", verdict.render());
        assert!(link.evidence.contains(says), "{name}: {}", verdict.render());
        let advised = verdict.headline.contains("--link-speed");
        assert_eq!(advised, *limited_by == LimitedBy::Unknown, "{name}: {}", verdict.headline);
    }
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
