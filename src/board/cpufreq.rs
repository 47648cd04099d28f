//! Clock policies: the groups of cores that share a clock.

use super::{CoreSet, SysRoot};
use serde::Serialize;

const CPU_DIR: &str = "sys/devices/system/cpu";

/// Where a policy's current clock comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ClockSource {
    /// What the kernel asked for (`scaling_cur_freq`). Firmware that throttles by itself, a Raspberry Pi's above all, may
    /// run the cores slower and not say so here.
    Requested,
}

/// A group of cores that share a clock. Source: cpufreq/policyN, on old kernels cpuN/cpufreq. A clock that reads 0 is
/// unknown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClockPolicy {
    /// The group's cores, running or not (`related_cpus`, else `affected_cpus`).
    pub cpus: CoreSet,
    /// Lowest clock of the hardware in kHz (`cpuinfo_min_freq`).
    pub min_khz: Option<u64>,
    /// Highest clock of the hardware in kHz (`cpuinfo_max_freq`).
    pub max_khz: Option<u64>,
    /// Highest clock that is allowed now in kHz (`scaling_max_freq`): heat and settings lower it.
    pub cap_khz: Option<u64>,
    /// Clock now in kHz; see `cur_source` for what it is worth.
    pub cur_khz: Option<u64>,
    /// Where `cur_khz` comes from.
    pub cur_source: ClockSource,
    /// The kernel's governor (`scaling_governor`).
    pub governor: Option<String>,
}

/// Reads every policy, by the kernel's numbers. A board without cpufreq has none. Cores of `online` run; the clock files of a
/// group without a running core answer EBUSY or hold what was once true, and are not asked.
pub(crate) fn read(root: &SysRoot, online: Option<&CoreSet>, notes: &mut Vec<String>) -> Vec<ClockPolicy> {
    let new_style = root.numbered(&format!("{CPU_DIR}/cpufreq"), "policy");
    let new_style = new_style.iter().map(|n| format!("{CPU_DIR}/cpufreq/policy{n}"));
    let per_core = root.numbered(CPU_DIR, "cpu");
    let per_core = per_core.iter().map(|n| format!("{CPU_DIR}/cpu{n}/cpufreq"));
    let mut policies: Vec<ClockPolicy> = Vec::new();
    // Both name the same policies where both are there, and the cores of one group all name the one they share.
    for dir in new_style.chain(per_core) {
        let Some(cpus) = cpus(root, &dir) else { continue };
        if policies.iter().all(|known| known.cpus.and(&cpus).is_empty()) {
            policies.push(policy(root, &dir, cpus, online, notes));
        }
    }
    policies
}

/// The clock files of each group of cores, found once and read often.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClockFiles {
    groups: Vec<(String, ClockPolicy)>,
}

impl ClockFiles {
    /// Looks for the groups. To be done again when other cores run: on some boards a group without a running core has no
    /// files.
    #[must_use]
    pub fn find(root: &SysRoot) -> Self {
        let policies = read(root, None, &mut Vec::new());
        // The folder is named after that core of the group which was the first to run.
        let folder = |policy: &ClockPolicy| {
            let named = policy.cpus.iter().map(|core| format!("{CPU_DIR}/cpufreq/policy{core}"));
            let per_core = policy.cpus.iter().map(|core| format!("{CPU_DIR}/cpu{core}/cpufreq"));
            named.chain(per_core).find(|dir| cpus(root, dir).as_ref() == Some(&policy.cpus))
        };
        let with_folder = |policy: ClockPolicy| Some((folder(&policy)?, policy));
        Self { groups: policies.into_iter().filter_map(with_folder).collect() }
    }

    /// The groups, with the clock and its cap as they are now; both are unknown where none of a group's cores is in `online`.
    pub fn refresh(
        &mut self,
        root: &SysRoot,
        online: Option<&CoreSet>,
    ) -> impl Iterator<Item = &ClockPolicy> {
        drop(self.refresh_caps(root, online));
        for (dir, policy) in &mut self.groups {
            policy.cur_khz = khz(root, dir, "scaling_cur_freq", policy, online);
        }
        self.groups.iter().map(|(_, policy)| policy)
    }

    /// The same with the cap alone, which is half of the reading; the clock is unknown then.
    pub fn refresh_caps(
        &mut self,
        root: &SysRoot,
        online: Option<&CoreSet>,
    ) -> impl Iterator<Item = &ClockPolicy> {
        for (dir, policy) in &mut self.groups {
            policy.cap_khz = khz(root, dir, "scaling_max_freq", policy, online);
            policy.cur_khz = None;
        }
        self.groups.iter().map(|(_, policy)| policy)
    }
}

