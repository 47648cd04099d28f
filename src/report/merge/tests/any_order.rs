//! Any runs, added in any order and in any nesting, are the same sum.

use proptest::prelude::*;

use super::super::super::steps::StepReport;
use super::super::super::{Answers, Fairness, OpenLoop, hand};
use super::*;
use crate::load::{ErrorCounts, FailureCounts};

/// How the runs of one sum are made.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Closed,
    Constant,
    Ramps,
    InTurn,
    /// Closed and open ones, ramps or not, at any time, of several boards.
    Mixed,
}

/// Numbers from which a run is made.
type Drawn = (Vec<Vec<u64>>, [u8; 12], bool);

fn drawn() -> impl Strategy<Value = Drawn> {
    let second = prop::collection::vec(1_u64..20_000, 0..12);
    (prop::collection::vec(second, 2), any::<[u8; 12]>(), any::<bool>())
}

/// Fractions are of 16, so that adding them rounds nothing.
fn made(kind: Kind, at: usize, (times, numbers, flag): &Drawn) -> RunReport {
    let n = |index: usize| u64::from(numbers[index]);
    let sixteenths = |index: usize, of: f64| f64::from(numbers[index]) * of / 16.0;
    let start = match kind {
        Kind::Ramps => sixteenths(0, 1.0 / 64.0),
        Kind::InTurn => 10.0 * at as f64 + sixteenths(0, 1.0 / 4.0),
        _ => sixteenths(0, 1.0 / 8.0),
    };
    let mut run = run(T + start, times);
    (run.head_bytes, run.sent_bytes, run.reconnects, run.unfinished) = (n(1), n(2), n(3), n(4));
    run.answers = Answers {
        other_length: n(9),
        body_bytes: n(5),
        shortest_body_bytes: flag.then(|| n(6)),
        longest_body_bytes: flag.then(|| n(7)),
        kept_alive: n(8),
    };
    run.fairness = flag.then(|| Fairness { slowest: n(6), fastest: n(7), worst_gap_ms: sixteenths(8, 1.0) });
    run.errors = ErrorCounts { connect: n(9), read: n(10), ..run.errors };
    run.failed_by = FailureCounts { closed: n(9), broken_off: n(10), ..run.failed_by };
    run.settings.requests = flag.then(|| numbers[11].into());
    run.settings.connections = numbers[11].into();
    run.environment.versions = [("boardctl".to_owned(), format!("1.{}", numbers[1] % 3))].into();
    run.histograms.waiting = EncodedHistogram::of(&histogram(times[1].iter().copied()));
    run.histograms.timed_out = EncodedHistogram::of(&histogram(times[0].iter().copied()));
    for (row, seen) in run.series.iter_mut().zip(hand::run(2).series) {
        row.client_neediest_thread = flag.then(|| sixteenths(3, 1.0));
        (row.client_busiest_thread, row.client_cores) = (sixteenths(4, 1.0), sixteenths(5, 1.0));
        (row.bytes, row.failed, row.late, row.arrivals, row.waited) = (n(1), n(2), n(3), n(4), n(5));
        (row.after_end, row.bytes_after_end) = (n(8), n(9));
        row.statuses = [(format!("{}", 200 + n(6) % 3), n(7))].into();
        row.board = seen.board.filter(|_| n(2) % 3 > 0);
        let uptime = (n(3) % 2 > 0).then_some(sixteenths(4, 1.0));
        row.board
            .iter_mut()
            .for_each(|board| (board.uptime_s, board.cpu_temp_c) = (uptime, Some(n(5) as f64)));
    }
    let (is_open, is_ramp) = match kind {
        Kind::Closed => (false, false),
        Kind::Constant => (true, false),
        Kind::Ramps | Kind::InTurn => (true, true),
        Kind::Mixed => (n(1) % 2 > 0, n(1) % 4 == 3),
    };
    if is_open {
        open(&mut run, is_ramp, numbers);
    }
    if matches!(kind, Kind::Mixed) {
        run.url = format!("http://board{}/x", n(2) % 2);
    }
    run
}

fn open(run: &mut RunReport, is_ramp: bool, numbers: &[u8; 12]) {
    let n = |index: usize| u64::from(numbers[index]);
    let step = |index: u32| StepReport {
        rate: f64::from(100 * (index + 1)),
        begin_s: index.into(),
        length_s: 1.0,
        arrivals: n(1),
        answered: n(2),
        served_meanwhile: n(3),
        late: n(4),
        histogram: EncodedHistogram::of(&histogram([n(5) + 1])),
        ..StepReport::default()
    };
    run.open_loop = Some(OpenLoop {
        arrivals: n(1),
        answered: n(2),
        waited: n(3),
        late: n(4),
        unsent: n(5),
        answered_after_end: n(6),
        bytes_after_end: n(7),
        steps: (0..2).filter(|_| is_ramp).map(step).collect(),
        ..OpenLoop::default()
    });
    run.histograms.start_delay = EncodedHistogram::of(&histogram([n(7)]));
    (run.settings.duration_s, run.settings.steps) = (2.0, is_ramp.then_some(2));
    run.settings.rate = Some(if is_ramp { "100..200 in 2 steps" } else { "100" }.to_owned());
}

/// A sum of these without what parts are called, which is all that may depend on how it came about.
fn sum_of(parts: &[&RunReport]) -> RunReport {
    let allow = Allow { different: true, sequential: true };
    let parts: Vec<_> = parts.iter().map(|run| ("a part", *run)).collect();
    merged(&parts, allow).unwrap()
}

fn kind() -> impl Strategy<Value = Kind> {
    prop_oneof![
        Just(Kind::Closed),
        Just(Kind::Constant),
        Just(Kind::Ramps),
        Just(Kind::InTurn),
        Just(Kind::Mixed)
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn order_and_nesting_do_not_matter(
        kind in kind(),
        drawn in prop::collection::vec(drawn(), 3..5),
        order in any::<[prop::sample::Index; 4]>(),
        cut in any::<prop::sample::Index>(),
    ) {
        let runs: Vec<_> = drawn.iter().enumerate().map(|(at, drawn)| made(kind, at, drawn)).collect();
        let all: Vec<_> = runs.iter().collect();
        let expected = sum_of(&all);
        let mut mixed = all.clone();
        for (at, other) in order.iter().enumerate() {
            mixed.swap(at % all.len(), other.index(all.len()));
        }
        prop_assert_eq!(&sum_of(&mixed), &expected);
        // (a + b) + c, and a + (b + c), of which each may be several.
        let (left, right) = mixed.split_at(2 + cut.index(all.len() - 2));
        let first = sum_of(left);
        let nested: Vec<_> = [&first].into_iter().chain(right.iter().copied()).collect();
        if nested.len() > 1 {
            prop_assert_eq!(&sum_of(&nested), &expected);
        }
        let (left, right) = mixed.split_at(1 + cut.index(all.len() - 2));
        let last = sum_of(right);
        let nested: Vec<_> = left.iter().copied().chain([&last]).collect();
        prop_assert_eq!(&sum_of(&nested), &expected);
        prop_assert_eq!(expected.requests, all.iter().map(|run| run.requests).sum::<u64>());
    }
}
