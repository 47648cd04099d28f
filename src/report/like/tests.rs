//! Tests of the layouts: figures that the real tools printed give the text that they printed.

use super::super::{Answers, Connections, LatencyUs, Spread, StatusReport, TimesUs};
use super::*;
use crate::load::{ErrorCounts, FailureCounts};

fn connections(count: usize) -> Connections {
    Connections { asked: count, opened: count, ..Connections::default() }
}

fn empty() -> RunReport {
    RunReport { duration_s: 2.0, threads: 2, connections: connections(10), ..RunReport::default() }
}

fn url(text: &str) -> Url {
    text.parse().unwrap()
}

fn conditions<'a>(url: &'a Url, first: Option<&'a ProbeAnswer>) -> Conditions<'a> {
    Conditions { url, keep_alive: true, sent_body: false, first }
}

fn first(server: &str, body_bytes: u64) -> ProbeAnswer {
    ProbeAnswer {
        address: ([127, 0, 0, 1], 18231).into(),
        status: 200,
        head_bytes: 148,
        body_bytes,
        wire_bytes: 148 + body_bytes,
        fields: vec![("Server".to_owned(), server.to_owned())],
        keep_alive: true,
        connect_time: Duration::ZERO,
        answer_time: Duration::ZERO,
    }
}

/// Minimum, mean, deviation, median and maximum in milliseconds.
fn part(min: f64, mean: f64, stdev: f64, median: f64, max: f64) -> LatencyUs {
    let us = |ms: f64| Some(ms * 1000.0);
    LatencyUs {
        min: us(min),
        mean: us(mean),
        stdev: us(stdev),
        p50: us(median),
        max: us(max),
        ..LatencyUs::default()
    }
}

#[test]
fn wrks_layout() {
    let us = |us: f64| Some(us);
    let report = RunReport {
        requests: 59_813,
        duration_s: 1.1,
        bytes: 9_028_239,
        requests_per_s: 54_371.15,
        bytes_per_s: 8_210_350.0,
        latency_us: LatencyUs {
            mean: us(278.63),
            stdev: us(508.18),
            max: us(5270.0),
            within_stdev_percent: us(93.26),
            p50: us(139.0),
            p75: us(219.0),
            p90: us(386.0),
            p99: us(2930.0),
            ..LatencyUs::default()
        },
        thread_rate: Some(Spread {
            mean: 27_340.0,
            stdev: 4_560.0,
            max: 34_050.0,
            within_stdev_percent: 54.55,
        }),
        errors: ErrorCounts { connect: 1, read: 2, write: 3, timeout: 4, status: 62_112 },
        notes: vec!["not printed".to_owned()],
        ..empty()
    };
    let url = url("http://127.0.0.1:18231/json");
    assert_eq!(
        Like::Wrk.headline(Duration::from_secs(60), &url).unwrap(),
        "Running 1m test @ http://127.0.0.1:18231/json"
    );
    let expected = "  2 threads and 10 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency   278.63us  508.18us   5.27ms   93.26%
    Req/Sec    27.34k     4.56k   34.05k    54.55%
  Latency Distribution
     50%  139.00us
     75%  219.00us
     90%  386.00us
     99%    2.93ms
  59813 requests in 1.10s, 8.61MB read
  Socket errors: connect 1, read 2, write 3, timeout 4
  Non-2xx or 3xx responses: 62112
Requests/sec:  54371.15
Transfer/sec:      7.83MB
";
    assert_eq!(Like::Wrk.render(&report, &conditions(&url, None)), expected);
}

