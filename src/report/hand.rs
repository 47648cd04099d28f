//! Runs made by hand for the tests of those who judge them.

use std::collections::BTreeMap;

use super::{
    Connections, LatencyUs, LinkReport, OpenLoop, RunReport, SeriesRow, StatusReport, TelemetryReport,
};
use crate::board::CoreLoad;
use crate::telemetry::{ClockSample, NicSample, ProcessSample, Sample, ServerSample, SwapSample, TcpSample};

/// A core with this share of its time at work for programs.
pub(super) fn busy(user: f64) -> CoreLoad {
    CoreLoad { user, idle: 1.0 - user, ..CoreLoad::default() }
}

/// Cores from 0 on with these shares.
pub(super) fn cores(shares: &[f64]) -> BTreeMap<u32, CoreLoad> {
    (0..).zip(shares.iter().map(|share| busy(*share))).collect()
}

/// The board is a Raspberry Pi with a kernel that says nothing of its throttle word.
pub(super) fn raspberry_pi(report: &mut RunReport) {
    let facts = serde_json::json!({"model": "Raspberry Pi 4 Model B Rev 1.4"});
    report.telemetry.get_or_insert_default().board = Some(facts);
    each_board(report, |_, board| {
        (board.cpu_temp_c, board.cooling_state, board.throttle_trip_c) = (Some(85.0), None, None);
    });
}

/// The clock of all four cores.
pub(super) fn clock(cap_khz: u64) -> Vec<ClockSample> {
    let (cur_khz, max_khz) = (Some(cap_khz), Some(1_368_000));
    vec![ClockSample { cpus: vec![0, 1, 2, 3], cur_khz, cap_khz: Some(cap_khz), max_khz }]
}

/// A program beside the server.
pub(super) fn other(name: &str, cores: f64) -> ProcessSample {
    ProcessSample { pid: 7, name: name.to_owned(), cores }
}

/// A laptop with four cores that has little to do.
fn laptop() -> Sample {
    Sample {
        interval_s: 1.0,
        cores: cores(&[0.3, 0.2, 0.1, 0.1]),
        held_back: Some(0.0),
        longest_hold_us: Some(900),
        own_throttled_us: Some(0),
        nics: vec![NicSample { name: "eth0".to_owned(), speed_mbit: Some(1000), ..NicSample::default() }],
        tcp: Some(TcpSample::default()),
        ..Sample::default()
    }
}

/// A board with four cores that has little to do.
fn board() -> Sample {
    Sample {
        interval_s: 1.0,
        cores: cores(&[0.2, 0.2, 0.1, 0.1]),
        clocks: clock(1_368_000),
        cpu_temp_c: Some(50.0),
        throttle_trip_c: Some(75.0),
        cooling_state: Some(0),
        swap: Some(SwapSample::default()),
        tcp: Some(TcpSample::default()),
        others_seen: true,
        server: Some(ServerSample { cores: 0.4, busiest_thread: 0.15, ..ServerSample::default() }),
        ..Sample::default()
    }
}

/// A run of so many seconds in which nothing is busy: 1000 requests a second of 200 bytes on 10 connections, over a wire.
pub(super) fn run(seconds: u32) -> RunReport {
    let row = |at: u32| SeriesRow {
        begin_s: f64::from(at),
        length_s: 1.0,
        requests: 1000,
        requests_per_s: 1000.0,
        bytes: 200_000,
        sent_bytes: 60_000,
        statuses: BTreeMap::from([("200".to_owned(), 1000)]),
        client_cores: 0.2,
        client_busiest_thread: 0.1,
        laptop: Some(laptop()),
        board: Some(board()),
        ..SeriesRow::default()
    };
    let count = u64::from(seconds);
    let mut report = RunReport {
        duration_s: f64::from(seconds),
        requests: 1000 * count,
        requests_per_s: 1000.0,
        bytes: 200_000 * count,
        sent_bytes: 60_000 * count,
        latency_us: LatencyUs { mean: Some(10_000.0), ..LatencyUs::default() },
        connections: Connections { asked: 10, opened: 10, ..Connections::default() },
        series: (0..seconds).map(row).collect(),
        telemetry: Some(TelemetryReport {
            link: Some(LinkReport {
                device: Some("eth0".to_owned()),
                speed_mbit: Some(1000.0),
                ..LinkReport::default()
            }),
            ..TelemetryReport::default()
        }),
        ..RunReport::default()
    };
    report.settings.pipeline = 1;
    refuse(&mut report, "200", 1.0);
    report
}

/// This share of the answers has this status.
pub(super) fn refuse(report: &mut RunReport, status: &str, share: f64) {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small and positive")]
    let of = |count: u64| (count as f64 * share) as u64;
    let answers = StatusReport { count: of(report.requests), after_end: 0, latency_us: LatencyUs::default() };
    report.statuses.insert(status.to_owned(), answers);
    for row in &mut report.series {
        row.statuses.insert(status.to_owned(), of(row.requests));
    }
}

/// The same run in an open loop in which all arrivals were answered.
pub(super) fn open(report: &mut RunReport) {
    report.open_loop = Some(OpenLoop {
        rate: 1000.0,
        arrivals: report.requests,
        answered: report.requests,
        answered_after_end: 5,
        ..OpenLoop::default()
    });
}

/// Server and load tester on one machine, the one that the board is now.
pub(super) fn local(report: &mut RunReport) {
    let telemetry = report.telemetry.get_or_insert_default();
    telemetry.local = true;
    telemetry.link =
        Some(LinkReport { device: Some("lo".to_owned()), loopback: true, ..LinkReport::default() });
    for row in &mut report.series {
        let held = row.laptop.as_ref().and_then(|laptop| laptop.held_back);
        row.board.iter_mut().for_each(|board| board.held_back = held);
        row.laptop.clone_from(&row.board);
    }
}

/// Changes what the board did in each second; the number is the second's.
pub(super) fn each_board(report: &mut RunReport, change: impl Fn(usize, &mut Sample)) {
    for (at, row) in report.series.iter_mut().enumerate() {
        row.board.iter_mut().for_each(|board| change(at, board));
    }
}

/// Changes what the laptop did in each second.
pub(super) fn each_laptop(report: &mut RunReport, change: impl Fn(usize, &mut Sample)) {
    for (at, row) in report.series.iter_mut().enumerate() {
        row.laptop.iter_mut().for_each(|laptop| change(at, laptop));
    }
}

/// What the server's process used, in cores, and its busiest thread.
pub(super) fn server(board: &mut Sample, cores: f64, busiest_thread: f64) {
    board.server = Some(ServerSample { cores, busiest_thread, ..ServerSample::default() });
}
