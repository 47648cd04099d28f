//! The server: its processes, and their threads.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use super::super::ServerSample;
use super::Watched;
use super::processes::{Known, Processes, cores};
use crate::board::{self, ProcessRow, SysRoot, ThreadTimes};

/// A thread with more than this share of a core works.
const BUSY_CORES: f64 = 0.01;

/// Deeper than any tree of processes; a bound, because the rows are read one after the other and may not fit together.
const MAX_DEPTH: usize = 64;

/// Names that say nothing about which server it is: the first process of the machine takes in orphans.
const INIT: u32 = 1;

/// The server's processes as they were last read.
#[derive(Debug, Default)]
pub(super) struct Server {
    /// Number and start of the process that the others belong to.
    top: Option<(u32, u64)>,
    members: BTreeMap<u32, Member>,
    /// Processor time of members that have ended, in nanoseconds.
    ended_ns: u64,
}

/// A process of the server.
#[derive(Debug, Default)]
struct Member {
    started: u64,
    threads: BTreeMap<u32, ThreadTimes>,
    /// Processor time of threads that have ended.
    ended_ns: u64,
    total_ns: u64,
    /// Whether the next reading has something to be compared with.
    has_baseline: bool,
    /// What changed with the last reading; `None` when there was none before.
    used: Option<Used>,
}

/// What a process used between two readings.
#[derive(Debug, Clone, Copy, Default)]
struct Used {
    all_ns: u64,
    busiest_ns: u64,
    waited_ns: Option<u64>,
    neediest_ns: Option<u64>,
    busy_threads: u32,
}

impl Server {
    /// Processes that are to be read at each scan.
    pub(super) fn members(&self) -> HashSet<u32> {
        self.members.keys().copied().collect()
    }

    pub(super) fn has(&self, pid: u32) -> bool {
        self.members.contains_key(&pid)
    }

    /// Reads the server's threads. `None` when there is no server, or this is the first reading of it.
    pub(super) fn sample(
        &mut self,
        root: &SysRoot,
        processes: &Processes,
        watch: &Watched,
        since: Duration,
    ) -> Option<ServerSample> {
        let top = watch.server.and_then(|pid| top_of(processes, pid, &watch.own));
        let top = top.map(|known| (known.row.pid, known.row.started));
        if top != self.top {
            *self = Self { top, ..Self::default() };
        }
        let (pid, _) = top?;
        let rows: Vec<&ProcessRow> =
            processes.iter().filter(|row| belongs(processes, row, pid, &watch.own)).collect();
        self.forget_ended(&rows);
        for row in &rows {
            let is_new = processes.get(row.pid).is_some_and(|known| known.is_new);
            let member = self.members.entry(row.pid);
            // A member that was started since the last reading has all its time from then.
            let fresh = || Member { started: row.started, has_baseline: is_new, ..Member::default() };
            member.or_insert_with(fresh).update(row, &board::threads(root, row.pid), since);
        }
        self.summary(processes, &rows, since)
    }

    fn forget_ended(&mut self, rows: &[&ProcessRow]) {
        let started: BTreeMap<u32, u64> = rows.iter().map(|row| (row.pid, row.started)).collect();
        let ended_ns = &mut self.ended_ns;
        self.members.retain(|pid, member| {
            let there = started.get(pid) == Some(&member.started);
            *ended_ns += if there { 0 } else { member.total_ns };
            there
        });
    }

    fn summary(&self, processes: &Processes, rows: &[&ProcessRow], since: Duration) -> Option<ServerSample> {
        let (pid, _) = self.top?;
        self.members.get(&pid)?.used?;
        let used: Vec<Used> = self.members.values().filter_map(|member| member.used).collect();
        let total_ns = self.members.values().map(|member| member.total_ns).sum::<u64>() + self.ended_ns;
        Some(ServerSample {
            pid,
            name: processes.get(pid)?.row.name.clone(),
            cores: cores(used.iter().map(|used| used.all_ns).sum(), since)?,
            busiest_thread: cores(used.iter().map(|used| used.busiest_ns).max()?, since)?,
            waited: used
                .iter()
                .filter_map(|used| used.waited_ns)
                .reduce(|a, b| a + b)
                .and_then(|ns| cores(ns, since)),
            neediest_thread: used
                .iter()
                .filter_map(|used| used.neediest_ns)
                .max()
                .and_then(|ns| cores(ns, since)),
            busy_threads: used.iter().map(|used| used.busy_threads).sum(),
            threads: rows.iter().map(|row| row.threads).sum(),
            rss_bytes: Some(rows.iter().map(|row| row.rss_bytes).sum()),
            cpu_s: total_ns as f64 / 1e9,
        })
    }
}

impl Member {
    /// Takes a new reading. The threads' times are exact, but an ended thread's last piece is in none of them; the process's
    /// own time has it, in steps of a clock tick. So the sum over the threads counts, raised to what the process says.
    fn update(&mut self, row: &ProcessRow, threads: &[(u32, ThreadTimes)], since: Duration) {
        let mut used = Used::default();
        for (tid, times) in threads {
            // A number that was given anew begins from 0.
            let before =
                self.threads.remove(tid).filter(|before| before.ran_ns <= times.ran_ns).unwrap_or_default();
            let ran = times.ran_ns - before.ran_ns;
            used.busiest_ns = used.busiest_ns.max(ran);
            used.busy_threads += u32::from(cores(ran, since).is_some_and(|cores| cores > BUSY_CORES));
            if let Some(waited) = times.waited_ns.map(|ns| ns.saturating_sub(before.waited_ns.unwrap_or(0))) {
                used.waited_ns = Some(used.waited_ns.unwrap_or(0) + waited);
                used.neediest_ns = used.neediest_ns.max(Some(ran + waited));
            }
        }
        let ran =
            |threads: &BTreeMap<u32, ThreadTimes>| threads.values().map(|times| times.ran_ns).sum::<u64>();
        self.ended_ns += ran(&self.threads);
        self.threads = threads.iter().copied().collect();
        let alive = ran(&self.threads);
        let total = (alive + self.ended_ns).max(row.cpu_ns).max(self.total_ns);
        self.ended_ns = total - alive.min(total);
        used.all_ns = total - self.total_ns;
        self.total_ns = total;
        self.used = self.has_baseline.then_some(used);
        self.has_baseline = true;
    }
}

/// The process that the server's others belong to: `pid`, or above it the last that has the same name, as the master of
/// nginx has its workers'.
fn top_of<'a>(processes: &'a Processes, pid: u32, own: &[u32]) -> Option<&'a Known> {
    let mut top = processes.get(pid)?;
    for _ in 0..MAX_DEPTH {
        let parent = processes.get(top.row.parent).filter(|parent| parent.row.name == top.row.name);
        match parent.filter(|parent| parent.row.pid != INIT && !own.contains(&parent.row.pid)) {
            Some(parent) => top = parent,
            None => break,
        }
    }
    Some(top)
}

/// Whether a process is `top`, comes from it, or is in the group that it leads. The load tester may come from it too, when
/// both were started by one script, and is no part of it, and neither is what comes from the load tester.
fn belongs(processes: &Processes, row: &ProcessRow, top: u32, own: &[u32]) -> bool {
    let mut at = Some(row);
    for _ in 0..MAX_DEPTH {
        match at {
            Some(row) if row.pid == top => return true,
            Some(row) if own.contains(&row.pid) => return false,
            Some(row) => at = processes.get(row.parent).map(|known| &known.row),
            None => break,
        }
    }
    row.group == top
}

#[cfg(test)]
mod tests;
