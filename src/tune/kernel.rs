//! What the kernel should be set to for a server, and what it should be left at although it is often set.
//!
//! A value that is not known to help is left alone, with the reason: profiles that are copied from board to board are full of
//! keys that were removed, that do nothing for a server, or that take away what others rely on.

use super::plan::{Decision, decision, lines};
use crate::board::{BoardFacts, ClockPolicy, CoreSet, Nic, SwapKind};
use serde::Serialize;
use std::fmt;

/// From this speed on the core that takes a device's interrupts has enough to do with them (kernel documentation, scaling).
const FAST_MBIT: u32 = 1000;

/// With fewer cores than this, one that is left out is missed.
const SPARE_A_CORE: usize = 4;

/// The queue of half-open connections: as long as the one of open connections, where there is memory for it.
const SYN_BACKLOG: u32 = 4096;
const SYN_BACKLOG_SMALL: u32 = 1024;

/// Below this much memory a board is small.
const SMALL_BYTES: u64 = 384 << 20;

/// Memory that the kernel keeps for itself, in KiB: a driver of Ethernet behind USB drops packets when it gets none.
const MIN_FREE_KIB: u32 = 16_384;

/// So close to the trip, in thousandths of a degree, a clock that is always high brings it about.
const WARM_MILLICELSIUS: i32 = 10_000;

/// A kernel by the two numbers that say what it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct KernelVersion {
    /// The first number.
    pub major: u32,
    /// The second.
    pub minor: u32,
}

impl KernelVersion {
    /// Reads `6.1.0-rpi7-rpi-v8`; `None` when it does not begin so.
    #[must_use]
    pub fn parse(release: &str) -> Option<Self> {
        let mut numbers = release.split(|c: char| !c.is_ascii_digit()).map(str::parse);
        let (Some(Ok(major)), Some(Ok(minor))) = (numbers.next(), numbers.next()) else { return None };
        Some(Self { major, minor })
    }

    const fn new(major: u32, minor: u32) -> Self {
        Self { major, minor }
    }
}

/// What the kernel should be set to, as decisions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct KernelPlan(pub Vec<Decision>);

impl KernelPlan {
    /// Decides. The same facts always give the same plan.
    #[must_use]
    pub fn new(facts: &BoardFacts) -> Self {
        Self(decisions(facts))
    }
}

impl fmt::Display for KernelPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        lines(f, &self.0)
    }
}

/// All of it; settings by the path below /sys, or by the name of a sysctl.
fn decisions(facts: &BoardFacts) -> Vec<Decision> {
    let mut all = governors(facts);
    all.extend(facts.nics.iter().flat_map(|nic| packet_steering(facts, nic)));
    all.extend(queues(facts));
    all.extend(memory(facts));
    all.extend(left_alone(facts));
    all
}

fn governors(facts: &BoardFacts) -> Vec<Decision> {
    if facts.clocks.is_empty() {
        return vec![decision("governor", "-", "skipped: this kernel has none", "cpufreq")];
    }
    let heat = &facts.thermal;
    let near = heat.cpu_millicelsius.zip(heat.throttle_millicelsius);
    let warm = near.is_some_and(|(now, trip)| now >= trip - WARM_MILLICELSIUS);
    let of = |policy: &ClockPolicy| {
        let capped = policy.cap_khz.zip(policy.max_khz).is_some_and(|(cap, max)| cap < max);
        let setting = format!("governor of cores {}", policy.cpus);
        match () {
            () if capped => decision(
                setting,
                "left alone",
                "its clock is held down: a higher one is not to be had",
                "scaling_max_freq",
            ),
            () if warm => {
                decision(setting, "left alone", "within 10 °C of where the kernel slows down", "thermal")
            }
            () => decision(
                setting,
                "performance",
                "no wait for the clock to rise when a request comes; an idle core sleeps all the same",
                "scaling_governor",
            ),
        }
    };
    facts.clocks.iter().map(of).collect()
}

/// Whom the packets of a device are passed on to.
fn packet_steering(facts: &BoardFacts, nic: &Nic) -> Option<Decision> {
    let setting = format!("{}/queues/rx-0/rps_cpus", nic.name);
    let cores = facts.cores.online.clone().unwrap_or_default();
    if nic.rps.is_empty() || cores.len() < 2 {
        return None;
    }
    if nic.rps.len() > 1 {
        let because = "it has several queues, whose interrupts can be spread";
        return Some(decision(setting, "left alone", because, "queues"));
    }
    let irq = facts.nic_irqs.iter().find(|irq| irq.name == nic.name).and_then(|irq| irq.all_on_cpu);
    let leaves_out = nic.speed_mbit.is_some_and(|speed| speed >= FAST_MBIT) && cores.len() >= SPARE_A_CORE;
    let (to, because) = match irq.filter(|_| leaves_out) {
        Some(core) => (
            cores.without(&CoreSet::from_iter([core])),
            format!("one queue: the others share the work that core {core} has beside its interrupts"),
        ),
        None => {
            (cores, "one queue, and so one core with the work of all packets: all cores share it".to_owned())
        }
    };
    Some(decision(setting, &mask(&to), &because, "queues, /proc/interrupts"))
}

