//! The form of a sample. Its JSON names are a contract: boards and laptops of different versions read each other's.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::board::CoreLoad;

/// What a machine did in one interval. Whatever could not be read is `None`, or missing from its list.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Sample {
    /// Length of the interval in seconds; about 1.
    pub interval_s: f64,
    /// Time since the machine was started, in seconds, at the end of the interval: the same one twice is the same sample
    /// read twice. Source: /proc/uptime.
    pub uptime_s: Option<f64>,
    /// Load of each core by its number; a core that was off at either end has none.
    pub cores: BTreeMap<u32, CoreLoad>,
    /// Groups of cores that share a clock, at the end of the interval.
    pub clocks: Vec<ClockSample>,
    /// Temperature of the processor in degrees Celsius, the hottest of its zones.
    pub cpu_temp_c: Option<f64>,
    /// Temperature at which the kernel begins to slow the processor down: the lowest passive trip point.
    pub throttle_trip_c: Option<f64>,
    /// How far the kernel slows the processor down for its heat: 0 is not at all, the highest of its cooling devices counts,
    /// and how many steps there are differs. Source: cur_state of /sys/class/thermal/cooling_deviceN.
    pub cooling_state: Option<u32>,
    /// What the firmware says of heat and supply, at the end of the interval; only a Raspberry Pi has it, and its kernel asks
    /// the firmware every two seconds. There are kernels that
    /// give 0 whatever the firmware says: bits that are set prove something, 0 does not.
    pub throttled: Option<Throttle>,
    /// Whether the supply was too low in the last seconds. Source: the alarm of the sensor rpi_volt, else bit 0 of the word.
    pub under_voltage: Option<bool>,
    /// Memory that a program could still get, in bytes. Source: MemAvailable.
    pub memory_available_bytes: Option<u64>,
    /// What went to swap and came back.
    pub swap: Option<SwapSample>,
    /// Network devices, without loopback.
    pub nics: Vec<NicSample>,
    /// Packets that the kernel's network code had no time for.
    pub softnet: Option<SoftnetSample>,
    /// What TCP had to repeat and to refuse.
    pub tcp: Option<TcpSample>,
    /// The server that is loaded, where it runs on this machine and may be looked at.
    pub server: Option<ServerSample>,
    /// Programs beside the server and the load tester, the busiest first, at most eight, each above 1 % of a core.
    pub others: Vec<ProcessSample>,
    /// Whether the programs of all users could be seen, so that an empty list of others means that there were none. `false`
    /// too where nothing is said of it. Hidden they are by the mount of /proc (`hidepid`), by systemd's `ProtectProc`, and
    /// from within a container.
    pub others_seen: bool,
    /// Time for which the control groups held back the process that takes the samples, and what is in its groups, in
    /// microseconds, added up over cores. Sources: throttled_usec of cpu.stat (version 2), throttled_time (version 1).
    pub own_throttled_us: Option<u64>,
    /// Share of the interval in which the process that takes the samples could not run though it wanted to, from 0 to 1:
    /// stopped by a signal, out of its quota, or without a core. Only a laptop's samples have it.
    pub held_back: Option<f64>,
    /// The longest time that it could not run at a stretch, in microseconds.
    pub longest_hold_us: Option<u64>,
    /// Whether the interval may have begun before the load: a board elsewhere has seconds of its own. Only a load tester says
    /// so, of a board's samples.
    pub early: bool,
}

/// The clock of one group of cores.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ClockSample {
    /// Its cores by number.
    pub cpus: Vec<u32>,
    /// The clock now, in kHz; on a Raspberry Pi what was asked for and not what is.
    pub cur_khz: Option<u64>,
    /// The highest that is allowed now, in kHz: heat lowers it, and so does a user. Source: scaling_max_freq.
    pub cap_khz: Option<u64>,
    /// The highest that the hardware has, in kHz. Source: cpuinfo_max_freq.
    pub max_khz: Option<u64>,
}

/// The firmware's throttle word, taken apart: bits 0 to 3 are what is now, bits 16 to 19 what has been since boot.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Throttle {
    /// The word as it was read.
    pub raw: u32,
}

impl Throttle {
    /// The supply is below 4.63 V now.
    #[must_use]
    pub fn under_voltage(self) -> bool {
        self.raw & 1 != 0
    }

    /// The clock is held down now: capped, throttled, or at the soft temperature limit.
    #[must_use]
    pub fn slowed(self) -> bool {
        self.raw & 0b1110 != 0
    }

    /// Bits that were set since `before`, now or in between: those since boot count only when they are new.
    #[must_use]
    pub fn news_since(self, before: Self) -> Self {
        let sticky = (self.raw >> 16) & !(before.raw >> 16) & 0b1111;
        Self { raw: (self.raw & 0b1111) | sticky }
    }
}

/// Swap traffic in the interval, in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SwapSample {
    /// Read back. Source: pswpin of /proc/vmstat.
    pub in_bytes: u64,
    /// Written out. Source: pswpout of /proc/vmstat.
    pub out_bytes: u64,
}

/// A network device in the interval.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct NicSample {
    /// Its name, such as eth0.
    pub name: String,
    /// Bytes received, link headers included, without preamble, checksum and gap.
    pub rx_bytes: u64,
    /// Frames received; where the device joins segments, fewer than were on the wire.
    pub rx_packets: u64,
    /// Bytes sent, counted like those received.
    pub tx_bytes: u64,
    /// Frames sent; where the device cuts segments, fewer than were on the wire.
    pub tx_packets: u64,
    /// Frames that were dropped on the way in or out.
    pub dropped: u64,
    /// Speed of the link in Mbit/s; `None` where the device does not say, as Wi-Fi and tunnels don't.
    pub speed_mbit: Option<u32>,
    /// The largest packet that it sends, in bytes without the link's header.
    pub mtu: Option<u32>,
    /// Whether both directions share the speed; `None` where the device does not say.
    pub half_duplex: Option<bool>,
}

/// Counts of /proc/net/softnet_stat in the interval, over all cores.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SoftnetSample {
    /// Packets dropped because the queue in front of the network code was full.
    pub dropped: u64,
    /// Times that the network code stopped with work left.
    pub squeezed: u64,
}

/// Counts of /proc/net/snmp and /proc/net/netstat in the interval.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TcpSample {
    /// Segments sent again.
    pub retransmitted: u64,
    /// Connections that found the queue of a listener full.
    pub listen_overflows: u64,
}

/// The server that is loaded, as a process.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ServerSample {
    /// Its process number; that of the parent where several processes are one server.
    pub pid: u32,
    /// Its name.
    pub name: String,
    /// Processor time in the interval over its processes, in cores.
    pub cores: f64,
    /// Processor time of its busiest thread, in cores.
    pub busiest_thread: f64,
    /// Time in which its threads could have run and had no core, in cores; `None` where the kernel does not count it.
    pub waited: Option<f64>,
    /// The most that a thread ran or waited for a core, in cores: near 1 it had always something to do.
    pub neediest_thread: Option<f64>,
    /// Threads with more than 1 % of a core.
    pub busy_threads: u32,
    /// All threads.
    pub threads: u32,
    /// Resident memory in bytes.
    pub rss_bytes: Option<u64>,
    /// Processor time since it was started, in seconds: of the two ends of a run the difference is the run's.
    pub cpu_s: f64,
}

/// A process in the interval.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ProcessSample {
    /// Its number.
    pub pid: u32,
    /// Its name.
    pub name: String,
    /// Processor time in the interval, in cores.
    pub cores: f64,
}
