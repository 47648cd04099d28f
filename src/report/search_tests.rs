//! Tests of what is said of a search: whose fault a broken probe was, and the result in words.

use super::super::OpenLoop;
use super::*;

/// A run of 1,000 arrivals, and its one bound of 50 ms: found in milliseconds, `None` for never; the client's own delay.
fn probe(rate: f64, found: Option<f64>, delay: f64, late: u64, waited: u64) -> ProbeReport {
    let us = |ms: f64| ms * 1000.0;
    let bound = BoundReport {
        bound: "p99<50ms".to_owned(),
        met: found.is_some_and(|ms| ms < 50.0),
        limit_us: Some(us(50.0)),
        found_us: found.map(us),
        late_us: Some(us(delay)),
        found_percent: None,
    };
    let slo = SloReport { asked: "p99<50ms".to_owned(), met: bound.met, bounds: vec![bound] };
    let open = OpenLoop { arrivals: 1000, late, waited, ..OpenLoop::default() };
    ProbeReport::new(rate, &RunReport { open_loop: Some(open), ..RunReport::default() }, &slo)
}

#[test]
fn the_load_tester_is_at_fault_only_where_its_own_delay_explains_it() {
    let result = |found, delay, late, waited| probe(100.0, found, delay, late, waited).result;
    assert_eq!(result(Some(40.0), 0.1, 0, 0), Tried::Held);
    // Held in spite of it.
    assert_eq!(result(Some(40.0), 30.0, 900, 0), Tried::Held);
    assert_eq!(result(Some(60.0), 0.1, 0, 0), Tried::Broke);
    assert_eq!(result(Some(60.0), 20.0, 500, 0), Tried::Late);
    // Without the 20 ms it would still be 80.
    assert_eq!(result(Some(100.0), 20.0, 500, 0), Tried::Broke);
    // A few late starts explain nothing.
    assert_eq!(result(Some(60.0), 20.0, 10, 0), Tried::Broke);
    assert_eq!(result(None, 900.0, 900, 0), Tried::Late);
    assert_eq!(result(None, 20.0, 50, 900), Tried::Broke);
}

#[test]
fn a_load_tester_at_its_limit_says_nothing_of_the_server() {
    let verdict = crate::report::Verdict { limited_by: LimitedBy::Laptop, ..Default::default() };
    for (limit, expected) in [(Some(verdict), Tried::Late), (None, Tried::Broke)] {
        let slo = SloReport { met: false, ..SloReport::default() };
        // Its queue looks like the server's: arrivals that waited for connections.
        let open = OpenLoop { arrivals: 1000, waited: 900, ..OpenLoop::default() };
        let run = RunReport { open_loop: Some(open), verdict: limit, ..RunReport::default() };
        assert_eq!(ProbeReport::new(100.0, &run, &slo).result, expected);
    }
}

fn found(probes: &[ProbeReport]) -> SearchReport {
    let mut search = Search::new();
    for probe in probes {
        search.add(probe.rate, probe.result);
    }
    SearchReport::new("p99<50ms".to_owned(), &search, probes)
}

#[test]
fn the_result_says_what_is_known() {
    let held = |rate| probe(rate, Some(10.0), 0.1, 0, 0);
    let broke = |rate| probe(rate, Some(90.0), 0.1, 0, 600);
    let late = |rate| probe(rate, Some(90.0), 80.0, 900, 0);
    let said = |probes: &[ProbeReport]| found(probes).render();

    let text = said(&[held(100.0), held(200.0), held(200.0), broke(400.0), broke(400.0), broke(400.0)]);
    assert!(
        text.starts_with("Highest rate with p99<50ms: between 200/s, which held, and 400/s, which did not"),
        "{text}"
    );
    assert!(
        text.contains("\nWhat broke there: p99<50ms 3x\n") && text.contains("more connections (-c)"),
        "{text}"
    );

    let text = said(&[held(100.0), held(200.0), held(200.0), late(400.0), late(400.0)]);
    assert!(text.contains(": at least 200/s; above it this machine had no time"), "{text}");
    assert!(text.contains("\nNote: 2 probes broke while this machine was late itself"), "{text}");

    assert!(said(&[broke(100.0), broke(50.0)]).contains(": none; not even 50/s held"));
    let text = said(&[held(100.0), broke(200.0)]);
    assert!(text.contains(": not known; 100/s held, 200/s broke, in too few tries to be sure"), "{text}");
    assert!(found(&[]).holds.is_none());
}

#[test]
fn rows_stand_under_their_titles() {
    let row = probe(3200.0, Some(61.25), 0.1, 0, 0).to_string();
    let column = |text: &str, word: &str| text.find(word).map(|at| at + word.len());
    assert_eq!(column(&row, "3200"), column(&probe_titles(), "rate/s"));
    assert!(row.ends_with("  p99 61.25ms"), "{row}");
}

#[test]
fn what_was_sent_and_refused_is_the_servers_whoever_was_late() {
    let errors = BoundReport {
        bound: "errors<0.1%".to_owned(),
        met: false,
        found_percent: Some(5.0),
        ..BoundReport::default()
    };
    let slo = SloReport { asked: "errors<0.1%".to_owned(), met: false, bounds: vec![errors] };
    let result = |refused: u64, unsent: u64| {
        let open = OpenLoop { arrivals: 1000, late: 300, unsent, unanswered: unsent, ..OpenLoop::default() };
        let errors = crate::load::ErrorCounts { status: refused, ..Default::default() };
        ProbeReport::new(1.0, &RunReport { open_loop: Some(open), errors, ..RunReport::default() }, &slo)
            .result
    };
    assert_eq!((result(50, 0), result(0, 50)), (Tried::Broke, Tried::Late));
}
