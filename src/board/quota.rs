//! How much processor time the control groups leave to this process.

use super::{CoreSet, SysRoot};
use serde::Serialize;

/// Where control groups of version 2 are mounted: alone, or beside version 1.
const V2_MOUNTS: [&str; 2] = ["sys/fs/cgroup", "sys/fs/cgroup/unified"];
/// Where the `cpu` controller of version 1 is mounted.
const V1_CPU_MOUNTS: [&str; 2] = ["sys/fs/cgroup/cpu", "sys/fs/cgroup/cpu,cpuacct"];
/// Where the `cpuset` controller of version 1 is mounted.
const V1_CPUSET_MOUNTS: [&str; 1] = ["sys/fs/cgroup/cpuset"];

/// A limit on processor time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Quota {
    /// Cores' worth of time: 1.5 is one and a half; more than 0.
    pub cores: f64,
    /// The file that says so: `cpu.max` (version 2) or `cpu.cfs_quota_us` (version 1).
    pub source: String,
}

impl Quota {
    /// The smallest limit on this process's group or any group above it; `None` when there is none.
    pub(crate) fn read(root: &SysRoot) -> Option<Self> {
        let membership = root.text("proc/self/cgroup").unwrap_or_default();
        let v2 = group_files(&V2_MOUNTS, group_path(&membership, ""), "cpu.max");
        let v2 = v2
            .into_iter()
            .filter_map(|path| Some((cpu_max(&root.text(&path)?)?, path)));
        let v1 = group_files(&V1_CPU_MOUNTS, group_path(&membership, "cpu"), "cpu.cfs_quota_us");
        let v1 = v1.into_iter().filter_map(|path| {
            let period = root.text(&path.replace("cfs_quota_us", "cfs_period_us"))?;
            Some((cores(&root.text(&path)?, &period)?, path))
        });
        let smallest = v2.chain(v1).min_by(|(a, _), (b, _)| a.total_cmp(b));
        smallest.map(|(cores, path)| Self {
            cores,
            source: format!("/{path}"),
        })
    }
}

/// The cores that the control groups leave to this process: `cpuset.cpus.effective` of the nearest group that has the file
/// (version 2, where it already takes in the groups above), or `cpuset.cpus` of version 1.
pub(crate) fn cpuset(root: &SysRoot) -> Option<CoreSet> {
    let membership = root.text("proc/self/cgroup").unwrap_or_default();
    let v2 = group_files(&V2_MOUNTS, group_path(&membership, ""), "cpuset.cpus.effective");
    let v1 = group_files(
        &V1_CPUSET_MOUNTS,
        group_path(&membership, "cpuset"),
        "cpuset.cpus",
    );
    v2.into_iter()
        .chain(v1)
        .find_map(|path| CoreSet::parse(&root.text(&path)?))
}

/// This process's group in the hierarchy of a controller, from /proc/self/cgroup (`4:cpu,cpuacct:/a/b`; version 2 has no
/// controllers, `0::/a/b`). The topmost group when the file does not say.
fn group_path<'a>(membership: &'a str, controller: &str) -> &'a str {
    let row = |line: &'a str| {
        let (_, rest) = line.split_once(':')?;
        let (controllers, path) = rest.split_once(':')?;
        controllers
            .split(',')
            .any(|name| name == controller)
            .then_some(path)
    };
    membership.lines().find_map(row).unwrap_or("")
}

/// `file` in the group and in each group above it, the nearest first, under each mount. A container often sees the path
/// outside and the mount of its own: the paths that do not exist there cost one failed open each.
fn group_files(mounts: &[&str], group: &str, file: &str) -> Vec<String> {
    let names: Vec<&str> = group
        .split('/')
        .filter(|name| !matches!(*name, "" | "." | ".."))
        .collect();
    let groups = (0..=names.len()).rev().map(|depth| names[..depth].join("/"));
    let join = |mount: &str, group: &str| match group {
        "" => format!("{mount}/{file}"),
        _ => format!("{mount}/{group}/{file}"),
    };
    groups
        .flat_map(|group| mounts.iter().map(move |mount| join(mount, &group)))
        .collect()
}

/// `150000 100000` or `max 100000`.
fn cpu_max(text: &str) -> Option<f64> {
    let (quota, period) = text.split_once(char::is_whitespace)?;
    cores(quota, period)
}

/// Quota over period, both in microseconds. `max` and -1 are no limit.
fn cores(quota_us: &str, period_us: &str) -> Option<f64> {
    let (quota, period): (u64, u64) = (quota_us.trim().parse().ok()?, period_us.trim().parse().ok()?);
    (quota > 0 && period > 0).then(|| quota as f64 / period as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::tree::Tree;

    fn quota(files: &[(&str, &[u8])]) -> Option<f64> {
        Quota::read(&Tree::new(files).root()).map(|quota| quota.cores)
    }

    #[test]
    fn limits_are_fractions_and_no_limit_is_none() {
        for (text, cores) in [
            (&b"150000 100000\n"[..], Some(1.5)),
            (b"25000 100000\n", Some(0.25)),
            (b"max 100000\n", None),
            (b"0 0\n", None),
            (b"-5 100000\n", None),
            (b"\xff", None),
        ] {
            assert_eq!(quota(&[("sys/fs/cgroup/cpu.max", text)]), cores);
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
        assert_eq!(quota(&files), Some(2.0));
    }

    #[test]
    fn version_1_and_paths_from_outside_the_container() {
        let files: [(&str, &[u8]); 4] = [
            (
                "proc/self/cgroup",
                b"4:memory:/x\n3:cpu,cpuacct:/docker/0123\n0::/\n",
            ),
            ("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", b"50000\n"),
            ("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", b"100000\n"),
            ("sys/fs/cgroup/cpu/cpu.cfs_quota_us", b"-1\n"),
        ];
        assert_eq!(quota(&files), Some(0.5));
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
