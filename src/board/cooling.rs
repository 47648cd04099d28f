//! How far the kernel slows the processor down for its heat.

use super::SysRoot;

const THERMAL_DIR: &str = "sys/class/thermal";

/// The cooling devices that are the processor itself; found once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CpuCooling {
    files: Vec<String>,
}

impl CpuCooling {
    /// Looks for them. Source: `type` of /sys/class/thermal/cooling_deviceN.
    #[must_use]
    pub fn find(root: &SysRoot) -> Self {
        let devices = root.numbered(THERMAL_DIR, "cooling_device");
        let folders = devices.iter().map(|n| format!("{THERMAL_DIR}/cooling_device{n}"));
        let is_cpu =
            |dir: &String| root.text(&format!("{dir}/type")).is_some_and(|kind| slows_the_processor(&kind));
        Self { files: folders.filter(is_cpu).map(|dir| format!("{dir}/cur_state")).collect() }
    }

    /// The highest state of them all: 0 is not slowed down, how many steps there are differs from board to board. `None`
    /// without such a device.
    #[must_use]
    pub fn state(&self, root: &SysRoot) -> Option<u32> {
        self.files.iter().filter_map(|file| root.text(file)?.parse().ok()).max()
    }
}

/// `thermal-cpufreq-0`, `cpufreq-cpu0` on boards, `Processor` where ACPI is; not `cpu-fan`, which costs no speed.
fn slows_the_processor(kind: &str) -> bool {
    let kind = kind.to_ascii_lowercase();
    (kind.contains("cpu") && !kind.contains("fan"))
        || ["processor", "intel_powerclamp"].contains(&kind.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::tree::Tree;

    #[test]
    fn only_what_slows_the_processor_counts_and_the_highest_of_it() {
        let devices: [(&str, &[u8]); 6] = [
            ("thermal-cpufreq-0\n", b"1\n"),
            ("thermal-cpufreq-1\n", b"3\n"),
            ("Processor\n", b"0\n"),
            ("thermal-devfreq-0\n", b"9\n"),
            ("cpu-fan\n", b"7\n"),
            ("Fan\n", b"8\n"),
        ];
        let mut files = Vec::new();
        for (n, (kind, state)) in devices.iter().enumerate() {
            files.push((format!("{THERMAL_DIR}/cooling_device{n}/type"), kind.as_bytes()));
            files.push((format!("{THERMAL_DIR}/cooling_device{n}/cur_state"), *state));
        }
        let files: Vec<(&str, &[u8])> = files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
        let tree = Tree::new(&files);
        assert_eq!(CpuCooling::find(&tree.root()).state(&tree.root()), Some(3));
        let bare = Tree::new(&files[6..]);
        assert_eq!(CpuCooling::find(&bare.root()).state(&bare.root()), None);
    }
}
