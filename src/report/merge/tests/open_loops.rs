//! Sums of open loops: rates add up for the time that overlaps, and steps where that means something.

use super::super::super::steps::StepReport;
use super::super::super::{OpenLoop, text};
use super::*;

/// An open loop of 3 s, with all answered.
fn constant(start: f64, rate: u32) -> RunReport {
    let mut run = run(start, &seconds(1, 3));
    let arrivals = u64::from(rate) * 3;
    run.open_loop = Some(OpenLoop { rate: rate.into(), arrivals, answered: arrivals, ..OpenLoop::default() });
    run.settings.rate = Some(rate.to_string());
    run.environment.command = format!("load --rate {rate}");
    run.series.iter_mut().for_each(|row| row.arrivals = rate.into());
    run.histograms.start_delay = EncodedHistogram::of(&histogram([10, 30]));
    run
}

/// A ramp from 100/s to 500/s with steps of a second, of which the server did `served` at most; an answer takes 100 ms.
fn ramp(start: f64, steps: u32, served: u64) -> RunReport {
    let mut run = run(start, &seconds(1, steps.into()));
    let step = |index: u32| {
        let rate = 100 + 400 * index / (steps - 1);
        StepReport {
            rate: rate.into(),
            begin_s: index.into(),
            length_s: 1.0,
            arrivals: rate.into(),
            served_meanwhile: (u64::from(rate) * 9 / 10).min(served),
            histogram: EncodedHistogram::of(&histogram([100_000])),
            ..StepReport::default()
        }
    };
    let all: Vec<_> = (0..steps).map(step).collect();
    let arrivals = all.iter().map(|step| step.arrivals).sum();
    run.open_loop = Some(OpenLoop { rate: 300.0, arrivals, steps: all, ..OpenLoop::default() });
    run.settings.rate = Some(format!("100..500 in {steps} steps"));
    run.environment.command = format!("of a server that does {served}");
    (run.settings.steps, run.settings.duration_s) = (Some(steps as usize), steps.into());
    run
}

fn steps(sum: &RunReport) -> Vec<(f64, Option<f64>, bool)> {
    let open = sum.open_loop.as_ref().unwrap();
    open.steps.iter().map(|step| (step.rate, step.achieved_per_s, step.kept_up)).collect()
}

const FORCE: Allow = Allow { different: true, sequential: true };
const IN_TURN: Allow = Allow { different: false, sequential: true };

#[test]
fn what_overlaps_is_offered_together() {
    let both = sum(&[("a", &constant(T, 10)), ("b", &constant(T, 30))]);
    assert_eq!(both.settings.rate.as_deref(), Some("10 + 30"));
    let open = both.open_loop.unwrap();
    assert_eq!((open.rate, open.arrivals, open.answered), (40.0, 120, 120));
    assert!(open.start_delay_us.max.is_some_and(|us| (us - 30.0).abs() < 0.1));
    assert_eq!(both.merged.unwrap().together.unwrap().arrivals_per_s, Some(40.0));
    assert!(both.notes[0].contains(" requests/s of 40.00 due in those"), "{:?}", both.notes);
}

#[test]
fn what_came_after_the_end_is_in_no_rate() {
    let parts = [constant(T, 10), constant(T, 30)].map(|mut run| {
        let last = run.series.last_mut().unwrap();
        (last.after_end, last.bytes_after_end) = (5, 40);
        run.histograms.statuses.get_mut("200").unwrap().after_end = 5;
        run.histograms.statuses.get_mut("503").unwrap().after_end = 0;
        run.open_loop.as_mut().unwrap().bytes_after_end = 40;
        run.histograms.waiting = EncodedHistogram::of(&histogram([3_000_000]));
        run
    });
    let both = sum(&[("a", &parts[0]), ("b", &parts[1])]);
    let in_time = (both.requests - 10) as f64 / 3.0;
    assert_eq!((both.requests_per_s, both.bytes_per_s), (in_time, 40.0));
    assert_eq!((both.series[2].after_end, both.open_loop.as_ref().unwrap().bytes_after_end), (10, 80));
    assert_eq!(both.series[2].requests_per_s, (both.series[2].requests - 10) as f64);
    assert_eq!(both.merged.as_ref().unwrap().together.unwrap().requests_per_s, in_time);
    assert!(both.latency_us.max.is_some_and(|us| us > 2_990_000.0));
}

#[test]
fn what_hardly_overlaps_is_not_offered_together() {
    let both = sum(&[("a", &constant(T, 1000)), ("b", &constant(T + 2.875, 1000))]);
    assert_eq!(both.settings.rate.as_deref(), Some("at most 1000 + 1000"));
    assert_eq!(both.open_loop.as_ref().unwrap().rate, 6000.0 / 5.875);
    let text = text::render(&both);
    assert!(text.contains("\nArrivals: 6000 at 1021.3/s on average: "), "{text}");
    let apart = merged(&[("a", &constant(T, 1000)), ("b", &constant(T + 60.0, 1000))], IN_TURN).unwrap();
    assert_eq!((apart.settings.rate.as_deref(), apart.open_loop.unwrap().rate), (Some("1000"), 1000.0));
}

