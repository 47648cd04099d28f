//! Sums of made-up runs: exact, whatever the order, and refused where they would mean nothing.

use super::super::{
    ClientCpu, Connections, EncodedHistogram, EncodedStatus, Environment, Histograms, LatencyUs,
    RowLatencyUs, SeriesRow, Settings,
};
use super::*;
use crate::load::LatencyHistogram;

mod any_order;
mod left_out;
mod open_loops;

/// A moment in this century.
const T: f64 = 1_700_000_000.0;

fn histogram(times: impl IntoIterator<Item = u64>) -> LatencyHistogram {
    let mut histogram = LatencyHistogram::new();
    times.into_iter().for_each(|us| histogram.record(us * 1000));
    histogram
}

/// A run of so many seconds from `start` on, each with its latencies in microseconds; every seventh answer is a 503.
fn run(start: f64, seconds: &[Vec<u64>]) -> RunReport {
    let all: Vec<u64> = seconds.iter().flatten().copied().collect();
    let of = |refused: bool| {
        let own = all.iter().enumerate().filter(move |(at, _)| (at % 7 == 6) == refused);
        EncodedStatus { latency: EncodedHistogram::of(&histogram(own.map(|(_, us)| *us))), after_end: 1 }
    };
    let row = |(second, times): (usize, &Vec<u64>)| {
        let latency = histogram(times.iter().copied());
        SeriesRow {
            begin_s: second as f64,
            length_s: 1.0,
            requests: times.len() as u64,
            requests_per_s: times.len() as f64,
            latency_us: RowLatencyUs::of(&latency),
            histogram: EncodedHistogram::of(&latency),
            client_cores: 0.25,
            ..SeriesRow::default()
        }
    };
    let mut run = RunReport {
        form: RunReport::FORM.to_owned(),
        started_unix_s: start,
        url: "http://board/x".to_owned(),
        duration_s: seconds.len() as f64,
        requests: all.len() as u64,
        bytes: 100,
        threads: 2,
        connections: Connections { asked: 10, opened: 9, ..Connections::default() },
        client_cpu: ClientCpu { total_s: 0.1, per_request_us: None },
        settings: Settings {
            request: "GET /x".to_owned(),
            connections: 10,
            threads: 2,
            ..Settings::default()
        },
        series: seconds.iter().enumerate().map(row).collect(),
        histograms: Histograms {
            statuses: [("200".to_owned(), of(false)), ("503".to_owned(), of(true))].into(),
            timed_out: EncodedHistogram::of(&histogram([2_000_000])),
            ..Histograms::default()
        },
        environment: Environment { machine: format!("laptop {start}"), ..Environment::default() },
        notes: vec![format!("a note of {start}")],
        ..RunReport::default()
    };
    (run.errors.status, run.errors.timeout, run.failed, run.failed_by.timed_out) = (3, 1, 1, 1);
    run
}

/// Latencies that differ from one seed to the next.
fn seconds(seed: u64, count: u64) -> Vec<Vec<u64>> {
    let time = |second: u64, at: u64| 50 + (seed * 977 + second * 131 + at * at * 17) % 9_000;
    (0..count).map(|second| (0..20 + seed % 7 + second).map(|at| time(second, at)).collect()).collect()
}

fn merged(parts: &[(&str, &RunReport)], allow: Allow) -> Result<RunReport, MergeError> {
    let parts: Vec<_> = parts.iter().map(|(name, run)| Part { name, run }).collect();
    RunReport::merged(&parts, allow, "boardctl merge")
}

fn sum(parts: &[(&str, &RunReport)]) -> RunReport {
    merged(parts, Allow::default()).unwrap()
}

