//! How much of the work each worker gets.

use super::plan::{Decision, WorkerPlan, decision};
use crate::board::{BoardFacts, CoreSet};

/// `cpu_capacity` of a board's strongest core, which every core counts as where the kernel does not say.
const FULL_CAPACITY: u32 = 1024;

/// Workers that may run anywhere can do equally much.
pub(super) fn unpinned(count: usize) -> (Vec<WorkerPlan>, Decision) {
    let worker = WorkerPlan {
        core: None,
        share: 1.0 / count as f64,
    };
    let because = "a worker that is not pinned may run on any core";
    (
        vec![worker; count],
        decision("share", "equal", because, "default"),
    )
}

/// Workers on the strongest cores first, round again when there are more workers than cores; shares by what each core can do.
pub(super) fn pinned(facts: &BoardFacts, usable: &CoreSet, count: usize) -> (Vec<WorkerPlan>, Decision) {
    const SOURCE: &str = "cpu_capacity, cpufreq";
    let mut cores: Vec<(u32, f64)> = usable.iter().map(|core| (core, capacity(facts, core))).collect();
    // Stable: equal cores keep the kernel's order.
    cores.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    cores.truncate(count);
    let workers_on = |slot: usize| (count - slot).div_ceil(cores.len()) as f64;
    let total: f64 = cores.iter().map(|(_, capacity)| capacity).sum();
    let worker = |n: usize| {
        let slot = n % cores.len();
        let (core, capacity) = cores[slot];
        WorkerPlan {
            core: Some(core),
            share: capacity / workers_on(slot) / total,
        }
    };
    let workers: Vec<WorkerPlan> = (0..count).map(worker).collect();
    let equal = workers
        .iter()
        .all(|worker| (worker.share - workers[0].share).abs() < 1e-9);
    let shares = if equal {
        decision("share", "equal", "no core is known to be stronger", SOURCE)
    } else {
        let each: Vec<String> = workers
            .iter()
            .map(|worker| format!("{:.2}", worker.share))
            .collect();
        decision("share", &each.join(" "), "by what each core can do", SOURCE)
    };
    (workers, shares)
}

/// What a core can do now: its capacity, less what a lowered clock cap takes.
fn capacity(facts: &BoardFacts, core: u32) -> f64 {
    let known = facts
        .cores
        .each
        .iter()
        .find(|c| c.id == core)
        .and_then(|c| c.capacity);
    let clock = facts.clocks.iter().find(|policy| policy.cpus.contains(core));
    let capped = clock.and_then(|policy| Some(policy.cap_khz? as f64 / policy.max_khz? as f64));
    f64::from(known.unwrap_or(FULL_CAPACITY)) * capped.unwrap_or(1.0).min(1.0)
}
