//! The cores: which there are, which run, and which this process may use.

use super::cpuinfo::CpuInfo;
use super::quota::{self, Quota};
use super::stat::rows;
use super::{CoreSet, SysRoot};
use serde::Serialize;

const CPU_DIR: &str = "sys/devices/system/cpu";

/// One core that the board has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Core {
    /// The kernel's number, the digits after `cpu`.
    pub id: u32,
    /// Whether it runs.
    pub online: bool,
    /// The maker's part number (0xd05 is a Cortex-A55, 0xd0b an A76). Source: `CPU part` in /proc/cpuinfo.
    pub part: Option<u32>,
    /// Work per time against the board's strongest core, 1 to 1024 at the top clock. Source: cpuN/cpu_capacity.
    pub capacity: Option<u32>,
}

/// The board's cores. Numbers are the kernel's; a set that cannot be read is `None`.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Cores {
    /// Cores that the board has, running or not. Source: cpu/present, else the numbered folders beside it, else
    /// `processor` lines of /proc/cpuinfo.
    pub present: Option<CoreSet>,
    /// Cores that run. Source: cpu/online, else each cpuN/online (a missing one means on), else the rows of /proc/stat.
    pub online: Option<CoreSet>,
    /// Cores that this process may run on. Source: sched_getaffinity on the running machine, else `Cpus_allowed_list` of
    /// /proc/self/status.
    pub allowed: Option<CoreSet>,
    /// Cores that the control groups leave to this process. Source: cpuset.cpus.effective.
    pub cpuset: Option<CoreSet>,
    /// The limit on processor time, in cores; `None` means no limit is known.
    pub quota: Option<Quota>,
    /// Each core that is present or online, ascending.
    pub each: Vec<Core>,
}

impl Cores {
    pub(crate) fn read(root: &SysRoot, cpuinfo: &CpuInfo, notes: &mut Vec<String>) -> Self {
        let present = present(root, cpuinfo, notes);
        let online = online(root, present.as_ref(), notes);
        let all: CoreSet = present.iter().chain(&online).flat_map(CoreSet::iter).collect();
        let each = all
            .iter()
            .map(|id| Core {
                id,
                online: online.as_ref().is_none_or(|online| online.contains(id)),
                part: cpuinfo.parts.iter().find(|(core, _)| *core == id).and_then(|(_, part)| *part),
                capacity: root
                    .number(&format!("{CPU_DIR}/cpu{id}/cpu_capacity"), notes)
                    .and_then(|capacity| u32::try_from(capacity).ok())
                    .filter(|capacity| *capacity > 0),
            })
            .collect();
        if let (Some(present), Some(online)) = (&present, &online) {
            let off = present.without(online);
            if !off.is_empty() {
                let (running, of) = (online.len(), present.len());
                notes.push(format!("{running} of {of} cores running; off: {off}"));
            }
        }
        let cores = Self {
            allowed: allowed(root),
            cpuset: quota::cpuset(root),
            quota: Quota::read(root),
            present,
            online,
            each,
        };
        if cores.quota.is_some() || cores.usable().len() < cores.online.as_ref().map_or(0, CoreSet::len) {
            notes.push("not all cores are this process's: loads per core are the whole machine's".to_owned());
        }
        cores
    }

    /// The cores that this process can have work done on: those that run, less those that affinity or the control groups
    /// forbid. Empty when nothing is known about the cores.
    #[must_use]
    pub fn usable(&self) -> CoreSet {
        let known = [&self.online, &self.allowed, &self.cpuset];
        let mut sets = known.into_iter().flatten();
        let Some(first) = sets.next() else {
            return self.present.clone().unwrap_or_default();
        };
        sets.fold(first.clone(), |usable, set| {
            let both = usable.and(set);
            // No core in common means that one of the files is stale or not about this machine: believe the surer one.
            if both.is_empty() { usable } else { both }
        })
    }
}

fn present(root: &SysRoot, cpuinfo: &CpuInfo, notes: &mut Vec<String>) -> Option<CoreSet> {
    let listed = || Some(root.numbered(CPU_DIR, "cpu")).filter(|set| !set.is_empty());
    let counted = || {
        Some(CoreSet::from_iter(cpuinfo.parts.iter().map(|(core, _)| *core))).filter(|set| !set.is_empty())
    };
    root.parsed(&format!("{CPU_DIR}/present"), notes, CoreSet::parse).or_else(listed).or_else(counted)
}

