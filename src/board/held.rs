//! For how long the control groups held this process back.

use std::collections::BTreeMap;

use super::SysRoot;
use super::quota::{V1_CPU_MOUNTS, V2_MOUNTS, each_group, group_path};

/// Time for which each control group that this process is in, and each above it, was out of its quota, in microseconds by
/// the file that says so. The time is added up over cores. Only the group whose limit it is counts it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GroupThrottle {
    by_file: BTreeMap<String, u64>,
}

impl GroupThrottle {
    /// Reads the groups; `None` when none of them has such a counter. Sources: throttled_usec of cpu.stat (version 2),
    /// throttled_time in nanoseconds (version 1).
    #[must_use]
    pub fn read(root: &SysRoot) -> Option<Self> {
        let membership = root.text("proc/self/cgroup").unwrap_or_default();
        let mut by_file = BTreeMap::new();
        let mut count = |path: String, key: &str, per_us: u64| {
            let counted = root.text(&path).and_then(|text| value(&text, key));
            by_file.extend(counted.map(|time| (path, time / per_us)));
        };
        each_group(&V2_MOUNTS, group_path(&membership, ""), &mut |group| {
            count(format!("{group}/cpu.stat"), "throttled_usec", 1);
        });
        each_group(&V1_CPU_MOUNTS, group_path(&membership, "cpu"), &mut |group| {
            count(format!("{group}/cpu.stat"), "throttled_time", 1000);
        });
        (!by_file.is_empty()).then_some(Self { by_file })
    }

    /// Microseconds since an earlier reading: those of the group that was held back longest, since one that is held back
    /// within another is so at the same time. `None` when no group is in both, or a counter went down.
    #[must_use]
    pub fn since(&self, before: &Self) -> Option<u64> {
        let both = self.by_file.iter().filter_map(|(file, now)| Some((now, before.by_file.get(file)?)));
        both.map(|(now, before)| now.checked_sub(*before)).collect::<Option<Vec<_>>>()?.into_iter().max()
    }
}

fn value(text: &str, key: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix(key)?.trim_ascii().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::tree::Tree;

    fn read(files: &[(&str, &[u8])]) -> Option<GroupThrottle> {
        GroupThrottle::read(&Tree::new(files).root())
    }

    #[test]
    fn the_group_that_was_held_back_longest_counts() {
        let member: (&str, &[u8]) = ("proc/self/cgroup", b"0::/a/b\n");
        let top: (&str, &[u8]) = ("sys/fs/cgroup/cpu.stat", b"usage_usec 5\n");
        let at = |a: &'static [u8], b: &'static [u8]| {
            let (a, b) = (("sys/fs/cgroup/a/cpu.stat", a), ("sys/fs/cgroup/a/b/cpu.stat", b));
            read(&[member, top, a, b]).expect("counters")
        };
        let before = at(b"throttled_usec 100\n", b"nr_throttled 1\nthrottled_usec 7\n");
        let after = at(b"throttled_usec 150\n", b"nr_throttled 9\nthrottled_usec 9\n");
        assert_eq!(after.since(&before), Some(50));
        assert_eq!(before.since(&after), None, "went down");
        assert_eq!(before.since(&before), Some(0));
        assert_eq!(read(&[member, top]), None, "the topmost group has no limit and no counter");
    }

    #[test]
    fn version_1_counts_nanoseconds() {
        let at = |stat: &'static [u8]| {
            let member: (&str, &[u8]) = ("proc/self/cgroup", b"1:cpu:/load\n0::/\n");
            read(&[member, ("sys/fs/cgroup/cpu/load/cpu.stat", stat)]).expect("counters")
        };
        assert_eq!(at(b"throttled_time 9000000\n").since(&at(b"throttled_time 2000000\n")), Some(7000));
    }
}
