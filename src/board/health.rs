//! What is asked when a board is slow: who waits for what, what its kernel was set to, whether its card and its clock are well.

use super::{SysRoot, pids};
use serde::Serialize;
use std::time::{SystemTime, UNIX_EPOCH};

/// Folders whose file systems fill up with logs; on most boards both are on the card.
const FOLDERS: [&str; 2] = ["/", "/var/log"];

/// So many names of waiting tasks are told.
const MOST_TASKS: usize = 8;

/// A reading of what may slow a board down beside its cores and its heat.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Health {
    /// Tasks that ran or waited for a disk on average over the last minute, in hundredths. Source: /proc/loadavg.
    pub load_hundredths: Option<u64>,
    /// Tasks that are ready to run at this moment, this one included. Source: /proc/loadavg.
    pub running: Option<u64>,
    /// Names of tasks that wait and can't be woken (state D), which count as load although they take no time.
    pub blocked: Vec<String>,
    /// The value of each network key that profiles set: `None` where this kernel has no such key.
    pub sysctls: Vec<(&'static str, Option<u64>)>,
    /// How full the file systems are; only of the running machine.
    pub disks: Vec<Disk>,
    /// Seconds since 1970 by the system's clock; only of the running machine.
    pub now_unix_s: Option<u64>,
    /// When this program's file was written, in seconds since 1970: the clock can't be before that.
    pub written_unix_s: Option<u64>,
}

/// A file system.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Disk {
    /// A folder on it.
    pub folder: &'static str,
    /// Its size in bytes.
    pub total_bytes: u64,
    /// What programs can still have of it, in bytes.
    pub free_bytes: u64,
}

/// The keys, by their paths below /proc/sys.
const KEYS: [&str; 4] = [
    "net/ipv4/tcp_timestamps",
    "net/ipv4/tcp_tw_reuse",
    "net/ipv4/tcp_tw_recycle",
    "net/ipv4/tcp_syncookies",
];

impl Health {
    /// Reads it. Takes milliseconds: all processes are looked at.
    #[must_use]
    pub fn read(root: &SysRoot) -> Self {
        let loads = root.text("proc/loadavg").unwrap_or_default();
        let mut words = loads.split_ascii_whitespace();
        let load_hundredths = words.next().and_then(hundredths);
        let running = words.nth(2).and_then(|tasks| tasks.split('/').next()?.parse().ok());
        let key = |key: &'static str| {
            (key, root.text(&format!("proc/sys/{key}")).and_then(|text| text.parse().ok()))
        };
        Self {
            load_hundredths,
            running,
            blocked: blocked(root),
            sysctls: KEYS.map(key).to_vec(),
            disks: if root.is_live() {
                FOLDERS.iter().filter_map(|folder| Disk::of(folder)).collect()
            } else {
                Vec::new()
            },
            now_unix_s: root.is_live().then(|| unix_s(SystemTime::now())).flatten(),
            written_unix_s: root.is_live().then(written).flatten(),
        }
    }

    /// The value of a key by its path below /proc/sys.
    #[must_use]
    pub fn sysctl(&self, key: &str) -> Option<u64> {
        self.sysctls.iter().find(|(known, _)| *known == key)?.1
    }
}

impl Disk {
    fn of(folder: &'static str) -> Option<Self> {
        let stat = rustix::fs::statvfs(folder).ok()?;
        let bytes = |blocks: u64| blocks.checked_mul(stat.f_frsize);
        Some(Self { folder, total_bytes: bytes(stat.f_blocks)?, free_bytes: bytes(stat.f_bavail)? })
    }
}

/// `2.05` as 205.
fn hundredths(text: &str) -> Option<u64> {
    let (whole, part) = text.split_once('.')?;
    let part: u64 = part.parse().ok().filter(|_| part.len() == 2)?;
    whole.parse::<u64>().ok()?.checked_mul(100)?.checked_add(part)
}

fn blocked(root: &SysRoot) -> Vec<String> {
    let state = |pid: &u32| {
        let stat = root.text(&format!("proc/{pid}/stat"))?;
        // The name is in brackets and may have any in it.
        let (head, rest) = stat.rsplit_once(')')?;
        let name = head.split_once('(')?.1;
        rest.trim_ascii_start().starts_with('D').then(|| name.to_owned())
    };
    pids(root).iter().filter_map(state).take(MOST_TASKS).collect()
}

fn unix_s(time: SystemTime) -> Option<u64> {
    Some(time.duration_since(UNIX_EPOCH).ok()?.as_secs())
}

fn written() -> Option<u64> {
    unix_s(std::env::current_exe().ok()?.metadata().ok()?.modified().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::tree::Tree;

    #[test]
    fn load_and_who_waits() {
        let tree = Tree::new(&[
            ("proc/loadavg", b"2.05 2.01 1.99 1/95 1234\n"),
            ("proc/7/stat", b"7 (usb-storage (x)) D 2 0 0 0"),
            ("proc/9/stat", b"9 (sshd) S 1 9 9 0"),
            ("proc/sys/net/ipv4/tcp_tw_reuse", b"1\n"),
        ]);
        let health = Health::read(&tree.root());
        assert_eq!((health.load_hundredths, health.running), (Some(205), Some(1)));
        assert_eq!(health.blocked, ["usb-storage (x)"]);
        assert_eq!(health.sysctl("net/ipv4/tcp_tw_reuse"), Some(1));
        assert_eq!(health.sysctl("net/ipv4/tcp_tw_recycle"), None);
        assert_eq!((health.disks.len(), health.now_unix_s), (0, None));
        for text in ["2.5", "x", "2", "", "2.x5", ".05"] {
            assert_eq!(hundredths(text), None, "{text:?}");
        }
    }

    #[test]
    fn the_running_machine_has_a_disk_and_a_time() {
        let health = Health::read(&SysRoot::live());
        assert!(health.disks.iter().any(|disk| disk.folder == "/" && disk.total_bytes > disk.free_bytes));
        assert!(health.now_unix_s > Some(0) && health.written_unix_s > Some(0));
    }
}
