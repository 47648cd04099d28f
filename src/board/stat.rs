//! Processor time per core, and the load between two samples of it.

use super::root::number_after;
use super::{CoreSet, SysRoot};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Times of one core since boot, in clock ticks (USER_HZ, 100 a second on every Linux board). Source: /proc/stat.
///
/// A column that this kernel's row does not have counts as 0: nothing was ever booked there, and only differences are used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct CoreTimes {
    /// Programs, without those in virtual machines (the kernel's column has them; here they are in `guest`).
    pub user: u64,
    /// Programs with a raised nice value, without those in virtual machines.
    pub nice: u64,
    /// The kernel on behalf of programs.
    pub system: u64,
    /// Nothing to do.
    pub idle: u64,
    /// Nothing to do while a disk was busy. The kernel's documents warn that it may go down.
    pub iowait: u64,
    /// Hardware interrupts.
    pub irq: u64,
    /// Soft interrupts: where a board handles its network.
    pub softirq: u64,
    /// Taken by the host of a virtual machine.
    pub steal: u64,
    /// Programs in virtual machines run here, niced ones too.
    pub guest: u64,
}

/// What a core did between two samples, each a fraction from 0 to 1; together they are 1.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ctl", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct CoreLoad {
    /// Programs.
    pub user: f64,
    /// Programs with a raised nice value.
    pub nice: f64,
    /// The kernel on behalf of programs.
    pub system: f64,
    /// Nothing to do.
    pub idle: f64,
    /// Nothing to do while a disk was busy.
    pub iowait: f64,
    /// Hardware interrupts.
    pub irq: f64,
    /// Soft interrupts.
    pub softirq: f64,
    /// Taken by the host of a virtual machine.
    pub steal: f64,
    /// Programs in virtual machines run here.
    pub guest: f64,
}

/// One reading of /proc/stat, keyed by core number: rows may have holes, and their order says nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct StatSample {
    /// Times by core number; a core that is off has no row.
    pub cores: BTreeMap<u32, CoreTimes>,
}

impl StatSample {
    /// Reads /proc/stat. `None` when it cannot be read or has no row of a core.
    #[must_use]
    pub fn read(root: &SysRoot) -> Option<Self> {
        Self::parse(&root.text("proc/stat")?)
    }

    /// The rows of cores in the text of /proc/stat. The aggregate row `cpu` is left alone: it is not the sum of the
    /// others on real boards.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let cores: BTreeMap<u32, CoreTimes> = text.lines().filter_map(parse_row).collect();
        (!cores.is_empty()).then_some(Self { cores })
    }

    /// The load of each core between an earlier sample and this one, by core number. A core that is absent in either, whose
    /// counters went down (it was off in between), or whose counters stood still has none.
    #[must_use]
    pub fn load_since(&self, before: &Self) -> BTreeMap<u32, CoreLoad> {
        self.deltas_since(before).filter_map(|(core, delta)| Some((core, delta.load()?))).collect()
    }

    /// The load of the machine: the sum over the cores that have rows in both samples.
    #[must_use]
    pub fn machine_load_since(&self, before: &Self) -> Option<CoreLoad> {
        let mut sum = CoreTimes::default();
        for (_, delta) in self.deltas_since(before) {
            sum = sum.zip(&delta, u64::saturating_add);
        }
        sum.load()
    }

    fn deltas_since<'a>(&'a self, before: &'a Self) -> impl Iterator<Item = (u32, CoreTimes)> + 'a {
        self.cores.iter().filter_map(|(core, now)| Some((*core, now.since(before.cores.get(core)?)?)))
    }
}

impl CoreTimes {
    /// The difference to an earlier reading. `None` when a counter went down: the core was off in between and counts from
    /// the beginning, so this reading is only good as the next baseline. `iowait` is let off: it goes down by itself.
    fn since(&self, before: &Self) -> Option<Self> {
        let delta = self.zip(before, u64::saturating_sub);
        let went_down = self.zip(before, |now, then| u64::from(now < then));
        let restarted = went_down.total() > went_down.iowait;
        (!restarted).then_some(delta)
    }

    /// All columns together, in ticks.
    fn total(&self) -> u64 {
        [
            self.user,
            self.nice,
            self.system,
            self.idle,
            self.iowait,
            self.irq,
            self.softirq,
            self.steal,
            self.guest,
        ]
        .into_iter()
        .fold(0, u64::saturating_add)
    }

    fn load(&self) -> Option<CoreLoad> {
        let total = self.total();
        if total == 0 {
            return None;
        }
        let part = |ticks: u64| ticks as f64 / total as f64;
        Some(CoreLoad {
            user: part(self.user),
            nice: part(self.nice),
            system: part(self.system),
            idle: part(self.idle),
            iowait: part(self.iowait),
            irq: part(self.irq),
            softirq: part(self.softirq),
            steal: part(self.steal),
            guest: part(self.guest),
        })
    }

