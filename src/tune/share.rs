//! How much of the work each worker gets.

use super::plan::{Decision, WorkerPlan, decision};
use crate::board::{BoardFacts, CoreSet};

/// `cpu_capacity` of a board's strongest core, which every core counts as where the kernel does not say.
const FULL_CAPACITY: u64 = 1024;

/// Parts of one unit of `cpu_capacity`, so that a clock cap of 99 % still shows in whole numbers.
const CAPACITY_PARTS: u64 = 1000;

/// Parts in a whole share: whole numbers, as boardd does without floating point and the tables that print it.
const PPM: u64 = 1_000_000;

/// Workers that may run anywhere can do equally much.
pub(super) fn unpinned(count: usize) -> (Vec<WorkerPlan>, Decision) {
    let worker = WorkerPlan { core: None, share_ppm: parts(1, count as u64) };
    let because = "a worker that is not pinned may run on any core";
    (vec![worker; count], decision("share", "equal", because, "default"))
}

/// Workers on the strongest cores first, round again when there are more workers than cores; shares by what each core can do.
pub(super) fn pinned(facts: &BoardFacts, usable: &CoreSet, count: usize) -> (Vec<WorkerPlan>, Decision) {
    const SOURCE: &str = "cpu_capacity, cpufreq";
    let mut left: Vec<(u32, u64)> = usable.iter().map(|core| (core, capacity(facts, core))).collect();
    let mut cores = Vec::new();
    while cores.len() < count && !left.is_empty() {
        cores.push(left.remove(strongest(&left)));
    }
    let total: u64 = cores.iter().map(|(_, capacity)| capacity).sum();
    let (mut workers, mut percents) = (Vec::new(), String::new());
    for n in 0..count {
        let slot = n % cores.len();
        let (core, capacity) = cores[slot];
        let whole = total * (count - slot).div_ceil(cores.len()) as u64;
        workers.push(WorkerPlan { core: Some(core), share_ppm: parts(capacity, whole) });
        percents.push_str(&format!("{} ", (capacity * 100 + whole / 2) / whole));
    }
    let first = workers[0].share_ppm;
    let shares = if workers.iter().all(|worker| worker.share_ppm == first) {
        decision("share", "equal", "no core is known to be stronger", SOURCE)
    } else {
        decision("share", &(percents + "%"), "by what each core can do", SOURCE)
    };
    (workers, shares)
}

/// `part / whole` in parts of a million, at least one: a worker without connections would be none.
fn parts(part: u64, whole: u64) -> u32 {
    u32::try_from(part * PPM / whole).map_or(u32::MAX, |parts| parts.max(1))
}

/// Where the strongest core stands; of equal ones the first, so that they keep the kernel's order.
fn strongest(cores: &[(u32, u64)]) -> usize {
    let stronger = |best: usize, at: usize| if cores[at].1 > cores[best].1 { at } else { best };
    (1..cores.len()).fold(0, stronger)
}

/// What a core can do now: its capacity, less what a lowered clock cap takes; at least 1.
fn capacity(facts: &BoardFacts, core: u32) -> u64 {
    let known = facts.cores.each.iter().find(|each| each.id == core).and_then(|each| each.capacity);
    let full = known.map_or(FULL_CAPACITY, u64::from).max(1) * CAPACITY_PARTS;
    let clock = facts.clocks.iter().find(|policy| policy.cpus.contains(core));
    let capped = clock.and_then(|policy| full.checked_mul(policy.cap_khz?)?.checked_div(policy.max_khz?));
    capped.map_or(full, |capped| capped.clamp(1, full))
}
