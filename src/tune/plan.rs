//! How boardd is set up on a board, each setting with its reason and where the reason comes from.

use super::share::{pinned, unpinned};
use crate::board::{BoardFacts, CoreSet};
use serde::Serialize;
use std::borrow::Cow;
use std::fmt;
use std::num::NonZeroUsize;

/// Connections that may wait to be accepted. The kernel's own ceiling since 5.4, so that a burst from a load tester waits
/// instead of being dropped and retried a second later; a waiting connection costs the kernel about a kilobyte.
const BACKLOG: u32 = 4096;

/// Descriptors kept for all that is not a connection: the standard three, the listener, files being served, telemetry.
const RESERVED_DESCRIPTORS: u64 = 32;
/// Descriptors of one worker: its epoll, its mailbox's eventfd, its alarm, and one to spare.
const DESCRIPTORS_PER_WORKER: u64 = 4;
/// The hard limit when nobody says: the kernel's oldest default, met everywhere.
const USUAL_NOFILE: u64 = 1024;

/// What the user typed; the default is nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Wanted {
    /// How many workers, whatever the board has.
    pub workers: Option<NonZeroUsize>,
    /// Whether to keep each worker on one core.
    pub pin: bool,
}

/// One decision, as `boardd` prints it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Decision {
    /// What is set.
    pub setting: Cow<'static, str>,
    /// To what.
    pub value: String,
    /// Why.
    pub because: String,
    /// Where that comes from: a file, a system call, or the flag that was typed.
    pub source: String,
}

/// One worker thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct WorkerPlan {
    /// The core that it stays on; `None` leaves that to the kernel.
    pub core: Option<u32>,
    /// Its share of the connections in parts of a million, at least 1; all shares together are at most a million, short
    /// of it by less than one part for each worker.
    pub share_ppm: u32,
}

/// How boardd is set up. `Display` prints the decisions, one line each.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Plan {
    /// The workers, at least one.
    pub workers: Vec<WorkerPlan>,
    /// The listener's queue, in connections.
    pub backlog: u32,
    /// Connections open at once, at least 1; the server raises its soft descriptor limit to have them.
    pub max_connections: usize,
    /// The reasons for all of these.
    pub decisions: Vec<Decision>,
}

/// Decides. The same facts and wishes always give the same plan.
#[must_use]
pub fn plan(facts: &BoardFacts, wanted: &Wanted) -> Plan {
    let usable = facts.cores.usable();
    let (count, workers) = worker_count(facts, wanted, &usable);
    let pin = wanted.pin && !usable.is_empty();
    let (per_worker, shares) = if pin { pinned(facts, &usable, count) } else { unpinned(count) };
    let (backlog, backlog_reason) = backlog(facts);
    let (max_connections, connections_reason) = max_connections(facts, count);
    Plan {
        workers: per_worker,
        backlog,
        max_connections,
        decisions: vec![workers, pinning(wanted, pin), shares, backlog_reason, connections_reason],
    }
}

pub(super) fn decision(
    setting: impl Into<Cow<'static, str>>,
    value: &str,
    because: &str,
    source: &str,
) -> Decision {
    let (value, because, source) = (value.to_owned(), because.to_owned(), source.to_owned());
    Decision { setting: setting.into(), value, because, source }
}

fn worker_count(facts: &BoardFacts, wanted: &Wanted, usable: &CoreSet) -> (usize, Decision) {
    if let Some(count) = wanted.workers {
        return (count.get(), decision("workers", &count.to_string(), "asked for", "--workers"));
    }
    if usable.is_empty() {
        return (1, decision("workers", "1", "the number of cores is unknown", "-"));
    }
    let cores = usable.len();
    let (count, because, source) = match &facts.cores.quota {
        // Rounded down, so that no worker starves for time that is not there; a part of a core is still a worker.
        Some(quota) if quota.whole_cores() < cores => {
            let because = format!("the quota leaves time for {quota} of {cores} usable cores");
            (quota.whole_cores().max(1), because, &*quota.source)
        }
        _ => (cores, format!("one for each usable core ({usable})"), usable_source(facts, usable)),
    };
    (count, decision("workers", &count.to_string(), &because, source))
}

/// The fact that made the usable cores as few as they are.
fn usable_source(facts: &BoardFacts, usable: &CoreSet) -> &'static str {
    let is_cause = |set: &Option<CoreSet>| set.as_ref() == Some(usable);
    match () {
        () if is_cause(&facts.cores.online) => "/sys/devices/system/cpu/online",
        () if is_cause(&facts.cores.allowed) => "sched_getaffinity",
        () if is_cause(&facts.cores.cpuset) => "cpuset.cpus.effective",
        () => "/sys/devices/system/cpu, sched_getaffinity, cpuset",
    }
}

fn pinning(wanted: &Wanted, pin: bool) -> Decision {
    match (wanted.pin, pin) {
        (true, true) => decision("pin", "on", "asked for", "--pin"),
        (true, false) => decision("pin", "off", "asked for, but no usable core is known", "--pin"),
        _ => decision("pin", "off", "not asked for; the kernel places the workers", "default"),
    }
}

fn backlog(facts: &BoardFacts) -> (u32, Decision) {
    let (value, because) = match facts.somaxconn {
        Some(ceiling) if ceiling < BACKLOG => (ceiling, "the kernel allows no more"),
        Some(_) => (BACKLOG, "room for a burst, and the kernel allows it"),
        None => (BACKLOG, "room for a burst; the kernel cuts it to a ceiling that is unknown"),
    };
    (value, decision("backlog", &value.to_string(), because, "/proc/sys/net/core/somaxconn"))
}

/// Descriptors that a server with so many workers needs beside its connections.
#[must_use]
pub const fn own_descriptors(workers: usize) -> u64 {
    RESERVED_DESCRIPTORS.saturating_add(DESCRIPTORS_PER_WORKER.saturating_mul(workers as u64))
}

fn max_connections(facts: &BoardFacts, workers: usize) -> (usize, Decision) {
    let limit = facts.nofile.unwrap_or(USUAL_NOFILE);
    let kept = own_descriptors(workers);
    let count = usize::try_from(limit.saturating_sub(kept).max(1)).unwrap_or(usize::MAX);
    let (because, source) = match facts.nofile {
        Some(_) => (format!("descriptor limit {limit} less {kept} of its own"), "getrlimit"),
        None => (format!("descriptor limit unknown; the usual {limit} less {kept} of its own"), "default"),
    };
    (count, decision("max_connections", &count.to_string(), &because, source))
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        lines(f, &self.decisions)
    }
}

/// Decisions as text, one line for each.
pub(super) fn lines(out: &mut dyn fmt::Write, decisions: &[Decision]) -> fmt::Result {
    let width = |text: fn(&Decision) -> &str| decisions.iter().map(|d| text(d).len()).max().unwrap_or(0);
    let (settings, values) = (width(|d| &d.setting), width(|d| &d.value));
    for Decision { setting, value, because, source } in decisions {
        writeln!(out, "{setting:<settings$} = {value:<values$}  ({because}; {source})")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
