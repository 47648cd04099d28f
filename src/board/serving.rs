//! The server behind an address of this machine: all its processes, and the processor time that they used.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::Duration;

use nix::time::clock_getcpuclockid;
use nix::unistd::Pid;

use super::{ProcessRow, SysRoot, holders};

/// The first process of the machine. It holds the sockets that it gives to others, and serves nobody.
const INIT: u32 = 1;

/// The processes that listen at an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Serving {
    /// Number and start of each; a number alone may be given to another process.
    processes: Vec<(u32, u64)>,
    /// The name of the one that has worked most.
    name: String,
}

/// The processor time that the processes of a server had used at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServingCpu {
    processes: BTreeMap<u32, ProcessCpu>,
}

/// A process at one moment, in nanoseconds of processor time; threads that have ended are in both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ProcessCpu {
    /// In steps of a clock tick. Source: /proc/PID/stat.
    ticks_ns: u64,
    /// Exactly, by the process's own clock; `None` where it has none that may be read, and of a recorded machine.
    exact_ns: Option<u64>,
}

impl Serving {
    /// The processes that share a socket which takes connections to `address`, an address of this machine: one, or a master
    /// and its workers. `None` when nothing listens there, or none of them may be looked at. Takes milliseconds.
    #[must_use]
    pub fn at(root: &SysRoot, address: SocketAddr) -> Option<Self> {
        let pids = holders(root, address);
        let mut rows: Vec<ProcessRow> = pids.iter().filter_map(|pid| ProcessRow::read(root, *pid)).collect();
        if rows.len() > 1 {
            rows.retain(|row| row.pid != INIT);
        }
        let name = rows.iter().max_by_key(|row| row.cpu_ns)?.name.clone();
        let mut processes: Vec<_> = rows.iter().map(|row| (row.pid, row.started)).collect();
        processes.sort_unstable();
        Some(Self { processes, name })
    }

    /// What to call it: `nginx`, or `nginx (3 processes)`.
    #[must_use]
    pub fn title(&self) -> String {
        match self.processes.len() {
            1 => self.name.clone(),
            several => format!("{} ({several} processes)", self.name),
        }
    }

    /// The processor time so far. `None` when one of the processes has ended: then it is time to look for them again.
    #[must_use]
    pub fn cpu(&self, root: &SysRoot) -> Option<ServingCpu> {
        let read = |(pid, started): &(u32, u64)| {
            let exact_ns = root.is_live().then(|| exact_ns(*pid)).flatten();
            // Read afterwards: if the number is still this process's, it was when the clock was read.
            let row = ProcessRow::read(root, *pid).filter(|row| row.started == *started)?;
            Some((*pid, ProcessCpu { ticks_ns: row.cpu_ns, exact_ns }))
        };
        let processes = self.processes.iter().map(read).collect::<Option<_>>()?;
        Some(ServingCpu { processes })
    }
}

impl ServingCpu {
    /// Nanoseconds of processor time since an earlier reading of the same server; `None` when that was of other processes.
    #[must_use]
    pub fn since(&self, before: &Self) -> Option<u64> {
        let both = self.processes.len() == before.processes.len();
        let used = |(pid, now): (&u32, &ProcessCpu)| Some(now.since(before.processes.get(pid)?));
        both.then(|| self.processes.iter().map(used).sum::<Option<u64>>())?
    }
}

impl ProcessCpu {
    fn since(&self, before: &Self) -> u64 {
        match (self.exact_ns, before.exact_ns) {
            (Some(now), Some(before)) => now.saturating_sub(before),
            _ => self.ticks_ns.saturating_sub(before.ticks_ns),
        }
    }
}