    fn zip(&self, other: &Self, each: impl Fn(u64, u64) -> u64) -> Self {
        Self {
            user: each(self.user, other.user),
            nice: each(self.nice, other.nice),
            system: each(self.system, other.system),
            idle: each(self.idle, other.idle),
            iowait: each(self.iowait, other.iowait),
            irq: each(self.irq, other.irq),
            softirq: each(self.softirq, other.softirq),
            steal: each(self.steal, other.steal),
            guest: each(self.guest, other.guest),
        }
    }
}

impl CoreLoad {
    /// The fraction in which the core worked: all but idle, waiting for a disk, and what the host of a virtual machine took.
    #[must_use]
    pub fn busy(&self) -> f64 {
        self.user + self.nice + self.system + self.irq + self.softirq + self.guest
    }
}

/// The cores that have rows in the text of /proc/stat; `None` when there are none.
pub(super) fn rows(text: &str) -> Option<CoreSet> {
    let name = |line: &str| number_after("cpu", line.split_ascii_whitespace().next()?);
    Some(text.lines().filter_map(name).collect()).filter(|set: &CoreSet| !set.is_empty())
}

/// One row `cpuN user nice system idle [iowait irq softirq steal guest guest_nice]`; the first four are older than the
/// oldest kernel that runs on a board.
fn parse_row(line: &str) -> Option<(u32, CoreTimes)> {
    let mut words = line.split_ascii_whitespace();
    let core = number_after("cpu", words.next()?)?;
    let columns: Vec<u64> = words.map_while(|word| word.parse().ok()).collect();
    if columns.len() < 4 {
        return None;
    }
    let column = |n: usize| columns.get(n).copied().unwrap_or(0);
    let (guest, guest_nice) = (column(8), column(9));
    let times = CoreTimes {
        user: column(0).saturating_sub(guest),
        nice: column(1).saturating_sub(guest_nice),
        system: column(2),
        idle: column(3),
        iowait: column(4),
        irq: column(5),
        softirq: column(6),
        steal: column(7),
        guest: guest.saturating_add(guest_nice),
    };
    Some((core, times))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(text: &str) -> StatSample {
        StatSample::parse(text).expect("rows")
    }

    #[test]
    fn rows_are_keyed_by_the_digits_and_not_by_their_order() {
        let stat =
            sample("cpu  9 9 9 9\ncpu8 1 0 0 9\ncpu0 2 0 0 9\nintr 5 cpu3\ncpuidle 1 2 3 4\ncpu9 1 2 3\n");
        assert_eq!(stat.cores.keys().copied().collect::<Vec<_>>(), [0, 8]);
        assert_eq!(stat.cores[&8].user, 1);
        assert_eq!(StatSample::parse("intr 1 2 3\n"), None);
    }

    #[test]
    fn a_load_is_the_difference_and_its_parts_are_one() {
        let before = sample("cpu0 100 0 50 1000 5 1 9 0 0 0");
        let after = sample("cpu0 140 2 60 1040 6 2 15 1 3 1");
        let load = after.load_since(&before)[&0];
        assert!((load.user - 37.0 / 101.0).abs() < 1e-12, "guest time is inside the kernel's user column");
        assert!((load.guest - 4.0 / 101.0).abs() < 1e-12);
        assert!((load.busy() + load.idle + load.iowait + load.steal - 1.0).abs() < 1e-12);
    }

    #[test]
    fn cores_that_go_and_come_back_have_no_load_until_there_is_a_new_baseline() {
        let full = sample("cpu0 10 0 0 100\ncpu1 10 0 0 100");
        let fewer = sample("cpu0 20 0 0 110");
        let back = sample("cpu0 30 0 0 120\ncpu1 1 0 0 2");
        let later = sample("cpu0 40 0 0 130\ncpu1 2 0 0 3");
        assert_eq!(fewer.load_since(&full).keys().copied().collect::<Vec<_>>(), [0]);
        assert_eq!(back.load_since(&full).keys().copied().collect::<Vec<_>>(), [0], "counters restarted");
        assert_eq!(later.load_since(&back).len(), 2);
        let machine = back.machine_load_since(&full).expect("core 0 is in both");
        assert!((machine.busy() - 0.5).abs() < 1e-12);
    }

    #[test]
    fn iowait_may_go_down_alone() {
        let (before, after) = (sample("cpu0 0 0 0 100 9 0 0"), sample("cpu0 10 0 0 110 8 0 0"));
        assert_eq!(after.load_since(&before)[&0].iowait, 0.0);
        assert_eq!(after.load_since(&after), BTreeMap::new(), "no time went by");
    }
}