#[test]
fn ramps_at_the_same_time_add_their_rates() {
    let both = sum(&[("a", &ramp(T, 5, 270)), ("b", &ramp(T + 0.25, 5, 270))]);
    let expected = [(200.0, 180), (400.0, 360), (600.0, 540), (800.0, 540), (1000.0, 540)]
        .map(|(rate, achieved)| (rate, Some(f64::from(achieved)), rate < 700.0));
    assert_eq!(steps(&both), expected);
    assert_eq!(both.open_loop.unwrap().knee.map(|knee| knee.rate), Some(800.0));
    assert_eq!(both.settings.steps, Some(5));
}

#[test]
fn ramps_one_after_the_other_have_longer_steps() {
    let parts = [ramp(T, 5, 270), ramp(T + 60.0, 5, 270), ramp(T + 120.0, 5, 270)];
    let [a, b, c] = [("a", &parts[0]), ("b", &parts[1]), ("c", &parts[2])];
    let all = merged(&[a, b, c], IN_TURN).unwrap();
    let expected = [(100.0, 90), (200.0, 180), (300.0, 270), (400.0, 270), (500.0, 270)]
        .map(|(rate, achieved)| (rate, Some(f64::from(achieved)), rate < 350.0));
    assert_eq!(steps(&all), expected);
    let open = all.open_loop.as_ref().unwrap();
    assert_eq!((open.rate, open.steps[0].length_s), (300.0, 3.0));
    assert_eq!(open.knee.map(|knee| knee.rate), Some(400.0));
    let two = merged(&[c, b], IN_TURN).unwrap();
    assert_eq!(merged(&[a, ("bc", &two)], IN_TURN).unwrap(), all);
}

#[test]
fn a_ramp_that_was_stopped_offered_nothing_from_there_on() {
    let mut stopped = ramp(T, 5, 500);
    let open = stopped.open_loop.as_mut().unwrap();
    open.steps.truncate(2);
    (open.steps[1].length_s, stopped.duration_s, stopped.partial) = (0.5, 1.5, true);
    for parts in [[("a", &stopped), ("b", &ramp(T, 5, 499))], [("b", &ramp(T, 5, 499)), ("a", &stopped)]] {
        let rates: Vec<_> = steps(&sum(&parts)).iter().map(|step| step.0).collect();
        assert_eq!(rates, [200.0, 300.0, 300.0, 400.0, 500.0]);
    }
}

#[test]
fn steps_that_do_not_go_together_are_refused_or_left_out() {
    let first = ramp(T, 5, 270);
    let longer = RunReport {
        settings: Settings { duration_s: 5.0, ..ramp(T + 0.125, 9, 270).settings },
        ..ramp(T + 0.125, 9, 270)
    };
    let mut faster = ramp(T + 60.0, 5, 270);
    faster.settings.rate = Some("200..600 in 5 steps".to_owned());
    let cases = [
        (longer, "a and b differ in --steps (5 and 9): --force"),
        (faster, "differ in --rate (100..500 in 5 steps and 200..600 in 5 steps)"),
        (
            ramp(T + 3.0, 5, 270),
            "a and b are ramps that began 3.0 s apart, more than a quarter of a step (1 s): --force",
        ),
        (ramp(T + 0.5, 5, 270), "began 0.5 s apart"),
    ];
    for (other, said) in cases {
        let error = merged(&[("a", &first), ("b", &other)], IN_TURN).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
        for parts in [[("a", &first), ("b", &other)], [("b", &other), ("a", &first)]] {
            let both = merged(&parts, FORCE).unwrap();
            let open = both.open_loop.unwrap();
            assert!(open.steps.is_empty() && open.knee.is_none() && both.settings.steps.is_none());
            assert!(
                both.notes.iter().any(|note| note.starts_with("the steps are left out")),
                "{:?}",
                both.notes
            );
        }
    }
    // Two at once and a third one later are neither.
    let (second, later) = (ramp(T, 5, 250), ramp(T + 60.0, 5, 270));
    let error = merged(&[("a", &first), ("b", &second), ("c", &later)], IN_TURN).unwrap_err();
    assert!(error.to_string().contains("began 60.0 s apart"), "{error}");
}

#[test]
fn of_an_open_and_a_closed_loop_no_arrivals_are_left_whichever_came_first() {
    for (open_at, closed_at) in [(T, T + 0.25), (T + 0.25, T)] {
        let (open, closed) = (constant(open_at, 10), run(closed_at, &seconds(2, 3)));
        for parts in [[("open", &open), ("closed", &closed)], [("closed", &closed), ("open", &open)]] {
            let both = merged(&parts, FORCE).unwrap();
            assert_eq!((&both.open_loop, &both.settings.rate), (&None, &None));
            let said = |start: &str| both.notes.iter().any(|note| note.starts_with(start));
            assert!(said("the runs differ in being an open loop (") && said("what became of the arrivals"));
        }
    }
}
