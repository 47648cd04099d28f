//! The laptop, and what is not its doing.

use super::super::super::Connections;
use super::super::super::hand::{cores, each_laptop, local, open, refuse};
use super::super::LimitedBy;
use super::{fill, holds};

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
