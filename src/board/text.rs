//! The facts as a few aligned lines, a dash for what is unknown.

use super::{BoardFacts, ClockPolicy, CoreSet, Nic, NicIrq, Swap, SwapKind, ThermalZone, TripKind};
use std::fmt;

const DASH: &str = "-";

impl fmt::Display for BoardFacts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = [
            ("Board", self.identity.model.clone().unwrap_or_else(|| DASH.to_owned())),
            ("Kernel", self.kernel_line()),
            ("Cores", self.cores_line()),
            ("Clock", self.clock_line()),
            ("Heat", self.heat_line()),
            ("Memory", self.memory_line()),
        ];
        for (name, value) in &rows {
            writeln!(f, "{name:<8}{value}")?;
        }
        if f.alternate() {
            for (name, value) in self.more() {
                writeln!(f, "{name:<8}{value}")?;
            }
        }
        for note in &self.notes {
            writeln!(f, "{:<8}{note}", "Note")?;
        }
        Ok(())
    }
}

impl BoardFacts {
    /// What is of interest to who looks for it, and not at every start.
    fn more(&self) -> Vec<(&'static str, String)> {
        let mut rows = vec![
            ("Chip", self.identity.soc.clone().unwrap_or_else(|| DASH.to_owned())),
            ("ABI", self.identity.userland_in_words().unwrap_or_else(|| DASH.to_owned())),
            ("Power", self.firmware_line()),
            ("Swap", self.swap_line()),
        ];
        rows.extend(self.nics.iter().map(|nic| ("Network", self.nic_line(nic))));
        // Of a device that the kernel's list does not have, as of a board whose Ethernet is behind USB.
        let unlisted = |irq: &&NicIrq| self.nics.iter().all(|nic| nic.name != irq.name);
        rows.extend(
            self.nic_irqs
                .iter()
                .filter(unlisted)
                .map(|irq| ("Network", format!("{}, {}", irq.name, interrupts(irq)))),
        );
        rows.extend(self.thermal.zones.iter().map(|zone| ("Zone", zone_line(zone))));
        rows
    }

    fn firmware_line(&self) -> String {
        let mut parts = Vec::new();
        if let Some(word) = self.throttled {
            let listed =
                |names: Vec<&str>| if names.is_empty() { "nothing".to_owned() } else { names.join(", ") };
            let (now, since) = (listed(word.now().collect()), listed(word.since_boot().collect()));
            let source = self.throttled_source.as_deref().unwrap_or(DASH);
            parts.push(format!("throttle word {:#x}: now {now}; since boot {since} ({source})", word.0));
        }
        if let Some(low) = self.under_voltage {
            parts.push(format!("supply {}", if low { "too low" } else { "good" }));
        }
        joined(&parts.iter().map(String::as_str).collect::<Vec<_>>())
    }

    fn swap_line(&self) -> String {
        let swaps: Vec<String> = self.swaps.iter().map(swap_part).collect();
        match (&swaps[..], self.memory.swap_total_bytes) {
            ([], Some(0)) => "none".to_owned(),
            _ => joined(&swaps.iter().map(String::as_str).collect::<Vec<_>>()),
        }
    }

    /// `end0 (dwmac-sun8i), 100 Mbit/s, interrupts on core 0, passed on to no core`.
    fn nic_line(&self, nic: &Nic) -> String {
        let mut line = nic.name.clone();
        if let Some(driver) = &nic.driver {
            line.push_str(&format!(" ({driver})"));
        }
        match (nic.speed_mbit, nic.wireless) {
            (Some(speed), _) => line.push_str(&format!(", {speed} Mbit/s")),
            (None, true) => line.push_str(", Wi-Fi"),
            (None, false) if nic.carrier == Some(false) => line.push_str(", no cable"),
            (None, false) => {}
        }
        if nic.half_duplex == Some(true) {
            line.push_str(", half duplex");
        }
        if let Some(irq) = self.nic_irqs.iter().find(|irq| irq.name == nic.name) {
            line.push_str(&format!(", {}", interrupts(irq)));
        }
        if !nic.rps.is_empty() {
            let cores: CoreSet = nic.rps.iter().flat_map(CoreSet::iter).collect();
            let to = if cores.is_empty() {
                "no other core (RPS off)".to_owned()
            } else {
                format!("cores {cores} (RPS)")
            };
            line.push_str(&format!(", passed on to {to}"));
        }
        line
    }

