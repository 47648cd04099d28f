//! A report of a run in which nothing finished, for tests to fill in what they look at.

use std::collections::BTreeMap;

use super::{Answers, ClientCpu, Connections, Environment, LatencyUs, RunReport, TimesUs};
use crate::load::{ErrorCounts, FailureCounts};

pub(super) fn connections(count: usize) -> Connections {
    Connections {
        asked: count,
        opened: count,
        connects: count as u64,
        served: count,
        served_fairly: count,
        closed_without_notice: 0,
        refused: 0,
    }
}

pub(super) fn empty() -> RunReport {
    RunReport {
        url: "http://board/".to_owned(),
        duration_s: 2.0,
        requests: 0,
        requests_per_s: 0.0,
        bytes: 0,
        bytes_per_s: 0.0,
        bytes_sent: 0,
        answers: Answers::default(),
        latency_us: LatencyUs::default(),
        times_us: TimesUs::default(),
        statuses: BTreeMap::new(),
        classes: BTreeMap::new(),
        open_loop: None,
        thread_rate: None,
        threads: 2,
        connections: connections(10),
        errors: ErrorCounts::default(),
        reconnects: 0,
        failed: 0,
        failed_by: FailureCounts::default(),
        unfinished: 10,
        fairness: None,
        partial: false,
        client_cpu: ClientCpu { total_s: 0.0, per_request_us: None },
        notes: Vec::new(),
        preset: None,
        environment: Environment {
            machine: String::new(),
            kernel: String::new(),
            versions: BTreeMap::new(),
            command: String::new(),
        },
    }
}
