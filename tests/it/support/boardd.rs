//! The real `boardd`, run as on a board, and what /proc says about it.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, ChildStdout, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::client::{Client, HANG};

/// The boardd that ships, by `BOARDD` in the environment; the one that cargo just built without it.
pub(crate) fn program() -> PathBuf {
    std::env::var_os("BOARDD").map_or_else(|| env!("CARGO_BIN_EXE_boardd").into(), PathBuf::from)
}

/// Waits for what cannot announce itself; the test fails when it never comes about.
pub(crate) fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < HANG, "never came about: {what}");
        thread::sleep(Duration::from_millis(5));
    }
}

/// A running boardd on a free loopback port; killed when dropped.
pub(crate) struct Boardd {
    child: Child,
    pub(crate) address: SocketAddr,
    /// Where it listens besides.
    pub(crate) further: Vec<SocketAddr>,
    /// What it says on its output after that.
    pub(crate) stdout: Option<BufReader<ChildStdout>>,
    stderr: Option<ChildStderr>,
}

impl Boardd {
    /// Starts `boardd serve` with further flags.
    pub(crate) fn start(flags: &[&str]) -> Self {
        let mut command = Command::new(program());
        command.args(["serve", "--listen", "127.0.0.1:0"]).args(flags);
        Self::spawn(command)
    }

    /// Runs a command that becomes boardd; its error output is a pipe.
    pub(crate) fn spawn(mut command: Command) -> Self {
        command.stderr(Stdio::piped());
        Self::spawn_as_is(command.stdin(Stdio::null()))
    }

    /// The same with the standard input and error output that the command already has.
    pub(crate) fn spawn_as_is(command: &mut Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().expect("boardd starts");
        let stderr = child.stderr.take();
        let mut stdout = BufReader::new(child.stdout.take().expect("piped"));
        let mut addresses = Vec::new();
        // All in one write.
        while addresses.is_empty() || !stdout.buffer().is_empty() {
            let mut line = String::new();
            stdout.read_line(&mut line).expect("a line");
            let address = line.trim_end().strip_prefix("listening on ");
            let address = address.unwrap_or_else(|| panic!("boardd did not listen, but said {line:?}"));
            addresses.push(address.parse().expect("an address"));
        }
        let address = addresses.remove(0);
        Self { child, address, further: addresses, stdout: Some(stdout), stderr }
    }

    /// A new connection.
    pub(crate) fn connect(&self) -> Client {
        Client::connect(self.address)
    }

    /// Fails the test unless a new connection is answered.
    pub(crate) fn expect_alive(&self) {
        self.connect().expect_greeting();
    }

    pub(crate) fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    /// SIGTERM.
    pub(crate) fn terminate(&self) {
        self.signal(Signal::TERM);
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(self.pid(), signal).expect("it runs");
    }

    pub(crate) fn has_ended(&mut self) -> bool {
        self.child.try_wait().expect("our child").is_some()
    }

    /// Waits for the end; how it ended and what it said on its error output.
    pub(crate) fn wait(mut self) -> (ExitStatus, String) {
        let mut said = String::new();
        if let Some(mut stderr) = self.stderr.take() {
            stderr.read_to_string(&mut said).expect("text");
        }
        (self.child.wait().expect("our child"), said)
    }

    /// Nobody reads its error output any more.
    pub(crate) fn close_stderr(&mut self) {
        drop(self.stderr.take());
    }

    fn proc(&self, name: &str) -> PathBuf {
        Path::new("/proc").join(self.child.id().to_string()).join(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.proc(name)).unwrap_or_else(|error| panic!("{name} of boardd: {error}"))
    }

    /// Open descriptors, without those of a look at the board, which is over in a moment.
    pub(crate) fn descriptors(&self) -> usize {
        let of_board = |link: &&String| link.starts_with("/proc/") || link.starts_with("/sys/");
        let links = self.links();
        links.len() - links.values().filter(of_board).count()
    }

    /// Open descriptors once every worker is up and no connection is open: what it must come back to.
    pub(crate) fn base_descriptors(&self) -> usize {
        self.expect_alive();
        until("no connection is left", || self.deal().iter().all(Vec::is_empty));
        self.descriptors()
    }

