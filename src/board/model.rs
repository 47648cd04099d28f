//! What board this is, and what kernel and userland it runs.

use super::SysRoot;
use super::cpuinfo::CpuInfo;
use serde::Serialize;

/// Where boards name themselves; both are the same folder of the kernel's.
const DEVICE_TREES: [&str; 2] = ["proc/device-tree", "sys/firmware/devicetree/base"];

/// What a maker leaves in DMI who filled in nothing.
const DMI_FILLERS: [&str; 6] = [
    "to be filled by o.e.m.",
    "system manufacturer",
    "system product name",
    "default string",
    "none",
    "o.e.m.",
];

/// The board's identity.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Identity {
    /// The board's name: the device tree's `model`, else the `Model` line of /proc/cpuinfo, else vendor and product from
    /// DMI (/sys/class/dmi/id), else the processor's `model name`.
    pub model: Option<String>,
    /// The file that `model` was read from.
    pub model_source: Option<String>,
    /// The device tree's `compatible` list, the most exact first; empty without a device tree.
    pub compatible: Vec<String>,
    /// Kernel release as `uname -r` prints it. Source: /proc/sys/kernel/osrelease, else /proc/version.
    pub kernel: Option<String>,
    /// The kernel's architecture as `uname -m` prints it. Source: /proc/sys/kernel/arch (since 6.1), else what
    /// /proc/cpuinfo gives away. Says nothing about the programs: see `userland_bits`.
    pub machine: Option<String>,
    /// 32 or 64: the width of the board's own programs, by the ELF class of /bin/sh. A 64-bit kernel under a 32-bit
    /// userland is common on boards.
    pub userland_bits: Option<u8>,
    /// How the board's own programs pass fractions, where there is a choice: `hard` or `soft`, of 32-bit ARM only. Source:
    /// the ELF flags of /bin/sh.
    pub float_abi: Option<&'static str>,
    /// The architecture of the board's own programs by Debian's name, such as `armhf`; `None` where it is not one of the
    /// usual ones.
    pub userland: Option<String>,
    /// The system on a chip, by its maker's and its own name: `allwinner,sun8i-h3`. Source: the last entry of `compatible`,
    /// else the `Hardware` line of /proc/cpuinfo where it means something.
    pub soc: Option<String>,
}

impl Identity {
    pub(crate) fn read(root: &SysRoot, cpuinfo: &CpuInfo) -> Self {
        let (model, model_source) = model(root, cpuinfo).unzip();
        let compatible = compatible(root);
        let shell = root.bytes("bin/sh").and_then(|elf| Elf::read(&elf));
        let recorded = || {
            let said = root.text("userland.txt").filter(|_| !root.is_live())?;
            said.lines()
                .find_map(|line| line.strip_prefix("dpkg architecture:"))
                .map(|arch| arch.trim().to_owned())
        };
        let userland = shell.as_ref().and_then(Elf::debian).map(str::to_owned).or_else(recorded);
        let bits_of = |arch: &str| if ["armhf", "armel", "i386"].contains(&arch) { 32 } else { 64 };
        Self {
            model,
            model_source,
            soc: compatible.last().cloned().or_else(|| cpuinfo.hardware.clone()),
            compatible,
            kernel: kernel(root),
            machine: root.text("proc/sys/kernel/arch").or_else(|| cpuinfo.machine().map(str::to_owned)),
            userland_bits: shell.as_ref().map(|elf| elf.bits).or_else(|| userland.as_deref().map(bits_of)),
            float_abi: shell.as_ref().and_then(Elf::float_abi),
            userland,
        }
    }
}

impl Identity {
    /// `armhf (32-bit) under an aarch64 kernel`: the programs' architecture, and the kernel's where it is a wider one.
    pub(crate) fn userland_in_words(&self) -> Option<String> {
        let (name, bits) = (self.userland.as_deref()?, self.userland_bits?);
        let kernel = self.machine.as_deref().filter(|machine| bits == 32 && machine.contains("64"));
        // `an` before a vowel that is spoken: aarch64, and an x86_64 kernel by its letter's name.
        Some(kernel.map_or_else(
            || name.to_owned(),
            |kernel| format!("{name} ({bits}-bit) under an {kernel} kernel"),
        ))
    }
}

fn model(root: &SysRoot, cpuinfo: &CpuInfo) -> Option<(String, String)> {
    for tree in DEVICE_TREES {
        let path = format!("{tree}/model");
        if let Some(model) = root.text(&path) {
            return Some((model, format!("/{path}")));
        }
    }
    let from_cpuinfo = |name: &Option<String>| Some((name.clone()?, "/proc/cpuinfo".to_owned()));
    from_cpuinfo(&cpuinfo.model)
        .or_else(|| Some((dmi_name(root)?, "/sys/class/dmi/id".to_owned())))
        .or_else(|| from_cpuinfo(&cpuinfo.x86_name))
}

fn dmi_name(root: &SysRoot) -> Option<String> {
    let field = |name: &str| {
        let text = root.text(&format!("sys/class/dmi/id/{name}"))?;
        (!DMI_FILLERS.contains(&text.to_ascii_lowercase().as_str())).then_some(text)
    };
    let product = field("product_name")?;
    Some(match field("sys_vendor") {
        Some(vendor) if !product.starts_with(&vendor) => format!("{vendor} {product}"),
        _ => product,
    })
}

