//! How much processor time the control groups leave to this process.

use super::{CoreSet, SysRoot};
use serde::Serialize;
use std::fmt;

/// Where control groups of version 2 are mounted: alone, or beside version 1.
pub(super) const V2_MOUNTS: [&str; 2] = ["sys/fs/cgroup", "sys/fs/cgroup/unified"];
/// Where the `cpu` controller of version 1 is mounted.
pub(super) const V1_CPU_MOUNTS: [&str; 2] = ["sys/fs/cgroup/cpu", "sys/fs/cgroup/cpu,cpuacct"];
/// Where the `cpuset` controller of version 1 is mounted.
const V1_CPUSET_MOUNTS: [&str; 1] = ["sys/fs/cgroup/cpuset"];

/// A limit on processor time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Quota {
    /// Thousandths of a core: 1500 is one and a half; at least 1.
    pub millicores: u64,
    /// The file that says so: `cpu.max` (version 2) or `cpu.cfs_quota_us` (version 1).
    pub source: String,
}

impl Quota {
    /// Cores' worth of time, rounded down: 0 for a part of one.
    #[must_use]
    pub fn whole_cores(&self) -> usize {
        usize::try_from(self.millicores / 1000).unwrap_or(usize::MAX)
    }

    /// The smallest limit on this process's group or any group above it; `None` when there is none.
    pub(crate) fn read(root: &SysRoot) -> Option<Self> {
        let membership = root.text("proc/self/cgroup").unwrap_or_default();
        let mut smallest: Option<Self> = None;
        let mut consider = |millicores: Option<u64>, path: &str| {
            let Some(millicores) = millicores else { return };
            if smallest.as_ref().is_none_or(|known| millicores < known.millicores) {
                smallest = Some(Self { millicores, source: format!("/{path}") });
            }
        };
        each_group(&V2_MOUNTS, group_path(&membership, ""), &mut |group| {
            let path = format!("{group}/cpu.max");
            consider(root.text(&path).and_then(|text| cpu_max(&text)), &path);
        });
        each_group(&V1_CPU_MOUNTS, group_path(&membership, "cpu"), &mut |group| {
            let path = format!("{group}/cpu.cfs_quota_us");
            let limit = root.text(&path).zip(root.text(&format!("{group}/cpu.cfs_period_us")));
            consider(limit.and_then(|(quota, period)| millicores(&quota, &period)), &path);
        });
        smallest
    }
}

/// In cores, no more places than it takes: `1.5`, `2`, `0.333`.
impl fmt::Display for Quota {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, rest) = (self.millicores / 1000, self.millicores % 1000);
        match rest {
            0 => write!(f, "{whole}"),
            _ => write!(f, "{whole}.{}", format!("{rest:03}").trim_end_matches('0')),
        }
    }
}

/// The cores that the control groups leave to this process: `cpuset.cpus.effective` of the nearest group that has the file
/// (version 2, where it already takes in the groups above), or `cpuset.cpus` of version 1.
pub(crate) fn cpuset(root: &SysRoot) -> Option<CoreSet> {
    let membership = root.text("proc/self/cgroup").unwrap_or_default();
    let mut nearest = None;
    for (mounts, controller, file) in
        [(&V2_MOUNTS[..], "", "cpuset.cpus.effective"), (&V1_CPUSET_MOUNTS, "cpuset", "cpuset.cpus")]
    {
        each_group(mounts, group_path(&membership, controller), &mut |group| {
            if nearest.is_none() {
                nearest = root.text(&format!("{group}/{file}")).and_then(|list| CoreSet::parse(&list));
            }
        });
    }
    nearest
}

/// This process's group in the hierarchy of a controller, from /proc/self/cgroup (`4:cpu,cpuacct:/a/b`; version 2 has no
/// controllers, `0::/a/b`). The topmost group when the file does not say.
pub(super) fn group_path<'a>(membership: &'a str, controller: &str) -> &'a str {
    let row = |line: &'a str| {
        let (_, rest) = line.split_once(':')?;
        let (controllers, path) = rest.split_once(':')?;
        controllers.split(',').any(|name| name == controller).then_some(path)
    };
    membership.lines().find_map(row).unwrap_or("")
}

