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
}

impl Identity {
    pub(crate) fn read(root: &SysRoot, cpuinfo: &CpuInfo) -> Self {
        let (model, model_source) = model(root, cpuinfo).unzip();
        Self {
            model,
            model_source,
            compatible: compatible(root),
            kernel: kernel(root),
            machine: root.text("proc/sys/kernel/arch").or_else(|| cpuinfo.machine().map(str::to_owned)),
            userland_bits: root.bytes("bin/sh").and_then(|elf| elf_bits(&elf)),
        }
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

/// EI_CLASS, the fifth byte of an ELF file: 1 is 32-bit, 2 is 64-bit.
fn elf_bits(elf: &[u8]) -> Option<u8> {
    match elf.strip_prefix(b"\x7fELF")?.first()? {
        1 => Some(32),
        2 => Some(64),
        _ => None,
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
        assert_eq!(read(&[]), Identity::default());
    }
}
