//! No bytes in any file of /proc or /sys make a reader panic, and whatever was read gives a plan.

use crate::scratch::Scratch;
use boardkit::board::{BoardFacts, Health, ProcessUsage, SysRoot};
use boardkit::tune::{KernelPlan, Wanted, examine, plan};
use proptest::prelude::*;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// Every file that a reader opens.
const FILES: [&str; 40] = [
    "bin/sh",
    "proc/7/stat",
    "proc/7/status",
    "proc/cgroups",
    "proc/cpuinfo",
    "proc/device-tree/compatible",
    "proc/device-tree/model",
    "proc/interrupts",
    "proc/meminfo",
    "proc/self/cgroup",
    "proc/self/status",
    "proc/stat",
    "proc/swaps",
    "proc/sys/kernel/osrelease",
    "proc/sys/net/core/somaxconn",
    "proc/version",
    "sys/class/dmi/id/product_name",
    "sys/class/hwmon/hwmon0/name",
    "sys/class/hwmon/hwmon0/temp1_input",
    "sys/class/hwmon/hwmon1/in0_lcrit_alarm",
    "sys/class/net/eth0/carrier",
    "sys/class/net/eth0/duplex",
    "sys/class/net/eth0/queues/rx-0/rps_cpus",
    "sys/class/net/eth0/speed",
    "sys/class/thermal/thermal_zone0/temp",
    "sys/class/thermal/thermal_zone0/trip_point_0_temp",
    "sys/class/thermal/thermal_zone0/trip_point_0_type",
    "sys/class/thermal/thermal_zone0/type",
    "sys/devices/platform/soc/soc:firmware/get_throttled",
    "sys/devices/system/cpu/cpu0/cpu_capacity",
    "sys/devices/system/cpu/cpufreq/policy0/related_cpus",
    "sys/devices/system/cpu/cpufreq/policy0/scaling_cur_freq",
    "sys/devices/system/cpu/online",
    "sys/devices/system/cpu/present",
    "sys/fs/cgroup/cgroup.controllers",
    "sys/fs/cgroup/cpu.max",
    "sys/fs/cgroup/cpu/cpu.cfs_quota_us",
    "sys/fs/cgroup/cpuset.cpus.effective",
    "vcgencmd_get_throttled.txt",
    "vcgencmd_measure_clock_arm.txt",
];

/// Bytes at random, and words that get a parser further than bytes at random do.
fn content() -> impl Strategy<Value = Vec<u8>> {
    let words = "cpu cpu0 processor : - 0 1 4294967295 18446744073709551615 -9223372036854775808 0x , ) ( \n \0 kB \
                 MemTotal: 0:: / .. Model flags passive cpu-thermal max 100000 Cpus_allowed_list:";
    let words: Vec<&str> = words.split(' ').collect();
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..200),
        prop::collection::vec(
            (prop::sample::select(words), prop::sample::select(vec![" ", "\t", "\n", ""])),
            0..40
        )
        .prop_map(|parts| parts
            .into_iter()
            .flat_map(|(word, gap)| [word, gap])
            .collect::<String>()
            .into_bytes()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 80, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_in_any_file_make_a_reader_panic(
        files in prop::collection::vec((prop::sample::select(FILES.to_vec()), content()), 0..40)
    ) {
        let scratch = Scratch::new();
        for (name, content) in &files {
            scratch.write(name, content);
        }
        let root = SysRoot::at(&scratch.0);
        let facts = BoardFacts::read(&root);
        let _ = ProcessUsage::read(&root, 7);
        let plan = plan(&facts, &Wanted { workers: None, pin: true });
        prop_assert!(!plan.workers.is_empty() && plan.max_connections > 0);
        prop_assert!(!facts.to_string().is_empty() && serde_json::to_string(&facts).is_ok());
        let shares: u64 = plan.workers.iter().map(|worker| u64::from(worker.share_ppm)).sum();
        let whole = 1_000_000 - plan.workers.len() as u64..=1_000_000;
        prop_assert!(whole.contains(&shares), "shares add up to {shares}");
    }
}

/// What becomes of a file of a board.
#[derive(Debug, Clone, Copy)]
enum Fault {
    Gone,
    Empty,
    Binary,
    Enormous,
    Unreadable,
    Folder,
    Loop,
}

fn spoil(path: &Path, fault: Fault) {
    // What an earlier fault has left.
    let _ = fs::remove_file(path).or_else(|_| fs::remove_dir(path));
    let done = match fault {
        Fault::Gone => Ok(()),
        Fault::Empty => fs::write(path, ""),
        Fault::Binary => fs::write(path, [0xff, 0x00, 0x9f, 0x92, 0x96, b'\n', 0x80].repeat(40)),
        Fault::Enormous => fs::write(path, "9".repeat(3 << 20)),
        // Opening works, and reading is EIO.
        Fault::Unreadable => symlink("/proc/self/mem", path),
        Fault::Folder => fs::create_dir(path),
        Fault::Loop => symlink(path, path),
    };
    done.expect("a file that is ours");
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry")) {
        let kind = entry.file_type().expect("a type");
        if kind.is_dir() {
            files(&entry.path(), found);
        } else {
            found.push(entry.path());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_fault_of_any_file_of_a_board_makes_a_reader_panic(
        board in any::<prop::sample::Index>(),
        faults in prop::collection::vec(
            (any::<prop::sample::Index>(), prop::sample::select(vec![
                Fault::Gone, Fault::Empty, Fault::Binary, Fault::Enormous, Fault::Unreadable, Fault::Folder, Fault::Loop,
            ])),
            1..12,
        )
    ) {
        let boards = crate::board::boards();
        let (copy, _) = crate::board::replayed(&boards[board.index(boards.len())]);
        let mut all = Vec::new();
        files(&copy.0, &mut all);
        all.sort();
        for (file, fault) in &faults {
            spoil(&all[file.index(all.len())], *fault);
        }
        let root = SysRoot::at(&copy.0);
        let facts = BoardFacts::read(&root);
        let plan = plan(&facts, &Wanted::default());
        prop_assert!(!plan.workers.is_empty() && !KernelPlan::new(&facts).0.is_empty());
        prop_assert!(!examine(&facts, &Health::read(&root), &[]).is_empty());
        let text = format!("{facts:#}");
        prop_assert!(!text.is_empty() && serde_json::to_string(&facts).is_ok());
    }
}
