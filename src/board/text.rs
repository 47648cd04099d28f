//! The facts as a few aligned lines, a dash for what is unknown.

use super::{BoardFacts, ClockPolicy, CoreSet};
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
        for note in &self.notes {
            writeln!(f, "{:<8}{note}", "Note")?;
        }
        Ok(())
    }
}

impl BoardFacts {
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
