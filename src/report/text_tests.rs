//! Tests of the text report: wrk's layout to the column, and dashes where there is nothing.

use super::super::{Connections, Fairness, Spread};
use super::*;
use crate::load::ErrorCounts;

fn connections(count: usize) -> Connections {
    Connections { asked: count, opened: count, ..Connections::default() }
}

fn empty() -> RunReport {
    RunReport {
        url: "http://board/".to_owned(),
        duration_s: 2.0,
        threads: 2,
        connections: connections(10),
        unfinished: 10,
        ..RunReport::default()
    }
}

#[test]
fn the_block_is_laid_out_like_wrks() {
    let some = |us: f64| Some(us);
    let report = RunReport {
        requests: 22_464_657,
        requests_per_s: 748_868.53,
        duration_s: 30.0,
        bytes: 19_085_721_436,
        bytes_per_s: 636_190_720.0,
        latency_us: LatencyUs {
            mean: some(635.91),
            stdev: some(890.0),
            max: some(12_920.0),
            within_stdev_percent: some(93.69),
            p50: some(250.0),
            ..LatencyUs::default()
        },
        thread_rate: Some(Spread {
            mean: 56_200.0,
            stdev: 8_070.0,
            max: 62_000.0,
            within_stdev_percent: 86.54,
        }),
        threads: 12,
        connections: connections(400),
        errors: ErrorCounts { read: 3, status: 7, ..ErrorCounts::default() },
        fairness: Some(Fairness { slowest: 3, fastest: 9, worst_gap_ms: 12.5 }),
        ..empty()
    };
    let text = render(&report);
    let expected = "  12 threads and 400 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency   635.91us    0.89ms  12.92ms   93.69%
    Req/Sec    56.20k     8.07k   62.00k    86.54%
  22464657 requests in 30.00s, 17.77GB read
  Socket errors: connect 0, read 3, write 0, timeout 0
  Non-2xx or 3xx responses: 7
Requests/sec: 748868.53
Transfer/sec:    606.72MB
";
    assert!(text.starts_with(expected), "{text}");
    assert!(text.contains("\n  50%      0.250\n") && text.contains("Connections: 400 asked, 400 opened\n"));
}

#[test]
fn nothing_finished_is_dashes_and_never_nan() {
    let text = render(&empty());
    assert!(text.contains("  0 requests finished in 2.00s, 0.00B read\n"), "{text}");
    assert!(text.contains("    Latency        -         -        -"), "{text}");
    assert!(!text.contains("NaN") && !text.contains("inf"));
    assert!(text.contains(" 100%          - (longest request)\n"), "{text}");
}