    fn kernel_line(&self) -> String {
        let id = &self.identity;
        let bits = id.userland_bits.map(|bits| format!("{bits}-bit userland"));
        let known: Vec<&str> =
            [id.kernel.as_deref(), id.machine.as_deref(), bits.as_deref()].into_iter().flatten().collect();
        joined(&known)
    }

    fn cores_line(&self) -> String {
        let count = |set: &Option<CoreSet>| set.as_ref().map_or(DASH.to_owned(), |set| set.len().to_string());
        let cores = &self.cores;
        let mut line = format!("{} of {} running", count(&cores.online), count(&cores.present));
        let usable = cores.usable().len();
        if cores.online.as_ref().is_some_and(|online| usable < online.len()) {
            line.push_str(&format!(", {usable} for this process"));
        }
        if let Some(quota) = &cores.quota {
            line.push_str(&format!(", quota {quota}"));
        }
        line
    }

    fn clock_line(&self) -> String {
        let groups: Vec<String> = self.clocks.iter().map(clock).collect();
        joined(&groups.iter().map(String::as_str).collect::<Vec<_>>())
    }

    fn heat_line(&self) -> String {
        let heat = &self.thermal;
        let mut line = celsius(heat.cpu_millicelsius).unwrap_or_else(|| DASH.to_owned());
        for (what, milli) in
            [("slows down", heat.throttle_millicelsius), ("stops", heat.critical_millicelsius)]
        {
            if let Some(temp) = celsius(milli) {
                line.push_str(&format!(", {what} at {temp}"));
            }
        }
        line
    }

    fn memory_line(&self) -> String {
        let mib = |bytes: Option<u64>| bytes.map_or(DASH.to_owned(), |bytes| format!("{} MiB", bytes >> 20));
        let memory = &self.memory;
        format!("{} free of {}", mib(memory.available_bytes), mib(memory.total_bytes))
    }
}

/// `cores 0-3 1800 of 1800 MHz requested, schedutil`.
fn clock(policy: &ClockPolicy) -> String {
    let mhz = |khz: Option<u64>| khz.map_or(DASH.to_owned(), |khz| (khz / 1000).to_string());
    let mut line =
        format!("cores {} {} of {} MHz requested", policy.cpus, mhz(policy.cur_khz), mhz(policy.max_khz));
    if let (Some(cap), Some(max)) = (policy.cap_khz, policy.max_khz)
        && cap < max
    {
        line.push_str(&format!(", capped at {}", cap / 1000));
    }
    if let Some(governor) = &policy.governor {
        line.push_str(&format!(", {governor}"));
    }
    line
}

fn interrupts(irq: &NicIrq) -> String {
    let taken = irq.by_cpu.iter().any(|(_, count)| *count > 0);
    match irq.all_on_cpu {
        Some(core) => format!("all interrupts on core {core}"),
        None if taken => "interrupts on several cores".to_owned(),
        None => "no interrupt yet".to_owned(),
    }
}

/// `/dev/zram0 213 MiB in memory, 1 MiB used`.
fn swap_part(swap: &Swap) -> String {
    let mib = |bytes: Option<u64>| bytes.map_or(DASH.to_owned(), |bytes| format!("{} MiB", bytes >> 20));
    let on = match swap.kind {
        SwapKind::Zram => "packed into memory",
        SwapKind::Mmc => "on the card",
        SwapKind::File => "in a file",
        SwapKind::Device => "on a device",
    };
    format!("{} {} {on}, {} used", swap.name, mib(swap.total_bytes), mib(swap.used_bytes))
}

