//! A run made by code: as a board gives it that gets hot.

use std::collections::BTreeMap;

use boardkit::board::CoreLoad;
use boardkit::load::LatencyHistogram;
use boardkit::report::{
    Candidate, ClientCpu, Connections, EncodedHistogram, EncodedStatus, Environment, ErrorCounts, Histograms,
    LatencyUs, LimitedBy, Mark, MarkKind, RowLatencyUs, RunReport, SeriesRow, Settings, State, StatusReport,
    Validity, Verdict,
};
use boardkit::telemetry::{ClockSample, Sample, ServerSample};

/// The second from which on the clock is capped.
pub(crate) const CAPPED_FROM: u32 = 30;

/// The second in which nothing is answered.
pub(crate) const SILENT: u32 = 12;

/// Numbers that look like chance and are the same each time.
pub(crate) struct Dice(u64);

impl Dice {
    /// From 0 to 1.
    pub(crate) fn roll(&mut self) -> f64 {
        // The multiplier and the addend of Knuth's MMIX.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f64 / f64::from(1 << 24)
    }
}

/// A run of `seconds` on a board of eight cores that gets hot: its clock is capped in the second half, one second has no
/// answers and a few have errors. `speed` is its share of a full board's rate.
pub(crate) fn hot(seconds: u32, speed: f64) -> RunReport {
    let mut dice = Dice(u64::from(seconds));
    let series: Vec<SeriesRow> = (0..seconds).map(|second| row(&mut dice, second, seconds, speed)).collect();
    let mut all = LatencyHistogram::new();
    let us = 800.0 / speed;
    for step in 0..200_000u64 {
        all.record(tail(&mut dice, us, step.is_multiple_of(2000)));
    }
    let requests = series.iter().map(|row| row.requests).sum();
    let latency_us = summary(&all);
    RunReport {
        form: RunReport::FORM.to_owned(),
        started_unix_s: 1_800_000_000.0,
        url: "http://orangepi.local:8080/json".to_owned(),
        duration_s: f64::from(seconds),
        requests,
        requests_per_s: requests as f64 / f64::from(seconds),
        bytes: requests * 149,
        bytes_per_s: requests as f64 * 149.0 / f64::from(seconds),
        latency_us,
        statuses: BTreeMap::from([(
            "200".to_owned(),
            StatusReport { count: requests, after_end: 0, latency_us },
        )]),
        threads: 2,
        connections: Connections { asked: 100, opened: 100, ..Connections::default() },
        errors: ErrorCounts { timeout: 14, read: 3, ..ErrorCounts::default() },
        failed: 17,
        client_cpu: ClientCpu { total_s: 31.2, per_request_us: Some(8.4) },
        notes: vec!["read: the server closed the connection before its answer was complete".to_owned()],
        settings: settings(seconds),
        series,
        verdict: Some(verdict()),
        validity: Some(validity()),
        histograms: Histograms {
            statuses: BTreeMap::from([(
                "200".to_owned(),
                EncodedStatus { latency: EncodedHistogram::of(&all), after_end: 0 },
            )]),
            ..Histograms::default()
        },
        environment: Environment {
            machine: "x86_64, 8 cores".to_owned(),
            kernel: "Linux 6.12.0".to_owned(),
            versions: BTreeMap::from([("boardctl".to_owned(), "0.1.0".to_owned())]),
            command: "boardctl load -c 100 -d 60s --json run.json http://orangepi.local:8080/json".to_owned(),
        },
        ..RunReport::default()
    }
}

/// A latency in nanoseconds: most near `us`, some far above.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "made-up nanoseconds")]
fn tail(dice: &mut Dice, us: f64, stall: bool) -> u64 {
    let spread = 0.6 + dice.roll() + 0.25 / (1.003 - dice.roll());
    (us * 1000.0 * if stall { 40.0 } else { spread }) as u64
}

