//! What one process has used so far.

use super::SysRoot;
use serde::Serialize;

/// Processor time, memory and threads of a process. Sources: /proc/PID/stat and /proc/PID/status.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ProcessUsage {
    /// Seconds of processor time in the program itself, all threads; steps of a clock tick (10 ms).
    pub user_cpu_s: f64,
    /// Seconds of processor time in the kernel on the program's behalf; same steps.
    pub system_cpu_s: f64,
    /// Resident memory in bytes (VmRSS).
    pub rss_bytes: Option<u64>,
    /// Threads at this moment.
    pub threads: Option<u32>,
}

impl ProcessUsage {
    /// Reads a process. `None` when it is gone or another user's and hidden.
    #[must_use]
    pub fn read(root: &SysRoot, pid: u32) -> Option<Self> {
        let (user_ticks, system_ticks) = parse_ticks(&root.text(&format!("proc/{pid}/stat"))?)?;
        let status = root.text(&format!("proc/{pid}/status")).unwrap_or_default();
        // The kernel gives ticks of USER_HZ, whatever its own tick is; the C library's constant says how many.
        let ticks_per_s = rustix::param::clock_ticks_per_second() as f64;
        Some(Self {
            user_cpu_s: user_ticks as f64 / ticks_per_s,
            system_cpu_s: system_ticks as f64 / ticks_per_s,
            rss_bytes: status_word(&status, "VmRSS:").and_then(|kib| kib.checked_mul(1024)),
            threads: status_word(&status, "Threads:").and_then(|n| n.try_into().ok()),
        })
    }

    /// Seconds of processor time, program and kernel together.
    #[must_use]
    pub fn cpu_s(&self) -> f64 {
        self.user_cpu_s + self.system_cpu_s
    }
}

/// utime and stime in ticks: the 14th and 15th field of /proc/PID/stat. Counted from after the last `)`, since the
/// program's name before it may hold blanks and parentheses of its own.
fn parse_ticks(stat: &str) -> Option<(u64, u64)> {
    let (_, fields) = stat.rsplit_once(')')?;
    // The first field after the name is the third one, the state.
    let mut fields = fields.split_ascii_whitespace().skip(14 - 3);
    Some((fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
}

fn status_word(status: &str, key: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(key))?;
    line.split_ascii_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::tree::Tree;

    #[test]
    fn the_name_may_hold_blanks_and_parentheses() {
        let stat = b"7 (a) R 1) S 1 7 7 0 -1 4194560 1 0 0 0 250 50 0 0 20 0 3 0 100 0 0";
        let tree = Tree::new(&[
            ("proc/7/stat", stat),
            ("proc/7/status", b"Name:\ta\nVmRSS:\t  2048 kB\nThreads:\t3\n"),
        ]);
        let usage = ProcessUsage::read(&tree.root(), 7).expect("process");
        assert_eq!(usage.cpu_s() * rustix::param::clock_ticks_per_second() as f64, 300.0);
        assert_eq!((usage.rss_bytes, usage.threads), (Some(2 << 20), Some(3)));
    }

    #[test]
    fn gone_and_cut_off_processes_are_unknown() {
        let tree = Tree::new(&[("proc/8/stat", b"8 (x) S 1 2"), ("proc/9/stat", b"garbage")]);
        for pid in [7, 8, 9] {
            assert_eq!(ProcessUsage::read(&tree.root(), pid), None);
        }
    }

    #[test]
    fn this_process_has_memory_and_a_thread() {
        let usage = ProcessUsage::read(&SysRoot::live(), std::process::id()).expect("own process");
        assert!(usage.rss_bytes > Some(0) && usage.threads >= Some(1));
    }
}
