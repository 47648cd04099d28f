//! The recorded boards, replayed: each tree under tests/fixtures/boards against its own expected.json.

use boardkit::board::{BoardFacts, ProcessUsage, StatSample, SysRoot};
use boardkit::tune::{Wanted, plan};
use proptest::prelude::*;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A folder of its own, removed when dropped.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!(
            "boardkit-it-{}-{}",
            std::process::id(),
            NEXT.fetch_add(1, Ordering::Relaxed)
        );
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).expect("temporary directory is writable");
        Self(path)
    }

    fn write(&self, name: &str, content: &[u8]) {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().expect("parent")).expect("directory");
        fs::write(path, content).expect("file");
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn boards() -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/boards");
    let entries = fs::read_dir(dir)
        .expect("fixtures")
        .map(|entry| entry.expect("entry").path());
    let mut boards: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    boards.sort();
    boards
}

fn copy_tree(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("directory");
    for entry in fs::read_dir(from)
        .expect("directory")
        .map(|entry| entry.expect("entry"))
    {
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type().expect("type");
        if kind.is_symlink() {
            std::os::unix::fs::symlink(fs::read_link(source).expect("link"), target).expect("link");
        } else if kind.is_dir() {
            copy_tree(&source, &target);
        } else {
            fs::copy(source, target).expect("copy");
        }
    }
}

/// Puts in the place of each file in errno.txt something whose read fails. Opening /proc/self/mem works and reading its
/// first page is EIO; which error it is makes no difference to a reader.
fn inject_errors(board: &Path, copy: &Path) -> usize {
    let list = fs::read_to_string(board.join("errno.txt")).unwrap_or_default();
    let paths = list.lines().filter_map(|line| line.split_whitespace().next());
    let inject = |path: &str| {
        let _ = fs::remove_file(copy.join(path));
        std::os::unix::fs::symlink("/proc/self/mem", copy.join(path)).expect("link");
        assert!(fs::read(copy.join(path)).is_err(), "{path} can still be read");
    };
    paths.map(inject).count()
}

/// The facts in the words of expected.json.
fn told(facts: &BoardFacts) -> Value {
    let celsius = |milli: Option<i32>| milli.map(|milli| f64::from(milli) / 1000.0);
    let len = |set: &Option<boardkit::board::CoreSet>| set.as_ref().map(boardkit::board::CoreSet::len);
    serde_json::json!({
        "model": facts.identity.model,
        "cores_present": len(&facts.cores.present),
        "cores_online": len(&facts.cores.online),
        "cpu_quota": facts.cores.quota.as_ref().map(|quota| quota.millicores as f64 / 1000.0),
        "policies": facts.clocks,
        "cpu_temp_c": celsius(facts.thermal.cpu_millicelsius),
        "throttle_trip_c": celsius(facts.thermal.throttle_millicelsius),
        "critical_trip_c": celsius(facts.thermal.critical_millicelsius),
        "zones": facts.thermal.zones.len(),
        "arch": facts.identity.machine,
    })
}

/// `expected` in full within `found`: numbers as numbers, lists of one length, and only the keys that are expected.
fn holds(expected: &Value, found: &Value) -> bool {
    match (expected, found) {
        (Value::Object(expected), Value::Object(found)) => expected
            .iter()
            .all(|(key, value)| found.get(key).is_some_and(|found| holds(value, found))),
        (Value::Array(expected), Value::Array(found)) => {
            expected.len() == found.len() && expected.iter().zip(found).all(|(e, f)| holds(e, f))
        }
        (Value::Number(expected), Value::Number(found)) => expected.as_f64() == found.as_f64(),
        _ => expected == found,
    }
}