fn online(root: &SysRoot, present: Option<&CoreSet>, notes: &mut Vec<String>) -> Option<CoreSet> {
    let runs = |core: &u32| root.text(&format!("{CPU_DIR}/cpu{core}/online")).as_deref() != Some("0");
    let rows = || rows(&root.text("proc/stat")?);
    let each = || Some(present?.iter().filter(runs).collect()).filter(|set: &CoreSet| !set.is_empty());
    root.parsed(&format!("{CPU_DIR}/online"), notes, CoreSet::parse).or_else(each).or_else(rows)
}

fn allowed(root: &SysRoot) -> Option<CoreSet> {
    if root.is_live() {
        // Fails on machines with more cores than the C library's set holds (1024); then affinity is unknown.
        let set = rustix::thread::sched_getaffinity(None).ok()?;
        let cores = (0u32..).take(rustix::thread::CpuSet::MAX_CPU);
        return Some(cores.filter(|core| set.is_set(*core as usize)).collect());
    }
    let status = root.text("proc/self/status")?;
    CoreSet::parse(status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::tree::Tree;

    fn read(files: &[(&str, &[u8])]) -> (Cores, Vec<String>) {
        let (tree, mut notes) = (Tree::new(files), Vec::new());
        let cores = Cores::read(&tree.root(), &CpuInfo::read(&tree.root()), &mut notes);
        (cores, notes)
    }

    #[test]
    fn cores_that_are_off_are_told() {
        let (cores, notes) =
            read(&[("sys/devices/system/cpu/present", b"0-3\n"), ("sys/devices/system/cpu/online", b"0\n")]);
        assert_eq!(cores.each.iter().filter(|core| core.online).count(), 1);
        assert_eq!(notes, ["1 of 4 cores running; off: 1-3"]);
    }

    #[test]
    fn a_missing_online_file_means_on() {
        let (cores, notes) = read(&[
            ("sys/devices/system/cpu/cpu0/cpu_capacity", b"446\n"),
            ("sys/devices/system/cpu/cpu1/online", b"0\n"),
            ("sys/devices/system/cpu/cpu10/online", b"1\n"),
            ("sys/devices/system/cpu/cpufreq/x", b""),
        ]);
        assert_eq!(cores.present.expect("folders").to_string(), "0-1,10");
        assert_eq!(cores.online.expect("files").to_string(), "0,10");
        assert_eq!((cores.each[0].capacity, cores.each[2].capacity), (Some(446), None));
        assert_eq!(notes.len(), 1);
    }

    #[test]
    fn usable_is_what_runs_and_what_is_allowed() {
        let (cores, notes) = read(&[
            ("sys/devices/system/cpu/present", b"0-7"),
            ("sys/devices/system/cpu/online", b"0-5"),
            ("proc/self/status", b"Name:\tx\nCpus_allowed_list:\t1-6\n"),
            ("sys/fs/cgroup/cpuset.cpus.effective", b"0-4\n"),
        ]);
        assert_eq!(cores.usable().to_string(), "1-4");
        assert_eq!(notes.len(), 2, "{notes:?}");
    }

    #[test]
    fn nothing_known_is_nothing_and_malformed_is_noted() {
        let (cores, notes) = read(&[]);
        assert_eq!((cores, notes), (Cores::default(), Vec::new()));
        let (cores, notes) =
            read(&[("sys/devices/system/cpu/online", b"\xff\xfe"), ("proc/stat", b"cpu2 1 1 1 1")]);
        assert_eq!(cores.usable().to_string(), "2");
        assert_eq!(notes.len(), 1, "{notes:?}");
    }

    #[test]
    fn the_running_machine_has_a_usable_core() {
        let mut notes = Vec::new();
        let cores = Cores::read(&SysRoot::live(), &CpuInfo::read(&SysRoot::live()), &mut notes);
        assert!(!cores.usable().is_empty(), "{cores:?}");
    }
}
