//! Which runs of a sum measured at the same time.

use super::MergedRun;

/// Clocks and starts that are this far apart are still the same time.
const SAME_TIME_S: f64 = 0.001;

/// When a run was over, in seconds since 1970.
pub(super) fn end(run: &MergedRun) -> f64 {
    run.started_unix_s + run.duration_s
}

/// The first time in which none of the runs measured: the run before it, the one after it, and its length in seconds.
/// `runs` are in the order in which they began, here and below.
pub(super) fn gap(runs: &[MergedRun]) -> Option<(&MergedRun, &MergedRun, f64)> {
    let mut latest = &runs[0];
    for run in &runs[1..] {
        let apart_s = run.started_unix_s - end(latest);
        if apart_s > SAME_TIME_S {
            return Some((latest, run, apart_s));
        }
        if end(run) > end(latest) {
            latest = run;
        }
    }
    None
}

/// Whether no two of them measured at the same time.
pub(super) fn are_in_turn(runs: &[MergedRun]) -> bool {
    runs.windows(2).all(|two| end(&two[0]) - two[1].started_unix_s <= SAME_TIME_S)
}

/// Seconds in which any run measured.
pub(super) fn covered_s(runs: &[MergedRun]) -> f64 {
    let (mut covered, mut until) = (0.0, f64::NEG_INFINITY);
    for run in runs {
        covered += (end(run) - run.started_unix_s.max(until)).max(0.0);
        until = until.max(end(run));
    }
    covered
}

/// The runs that measured when the most connections were asked for at a time, and for how many seconds they did so
/// together.
pub(super) fn busiest(runs: &[MergedRun]) -> (Vec<&MergedRun>, f64) {
    let connections = |set: &Vec<&MergedRun>| set.iter().map(|run| run.settings.connections).sum::<usize>();
    let at_start_of = |last: usize| {
        let from = runs[last].started_unix_s;
        let is_on = |run: &&MergedRun| end(run) - from > SAME_TIME_S;
        let earlier = runs[..last].iter().filter(is_on);
        earlier.chain([&runs[last]]).collect::<Vec<_>>()
    };
    let mut busiest = at_start_of(0);
    for set in (1..runs.len()).map(at_start_of) {
        if (connections(&set), set.len()) > (connections(&busiest), busiest.len()) {
            busiest = set;
        }
    }
    let from = busiest.last().map_or(0.0, |run| run.started_unix_s);
    let until = busiest.iter().map(|run| end(run)).fold(f64::INFINITY, f64::min);
    (busiest, until - from)
}