#[test]
fn percentiles_are_those_of_all_requests() {
    let (one, other) = (run(T, &seconds(1, 3)), run(T + 0.4, &seconds(2, 3)));
    let both = sum(&[("a", &one), ("b", &other)]);
    let all = seconds(1, 3).into_iter().chain(seconds(2, 3)).flatten();
    let all = histogram(all.chain([2_000_000, 2_000_000]));
    assert_eq!(both.latency_us, LatencyUs::of(&all));
    assert_eq!(both.histograms.latency().unwrap(), all);
    assert_eq!((both.requests, both.bytes, both.threads), (one.requests + other.requests, 200, 4));
    assert_eq!((both.connections.asked, both.connections.opened, both.settings.connections), (20, 18, 20));
    assert_eq!((both.errors.status, both.failed, both.failed_by.timed_out), (6, 2, 2));
    let by_status: u64 = both.statuses.values().map(|status| status.count).sum();
    assert_eq!((by_status, both.classes["5xx"].after_end), (both.requests, 2));
}

#[test]
fn the_order_does_not_matter_nor_what_is_a_sum_already() {
    let runs = [run(T + 0.3, &seconds(1, 4)), run(T + 1.6, &seconds(2, 3)), run(T + 0.9, &seconds(3, 5))];
    let [a, b, c] = [("a", &runs[0]), ("b", &runs[1]), ("c", &runs[2])];
    let all = sum(&[a, b, c]);
    assert_eq!(sum(&[("ab", &sum(&[a, b])), c]), all);
    assert_eq!(sum(&[a, ("bc", &sum(&[b, c]))]), all);
    assert_eq!(sum(&[c, ("ba", &sum(&[b, a]))]), all);
    // As they come back from files.
    let text = serde_json::to_string(&sum(&[b, c])).unwrap();
    let again: RunReport = serde_json::from_str(&text).unwrap();
    assert_eq!(sum(&[("bc", &again), a]), all);
    assert_eq!(all.merged.as_ref().unwrap().runs.len(), 3);
}

#[test]
fn rates_are_over_the_time_in_which_any_measured() {
    // From 0 to 4 s and from 1.4 to 6.4 s.
    let (one, other) = (run(T, &seconds(1, 4)), run(T + 1.4, &seconds(2, 5)));
    let both = sum(&[("a", &one), ("b", &other)]);
    assert!((both.duration_s - 6.4).abs() < 1e-6, "{}", both.duration_s);
    // Two of each came after the end.
    assert!((both.requests_per_s - (both.requests - 4) as f64 / 6.4).abs() < 1e-3);
    let rows: Vec<_> = both.series.iter().map(|row| (row.begin_s, row.requests)).collect();
    let of = |run: &RunReport, second: usize| run.series[second].requests;
    let expected =
        [of(&one, 0), of(&one, 1) + of(&other, 0), of(&one, 2) + of(&other, 1), of(&one, 3) + of(&other, 2)];
    assert_eq!(rows[..4], [0.0, 1.0, 2.0, 3.0].into_iter().zip(expected).collect::<Vec<_>>());
    assert_eq!(rows.iter().map(|row| row.1).sum::<u64>(), both.requests);
    assert_eq!(both.series[1].client_cores, 0.5);
    let together = both.merged.unwrap().together.unwrap();
    assert_eq!((together.started_unix_s, together.length_s), (T + 1.0, 3.0));
    assert_eq!(together.requests_per_s, expected[1..].iter().sum::<u64>() as f64 / 3.0);
    assert!(both.notes[0].contains(" 3 s at the same time"), "{:?}", both.notes);
}

