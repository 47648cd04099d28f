//! Following the board while it runs: cores that go and come, clocks that are held down, time that is taken away.
//!
//! Pure: what was seen goes in once a second, a change comes out where there is one. What a board loses counts at once, since
//! connections on a core that is gone wait; what it gains counts only when it has lasted, since a board at its limit of heat
//! gains and loses every few seconds.

use super::plan::WorkerPlan;
use crate::board::{BoardFacts, ClockPolicy, CoreSet, Quota, Seen};

/// What is gained counts after so many looks in a row, one a second: longer than the kernel's own steps at a trip point.
const LASTING: u32 = 5;

/// A clock that changes by less than this many parts in a thousand changes nothing.
const SMALL_PERMILLE: u64 = 50;

/// A whole share of a worker on a core that has all its clock, so that a part of it is a whole number.
const WHOLE: u64 = 1_000_000;

/// What is to change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The share of each worker, relative to the others; 0 for one that is to have no connection.
    pub shares: Vec<u32>,
    /// Workers with a share.
    pub active: usize,
    /// Why, in one line.
    pub because: String,
}

/// The board as it is followed.
#[derive(Debug, Clone)]
pub struct Follow {
    /// The core of each worker; `None` where the kernel places it.
    workers: Vec<Option<u32>>,
    capacities: Vec<(u32, u64)>,
    /// What counts.
    now: Seen,
    shares: Vec<u64>,
    /// What has been better than that for so many looks.
    lasted: u32,
}

impl Follow {
    /// Follows a board from these facts on, with these workers.
    #[must_use]
    pub fn new(facts: &BoardFacts, workers: &[WorkerPlan]) -> Self {
        let capacity = |core: &crate::board::Core| (core.id, core.capacity.map_or(WHOLE, u64::from));
        let mut follow = Self {
            workers: workers.iter().map(|worker| worker.core).collect(),
            capacities: facts.cores.each.iter().map(capacity).collect(),
            now: Seen {
                online: facts.cores.online.clone(),
                quota: facts.cores.quota.clone(),
                clocks: facts.clocks.clone(),
                cpu_millicelsius: facts.thermal.cpu_millicelsius,
            },
            shares: Vec::new(),
            lasted: 0,
        };
        follow.shares = follow.shares_at(&follow.now);
        follow
    }

    /// Takes a look; gives what is to change, if anything is.
    pub fn step(&mut self, look: &Seen) -> Option<Change> {
        let wanted = self.shares_at(look);
        let pairs = || self.shares.iter().zip(&wanted);
        let differs = |(now, then): (&u64, &u64)| {
            (*now == 0) != (*then == 0)
                || now.abs_diff(*then).saturating_mul(1000) > now.saturating_mul(SMALL_PERMILLE)
        };
        if !pairs().any(differs) {
            self.lasted = 0;
            return None;
        }
        let loses = pairs().any(|(now, then)| then < now && differs((now, then)));
        self.lasted += 1;
        if !loses && self.lasted < LASTING {
            return None;
        }
        let because = reason(&self.now, look);
        (self.now, self.shares, self.lasted) = (look.clone(), wanted, 0);
        Some(Change {
            shares: relative(&self.shares),
            active: self.shares.iter().filter(|share| **share > 0).count(),
            because,
        })
    }

    /// The share of each worker at such a look.
    fn shares_at(&self, look: &Seen) -> Vec<u64> {
        let runs = |core: u32| look.online.as_ref().is_none_or(|online| online.contains(core));
        let of_core = |core: u32| {
            let capacity =
                self.capacities.iter().find(|(id, _)| *id == core).map_or(WHOLE, |(_, capacity)| *capacity);
            if runs(core) { clocked(capacity.saturating_mul(1000), core, &look.clocks).max(1) } else { 0 }
        };
        let cores = look.online.as_ref().map_or(self.workers.len(), CoreSet::len);
        let time = look.quota.as_ref().map_or(usize::MAX, Quota::whole_cores);
        let mut left = cores.min(time).max(1);
        let mut shares: Vec<u64> = self
            .workers
            .iter()
            .map(|core| {
                let share = core.map_or(WHOLE, of_core);
                if share == 0 || left == 0 {
                    return 0;
                }
                left -= 1;
                share
            })
            .collect();
        // All cores of the workers are gone, which can't be: somebody serves.
        if shares.iter().all(|share| *share == 0) {
            shares.iter_mut().take(1).for_each(|share| *share = WHOLE);
        }
        shares
    }
}

/// What a core can do with the clock that it may have.
fn clocked(full: u64, core: u32, clocks: &[ClockPolicy]) -> u64 {
    let policy = clocks.iter().find(|policy| policy.cpus.contains(core));
    let part = policy.and_then(|policy| full.checked_mul(policy.cap_khz?)?.checked_div(policy.max_khz?));
    part.map_or(full, |part| part.min(full))
}

/// Shares as the dealer has them: none above what 32 bits hold.
fn relative(shares: &[u64]) -> Vec<u32> {
    let most = shares.iter().max().copied().unwrap_or(1).max(1);
    let scaled = |share: &u64| {
        let scaled = u32::try_from(share.saturating_mul(WHOLE) / most).unwrap_or(u32::MAX);
        if *share > 0 { scaled.max(1) } else { 0 }
    };
    shares.iter().map(scaled).collect()
}