fn compatible(root: &SysRoot) -> Vec<String> {
    let list = DEVICE_TREES.iter().find_map(|tree| root.text(&format!("{tree}/compatible")));
    let list = list.unwrap_or_default();
    list.split('\0').map(str::trim_ascii).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

fn kernel(root: &SysRoot) -> Option<String> {
    root.text("proc/sys/kernel/osrelease").or_else(|| {
        let version = root.text("proc/version")?;
        version.strip_prefix("Linux version ")?.split_ascii_whitespace().next().map(str::to_owned)
    })
}

/// What the head of an ELF file says. Source: elf(5), and the ARM ELF specification for its flags.
struct Elf {
    bits: u8,
    machine: Option<u16>,
    flags: Option<u32>,
}

impl Elf {
    const ARM: u16 = 40;
    /// Bits of `e_flags` on 32-bit ARM.
    const HARD_FLOAT: u32 = 0x400;
    const SOFT_FLOAT: u32 = 0x200;

    fn read(file: &[u8]) -> Option<Self> {
        // EI_CLASS, the fifth byte: 1 is 32-bit, 2 is 64-bit; EI_DATA, the sixth: 1 is little-endian.
        let bits = match file.strip_prefix(b"\x7fELF")?.first()? {
            1 => 32,
            2 => 64,
            _ => return None,
        };
        let little = file.get(5) == Some(&1);
        let bytes = |at: usize, count: usize| file.get(at..at + count).filter(|_| little);
        let machine = bytes(18, 2).and_then(|two| Some(u16::from_le_bytes(two.try_into().ok()?)));
        let flags = bytes(if bits == 32 { 36 } else { 48 }, 4);
        Some(Self {
            bits,
            machine,
            flags: flags.and_then(|four| Some(u32::from_le_bytes(four.try_into().ok()?))),
        })
    }

    fn float_abi(&self) -> Option<&'static str> {
        let flags = self.flags.filter(|_| self.machine == Some(Self::ARM))?;
        match (flags & Self::HARD_FLOAT != 0, flags & Self::SOFT_FLOAT != 0) {
            (true, _) => Some("hard"),
            (false, true) => Some("soft"),
            // Neither is set by old linkers, which made soft-float programs.
            (false, false) => None,
        }
    }

    fn debian(&self) -> Option<&'static str> {
        match (self.machine?, self.bits) {
            (Self::ARM, 32) => Some(if self.float_abi() == Some("hard") { "armhf" } else { "armel" }),
            (183, 64) => Some("arm64"),
            (3, 32) => Some("i386"),
            (62, 64) => Some("amd64"),
            (243, 64) => Some("riscv64"),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::tree::Tree;

    fn read(files: &[(&str, &[u8])]) -> Identity {
        let tree = Tree::new(files);
        Identity::read(&tree.root(), &CpuInfo::read(&tree.root()))
    }

    #[test]
    fn the_device_tree_comes_first_and_loses_its_nul() {
        let board = read(&[
            ("proc/device-tree/model", b"Some Board 4\0"),
            ("proc/device-tree/compatible", b"maker,board-4\0maker,soc\0"),
            ("proc/cpuinfo", b"Model : Other\n"),
            ("proc/version", b"Linux version 3.4.113-sun8i (x@y) #1\n"),
        ]);
        assert_eq!(board.model.as_deref(), Some("Some Board 4"));
        assert_eq!(board.model_source.as_deref(), Some("/proc/device-tree/model"));
        assert_eq!(board.compatible, ["maker,board-4", "maker,soc"]);
        assert_eq!(board.kernel.as_deref(), Some("3.4.113-sun8i"));
    }

    #[test]
    fn dmi_then_the_processor_name() {
        let dmi: [(&str, &[u8]); 3] = [
            ("sys/class/dmi/id/sys_vendor", b"Maker\n"),
            ("sys/class/dmi/id/product_name", b"Box 9\n"),
            ("proc/cpuinfo", b"processor : 0\nmodel name : Fast CPU\nflags : fpu lm\n"),
        ];
        assert_eq!(read(&dmi).model.as_deref(), Some("Maker Box 9"));
        let filler: [(&str, &[u8]); 2] =
            [("sys/class/dmi/id/product_name", b"To Be Filled By O.E.M.\n"), dmi[2]];
        assert_eq!(read(&filler).model.as_deref(), Some("Fast CPU"));
        assert_eq!(read(&filler).machine.as_deref(), Some("x86_64"));
    }

    #[test]
    fn userland_width_is_the_shells() {
        for (elf, bits) in
            [(&b"\x7fELF\x01..."[..], Some(32)), (b"\x7fELF\x02", Some(64)), (b"#!/bin/x", None)]
        {
            assert_eq!(read(&[("bin/sh", elf)]).userland_bits, bits);
        }
        let elf = |class: u8, machine: u8, at: usize, flags: u16| {
            let mut head = vec![0; 64];
            head[..6].copy_from_slice(&[0x7f, b'E', b'L', b'F', class, 1]);
            head[18] = machine;
            head[at..at + 2].copy_from_slice(&flags.to_le_bytes());
            let found = read(&[("bin/sh", &head)]);
            (found.userland, found.float_abi)
        };
        assert_eq!(elf(1, 40, 36, 0x400), (Some("armhf".to_owned()), Some("hard")));
        assert_eq!(elf(1, 40, 36, 0x200), (Some("armel".to_owned()), Some("soft")));
        assert_eq!(elf(2, 183, 48, 0), (Some("arm64".to_owned()), None));
        let said = read(&[("userland.txt", b"LONG_BIT: 32\ndpkg architecture: armhf\n")]);
        assert_eq!((said.userland.as_deref(), said.userland_bits), (Some("armhf"), Some(32)));
        assert_eq!(read(&[]), Identity::default());
    }
}