#[test]
fn abs_layout() {
    let total = LatencyUs {
        p66: Some(900.0),
        p75: Some(900.0),
        p80: Some(900.0),
        p90: Some(900.0),
        p95: Some(2400.0),
        p98: Some(4000.0),
        p99: Some(4000.0),
        ..part(0.3, 0.9, 0.5, 0.9, 4.0)
    };
    let report = RunReport {
        requests: 200,
        requests_per_s: 200.0 / 0.018_332,
        duration_s: 0.018_332,
        bytes: 34_600,
        bytes_per_s: 34_600.0 / 0.018_332,
        answers: Answers { body_bytes: 2_800, kept_alive: 200, ..Answers::default() },
        latency_us: part(0.3, 0.9, 0.5, 0.4, 4.0),
        times_us: TimesUs {
            connect: part(0.0, 0.1, 0.1, 0.0, 1.0),
            first_byte: part(0.3, 0.4, 0.5, 0.4, 3.0),
            total,
        },
        ..empty()
    };
    let (url, first) = (url("http://127.0.0.1:18231/nothing"), first("boardd", 14));
    let text = Like::Ab.render(&report, &conditions(&url, Some(&first)));
    let expected = "Server Software:        boardd
Server Hostname:        127.0.0.1
Server Port:            18231

Document Path:          /nothing
Document Length:        14 bytes

Concurrency Level:      10
Time taken for tests:   0.018 seconds
Complete requests:      200
Failed requests:        0
Non-2xx responses:      200
Keep-Alive requests:    200
Total transferred:      34600 bytes
HTML transferred:       2800 bytes
Requests per second:    10909.88 [#/sec] (mean)
Time per request:       0.917 [ms] (mean)
Time per request:       0.092 [ms] (mean, across all concurrent requests)
Transfer rate:          1843.17 [Kbytes/sec] received

Connection Times (ms)
              min  mean[+/-sd] median   max
Connect:        0    0   0.1      0       1
Processing:     0    1   0.5      0       4
Waiting:        0    0   0.5      0       3
Total:          0    1   0.5      1       4
WARNING: The median and mean for the processing time are not within a normal deviation
        These results are probably not that reliable.

Percentage of the requests served within a certain time (ms)
  50%      1
  66%      1
  75%      1
  80%      1
  90%      1
  95%      2
  98%      4
  99%      4
 100%      4 (longest request)
";
    assert_eq!(text, expected);
}

#[test]
fn ab_counts_failures_by_kind_and_what_was_sent() {
    let ok = StatusReport { count: 3, after_end: 0, latency_us: LatencyUs::default() };
    let report = RunReport {
        requests: 3,
        requests_per_s: 1.5,
        duration_s: 2.0,
        bytes: 2048,
        bytes_per_s: 1024.0,
        sent_bytes: 4096,
        classes: [("2xx".to_owned(), ok)].into(),
        errors: ErrorCounts { connect: 7, write: 2, ..ErrorCounts::default() },
        failed_by: FailureCounts {
            closed: 1,
            broken_off: 2,
            not_understood: 3,
            timed_out: 4,
            not_repeated: 5,
        },
        answers: Answers {
            shortest_body_bytes: Some(10),
            longest_body_bytes: Some(11),
            other_length: 2,
            ..Answers::default()
        },
        ..empty()
    };
    let (url, mut first) = (url("http://[::1]/"), first("boardd", 14));
    first.fields.clear();
    let conditions = Conditions { keep_alive: false, sent_body: true, ..conditions(&url, Some(&first)) };
    let text = Like::Ab.render(&report, &conditions);
    for lines in [
        "Server Software:        \nServer Hostname:        ::1\nServer Port:            80\n",
        "Failed requests:        19\n   (Connect: 7, Receive: 7, Length: 2, Exceptions: 3)\nWrite errors:           2\nTotal",
        "Total body sent:        4096\nHTML",
        "Transfer rate:          1.00 [Kbytes/sec] received\n                        2.00 kb/s sent\n                        \
         3.00 kb/s total\n\n",
    ] {
        assert!(text.contains(lines), "{lines} is not in {text}");
    }
}

#[test]
fn httpress_layout() {
    let report = RunReport {
        requests: 399,
        failed: 1,
        duration_s: 2.026_9,
        head_bytes: 412_921,
        answers: Answers { body_bytes: 22_399_461, ..Answers::default() },
        connections: Connections { connects: 400, served: 20, served_fairly: 19, ..connections(20) },
        ..empty()
    };
    let url = url("http://board/");
    let expected = "TOTALS:  400 connect, 400 requests, 399 success, 1 fail, 20 (19) real concurrency
TRAFFIC: 56139 avg bytes, 1034 avg overhead, 22399461 bytes, 412921 overhead
TIMING:  2.026 seconds, 196 rps, 10991 kbps, 101.6 ms avg req time
";
    assert_eq!(Like::Httpress.render(&report, &conditions(&url, None)), expected);
}

#[test]
fn nothing_finished_invents_no_number() {
    let url = url("http://board/");
    for like in [Like::Wrk, Like::Ab, Like::Httpress] {
        let text = like.render(&empty(), &conditions(&url, None));
        assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
        assert!(text.contains('-'), "{text}");
    }
    let ab = Like::Ab.render(&empty(), &conditions(&url, None));
    assert!(ab.ends_with("HTML transferred:       0 bytes\n"), "{ab}");
    assert!(ab.contains("Document Length:        - bytes\n"), "{ab}");
}

#[test]
fn layouts_are_asked_for_by_name() {
    for (name, like) in NAMES {
        assert_eq!((name.parse(), like.to_string()), (Ok(like), name.to_owned()));
    }
    assert_eq!("siege".parse::<Like>(), Err("must be one of wrk, ab, httpress".to_owned()));
}