#[test]
fn every_recorded_board_reads_as_expected() {
    let (mut judged, mut errors) = (0, 0);
    for board in boards() {
        let copy = Scratch::new();
        copy_tree(&board, &copy.0);
        errors += inject_errors(&board, &copy.0);
        let found = told(&BoardFacts::read(&SysRoot::at(&copy.0)));
        let expected = fs::read_to_string(board.join("expected.json")).expect("expected.json");
        let expected: Value = serde_json::from_str(&expected).expect("JSON");
        for (key, value) in expected.as_object().expect("an object") {
            // What a later reader will tell (throttle word, network interrupts) is not in `found` yet.
            let Some(found) = found.get(key) else { continue };
            assert!(
                holds(value, found),
                "{}: {key} should be {value} and is {found}",
                board.display()
            );
            judged += 1;
        }
    }
    assert!(
        judged > 70 && errors == 2,
        "judged {judged} values with {errors} errors injected"
    );
}

#[test]
fn every_recorded_board_has_a_plan_and_rows_by_core() {
    for board in boards() {
        let root = SysRoot::at(&board);
        let facts = BoardFacts::read(&root);
        let online = facts
            .cores
            .online
            .clone()
            .expect("every board says what is online");
        assert_eq!(
            plan(&facts, &Wanted::default()).workers.len(),
            online.len(),
            "{}",
            board.display()
        );
        if let Some(stat) = StatSample::read(&root) {
            assert!(
                stat.cores.keys().all(|core| online.contains(*core)),
                "{}",
                board.display()
            );
            assert_eq!(stat.load_since(&stat).len(), 0);
        }
    }
}

#[test]
fn policies_of_different_cores_are_told_apart_by_part() {
    let board = boards()
        .into_iter()
        .find(|path| path.ends_with("orange-pi-5"))
        .expect("orange-pi-5");
    let facts = BoardFacts::read(&SysRoot::at(board));
    let part = |id: usize| facts.cores.each[id].part;
    assert_eq!(
        (part(0), part(3), part(4), part(7)),
        (Some(0xd05), Some(0xd05), Some(0xd0b), Some(0xd0b))
    );
}

#[test]
fn cores_that_are_off_are_noted() {
    let board = boards()
        .into_iter()
        .find(|path| path.ends_with("orange-pi-pc-cores-offline"))
        .expect("board");
    let facts = BoardFacts::read(&SysRoot::at(board));
    assert!(
        facts.notes.contains(&"1 of 4 cores running; off: 1-3".to_owned()),
        "{:?}",
        facts.notes
    );
}

#[test]
fn a_clock_file_that_answers_with_an_error_is_unknown_and_the_others_still_count() {
    let scratch = Scratch::new();
    for (first, cores) in [("0", "0 1 2 3"), ("4", "4 5 6 7")] {
        let dir = format!("sys/devices/system/cpu/cpufreq/policy{first}");
        scratch.write(&format!("{dir}/related_cpus"), cores.as_bytes());
        scratch.write(&format!("{dir}/scaling_cur_freq"), b"1800000\n");
    }
    scratch.write("sys/devices/system/cpu/present", b"0-7\n");
    let broken = scratch
        .0
        .join("sys/devices/system/cpu/cpufreq/policy4/scaling_cur_freq");
    fs::remove_file(&broken).expect("remove");
    std::os::unix::fs::symlink("/proc/self/mem", broken).expect("link");
    let facts = BoardFacts::read(&SysRoot::at(&scratch.0));
    let clocks: Vec<Option<u64>> = facts.clocks.iter().map(|policy| policy.cur_khz).collect();
    assert_eq!(clocks, [Some(1_800_000), None]);
}

#[test]
fn json_has_null_for_the_unknown() {
    let scratch = Scratch::new();
    let facts = serde_json::to_value(BoardFacts::read(&SysRoot::at(&scratch.0))).expect("JSON");
    let at = |path: &str| {
        facts
            .pointer(path)
            .unwrap_or_else(|| panic!("{path} is not in {facts}"))
    };
    for path in [
        "/identity/model",
        "/cores/online",
        "/cores/quota",
        "/thermal/cpu_millicelsius",
        "/memory/total_bytes",
    ] {
        assert!(at(path).is_null(), "{path}");
    }
}

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
            (
                prop::sample::select(words),
                prop::sample::select(vec![" ", "\t", "\n", ""])
            ),
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
        let shares: f64 = plan.workers.iter().map(|worker| worker.share).sum();
        prop_assert!((shares - 1.0).abs() < 1e-6, "shares add up to {shares}");
    }
}
