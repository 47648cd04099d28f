//! What is of one run, and so not of a sum.

use super::super::super::{
    SearchReport, SloReport, SoakReport, Spread, TelemetryReport, TimesUs, Validity, Verdict, hand,
};
use super::*;

/// A run of which all is known.
fn judged(start: f64, url: &str) -> RunReport {
    let mut run = RunReport { url: url.to_owned(), ..run(start, &seconds(1, 3)) };
    run.telemetry = Some(TelemetryReport { local: true, ..TelemetryReport::default() });
    run.slo = Some(SloReport::default());
    run.search = Some(SearchReport::default());
    run.soak = Some(SoakReport::default());
    run.thread_rate = Spread::of(&[10.0, 20.0]);
    run.times_us.total.max = Some(7.0);
    (run.verdict, run.validity) = (Some(Verdict::default()), Some(Validity::default()));
    for (row, seen) in run.series.iter_mut().zip(hand::run(3).series) {
        (row.laptop, row.board) = (seen.laptop, seen.board);
    }
    run
}

#[test]
fn nothing_of_one_run_is_said_of_the_sum() {
    let parts = [judged(T, "http://board/x"), judged(T + 0.25, "http://board/x")];
    let both = sum(&[("a", &parts[0]), ("b", &parts[1])]);
    assert_eq!((&both.verdict, &both.validity, &both.telemetry), (&None, &None, &None));
    assert_eq!((&both.slo, &both.search, &both.soak, &both.preset), (&None, &None, &None, &None));
    assert_eq!((&both.thread_rate, both.times_us), (&None, TimesUs::default()));
    assert!(both.series.iter().all(|row| row.laptop.is_none() && row.board.is_some()));
}

#[test]
fn boards_are_kept_apart() {
    let parts = [judged(T, "http://board/x"), judged(T + 0.25, "http://other/x")];
    let force = Allow { different: true, ..Allow::default() };
    let both = merged(&[("a", &parts[0]), ("b", &parts[1])], force).unwrap();
    assert!(both.series.iter().all(|row| row.board.is_none()));
    assert_eq!(both.url, "http://board/x; http://other/x");
    assert_eq!(both.notes[1], "the runs differ in the URL (http://board/x; http://other/x)");
}

#[test]
fn of_the_samples_of_one_board_it_is_the_later_one() {
    let mut parts = [judged(T, "http://board/x"), judged(T + 0.25, "http://board/x")];
    for (run, uptime_s) in parts.iter_mut().zip([20.0, 10.0]) {
        run.series[0].board.as_mut().unwrap().uptime_s = Some(uptime_s);
    }
    let [a, b] = [("a", &parts[0]), ("b", &parts[1])];
    for both in [sum(&[a, b]), sum(&[b, a])] {
        assert_eq!(both.series[0].board.as_ref().unwrap().uptime_s, Some(20.0));
    }
}

#[test]
fn requests_that_were_asked_for_are_those_of_all_or_unknown() {
    let mut parts = [run(T, &seconds(1, 3)), run(T + 0.25, &seconds(2, 3))];
    (parts[0].settings.requests, parts[1].settings.requests) = (Some(100), Some(50));
    let asked = |parts: &[RunReport; 2]| sum(&[("a", &parts[0]), ("b", &parts[1])]).settings.requests;
    assert_eq!(asked(&parts), Some(150));
    parts[1].settings.requests = None;
    assert_eq!(asked(&parts), None);
}

#[test]
fn the_settings_are_what_was_asked_for_at_a_time_at_most() {
    let parts = [run(T, &seconds(1, 3)), run(T + 2.0, &seconds(2, 3)), run(T + 4.0, &seconds(3, 3))];
    let all = sum(&[("a", &parts[0]), ("b", &parts[1]), ("c", &parts[2])]);
    assert_eq!((all.settings.connections, all.settings.threads, all.connections.asked), (20, 4, 30));
}

#[test]
fn the_neediest_thread_is_that_of_all() {
    let mut parts = [run(T, &seconds(1, 3)), run(T + 0.25, &seconds(2, 3))];
    for (run, shares) in parts.iter_mut().zip([[Some(0.25), Some(0.75), None], [Some(0.5), None, None]]) {
        let rows = run.series.iter_mut().zip(shares);
        rows.for_each(|(row, share)| row.client_neediest_thread = share);
    }
    let both = sum(&[("a", &parts[0]), ("b", &parts[1])]);
    let found: Vec<_> = both.series.iter().map(|row| row.client_neediest_thread).collect();
    assert_eq!(found, [Some(0.5), Some(0.75), None]);
}

#[test]
fn versions_are_those_of_all() {
    let mut parts = [run(T, &seconds(1, 3)), run(T + 0.25, &seconds(2, 3))];
    for (run, version) in parts.iter_mut().zip(["1.1", "1.0"]) {
        run.environment.versions = [("boardctl".to_owned(), version.to_owned())].into();
    }
    let both = sum(&[("a", &parts[0]), ("b", &parts[1])]);
    assert_eq!(both.environment.versions["boardctl"], "1.0; 1.1");
}