/// A set of cores as sysfs takes it.
fn mask(cores: &CoreSet) -> String {
    let words = cores.iter().max().map_or(1, |core| core / 32 + 1);
    let word = |at: u32| {
        cores.iter().filter(|core| core / 32 == at).fold(0u32, |bits, core| bits | 1 << (core % 32))
    };
    let words: Vec<String> = (0..words)
        .rev()
        .map(word)
        .enumerate()
        .map(|(at, bits)| if at == 0 { format!("{bits:x}") } else { format!("{bits:08x}") })
        .collect();
    words.join(",")
}

fn queues(facts: &BoardFacts) -> Vec<Decision> {
    let small = facts.memory.total_bytes.is_some_and(|bytes| bytes < SMALL_BYTES);
    let syn = if small { SYN_BACKLOG_SMALL } else { SYN_BACKLOG };
    let mut all = vec![decision(
        "net.ipv4.tcp_max_syn_backlog",
        &syn.to_string(),
        if small {
            "a burst of connects waits; memory is small"
        } else {
            "a burst of connects waits instead of being repeated a second later"
        },
        "/proc/meminfo",
    )];
    if facts.somaxconn.is_none_or(|most| most < SYN_BACKLOG) {
        let because = "the kernel's own value since 5.4, and the ceiling of every listener's queue";
        all.push(decision(
            "net.core.somaxconn",
            &SYN_BACKLOG.to_string(),
            because,
            "/proc/sys/net/core/somaxconn",
        ));
    }
    let because = "a kept connection that paused sends its next answer at the speed that it had";
    all.push(decision("net.ipv4.tcp_slow_start_after_idle", "0", because, "tcp"));
    all
}

fn memory(facts: &BoardFacts) -> Vec<Decision> {
    let mut all = Vec::new();
    let behind_usb = facts.nic_irqs.iter().any(|irq| irq.name.contains("USB"))
        || facts
            .nics
            .iter()
            .any(|nic| nic.driver.as_deref().is_some_and(|driver| USB_ETHERNET.contains(&driver)));
    if behind_usb && facts.memory.total_bytes.is_some_and(|bytes| bytes >= SMALL_BYTES) {
        let because = "Ethernet behind USB drops packets when the kernel has no memory at once";
        all.push(decision("vm.min_free_kbytes", &MIN_FREE_KIB.to_string(), because, "/proc/interrupts"));
    }
    if !facts.swaps.is_empty() && facts.swaps.iter().all(|swap| swap.kind == SwapKind::Zram) {
        let because = "swap is packed memory, which is faster than reading files again from the card";
        all.push(decision("vm.swappiness", "100", because, "/proc/swaps"));
    } else if facts.swaps.iter().any(|swap| swap.kind == SwapKind::Mmc) {
        let because = "swap is on the card, which is slow and wears out";
        all.push(decision("vm.swappiness", "10", because, "/proc/swaps"));
    }
    all
}

/// Drivers of Ethernet behind USB.
const USB_ETHERNET: [&str; 5] = ["smsc95xx", "lan78xx", "r8152", "ax88179_178a", "asix"];

/// What profiles set, and what it would not do here.
fn left_alone(facts: &BoardFacts) -> Vec<Decision> {
    let version = facts.identity.kernel.as_deref().and_then(KernelVersion::parse);
    let is_since = |major, minor| version.is_some_and(|version| version >= KernelVersion::new(major, minor));
    let recycle = if is_since(4, 12) {
        "this kernel has no such key (removed in 4.12)"
    } else {
        "it breaks clients behind one address (NAT)"
    };
    let table = [
        ("net.ipv4.tcp_tw_recycle", recycle),
        ("net.ipv4.tcp_tw_reuse", "it is for connections that are opened from here, and a server opens none"),
        (
            "net.ipv4.tcp_timestamps",
            "without them old packets can't be told from new ones, and round trips not measured",
        ),
        (
            "net.core.rmem_default, net.core.wmem_default",
            "TCP does not use them: tcp_rmem and tcp_wmem are its own",
        ),
        (
            "net.ipv4.tcp_congestion_control",
            "bbr takes more processor time than cubic, and a board has little",
        ),
        (
            "net.ipv4.ip_local_port_range",
            "ports of connections that are opened from here: a load tester's, not a server's",
        ),
    ];
    table
        .into_iter()
        .map(|(setting, because)| decision(setting, "left alone", because, "kernel documentation"))
        .collect()
}

#[cfg(test)]
mod tests;