/// A clock of a group of which a core runs.
fn khz(root: &SysRoot, dir: &str, file: &str, policy: &ClockPolicy, online: Option<&CoreSet>) -> Option<u64> {
    let running = online.is_none_or(|online| !online.and(&policy.cpus).is_empty());
    let khz = || root.text(&format!("{dir}/{file}"))?.parse().ok().filter(|khz| *khz > 0);
    running.then(khz).flatten()
}

fn cpus(root: &SysRoot, dir: &str) -> Option<CoreSet> {
    let list = |file: &str| CoreSet::parse_words(&root.text(&format!("{dir}/{file}"))?);
    list("related_cpus").or_else(|| list("affected_cpus"))
}

fn policy(
    root: &SysRoot,
    dir: &str,
    cpus: CoreSet,
    online: Option<&CoreSet>,
    notes: &mut Vec<String>,
) -> ClockPolicy {
    let running = online.is_none_or(|online| !online.and(&cpus).is_empty());
    let mut khz = |file: &str, ask: bool| {
        let path = format!("{dir}/{file}");
        ask.then(|| root.number(&path, notes)).flatten().filter(|khz| *khz > 0)
    };
    ClockPolicy {
        min_khz: khz("cpuinfo_min_freq", true),
        max_khz: khz("cpuinfo_max_freq", true),
        cap_khz: khz("scaling_max_freq", running),
        cur_khz: khz("scaling_cur_freq", running),
        cur_source: ClockSource::Requested,
        governor: running.then(|| root.text(&format!("{dir}/scaling_governor"))).flatten(),
        cpus,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::tree::Tree;

    #[test]
    fn policies_come_once_and_in_order() {
        let tree = Tree::new(&[
            ("sys/devices/system/cpu/cpufreq/policy4/related_cpus", b"4 5\n"),
            ("sys/devices/system/cpu/cpufreq/policy4/scaling_cur_freq", b"2400000\n"),
            ("sys/devices/system/cpu/cpufreq/policy0/affected_cpus", b"0 1\n"),
            ("sys/devices/system/cpu/cpufreq/policy0/scaling_cur_freq", b"0\n"),
            ("sys/devices/system/cpu/cpufreq/policy0/scaling_max_freq", b"<unknown>\n"),
            ("sys/devices/system/cpu/cpu1/cpufreq/related_cpus", b"0 1\n"),
            ("sys/devices/system/cpu/cpu9/cpufreq", b"no folder"),
        ]);
        let mut notes = Vec::new();
        let policies = read(&tree.root(), None, &mut notes);
        let cpus: Vec<String> = policies.iter().map(|policy| policy.cpus.to_string()).collect();
        assert_eq!(cpus, ["0-1", "4-5"]);
        assert_eq!((policies[0].cur_khz, policies[0].cap_khz), (None, None), "0 and nonsense are no clock");
        assert_eq!(policies[1].cur_khz, Some(2_400_000));
        assert_eq!(notes.len(), 1, "{notes:?}");
    }

    #[test]
    fn clocks_are_read_again_and_unknown_while_their_cores_are_off() {
        let dir = "sys/devices/system/cpu/cpufreq/policy4";
        let files = ["related_cpus", "cpuinfo_max_freq", "scaling_max_freq", "scaling_cur_freq"];
        let paths = files.map(|file| format!("{dir}/{file}"));
        let texts: [&[u8]; 4] = [b"4 5\n", b"2400000\n", b"2400000\n", b"1200000\n"];
        let tree: Vec<(&str, &[u8])> = paths.iter().map(String::as_str).zip(texts).collect();
        let tree = Tree::new(&tree);
        let mut clocks = ClockFiles::find(&tree.root());
        let mut read = |online: &str| {
            let online = CoreSet::parse(online);
            let policy = clocks.refresh(&tree.root(), online.as_ref()).next().expect("a group").clone();
            (policy.cur_khz, policy.cap_khz, policy.max_khz)
        };
        assert_eq!(read("0-5"), (Some(1_200_000), Some(2_400_000), Some(2_400_000)));
        std::fs::write(tree.path(&paths[2]), b"1800000\n").expect("heat lowers the cap");
        assert_eq!(read("0-5"), (Some(1_200_000), Some(1_800_000), Some(2_400_000)));
        assert_eq!(read("0-3"), (None, None, Some(2_400_000)));
    }

    #[test]
    fn the_clock_of_a_group_that_is_off_is_unknown() {
        let tree = Tree::new(&[
            ("sys/devices/system/cpu/cpu4/cpufreq/related_cpus", b"4 5 6 7\n"),
            ("sys/devices/system/cpu/cpu4/cpufreq/cpuinfo_max_freq", b"2400000\n"),
            ("sys/devices/system/cpu/cpu4/cpufreq/scaling_cur_freq", b"2400000\n"),
        ]);
        let policies = read(&tree.root(), CoreSet::parse("0-3").as_ref(), &mut Vec::new());
        assert_eq!((policies[0].max_khz, policies[0].cur_khz), (Some(2_400_000), None));
    }
}
