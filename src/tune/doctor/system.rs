//! All around the processor: interrupts, keys, tasks, memory, card, date.

use super::{Check, good, unknown, wrong};
use crate::board::{BoardFacts, CoreSet, Disk, Health, SwapKind};

/// A file system that is fuller than this is about to stop what writes to it, in percent.
const FULL_PERCENT: u64 = 90;

/// So much load, in hundredths, with nothing running is tasks that hang.
const IDLE_LOAD_HUNDREDTHS: u64 = 100;

/// Descriptors below which a server of connections is held up.
const FEW_DESCRIPTORS: u64 = 4096;

pub(super) fn interrupts(facts: &BoardFacts) -> Check {
    let name = "network interrupts";
    let cores = facts.cores.online.as_ref().map_or(0, CoreSet::len);
    let Some((irq, core)) = facts.nic_irqs.iter().find_map(|irq| Some((irq, irq.all_on_cpu?))) else {
        return match facts.nic_irqs.first() {
            Some(irq) => {
                good(name, format!("those of {} are on several cores, or there are none yet", irq.name))
            }
            None => unknown(name, "no network device has rows in /proc/interrupts"),
        };
    };
    let steered = facts.nics.iter().find(|nic| nic.name == irq.name).map(|nic| &nic.rps);
    let off = steered.is_none_or(|queues| queues.iter().all(CoreSet::is_empty));
    if cores < 2 || !off {
        return good(name, format!("those of {} are on core {core}, and its packets are shared", irq.name));
    }
    let device = steered.map_or("eth0", |_| irq.name.as_str());
    wrong(
        name,
        format!(
            "all of {} are on core {core}, and RPS is off: that core does the work of every packet",
            irq.name
        ),
        format!(
            "echo {:x} | sudo tee /sys/class/net/{device}/queues/rx-*/rps_cpus",
            (1u64 << cores.min(32)) - 1
        ),
    )
}

pub(super) fn keys(health: &Health) -> Check {
    let name = "sysctl";
    let value = |key: &str| health.sysctl(key);
    if value("net/ipv4/tcp_timestamps") == Some(0)
        && value("net/ipv4/tcp_tw_reuse").is_some_and(|reuse| reuse > 0)
    {
        return wrong(
            name,
            "net.ipv4.tcp_tw_reuse is on and net.ipv4.tcp_timestamps off: without time stamps nothing is reused",
            "sudo sysctl -w net.ipv4.tcp_timestamps=1",
        );
    }
    if value("net/ipv4/tcp_tw_recycle") == Some(1) {
        return wrong(
            name,
            "net.ipv4.tcp_tw_recycle is on: clients behind one address (NAT) are dropped",
            "sudo sysctl -w net.ipv4.tcp_tw_recycle=0",
        );
    }
    if health.sysctls.iter().all(|(_, value)| value.is_none()) {
        return unknown(name, "none of the keys can be read");
    }
    good(name, "no key contradicts another")
}

pub(super) fn descriptors(facts: &BoardFacts) -> Check {
    let name = "descriptors";
    match facts.nofile {
        None => unknown(name, "the limit is not known"),
        Some(limit) if limit < FEW_DESCRIPTORS => wrong(
            name,
            format!("a process may have {limit} open, and each connection is one"),
            "LimitNOFILE=65536 in the unit, or ulimit -Hn 65536",
        ),
        Some(limit) => good(name, format!("a process may have {limit} open")),
    }
}

pub(super) fn load(facts: &BoardFacts, health: &Health) -> Check {
    let name = "load average";
    let (Some(load), Some(running)) = (health.load_hundredths, health.running) else {
        return unknown(name, "/proc/loadavg can't be read");
    };
    let shown = format!("{}.{:02}", load / 100, load % 100);
    let cores = facts.cores.online.as_ref().map_or(1, CoreSet::len) as u64;
    // The reader itself is one of those that run.
    let idle = running <= 1;
    if load >= IDLE_LOAD_HUNDREDTHS && idle && !health.blocked.is_empty() {
        let tasks = health.blocked.join(", ");
        return wrong(
            name,
            format!("{shown} with nothing running: these wait and count as load (state D): {tasks}"),
            "take the device away that they wait for, or its driver (lsmod, rmmod)",
        );
    }
    if load >= IDLE_LOAD_HUNDREDTHS && idle {
        return good(name, format!("{shown} over the last minute, and nothing runs or hangs now"));
    }
    if load > cores * 100 && !idle {
        return wrong(
            name,
            format!("{shown} on {cores} cores, {running} tasks ready to run: they wait for each other"),
            "top -o %CPU shows which; end what does not belong here",
        );
    }
    good(name, format!("{shown} on {cores} cores"))
}

pub(super) fn memory_cgroup(facts: &BoardFacts) -> Check {
    let name = "memory limits";
    match facts.memory_cgroup {
        None => unknown(name, "the kernel does not say whether control groups limit memory"),
        Some(true) => good(name, "control groups limit memory"),
        Some(false) => wrong(
            name,
            "control groups do not count memory: MemoryMax= has no effect",
            "add cgroup_enable=memory to the one line of /boot/firmware/cmdline.txt, and reboot",
        ),
    }
}

pub(super) fn swap(facts: &BoardFacts) -> Check {
    let name = "swap";
    let on_card = facts.swaps.iter().find(|swap| matches!(swap.kind, SwapKind::Mmc | SwapKind::File));
    match on_card {
        Some(swap) => wrong(
            name,
            format!("{} is on the card: slow, and it wears the card out", swap.name),
            format!("sudo swapoff {}, and zram in its place (zram-tools)", swap.name),
        ),
        None if facts.swaps.is_empty() => good(name, "none, or it is not known"),
        None => good(name, facts.swaps.iter().map(|swap| swap.name.clone()).collect::<Vec<_>>().join(", ")),
    }
}

pub(super) fn userland(facts: &BoardFacts) -> Check {
    let name = "programs";
    let id = &facts.identity;
    let wide = id.machine.as_deref().is_some_and(|machine| machine.contains("64"));
    match id.userland_bits {
        None => unknown(name, "the width of the board's programs is not known"),
        Some(32) if wide => wrong(
            name,
            "32-bit programs under a 64-bit kernel: packages for uname -m do not run, and pointers cost twice",
            "install the boardd for armv7 (armhf), or a 64-bit image",
        ),
        Some(bits) => good(name, format!("{bits}-bit, as the kernel")),
    }
}

pub(super) fn disks(health: &Health) -> Check {
    let name = "card";
    let percent = |disk: &Disk| {
        100 - disk.free_bytes.saturating_mul(100).checked_div(disk.total_bytes).unwrap_or(100).min(100)
    };
    let Some(fullest) = health.disks.iter().max_by_key(|disk| percent(disk)) else {
        return unknown(name, "not of a recorded board");
    };
    let (folder, used) = (fullest.folder, percent(fullest));
    if used >= FULL_PERCENT {
        return wrong(
            name,
            format!("{folder} is {used} % full"),
            "sudo journalctl --vacuum-size=50M, and du -xh / | sort -h | tail shows what else",
        );
    }
    good(name, format!("{folder} is {used} % full"))
}

pub(super) fn time(health: &Health) -> Check {
    let name = "date";
    let (Some(now), Some(written)) = (health.now_unix_s, health.written_unix_s) else {
        return unknown(name, "not of a recorded board");
    };
    if now < written {
        return wrong(
            name,
            "the clock is before the day on which this program was installed",
            "sudo timedatectl set-ntp true; without a network, date -s",
        );
    }
    good(name, "after the day on which this program was installed")
}
