//! All processes of the machine, and the threads of one: cheaply, for reading them once a second.

use super::SysRoot;

/// Longer than any /proc/PID/stat: fifty numbers of at most twenty digits, and a name.
const STAT_BYTES: usize = 1200;

/// The flag of a process that is the kernel's own (PF_KTHREAD).
const KERNEL_THREAD: u64 = 0x0020_0000;

/// One process. Source: /proc/PID/stat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessRow {
    /// Its number.
    pub pid: u32,
    /// Its name, of which the kernel keeps 15 bytes.
    pub name: String,
    /// The number of the process that started it, or has taken its place.
    pub parent: u32,
    /// The number of its process group: that of the group's first process.
    pub group: u32,
    /// Whether it is the kernel's own and no program.
    pub is_kernel: bool,
    /// Processor time so far in nanoseconds, all threads, ended ones too; steps of a clock tick (10 ms).
    pub cpu_ns: u64,
    /// Its threads.
    pub threads: u32,
    /// When it was started, in clock ticks since boot: together with the number it is unique.
    pub started: u64,
    /// Resident memory in bytes.
    pub rss_bytes: u64,
}

impl ProcessRow {
    /// Reads a process. `None` when it is gone, or hidden from this user.
    #[must_use]
    pub fn read(root: &SysRoot, pid: u32) -> Option<Self> {
        let mut buffer = [0; STAT_BYTES];
        Self::parse(pid, root.read_once(&format!("proc/{pid}/stat"), &mut buffer)?)
    }

    fn parse(pid: u32, stat: &str) -> Option<Self> {
        // The name may hold blanks and parentheses of its own.
        let (start, fields) = stat.rsplit_once(')')?;
        let (_, name) = start.split_once('(')?;
        // Numbers of the fields as in proc(5), where the state after the name is the third.
        let mut fields = (3..).zip(fields.split_ascii_whitespace());
        let mut field = |wanted: u32| fields.find(|(number, _)| *number == wanted).map(|(_, text)| text);
        let number = |text: Option<&str>| text?.parse::<u64>().ok();
        let (parent, group) = (field(4)?.parse().ok()?, field(5)?.parse().ok()?);
        let flags = number(field(9))?;
        let ticks = number(field(14))?.checked_add(number(field(15))?)?;
        Some(Self {
            pid,
            name: name.to_owned(),
            parent,
            group,
            is_kernel: flags & KERNEL_THREAD != 0,
            cpu_ns: ticks.checked_mul(tick_ns())?,
            threads: field(20)?.parse().ok()?,
            started: number(field(22))?,
            rss_bytes: number(field(24))?.checked_mul(rustix::param::page_size() as u64)?,
        })
    }
}

/// The numbers of all processes that this user may see. Source: the folders of /proc.
#[must_use]
pub fn pids(root: &SysRoot) -> Vec<u32> {
    let mut pids = Vec::new();
    root.find_numbered("proc", "", &mut |pid| {
        pids.push(pid);
        false
    });
    pids
}

/// What a thread has had of the processor so far, in nanoseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ThreadTimes {
    /// Time in which it ran.
    pub ran_ns: u64,
    /// Time in which it could have run and had no core; `None` on kernels that do not count it.
    pub waited_ns: Option<u64>,
}

/// The threads of a process and their times; empty when it is gone or hidden. Source: /proc/PID/task/TID/schedstat, and on
/// kernels without it `stat` beside it, in steps of a clock tick.
#[must_use]
pub fn threads(root: &SysRoot, pid: u32) -> Vec<(u32, ThreadTimes)> {
    let dir = format!("proc/{pid}/task");
    let mut threads = Vec::new();
    let mut buffer = [0; STAT_BYTES];
    root.find_numbered(&dir, "", &mut |tid| {
        let exact = root.read_once(&format!("{dir}/{tid}/schedstat"), &mut buffer).and_then(schedstat);
        let coarse = || {
            let stat = root.read_once(&format!("{dir}/{tid}/stat"), &mut buffer)?;
            Some(ThreadTimes { ran_ns: ProcessRow::parse(tid, stat)?.cpu_ns, waited_ns: None })
        };
        threads.extend(exact.or_else(coarse).map(|times| (tid, times)));
        false
    });
    threads
}

fn schedstat(text: &str) -> Option<ThreadTimes> {
    let mut numbers = text.split_ascii_whitespace().map_while(|text| text.parse().ok());
    Some(ThreadTimes { ran_ns: numbers.next()?, waited_ns: numbers.next() })
}

/// Length of the kernel's clock tick for programs (USER_HZ) in nanoseconds.
fn tick_ns() -> u64 {
    1_000_000_000 / rustix::param::clock_ticks_per_second()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::tree::Tree;

    #[test]
    fn a_row_is_read_behind_a_name_with_parentheses() {
        let stat = b"7 (a) R (1) S 3 5 5 0 -1 4194560 1 0 0 0 250 50 9 9 20 0 4 0 7777 100000 25 0\n";
        let tree = Tree::new(&[("proc/7/stat", stat), ("proc/8/stat", b"8 (x) S 1"), ("proc/net/x", b"")]);
        let row = ProcessRow::read(&tree.root(), 7).expect("process");
        assert_eq!((row.name.as_str(), row.parent, row.group), ("a) R (1", 3, 5));
        assert_eq!((row.cpu_ns, row.threads, row.started), (300 * tick_ns(), 4, 7777));
        assert_eq!(row.rss_bytes, 25 * rustix::param::page_size() as u64);
        assert!(!row.is_kernel);
        assert_eq!((ProcessRow::read(&tree.root(), 8), ProcessRow::read(&tree.root(), 9)), (None, None));
        let mut found = pids(&tree.root());
        found.sort_unstable();
        assert_eq!(found, [7, 8]);
    }

    #[test]
    fn the_kernels_own_are_told_by_their_flag() {
        let stat = "2 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 20 0 1 0 1 0 0 0";
        assert!(ProcessRow::parse(2, stat).expect("row").is_kernel);
    }

    #[test]
    fn threads_have_nanoseconds_where_the_kernel_gives_them() {
        let stat = b"9 (x) S 1 1 1 0 -1 0 0 0 0 0 2 1 0 0 20 0 1 0 5 0 0 0";
        let tree = Tree::new(&[
            ("proc/7/task/7/schedstat", b"123456789 55 2\n"),
            ("proc/7/task/9/stat", stat),
            ("proc/7/task/10/comm", b"x"),
        ]);
        let mut found = threads(&tree.root(), 7);
        found.sort_unstable_by_key(|(tid, _)| *tid);
        let exact = ThreadTimes { ran_ns: 123_456_789, waited_ns: Some(55) };
        assert_eq!(found, [(7, exact), (9, ThreadTimes { ran_ns: 3 * tick_ns(), waited_ns: None })]);
        assert!(threads(&tree.root(), 8).is_empty());
    }

    #[test]
    fn this_very_process_is_among_all() {
        let (root, me) = (SysRoot::live(), std::process::id());
        assert!(pids(&root).contains(&me));
        let row = ProcessRow::read(&root, me).expect("own process");
        assert!(row.rss_bytes > 0 && row.threads as usize >= 1 && !row.is_kernel);
        assert!(!threads(&root, me).is_empty());
    }
}
