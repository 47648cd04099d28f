//! What is there: the facts about a board, read from /proc and /sys, with nothing decided and nothing invented.
//!
//! Every reader takes a [`SysRoot`], so that a recorded board replays as a test. A value that cannot be read is `None`,
//! never 0 and never a guess; oddities are told in [`BoardFacts::notes`].

mod cooling;
mod cores;
mod cpu;
mod cpufreq;
mod cpuinfo;
mod held;
mod memory;
mod model;
mod net;
mod power;
mod process;
mod processes;
mod quota;
mod root;
#[cfg(feature = "ctl")]
mod serving;
mod sockets;
mod stat;
mod text;
mod thermal;
#[cfg(test)]
pub(crate) mod tree;

pub use cooling::CpuCooling;
pub use cores::CoreSet;
pub use cpu::{Core, Cores};
pub use cpufreq::{ClockFiles, ClockPolicy, ClockSource};
pub use held::GroupThrottle;
pub use memory::{Memory, SwapCounters};
pub use model::Identity;
pub use net::{NicCounters, NicLink, SoftnetCounters, TcpCounters};
pub use power::Firmware;
pub use process::ProcessUsage;
pub use processes::{ProcessRow, ThreadTimes, pids, threads};
pub use quota::Quota;
pub use root::SysRoot;
#[cfg(feature = "ctl")]
pub use serving::{Serving, ServingCpu};
pub use sockets::{PortOwner, holders};
pub use stat::{CoreLoad, CoreTimes, StatSample};
pub use thermal::{Thermal, ThermalZone, TripKind, TripPoint};

use serde::Serialize;

/// All that is known about a board at one moment. Its `Display` is a few aligned lines; its JSON has `null` for the unknown.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct BoardFacts {
    /// Which board, kernel and userland.
    pub identity: Identity,
    /// The cores: there, running, allowed.
    pub cores: Cores,
    /// The groups of cores that share a clock; empty without cpufreq.
    pub clocks: Vec<ClockPolicy>,
    /// Temperatures and trip points.
    pub thermal: Thermal,
    /// Main memory and swap.
    pub memory: Memory,
    /// The kernel's ceiling for a listener's queue, in connections. Source: /proc/sys/net/core/somaxconn.
    pub somaxconn: Option<u32>,
    /// Descriptors that this process may have open once it raises its soft limit to the hard one. Source: getrlimit, and
    /// /proc/sys/fs/nr_open where that is unlimited; only on the running machine.
    pub nofile: Option<u64>,
    /// What is odd about this board, one sentence each.
    pub notes: Vec<String>,
}

impl BoardFacts {
    /// Reads all facts. Never fails: what cannot be read is unknown. Takes a few milliseconds; not for a hot path.
    #[must_use]
    pub fn read(root: &SysRoot) -> Self {
        let mut notes = Vec::new();
        let cpuinfo = cpuinfo::CpuInfo::read(root);
        let cores = Cores::read(root, &cpuinfo, &mut notes);
        Self {
            identity: Identity::read(root, &cpuinfo),
            clocks: cpufreq::read(root, cores.online.as_ref(), &mut notes),
            cores,
            thermal: Thermal::read(root, &mut notes),
            memory: Memory::read(root),
            somaxconn: root
                .number("proc/sys/net/core/somaxconn", &mut notes)
                .and_then(|most| u32::try_from(most).ok()),
            nofile: nofile(root, &mut notes),
            notes,
        }
    }
}

fn nofile(root: &SysRoot, notes: &mut Vec<String>) -> Option<u64> {
    if !root.is_live() {
        return None;
    }
    let hard = rustix::process::getrlimit(rustix::process::Resource::Nofile).maximum;
    hard.or_else(|| root.number("proc/sys/fs/nr_open", notes))
}