fn summary(histogram: &LatencyHistogram) -> LatencyUs {
    let of = |percent| histogram.percentile_us(percent);
    LatencyUs {
        mean: histogram.summary().map(|summary| summary.mean),
        max: histogram.summary().map(|summary| summary.max),
        p50: of(50.0),
        p75: of(75.0),
        p90: of(90.0),
        p95: of(95.0),
        p99: of(99.0),
        p999: of(99.9),
        ..LatencyUs::default()
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "made-up counts")]
fn row(dice: &mut Dice, second: u32, seconds: u32, speed: f64) -> SeriesRow {
    let silent = second == SILENT;
    let capped = second >= CAPPED_FROM;
    let rate = if silent {
        0.0
    } else {
        speed * if capped { 9_100.0 } else { 13_400.0 } * (0.95 + 0.1 * dice.roll())
    };
    let us = 1200.0 / speed * if capped { 1.5 } else { 1.0 } * (0.95 + 0.1 * dice.roll());
    let stalled = second == SILENT + 1;
    let known = |us: f64| (!silent).then_some(us);
    let timeout = if matches!(second, 13 | 41) { 7 } else { 0 };
    SeriesRow {
        begin_s: f64::from(second),
        length_s: 1.0,
        requests: rate as u64,
        requests_per_s: rate,
        bytes: rate as u64 * 149,
        latency_us: RowLatencyUs {
            mean: known(us * 1.1),
            p50: known(us),
            p90: known(us * 1.8),
            p99: known(us * if stalled { 310.0 } else { 3.5 + dice.roll() }),
            p999: known(us * 8.0),
            max: known(us * 12.0),
        },
        errors: ErrorCounts { timeout, read: u64::from(second == 44) * 3, ..ErrorCounts::default() },
        failed: timeout,
        board: Some(board(dice, second, seconds, rate)),
        ..SeriesRow::default()
    }
}

fn board(dice: &mut Dice, second: u32, seconds: u32, rate: f64) -> Sample {
    let capped = second >= CAPPED_FROM;
    let mut load = |core: u32| {
        let (user, softirq) = match core {
            _ if rate == 0.0 => (0.01, 0.0),
            0 => (0.18, 0.62 + 0.2 * dice.roll()),
            1..4 => (0.35 + 0.2 * dice.roll(), 0.02),
            _ => (0.6 + 0.25 * dice.roll(), 0.03),
        };
        CoreLoad { user, softirq, system: 0.1 * user, idle: 0.9 - softirq - user, ..CoreLoad::default() }
    };
    let cap = if capped { 1_200_000 } else { 1_800_000 };
    let clock = |cpus: std::ops::Range<u32>, max: u64| ClockSample {
        cpus: cpus.collect(),
        cur_khz: Some(cap.min(max)),
        cap_khz: Some(cap.min(max)),
        max_khz: Some(max),
    };
    let progress = f64::from(second) / f64::from(seconds);
    Sample {
        interval_s: 1.0,
        cores: (0..8).map(|core| (core, load(core))).collect(),
        clocks: vec![clock(0..4, 1_800_000), clock(4..8, 1_600_000)],
        cpu_temp_c: Some(48.0 + 37.0 * progress.powf(0.5)),
        throttle_trip_c: Some(80.0),
        server: Some(ServerSample { name: "boardd".to_owned(), cores: 4.2, ..ServerSample::default() }),
        ..Sample::default()
    }
}

fn settings(seconds: u32) -> Settings {
    Settings {
        request: "GET /json".to_owned(),
        request_bytes: 70,
        connections: 100,
        threads: 2,
        requests: None,
        duration_s: f64::from(seconds),
        warmup_s: 3.0,
        timeout_s: 2.0,
        pipeline: 1,
        keep_alive: true,
        retry: true,
        rate: None,
        steps: None,
    }
}

fn verdict() -> Verdict {
    let candidate = |name, state, evidence: &str| Candidate { name, state, evidence: evidence.to_owned() };
    Verdict {
        limited_by: LimitedBy::Clock,
        headline: "the board's clock: capped at 1.2 of 1.8 GHz from second 30 on, while its cores were busy"
            .to_owned(),
        candidates: vec![
            candidate(
                LimitedBy::Laptop,
                State::Clear,
                "its busiest thread used 52 % of a core, no late starts",
            ),
            candidate(LimitedBy::Link, State::Clear, "16 of 1,000 Mbit/s"),
            candidate(LimitedBy::Clock, State::Limits, "capped for 30 of 60 s at 67 % of its maximum"),
            candidate(
                LimitedBy::Admission,
                State::Unknown,
                "no answer was a 503, and the server says nothing of it",
            ),
        ],
        missing: vec!["the firmware's throttle word: this board has none".to_owned()],
    }
}

fn validity() -> Validity {
    let mark = |kind, invalid, text: &str| Mark {
        kind,
        invalid,
        from_s: Some(30.0),
        to_s: Some(60.0),
        text: text.to_owned(),
    };
    Validity {
        valid: Some(false),
        marks: vec![
            mark(MarkKind::ClockCapped, true, "the clock was capped at 1.2 of 1.8 GHz"),
            mark(MarkKind::OtherProcess, false, "apt-get used 4 % of a core"),
        ],
        unknown: vec!["whether the supply dipped: this board does not say".to_owned()],
    }
}
