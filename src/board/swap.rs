//! Where memory is swapped to, and whether control groups may limit it.

use super::SysRoot;
use serde::Serialize;

/// What a swap space is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SwapKind {
    /// Packed into memory.
    Zram,
    /// An SD card or eMMC: slow, and worn out by it.
    Mmc,
    /// A file, on whatever the folder is on.
    File,
    /// Any other block device.
    Device,
}

/// A swap space that is in use. Source: /proc/swaps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Swap {
    /// The device or file.
    pub name: String,
    /// What it is on.
    pub kind: SwapKind,
    /// Its size in bytes.
    pub total_bytes: Option<u64>,
    /// How much of it is used, in bytes.
    pub used_bytes: Option<u64>,
}

impl Swap {
    /// All that are in use, in the kernel's order.
    #[must_use]
    pub fn read_all(root: &SysRoot) -> Vec<Self> {
        root.text("proc/swaps").unwrap_or_default().lines().skip(1).filter_map(Self::parse).collect()
    }

    /// `/dev/zram0 partition 218616 0 100`: name, type, size and use in KiB, priority.
    fn parse(line: &str) -> Option<Self> {
        let mut words = line.split_ascii_whitespace();
        let (name, kind) = (words.next()?, words.next()?);
        let mut bytes = || words.next()?.parse::<u64>().ok()?.checked_mul(1024);
        let device = name.rsplit('/').next().unwrap_or(name);
        let kind = match kind {
            "file" => SwapKind::File,
            _ if device.starts_with("zram") => SwapKind::Zram,
            _ if device.starts_with("mmcblk") => SwapKind::Mmc,
            _ => SwapKind::Device,
        };
        Some(Self { name: name.to_owned(), kind, total_bytes: bytes(), used_bytes: bytes() })
    }
}

/// Whether control groups count and limit memory; `None` when it is not known. Without it, `MemoryMax=` has no effect. Source:
/// `enabled` of /proc/cgroups, else the controllers of version 2.
#[must_use]
pub(crate) fn memory_cgroup(root: &SysRoot) -> Option<bool> {
    let table = root.text("proc/cgroups").unwrap_or_default();
    let enabled = table.lines().find_map(|line| line.strip_prefix("memory")?.split_ascii_whitespace().nth(2));
    let controllers = || root.text("sys/fs/cgroup/cgroup.controllers");
    match enabled {
        Some(enabled) => Some(enabled != "0"),
        None => controllers().map(|list| list.split_ascii_whitespace().any(|name| name == "memory")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::tree::Tree;

    #[test]
    fn spaces_are_told_by_what_they_are_on() {
        let table = "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n\
                     /dev/zram0                              partition\t218616\t\t1024\t\t100\n\
                     /dev/mmcblk0p2 partition 100 0 -2\n/var/swap file 99 x -3\n/dev/sda1 partition 1 1 0\nnonsense\n";
        let tree = Tree::new(&[("proc/swaps", table.as_bytes())]);
        let swaps = Swap::read_all(&tree.root());
        let kinds: Vec<_> = swaps.iter().map(|swap| swap.kind).collect();
        assert_eq!(kinds, [SwapKind::Zram, SwapKind::Mmc, SwapKind::File, SwapKind::Device]);
        assert_eq!((swaps[0].total_bytes, swaps[0].used_bytes), (Some(218_616 << 10), Some(1 << 20)));
        assert_eq!((swaps[2].total_bytes, swaps[2].used_bytes), (Some(99 << 10), None));
        assert!(Swap::read_all(&Tree::new(&[]).root()).is_empty());
    }

    #[test]
    fn a_controller_that_is_off_is_off() {
        for (files, expected) in [
            (&[("proc/cgroups", &b"#subsys_name\thierarchy\nmemory\t0\t40\t0\n"[..])][..], Some(false)),
            (&[("proc/cgroups", b"memory\t0\t40\t1\n")], Some(true)),
            (&[("sys/fs/cgroup/cgroup.controllers", b"cpuset cpu io memory pids\n")], Some(true)),
            (&[("sys/fs/cgroup/cgroup.controllers", b"cpuset cpu\n")], Some(false)),
            (&[], None),
        ] {
            assert_eq!(memory_cgroup(&Tree::new(files).root()), expected);
        }
    }
}
