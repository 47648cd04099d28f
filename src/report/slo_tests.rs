//! Tests of SLOs: what is one, and what keeps to it.

use std::time::Duration;

use super::super::{EncodedHistogram, OpenLoop};
use super::*;
use crate::load::ErrorCounts;

#[test]
fn an_slo_prints_as_it_reads() {
    for text in ["p99<50ms,errors<0.1%", "p99.9<200ms,max<1s,errors<5%", "p50<500us,errors<100%"] {
        assert_eq!(text.parse::<Slo>().unwrap().to_string(), text);
    }
    assert_eq!(" p99 < 50ms ".parse::<Slo>().unwrap().to_string(), "p99<50ms,errors<0.1%");
    assert_eq!("p90<0.1s".parse::<Slo>().unwrap().0[0], {
        Bound::Latency { percent: 90.0, below: Span(Duration::from_millis(100)) }
    });
    let bad =
        ["", "p99", "p99<", "p99<50", "p99<0ms", "p99>50ms", "p0<1ms", "p100<1ms", "pmax<1s", "mean<1ms"];
    for text in
        bad.into_iter().chain(["errors<0%", "errors<1", "errors<101%", "p99<50ms,", "p99<50ms;max<1s"])
    {
        assert!(text.parse::<Slo>().is_err(), "{text}");
    }
}

/// A run in an open loop: latencies in milliseconds by status, those of requests that timed out, and how many never ended.
fn run(statuses: &[(&str, &[u64])], timed_out: &[u64], unanswered: u64) -> RunReport {
    let histogram = |times: &[u64]| {
        let mut histogram = LatencyHistogram::new();
        for ms in times {
            histogram.record(ms * 1_000_000);
        }
        histogram
    };
    let mut run = RunReport::default();
    for (status, times) in statuses {
        let latency = EncodedHistogram::of(&histogram(times));
        run.histograms.statuses.insert((*status).to_owned(), EncodedStatus { latency, after_end: 0 });
        run.requests += times.len() as u64;
        let refused = status.parse::<u16>().is_ok_and(|status| status >= 400);
        run.errors = ErrorCounts {
            status: run.errors.status + if refused { times.len() as u64 } else { 0 },
            ..run.errors
        };
    }
    run.histograms.timed_out = EncodedHistogram::of(&histogram(timed_out));
    run.failed = timed_out.len() as u64;
    let arrivals = run.requests + run.failed + unanswered;
    run.open_loop = Some(OpenLoop { arrivals, unanswered, ..OpenLoop::default() });
    run
}

fn broken(slo: &str, run: &RunReport) -> String {
    let report = SloReport::of(&slo.parse().unwrap(), run).unwrap();
    assert_eq!(report.met, report.broken().count() == 0);
    report.broken().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

#[test]
fn a_run_is_held_against_each_bound() {
    let times: Vec<u64> = (1..=100).collect();
    let good = run(&[("200", &times)], &[], 0);
    assert_eq!(broken("p50<51ms,p99<100ms,max<101ms", &good), "");
    assert_eq!(broken("p50<49ms,p99<100ms", &good), "p50 50.00ms");
    assert_eq!(broken("max<100ms", &good), "max 100.01ms");
}

#[test]
fn refusals_are_errors_and_their_speed_is_worth_nothing() {
    let refused = run(&[("200", &[40; 99]), ("503", &[1])], &[], 0);
    assert_eq!(broken("p50<41ms", &refused), "errors 1.000%");
    assert_eq!(broken("p50<30ms,errors<2%", &refused), "p50 40.01ms");
    let only = run(&[("503", &[1; 100])], &[], 0);
    assert_eq!(broken("p99<50ms,errors<100%", &only), "p99 never answered; errors 100.000%");
}

#[test]
fn what_is_not_answered_took_longer_than_any_bound() {
    let late = run(&[("200", &[1; 98])], &[2_000], 1);
    assert_eq!(broken("p98<10ms,errors<3%", &late), "");
    assert_eq!(broken("p99<10ms,errors<3%", &late), "p99 2.00s");
    assert_eq!(broken("max<1h,errors<3%", &late), "max never answered");
    assert_eq!(broken("p50<1s", &RunReport::default()), "p50 never answered; nothing was asked");
}

#[test]
fn what_is_under_way_at_the_end_of_a_closed_loop_is_no_error() {
    let mut closed = run(&[("200", &[1; 100])], &[], 10);
    closed.open_loop = None;
    closed.unfinished = 10;
    assert_eq!(broken("max<10ms", &closed), "");
}