#[test]
fn runs_one_after_the_other_are_added_only_where_that_is_meant() {
    let (one, other) = (run(T, &seconds(1, 3)), run(T + 10.0, &seconds(2, 3)));
    let error = merged(&[("a", &one), ("b", &other)], Allow::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a was over 7.0 s before b began: --sequential adds runs that were made one after the other"
    );
    let allow = Allow { sequential: true, ..Allow::default() };
    let both = merged(&[("a", &one), ("b", &other)], allow).unwrap();
    assert_eq!((both.duration_s, both.settings.connections), (6.0, 10));
    let found = both.merged.unwrap();
    assert_eq!((found.sequential, found.together), (true, None));
    // A third one in between does not make them one.
    let third = run(T + 2.0, &seconds(3, 5));
    assert!(merged(&[("a", &one), ("c", &third), ("b", &other)], Allow::default()).is_err());
    let bridge = run(T + 2.0, &seconds(3, 9));
    assert!(merged(&[("b", &other), ("a", &one), ("c", &bridge)], Allow::default()).is_ok());
}

#[test]
fn the_same_run_twice_is_refused_also_within_a_sum() {
    let (one, other) = (run(T, &seconds(1, 3)), run(T + 1.0, &seconds(2, 3)));
    let twice = |parts: &[(&str, &RunReport)]| merged(parts, Allow::default()).unwrap_err().to_string();
    assert_eq!(
        twice(&[("a", &one), ("copy", &one)]),
        "a and copy are the same run: it would be counted twice"
    );
    let both = sum(&[("a", &one), ("b", &other)]);
    assert_eq!(
        twice(&[("ab", &both), ("copy", &other)]),
        "b and copy are the same run: it would be counted twice"
    );
    assert!(twice(&[("a", &one)]).contains("two or more"));
    let timeless = RunReport { started_unix_s: 0.0, ..run(T, &seconds(4, 3)) };
    assert!(twice(&[("a", &one), ("old", &timeless)]).starts_with("old does not say when"));
}

#[test]
fn runs_that_were_not_asked_for_the_same_are_refused() {
    let one = run(T, &seconds(1, 3));
    type Change = fn(&mut RunReport);
    let changes: [(Change, &str); 7] = [
        (
            |run| run.url = "http://board/y".to_owned(),
            "a and b differ in the URL (http://board/x and http://board/y)",
        ),
        (|run| run.settings.request = "PUT /x".to_owned(), "the request (GET /x and PUT /x)"),
        (|run| run.settings.pipeline = 4, "--pipeline"),
        (|run| run.settings.keep_alive = true, "keeping connections (no and yes)"),
        (|run| run.settings.timeout_s = 9.0, "--timeout (0 s and 9 s)"),
        (|run| run.settings.rate = Some("100".to_owned()), "being an open loop (no and yes)"),
        (
            |run| {
                run.settings.steps = Some(2);
            },
            "being a ramp",
        ),
    ];
    for (change, said) in changes {
        let mut other = run(T + 0.5, &seconds(2, 3));
        change(&mut other);
        let error = merged(&[("a", &one), ("b", &other)], Allow::default()).unwrap_err().to_string();
        assert!(error.contains(said) && error.ends_with("--force adds them all the same"), "{error}");
        assert!(merged(&[("a", &one), ("b", &other)], Allow { different: true, ..Allow::default() }).is_ok());
    }
    // More connections and threads, and a longer run, are no difference.
    let mut other = run(T + 0.5, &seconds(2, 9));
    (other.settings.connections, other.settings.threads) = (50, 8);
    assert!(merged(&[("a", &one), ("b", &other)], Allow::default()).is_ok());
}

#[test]
fn notes_say_of_which_run_they_are_and_what_was_stopped_is_marked() {
    let one = RunReport { partial: true, ..run(T, &seconds(1, 3)) };
    let other = run(T + 0.5, &seconds(2, 3));
    let both = sum(&[("b", &other), ("a", &one)]);
    assert!(both.partial);
    let said = [
        "a: stopped before its time".to_owned(),
        format!("a: a note of {T}"),
        format!("b: a note of {}", T + 0.5),
    ];
    assert_eq!(both.notes[1..], said);
    assert_eq!(both.environment.machine, format!("laptop {T}; laptop {}", T + 0.5));
    assert_eq!((both.verdict, both.thread_rate), (None, None));
}