/// `0 cpu-thermal 68.2 °C, passive 80.0 °C, critical 100.0 °C`.
fn zone_line(zone: &ThermalZone) -> String {
    let kind = zone.kind.as_deref().unwrap_or(DASH);
    let mut line = format!(
        "{} {kind} {}",
        zone.index,
        celsius(zone.temp_millicelsius).unwrap_or_else(|| DASH.to_owned())
    );
    for trip in &zone.trips {
        let name = match trip.kind {
            TripKind::Passive => "passive",
            TripKind::Active => "active",
            TripKind::Hot => "hot",
            TripKind::Critical => "critical",
        };
        line.push_str(&format!(", {name} {}", celsius(Some(trip.temp_millicelsius)).unwrap_or_default()));
    }
    line
}

/// Tenths of a degree, in whole numbers: boardd has no other use for the code that prints fractions.
fn celsius(milli: Option<i32>) -> Option<String> {
    let milli = milli?;
    let tenths = (milli.unsigned_abs() + 50) / 100;
    Some(format!("{}{}.{} °C", if milli < 0 { "-" } else { "" }, tenths / 10, tenths % 10))
}

fn joined(parts: &[&str]) -> String {
    if parts.is_empty() { DASH.to_owned() } else { parts.join("; ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{SysRoot, tree::Tree};

    #[test]
    fn the_unknown_is_a_dash() {
        let text = BoardFacts::read(&Tree::new(&[]).root()).to_string();
        assert_eq!(
            text,
            "Board   -\nKernel  -\nCores   - of - running\nClock   -\nHeat    -\nMemory  - free of -\n"
        );
    }

    #[test]
    fn the_known_is_told_with_units() {
        let tree = Tree::new(&[
            ("proc/device-tree/model", b"Board 4\0"),
            ("proc/sys/kernel/osrelease", b"6.1.0\n"),
            ("sys/devices/system/cpu/present", b"0-3\n"),
            ("sys/devices/system/cpu/online", b"0-3\n"),
            ("sys/devices/system/cpu/cpufreq/policy0/related_cpus", b"0 1 2 3\n"),
            ("sys/devices/system/cpu/cpufreq/policy0/cpuinfo_max_freq", b"1500000\n"),
            ("sys/devices/system/cpu/cpufreq/policy0/scaling_max_freq", b"1200000\n"),
            ("sys/devices/system/cpu/cpufreq/policy0/scaling_cur_freq", b"600000\n"),
            ("sys/devices/system/cpu/cpufreq/policy0/scaling_governor", b"ondemand\n"),
            ("sys/class/thermal/thermal_zone0/type", b"cpu-thermal\n"),
            ("sys/class/thermal/thermal_zone0/temp", b"68200\n"),
            ("sys/class/thermal/thermal_zone0/trip_point_0_type", b"passive\n"),
            ("sys/class/thermal/thermal_zone0/trip_point_0_temp", b"80000\n"),
            ("sys/fs/cgroup/cpu.max", b"150000 100000\n"),
            ("proc/meminfo", b"MemTotal: 437248 kB\nMemAvailable: 336896 kB\n"),
        ]);
        let text = BoardFacts::read(&tree.root()).to_string();
        for line in [
            "Board   Board 4",
            "Kernel  6.1.0",
            "Cores   4 of 4 running, quota 1.5",
            "Clock   cores 0-3 600 of 1500 MHz requested, capped at 1200, ondemand",
            "Heat    68.2 °C, slows down at 80.0 °C",
            "Memory  329 MiB free of 427 MiB",
        ] {
            assert!(text.lines().any(|l| l == line), "{line:?} is not in\n{text}");
        }
    }

    #[test]
    fn degrees_have_one_place() {
        for (milli, text) in [(68_249, "68.2 °C"), (-5_050, "-5.1 °C"), (0, "0.0 °C"), (99_960, "100.0 °C")]
        {
            assert_eq!(celsius(Some(milli)).as_deref(), Some(text));
        }
    }

    #[test]
    fn the_running_machine_can_be_told() {
        let facts = BoardFacts::read(&SysRoot::live());
        assert!(facts.memory.total_bytes.is_some() && facts.nofile.is_some(), "{facts}");
    }
}
