//! The clock that a core really has, by counting what it does in a known time.
//!
//! Firmware that throttles by itself, a Raspberry Pi's above all, and chips whose supply decides for them run slower than the
//! kernel says. A chain of operations in which each needs the result of the one before takes one cycle for each on every
//! core that boards have (an addition and an exclusive or of registers), so the time it takes is the clock.

use std::hint::black_box;
use std::thread;
use std::time::{Duration, Instant};

use rustix::thread::{CpuSet, sched_setaffinity};
use serde::Serialize;

use super::{ClockPolicy, CoreSet};

/// How long a core is measured.
const EACH: Duration = Duration::from_millis(20);
/// A governor needs a moment to raise the clock of a core that was idle; this is a few of its periods.
const WARM_UP: Duration = Duration::from_millis(40);
/// Operations in a row between two looks at the clock: some tenths of a millisecond on the slowest board. The shortest of the
/// pieces is the one in which nothing came between.
const PIECE: usize = 1024;
/// Operations in the body of the loop, so that the loop itself is a hundredth of it at most: 16 times 16 of `chain`'s macro.
const UNROLLED: usize = 2 * 16 * 16;

/// From here on what the kernel says is not what the core does; thermal throttling and jitter of a good board stay below.
const MISMATCH_PERCENT: u64 = 9;

/// A core's real clock beside the one that is claimed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct CoreClock {
    /// The core.
    pub core: u32,
    /// What it really had, in kHz; `None` where it could not be measured, such as on a core that may not be used.
    pub real_khz: Option<u64>,
    /// What the kernel said right afterwards, in kHz.
    pub claimed_khz: Option<u64>,
    /// Whether the two are more than 9 % apart; `None` when one is not known.
    pub lies: Option<bool>,
}

impl CoreClock {
    /// Of two readings of a core.
    #[must_use]
    pub fn new(core: u32, real_khz: Option<u64>, claimed_khz: Option<u64>) -> Self {
        let lies = real_khz.zip(claimed_khz).map(|(real, claimed)| {
            real.abs_diff(claimed).saturating_mul(100) > claimed.saturating_mul(MISMATCH_PERCENT)
        });
        Self { core, real_khz, claimed_khz, lies }
    }
}

/// Measures each of these cores, one after the other, about 60 ms for each; `claimed` then says what the kernel claims.
#[must_use]
pub fn measure(cores: &CoreSet, mut claimed: impl FnMut() -> Vec<ClockPolicy>) -> Vec<CoreClock> {
    let mut one = |core: u32| {
        let real = thread::spawn(move || on_core(core)).join().ok().flatten();
        let policies = claimed();
        let policy = policies.iter().find(|policy| policy.cpus.contains(core));
        CoreClock::new(core, real, policy.and_then(|policy| policy.cur_khz))
    };
    cores.iter().map(&mut one).collect()
}

/// The clock of a core in kHz, on a thread of its own, which stays on that core.
fn on_core(core: u32) -> Option<u64> {
    if cfg!(debug_assertions) {
        // Without optimization each operation goes through memory, and is no cycle.
        return None;
    }
    let mut only = CpuSet::new();
    only.set(usize::try_from(core).ok().filter(|core| *core < CpuSet::MAX_CPU)?);
    sched_setaffinity(None, &only).ok()?;
    let begun = Instant::now();
    while begun.elapsed() < WARM_UP {
        black_box(chain(PIECE));
    }
    let (begun, mut shortest) = (Instant::now(), Duration::MAX);
    while begun.elapsed() < EACH {
        let piece = Instant::now();
        black_box(chain(PIECE));
        shortest = shortest.min(piece.elapsed());
    }
    let cycles = (PIECE * UNROLLED) as u64;
    cycles.saturating_mul(1_000_000).checked_div(u64::try_from(shortest.as_nanos()).ok()?)
}

/// `rounds` times as many operations as are unrolled, each of which needs the one before. What is added and mixed in is
/// hidden from the compiler, which could otherwise work several out at once.
#[inline(never)]
fn chain(rounds: usize) -> usize {
    let (mut x, add, mix) = (black_box(1_usize), black_box(3_usize), black_box(5_usize));
    macro_rules! sixteen {
        ($step:expr) => {{
            $step;
            $step;
            $step;
            $step;
            $step;
            $step;
            $step;
            $step;
            $step;
            $step;
            $step;
            $step;
            $step;
            $step;
            $step;
            $step;
        }};
    }
    for _ in 0..rounds {
        // Two operations each. Written out: a core that works in order would do the loop's own besides.
        sixteen!(sixteen!(x = (x ^ mix).wrapping_add(add)));
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_nine_percent_apart_is_a_lie() {
        let lies = |real, claimed| CoreClock::new(0, real, claimed).lies;
        assert_eq!(lies(Some(1_813_000), Some(1_800_000)), Some(false));
        assert_eq!(lies(Some(818_000), Some(1_200_000)), Some(true));
        assert_eq!(lies(Some(2_000_000), Some(1_800_000)), Some(true));
        assert_eq!(lies(Some(1_638_000), Some(1_800_000)), Some(false));
        assert_eq!((lies(None, Some(1)), lies(Some(1), None)), (None, None));
    }

    #[test]
    fn a_core_that_is_not_there_has_no_clock() {
        assert_eq!(on_core(8000), None);
    }

    #[test]
    fn a_core_that_is_there_has_a_clock_that_a_core_can_have() {
        let found = measure(&CoreSet::from_iter([0]), Vec::new);
        let plausible = |khz: u64| (50_000..10_000_000).contains(&khz);
        assert!(found[0].real_khz.map_or(cfg!(debug_assertions), plausible), "{found:?}");
    }

    #[test]
    fn the_chain_is_a_chain() {
        let (mut x, rounds) = (1usize, 3);
        for _ in 0..rounds * UNROLLED / 2 {
            x = (x ^ 5).wrapping_add(3);
        }
        assert_eq!(chain(rounds), x);
    }
}