/// Calls `visit` with the folder of the group and of each group above it, the nearest first, under each mount. A container
/// often sees the path outside and the mount of its own: the folders that do not exist there cost one failed open each.
pub(super) fn each_group(mounts: &[&str], group: &str, visit: &mut dyn FnMut(&str)) {
    let mut below = String::new();
    for name in group.split('/').filter(|name| !matches!(*name, "" | "." | "..")) {
        below.push('/');
        below.push_str(name);
    }
    loop {
        for mount in mounts {
            visit(&format!("{mount}{below}"));
        }
        let Some(last) = below.rfind('/') else { return };
        below.truncate(last);
    }
}

/// `150000 100000` or `max 100000`.
fn cpu_max(text: &str) -> Option<u64> {
    let (quota, period) = text.split_once([' ', '\t'])?;
    millicores(quota, period)
}

/// Quota over period, both in microseconds. `max` and -1 are no limit; what rounds to nothing is a thousandth.
fn millicores(quota_us: &str, period_us: &str) -> Option<u64> {
    let quota: u64 = quota_us.trim_ascii().parse().ok()?;
    let period: u64 = period_us.trim_ascii().parse().ok()?;
    let millicores = quota.saturating_mul(1000).checked_div(period)?;
    (quota > 0).then_some(millicores.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::tree::Tree;

    fn quota(files: &[(&str, &[u8])]) -> Option<String> {
        Quota::read(&Tree::new(files).root()).map(|quota| quota.to_string())
    }

    #[test]
    fn limits_are_fractions_and_no_limit_is_none() {
        for (text, cores) in [
            (&b"150000 100000\n"[..], Some("1.5")),
            (b"25000 100000\n", Some("0.25")),
            (b"1 100000\n", Some("0.001")),
            (b"max 100000\n", None),
            (b"0 0\n", None),
            (b"-5 100000\n", None),
            (b"\xff", None),
        ] {
            assert_eq!(quota(&[("sys/fs/cgroup/cpu.max", text)]).as_deref(), cores);
        }
    }

    #[test]
    fn the_smallest_limit_on_the_way_up_counts() {
        let files: [(&str, &[u8]); 4] = [
            ("proc/self/cgroup", b"0::/a/b\n"),
            ("sys/fs/cgroup/a/b/cpu.max", b"max 100000"),
            ("sys/fs/cgroup/a/cpu.max", b"200000 100000"),
            ("sys/fs/cgroup/other/cpu.max", b"10000 100000"),
        ];
        assert_eq!(quota(&files).as_deref(), Some("2"));
    }

    #[test]
    fn version_1_and_paths_from_outside_the_container() {
        let files: [(&str, &[u8]); 4] = [
            ("proc/self/cgroup", b"4:memory:/x\n3:cpu,cpuacct:/docker/0123\n0::/\n"),
            ("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", b"50000\n"),
            ("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", b"100000\n"),
            ("sys/fs/cgroup/cpu/cpu.cfs_quota_us", b"-1\n"),
        ];
        assert_eq!(quota(&files).as_deref(), Some("0.5"));
    }

    #[test]
    fn the_nearest_cpuset_counts() {
        let tree = Tree::new(&[
            ("proc/self/cgroup", b"0::/a/b\n"),
            ("sys/fs/cgroup/a/cpuset.cpus.effective", b"0-1\n"),
            ("sys/fs/cgroup/cpuset.cpus.effective", b"0-3\n"),
        ]);
        assert_eq!(cpuset(&tree.root()).expect("set").to_string(), "0-1");
        assert_eq!(cpuset(&Tree::new(&[]).root()), None);
    }
}
