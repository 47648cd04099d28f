//! What is there: the facts about a board, read from /proc and /sys, with nothing decided and nothing invented.
//!
//! Every reader takes a [`SysRoot`], so that a recorded board replays as a test. A value that cannot be read is `None`,
//! never 0 and never a guess; oddities are told in [`BoardFacts::notes`].

mod chips;
mod clock;
mod cooling;
mod cores;
mod cpu;
mod cpufreq;
mod cpuinfo;
mod health;
mod held;
mod irq;
mod json;
mod lookout;
mod memory;
mod model;
mod net;
mod nic;
mod power;
mod process;
mod processes;
mod quota;
mod root;
#[cfg(feature = "ctl")]
mod serving;
mod sockets;
mod stat;
mod swap;
mod text;
mod thermal;
mod throttle;
#[cfg(test)]
pub(crate) mod tree;

pub use chips::chip_cores;
pub use clock::{CoreClock, measure};
pub use cooling::CpuCooling;
pub use cores::CoreSet;
pub use cpu::{Core, Cores};
pub use cpufreq::{ClockFiles, ClockPolicy, ClockSource};
pub use health::{Disk, Health};
pub use held::GroupThrottle;
pub use irq::NicIrq;
pub use lookout::{Lookout, Seen};
pub use memory::{Memory, SwapCounters};
pub use model::Identity;
pub use net::{NicCounters, NicLink, SoftnetCounters, TcpCounters};
pub use nic::Nic;
pub use power::Firmware;
pub use process::ProcessUsage;
pub use processes::{ProcessRow, ThreadTimes, pids, threads};
pub use quota::Quota;
pub use root::SysRoot;
#[cfg(feature = "ctl")]
pub use serving::{Serving, ServingCpu};
pub use sockets::{PortOwner, holders};
pub use stat::{CoreLoad, CoreTimes, StatSample};
pub use swap::{Swap, SwapKind};
pub use thermal::{Thermal, ThermalZone, TripKind, TripPoint};
pub use throttle::ThrottleWord;

/// All that is known about a board at one moment. Its `Display` is a few aligned lines, with `{:#}` all of it; its JSON is
/// flat and has `null` for the unknown.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BoardFacts {
    /// Which board, kernel and userland.
    pub identity: Identity,
    /// The cores: there, running, allowed.
    pub cores: Cores,
    /// The groups of cores that share a clock; empty without cpufreq.
    pub clocks: Vec<ClockPolicy>,
    /// Temperatures and trip points.
    pub thermal: Thermal,
    /// The clock that the first core really had, in MHz, where it was measured.
    pub real_mhz: Option<u64>,
    /// What the firmware of a Raspberry Pi says of heat and supply.
    pub throttled: Option<ThrottleWord>,
    /// Who said so: a file, or `vcgencmd`.
    pub throttled_source: Option<String>,
    /// Whether the supply was too low within the last two seconds, by the sensor of a Raspberry Pi.
    pub under_voltage: Option<bool>,
    /// Main memory and swap.
    pub memory: Memory,
    /// Where memory is swapped to.
    pub swaps: Vec<Swap>,
    /// Whether control groups count and limit memory.
    pub memory_cgroup: Option<bool>,
    /// The network devices that are hardware, by name.
    pub nics: Vec<Nic>,
    /// The interrupts of each of them, the busiest first.
    pub nic_irqs: Vec<NicIrq>,
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
        let firmware = Firmware::find(root);
        let (throttled, throttled_source) = firmware.throttle(root).unzip();
        let nics = Nic::read_all(root);
        Self {
            real_mhz: recorded_clock(root),
            throttled,
            throttled_source,
            under_voltage: firmware.under_voltage(root),
            swaps: Swap::read_all(root),
            memory_cgroup: swap::memory_cgroup(root),
            nic_irqs: nic::interrupts(root, &nics),
            nics,
            ..Self::read_for_plan(root)
        }
    }

    /// Reads what a plan follows from, and leaves the rest unknown: firmware, swap and network.
    #[must_use]
    pub fn read_for_plan(root: &SysRoot) -> Self {
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
            ..Self::default()
        }
    }
}

/// What vcgencmd measured when the board was recorded: `frequency(48)=818000000`.
fn recorded_clock(root: &SysRoot) -> Option<u64> {
    let said = root.text("vcgencmd_measure_clock_arm.txt").filter(|_| !root.is_live())?;
    let hertz: u64 = said.split_once('=')?.1.parse().ok()?;
    Some(hertz / 1_000_000).filter(|mhz| *mhz > 0)
}

fn nofile(root: &SysRoot, notes: &mut Vec<String>) -> Option<u64> {
    if !root.is_live() {
        return None;
    }
    let hard = rustix::process::getrlimit(rustix::process::Resource::Nofile).maximum;
    hard.or_else(|| root.number("proc/sys/fs/nr_open", notes))
}