/// What has changed, in words.
fn reason(before: &Seen, now: &Seen) -> String {
    let mut parts = Vec::new();
    if let (Some(had), Some(has)) = (&before.online, &now.online) {
        let (gone, back) = (had.without(has), has.without(had));
        if !gone.is_empty() {
            parts.push(format!("cores {gone} went off"));
        }
        if !back.is_empty() {
            parts.push(format!("cores {back} came back"));
        }
    }
    let quota = |quota: &Option<Quota>| quota.as_ref().map_or_else(|| "none".to_owned(), Quota::to_string);
    if quota(&before.quota) != quota(&now.quota) {
        parts.push(format!("quota {} where it was {}", quota(&now.quota), quota(&before.quota)));
    }
    for policy in &now.clocks {
        let was =
            before.clocks.iter().find(|known| known.cpus == policy.cpus).and_then(|known| known.cap_khz);
        if let (Some(was), Some(is)) = (was, policy.cap_khz)
            && was != is
        {
            let heat =
                now.cpu_millicelsius.map_or_else(String::new, |milli| format!(" at {} °C", milli / 1000));
            parts.push(format!(
                "cores {} may have {} MHz where it was {}{heat}",
                policy.cpus,
                is / 1000,
                was / 1000
            ));
        }
    }
    if parts.is_empty() { "the board changed".to_owned() } else { parts.join("; ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{ClockSource, Core};

    fn set(text: &str) -> CoreSet {
        CoreSet::parse(text).expect("a list")
    }

    fn clock(cpus: &str, cap_khz: u64) -> ClockPolicy {
        ClockPolicy {
            cpus: set(cpus),
            min_khz: None,
            max_khz: Some(1_200_000),
            cap_khz: Some(cap_khz),
            cur_khz: None,
            cur_source: ClockSource::Requested,
            governor: None,
        }
    }

    fn board() -> BoardFacts {
        let mut facts = BoardFacts::default();
        facts.cores.online = Some(set("0-3"));
        facts.cores.each = (0..4).map(|id| Core { id, online: true, part: None, capacity: None }).collect();
        facts.clocks = vec![clock("0-3", 1_200_000)];
        facts
    }

    fn look(online: &str, cap_khz: u64) -> Seen {
        Seen { online: Some(set(online)), clocks: vec![clock("0-3", cap_khz)], ..Seen::default() }
    }

    fn pinned() -> Vec<WorkerPlan> {
        (0..4).map(|core| WorkerPlan { core: Some(core), share_ppm: 250_000 }).collect()
    }

    #[test]
    fn a_core_that_goes_counts_at_once_and_one_that_comes_when_it_stays() {
        let mut follow = Follow::new(&board(), &pinned());
        assert_eq!(follow.step(&look("0-3", 1_200_000)), None);
        let change = follow.step(&look("0-1", 1_200_000)).expect("at once");
        assert_eq!((change.shares, change.active), (vec![1_000_000, 1_000_000, 0, 0], 2));
        assert_eq!(change.because, "cores 2-3 went off");
        for _ in 1..LASTING {
            assert_eq!(follow.step(&look("0-3", 1_200_000)), None);
        }
        let change = follow.step(&look("0-3", 1_200_000)).expect("it has lasted");
        assert_eq!((change.active, change.because.as_str()), (4, "cores 2-3 came back"));
        // One that comes and goes never counts.
        follow.step(&look("0-2", 1_200_000)).expect("at once");
        for _ in 0..20 {
            assert_eq!(follow.step(&look("0-3", 1_200_000)), None);
            assert_eq!(follow.step(&look("0-2", 1_200_000)), None);
        }
    }

    #[test]
    fn half_a_clock_on_some_cores_is_half_a_share_there() {
        let mut facts = board();
        facts.clocks = vec![clock("0-1", 1_200_000), clock("2-3", 1_200_000)];
        let mut follow = Follow::new(&facts, &pinned());
        let mut seen = look("0-3", 1_200_000);
        seen.clocks = vec![clock("0-1", 1_200_000), clock("2-3", 600_000)];
        seen.cpu_millicelsius = Some(88_000);
        let change = follow.step(&seen).expect("at once");
        assert_eq!(change.shares, [1_000_000, 1_000_000, 500_000, 500_000]);
        assert_eq!(change.because, "cores 2-3 may have 600 MHz where it was 1200 at 88 °C");
        seen.clocks[1] = clock("2-3", 615_000);
        for _ in 0..20 {
            assert_eq!(follow.step(&seen), None, "a small step");
        }
    }

    #[test]
    fn a_quota_leaves_as_many_workers_as_it_has_time_for() {
        let free = WorkerPlan { core: None, share_ppm: 250_000 };
        let mut follow = Follow::new(&board(), &[free; 4]);
        for (millicores, active) in [(2500, 2), (400, 1)] {
            let quota = Some(Quota { millicores, source: String::new() });
            let change = follow.step(&Seen { quota, ..look("0-3", 1_200_000) }).expect("at once");
            assert_eq!(change.active, active, "{change:?}");
            assert!(change.because.starts_with("quota "), "{change:?}");
        }
    }

    #[test]
    fn somebody_always_serves_and_what_is_not_known_changes_nothing() {
        let mut follow = Follow::new(&board(), &pinned());
        let change = follow.step(&look("7", 1_200_000)).expect("a stale file");
        assert_eq!(change.active, 1);
        let mut follow = Follow::new(&board(), &pinned());
        assert_eq!(follow.step(&Seen::default()), None);
    }
}