    /// The limit under which it can have so many more descriptors than now: numbers in use may have gaps.
    pub(crate) fn limit_for(&self, more: usize) -> u64 {
        let used = self.links();
        let free = (0_u32..).filter(|number| !used.contains_key(number));
        free.take(more).last().map_or(0, |highest| u64::from(highest) + 1)
    }

    /// Waits until it has this many descriptors.
    pub(crate) fn until_descriptors(&self, count: usize) {
        until(&format!("{count} descriptors"), || self.descriptors() == count);
    }

    /// Resident memory in KiB, counted page by page.
    pub(crate) fn resident_kib(&self) -> u64 {
        let rollup = self.read("smaps_rollup");
        let line = rollup.lines().find_map(|line| line.strip_prefix("Rss:")).expect("a line Rss");
        line.trim().trim_end_matches(" kB").parse().expect("a number")
    }

    /// Processor time used so far, in clock ticks of 10 ms.
    pub(crate) fn cpu_ticks(&self) -> u64 {
        let stat = self.read("stat");
        // After the name, which may hold anything, field 14 is the 12th.
        let (_, fields) = stat.rsplit_once(") ").expect("a name");
        fields.split(' ').skip(11).take(2).map(|ticks| ticks.parse::<u64>().expect("a number")).sum()
    }

    /// Connections that each worker watches, as the kernel has it: one entry per epoll that watches our port. A worker that
    /// has closed its door and holds none is missing.
    pub(crate) fn deal(&self) -> Vec<Vec<u16>> {
        let sockets = self.sockets();
        let links = self.links();
        let mut hands = Vec::new();
        for (fd, _) in links.iter().filter(|(_, link)| link.contains("[eventpoll]")) {
            let Ok(info) = fs::read_to_string(self.proc(&format!("fdinfo/{fd}"))) else { continue };
            let watched = info.lines().filter_map(|line| line.strip_prefix("tfd:"));
            let watched = watched.filter_map(|line| line.split_whitespace().next()?.parse::<u32>().ok());
            let of_ours: Vec<_> = watched.filter_map(|fd| sockets.get(links.get(&fd)?)).collect();
            if !of_ours.is_empty() {
                hands.push(of_ours.into_iter().copied().filter(|port| *port != 0).collect());
            }
        }
        hands
    }

    /// The client's port by the name that a descriptor's link has, 0 for the listener.
    fn sockets(&self) -> BTreeMap<String, u16> {
        let ours = format!(":{:04X}", self.address.port());
        let table = self.read("net/tcp");
        let rows = table.lines().skip(1).map(|row| row.split_whitespace().collect::<Vec<_>>());
        let of_ours = rows.filter(|row| row.len() > 9 && row[1].ends_with(&ours));
        let port = |address: &str| u16::from_str_radix(address.rsplit(':').next()?, 16).ok();
        of_ours.filter_map(|row| Some((format!("socket:[{}]", row[9]), port(row[2])?))).collect()
    }

    fn links(&self) -> BTreeMap<u32, String> {
        let entries = fs::read_dir(self.proc("fd")).expect("it runs").filter_map(Result::ok);
        let link = |entry: fs::DirEntry| {
            let target = fs::read_link(entry.path()).ok()?;
            Some((entry.file_name().to_str()?.parse().ok()?, target.to_string_lossy().into_owned()))
        };
        entries.filter_map(link).collect()
    }

    /// Whether exactly these clients are dealt over `workers` workers within one of each other.
    pub(crate) fn is_even(&self, clients: &[u16], workers: usize) -> bool {
        let deal = self.deal();
        let counts: Vec<_> = deal.iter().map(Vec::len).collect();
        let all: HashSet<u16> = deal.iter().flatten().copied().collect();
        let (least, most) = (counts.iter().min(), counts.iter().max());
        let within_one = least.zip(most).is_some_and(|(least, most)| most - least <= 1);
        within_one && counts.len() == workers && all == clients.iter().copied().collect()
    }
}

impl Drop for Boardd {
    fn drop(&mut self) {
        // Already gone is as good.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
