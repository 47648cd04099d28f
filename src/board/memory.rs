//! Main memory and swap.

use super::SysRoot;
use serde::Serialize;

/// Sizes in bytes. Source: /proc/meminfo, whose "kB" are KiB.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Memory {
    /// What the kernel has to give (MemTotal): less than what is soldered on, the firmware and the GPU keep a part.
    pub total_bytes: Option<u64>,
    /// What programs can have without swapping (MemAvailable); since kernel 3.14.
    pub available_bytes: Option<u64>,
    /// Swap space (SwapTotal); 0 means that there is none.
    pub swap_total_bytes: Option<u64>,
    /// Swap space not in use (SwapFree).
    pub swap_free_bytes: Option<u64>,
}

impl Memory {
    pub(crate) fn read(root: &SysRoot) -> Self {
        root.text("proc/meminfo").map(|text| Self::parse(&text)).unwrap_or_default()
    }

    fn parse(text: &str) -> Self {
        let bytes = |key: &str| -> Option<u64> {
            let value = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))?;
            let kib: u64 = value.trim_ascii().strip_suffix("kB")?.trim_ascii().parse().ok()?;
            kib.checked_mul(1024)
        };
        Self {
            total_bytes: bytes("MemTotal").filter(|total| *total > 0),
            available_bytes: bytes("MemAvailable"),
            swap_total_bytes: bytes("SwapTotal"),
            swap_free_bytes: bytes("SwapFree"),
        }
    }
}

/// What went to swap and came back since boot, in bytes. Source: /proc/vmstat, which counts pages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SwapCounters {
    /// Read back (pswpin).
    pub in_bytes: u64,
    /// Written out (pswpout).
    pub out_bytes: u64,
}

impl SwapCounters {
    /// Reads both; `None` on a kernel without swap, which has no such counters.
    #[must_use]
    pub fn read(root: &SysRoot) -> Option<Self> {
        let text = root.text("proc/vmstat")?;
        let bytes = |key: &str| -> Option<u64> {
            let pages: u64 = text.lines().find_map(|line| line.strip_prefix(key)?.parse().ok())?;
            pages.checked_mul(rustix::param::page_size() as u64)
        };
        Some(Self { in_bytes: bytes("pswpin ")?, out_bytes: bytes("pswpout ")? })
    }

    /// Bytes since an earlier reading; `None` when a counter went down.
    #[must_use]
    pub fn since(&self, before: &Self) -> Option<Self> {
        Some(Self {
            in_bytes: self.in_bytes.checked_sub(before.in_bytes)?,
            out_bytes: self.out_bytes.checked_sub(before.out_bytes)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::tree::Tree;

    #[test]
    fn swap_is_counted_in_pages() {
        let tree = Tree::new(&[("proc/vmstat", b"pgpgin 9\npswpin 3\npswpout 5\n")]);
        let page = rustix::param::page_size() as u64;
        let swap = SwapCounters::read(&tree.root()).expect("counters");
        assert_eq!(swap, SwapCounters { in_bytes: 3 * page, out_bytes: 5 * page });
        assert_eq!(SwapCounters::default().since(&swap), None);
        assert_eq!(SwapCounters::read(&Tree::new(&[("proc/vmstat", b"pgpgin 9\n")]).root()), None);
    }

    #[test]
    fn kib_become_bytes_and_missing_rows_stay_unknown() {
        let memory =
            Memory::parse("MemTotal:   437248 kB\nSwapTotal: 0 kB\nMemAvailable: x kB\nSwapFree: 7\n");
        assert_eq!(memory.total_bytes, Some(437_248 << 10));
        assert_eq!(memory.swap_total_bytes, Some(0));
        assert_eq!((memory.available_bytes, memory.swap_free_bytes), (None, None));
        assert_eq!(Memory::parse("MemTotal: 18446744073709551615 kB").total_bytes, None);
    }
}
