//! /proc/cpuinfo, whose lines differ between every two architectures.

use super::SysRoot;

/// What is worth knowing from /proc/cpuinfo. BogoMIPS is not: it is no clock.
#[derive(Debug, Default)]
pub(crate) struct CpuInfo {
    /// `Model` line at the end: the board, on kernels for a Raspberry Pi.
    pub(crate) model: Option<String>,
    /// `model name` of an x86 processor. On ARM the line names an architecture revision and no product.
    pub(crate) x86_name: Option<String>,
    /// Core numbers of the `processor` lines, with the `CPU part` of each where it is given. Old kernels say the part once,
    /// after the cores: then it holds for all of them.
    pub(crate) parts: Vec<(u32, Option<u32>)>,
    /// `Hardware` line: the chip, on kernels without a device tree. A kernel for a Raspberry Pi says BCM2835 on all of them.
    pub(crate) hardware: Option<String>,
    arch_text: String,
    x86_64: bool,
}

impl CpuInfo {
    pub(crate) fn read(root: &SysRoot) -> Self {
        root.text("proc/cpuinfo").map(|text| Self::parse(&text)).unwrap_or_default()
    }

    fn parse(text: &str) -> Self {
        let mut info = Self::default();
        let mut core = None;
        let mut block_ended = false;
        for line in text.lines() {
            let Some((key, value)) = line.split_once(':') else {
                block_ended = true;
                continue;
            };
            let value = value.trim_ascii();
            match key.trim_ascii() {
                "processor" => {
                    core = value.parse().ok();
                    info.parts.extend(core.map(|core| (core, None)));
                    block_ended = false;
                }
                "CPU part" => info.set_part(core.filter(|_| !block_ended), value),
                "Hardware" if value != "BCM2835" && !value.is_empty() => {
                    info.hardware = Some(value.to_owned());
                }
                "Model" => info.model = Some(value.to_owned()).filter(|model| !model.is_empty()),
                "flags" => info.x86_64 = value.split(' ').any(|flag| flag == "lm"),
                "model name" | "Processor" | "Features" if info.arch_text.len() < 4096 => {
                    info.arch_text.push_str(value);
                    info.arch_text.push(' ');
                    if key.starts_with("model name") && info.x86_name.is_none() {
                        info.x86_name = Some(value.to_owned()).filter(|name| !name.is_empty());
                    }
                }
                _ => {}
            }
        }
        // Only x86 has `flags`; elsewhere `model name` is no product.
        if !text.lines().any(|line| line.starts_with("flags")) {
            info.x86_name = None;
        }
        info
    }

    fn set_part(&mut self, core: Option<u32>, value: &str) {
        let part = value.strip_prefix("0x").and_then(|hex| u32::from_str_radix(hex, 16).ok());
        for (id, known) in &mut self.parts {
            if core.is_none_or(|core| core == *id) {
                *known = known.or(part);
            }
        }
    }

    /// The kernel's architecture as far as the text gives it away. "CPU architecture: 7" does not: an ARMv6 board says so.
    pub(crate) fn machine(&self) -> Option<&'static str> {
        let has = |word: &str| self.arch_text.split([' ', '(', ')']).any(|w| w == word);
        match () {
            () if self.x86_64 => Some("x86_64"),
            () if has("v6l") => Some("armv6l"),
            () if has("v7l") => Some("armv7l"),
            () if has("v8l") || has("asimd") => Some("aarch64"),
            () => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_each_core_or_once_for_all() {
        let each = CpuInfo::parse("processor : 0\nCPU part : 0xd05\n\nprocessor : 4\nCPU part : 0xd0b\n");
        assert_eq!(each.parts, [(0, Some(0xd05)), (4, Some(0xd0b))]);
        let once = CpuInfo::parse(
            "Processor : ARMv7 Processor rev 5 (v7l)\nprocessor : 0\n\nprocessor : 1\n\nCPU part : 0xc07\n",
        );
        assert_eq!(once.parts, [(0, Some(0xc07)), (1, Some(0xc07))]);
        assert_eq!((once.machine(), once.x86_name), (Some("armv7l"), None));
    }

    #[test]
    fn the_architecture_is_not_the_line_called_so() {
        let v6 = CpuInfo::parse("processor : 0\nmodel name : ARMv6-compatible (v6l)\nCPU architecture: 7\n");
        assert_eq!((v6.machine(), v6.x86_name), (Some("armv6l"), None));
        assert_eq!(CpuInfo::parse("Features : fp asimd crc32\n").machine(), Some("aarch64"));
        assert_eq!(CpuInfo::parse("nothing here").machine(), None);
    }
}