/// A sum over threads would miss those that began and ended between two readings: the servers with a thread for each
/// connection have nothing else.
fn exact_ns(pid: u32) -> Option<u64> {
    let clock = clock_getcpuclockid(Pid::from_raw(i32::try_from(pid).ok()?)).ok()?;
    u64::try_from(Duration::from(clock.now().ok()?).as_nanos()).ok()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::board::tree::Tree;

    /// Listening at 127.0.0.1:80 (inode 1), at all addresses on port 80 (2), and twice at 127.0.0.1:81 (3, 4).
    const TCP: &str = "  sl  local_address rem_address   st
0: 0100007F:0050 00000000:0000 0A 0:0 0:0 0 0 0 1
1: 00000000:0050 00000000:0000 0A 0:0 0:0 0 0 0 2
2: 0100007F:0051 00000000:0000 0A 0:0 0:0 0 0 0 3
3: 0100007F:0051 00000000:0000 0A 0:0 0:0 0 0 0 4
4: 0100007F:0052 00000000:0000 0A 0:0 0:0 0 0 0 5
";

    fn process(tree: &Tree, pid: u32, name: &str, ticks: u64, sockets: &[u32]) {
        let dir = |name: &str| tree.path(&format!("proc/{pid}/{name}"));
        let _ = fs::remove_dir_all(dir(""));
        fs::create_dir_all(dir("fd")).expect("directory");
        let stat = format!("{pid} ({name}) S 1 {pid} 0 0 -1 0 0 0 0 0 {ticks} 0 0 0 20 0 1 0 {pid} 0 0 0");
        fs::write(dir("stat"), stat).expect("file");
        for (fd, inode) in sockets.iter().enumerate() {
            symlink(format!("socket:[{inode}]"), dir(&format!("fd/{fd}"))).expect("link");
        }
    }

    fn at(tree: &Tree, address: &str) -> Option<Serving> {
        Serving::at(&tree.root(), address.parse().expect("address"))
    }

    #[test]
    fn all_that_share_the_socket_are_one_server() {
        let tree = Tree::new(&[("proc/net/tcp", TCP.as_bytes())]);
        process(&tree, 1, "systemd", 900, &[1]);
        process(&tree, 10, "nginx", 1, &[9, 1]);
        process(&tree, 11, "worker", 7, &[1]);
        process(&tree, 20, "everywhere", 1, &[2]);
        process(&tree, 30, "one", 1, &[3]);
        process(&tree, 31, "two", 2, &[4]);
        let cases = [
            ("127.0.0.1:80", Some(("worker (2 processes)", vec![(10, 10), (11, 11)]))),
            ("10.0.0.1:80", Some(("everywhere", vec![(20, 20)]))),
            ("127.0.0.1:81", Some(("two (2 processes)", vec![(30, 30), (31, 31)]))),
            ("127.0.0.1:82", None),
            ("127.0.0.1:83", None),
        ];
        for (address, expected) in cases {
            let found = at(&tree, address).map(|serving| (serving.title(), serving.processes));
            assert_eq!(found, expected.map(|(title, pids)| (title.to_owned(), pids)), "{address}");
        }
    }

    #[test]
    fn time_of_a_recorded_machine_is_in_ticks() {
        let tick = 1_000_000_000 / rustix::param::clock_ticks_per_second();
        let tree = Tree::new(&[("proc/net/tcp", TCP.as_bytes())]);
        process(&tree, 10, "server", 5, &[1]);
        let serving = at(&tree, "127.0.0.1:80").expect("it listens");
        let first = serving.cpu(&tree.root()).expect("it runs");
        process(&tree, 10, "server", 8, &[1]);
        let second = serving.cpu(&tree.root()).expect("it runs");
        assert_eq!(second.since(&first), Some(3 * tick));
    }

    #[test]
    fn a_server_that_ended_has_no_time() {
        let tree = Tree::new(&[("proc/net/tcp", TCP.as_bytes())]);
        process(&tree, 10, "a", 1, &[1]);
        process(&tree, 20, "b", 1, &[5]);
        let [one, two] =
            ["127.0.0.1:80", "127.0.0.1:82"].map(|address| at(&tree, address).expect("it listens"));
        let other = two.cpu(&tree.root()).expect("it runs");
        assert_eq!(other.since(&one.cpu(&tree.root()).expect("it runs")), None);
        fs::remove_dir_all(tree.path("proc/10")).expect("it ends");
        assert_eq!(one.cpu(&tree.root()), None);
    }

    #[test]
    fn this_very_process_serves() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("loopback");
        let root = SysRoot::live();
        let serving = Serving::at(&root, listener.local_addr().expect("bound")).expect("found");
        assert_eq!(serving.processes[0].0, std::process::id());
        let before = serving.cpu(&root).expect("it runs");
        // A thread that is in neither list of threads.
        let worked = std::thread::spawn(|| {
            let cpu = || Duration::from(nix::time::ClockId::CLOCK_THREAD_CPUTIME_ID.now().expect("a clock"));
            while cpu() < Duration::from_millis(5) {}
        });
        worked.join().expect("no panic");
        let used = serving.cpu(&root).and_then(|now| now.since(&before));
        assert!(used >= Some(5_000_000), "{used:?}");
    }
}
