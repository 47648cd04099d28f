//! No bytes in any file of /proc or /sys make a reader panic, and whatever was read gives a plan.

use crate::scratch::Scratch;
use boardkit::board::{BoardFacts, ProcessUsage, SysRoot};
use boardkit::tune::{Wanted, plan};
use proptest::prelude::*;

/// Every file that a reader opens.
const FILES: [&str; 28] = [
    "bin/sh",
    "proc/7/stat",
    "proc/7/status",
    "proc/cpuinfo",
    "proc/device-tree/compatible",
    "proc/device-tree/model",
    "proc/meminfo",
    "proc/self/cgroup",
    "proc/self/status",
    "proc/stat",
    "proc/sys/kernel/osrelease",
    "proc/sys/net/core/somaxconn",
    "proc/version",
    "sys/class/dmi/id/product_name",
    "sys/class/hwmon/hwmon0/name",
    "sys/class/hwmon/hwmon0/temp1_input",
    "sys/class/thermal/thermal_zone0/temp",
    "sys/class/thermal/thermal_zone0/trip_point_0_temp",
    "sys/class/thermal/thermal_zone0/trip_point_0_type",
    "sys/class/thermal/thermal_zone0/type",
    "sys/devices/system/cpu/cpu0/cpu_capacity",
    "sys/devices/system/cpu/cpufreq/policy0/related_cpus",
    "sys/devices/system/cpu/cpufreq/policy0/scaling_cur_freq",
    "sys/devices/system/cpu/online",
    "sys/devices/system/cpu/present",
    "sys/fs/cgroup/cpu.max",
    "sys/fs/cgroup/cpu/cpu.cfs_quota_us",
    "sys/fs/cgroup/cpuset.cpus.effective",
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
