//! The recorded boards, replayed: each tree under tests/fixtures/boards against its own expected.json.

use crate::scratch::Scratch;
use boardkit::board::{BoardFacts, StatSample, SysRoot};
use boardkit::tune::{Wanted, plan};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

pub(crate) fn boards() -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/boards");
    let entries = fs::read_dir(dir).expect("fixtures").map(|entry| entry.expect("entry").path());
    let mut boards: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    boards.sort();
    boards
}

fn copy_tree(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("directory");
    for entry in fs::read_dir(from).expect("directory").map(|entry| entry.expect("entry")) {
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

/// The board as a root to read from, and how many files answer with an error there.
pub(crate) fn replayed(board: &Path) -> (Scratch, usize) {
    let copy = Scratch::new();
    copy_tree(board, &copy.0);
    let errors = inject_errors(board, &copy.0);
    (copy, errors)
}

/// What a correct reader says of the board.
pub(crate) fn expected(board: &Path) -> Value {
    let expected = fs::read_to_string(board.join("expected.json")).expect("expected.json");
    serde_json::from_str(&expected).expect("JSON")
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
pub(crate) fn holds(expected: &Value, found: &Value) -> bool {
    match (expected, found) {
        (Value::Object(expected), Value::Object(found)) => {
            expected.iter().all(|(key, value)| found.get(key).is_some_and(|found| holds(value, found)))
        }
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
        let (copy, injected) = replayed(&board);
        errors += injected;
        let found = told(&BoardFacts::read(&SysRoot::at(&copy.0)));
        let expected = expected(&board);
        for (key, value) in expected.as_object().expect("an object") {
            // What a later reader will tell (throttle word, network interrupts) is not in `found` yet.
            let Some(found) = found.get(key) else { continue };
            assert!(holds(value, found), "{}: {key} should be {value} and is {found}", board.display());
            judged += 1;
        }
    }
    assert!(judged > 70 && errors == 2, "judged {judged} values with {errors} errors injected");
}

#[test]
fn every_recorded_board_has_a_plan_and_rows_by_core() {
    for board in boards() {
        let root = SysRoot::at(&board);
        let facts = BoardFacts::read(&root);
        let online = facts.cores.online.clone().expect("every board says what is online");
        assert_eq!(plan(&facts, &Wanted::default()).workers.len(), online.len(), "{}", board.display());
        if let Some(stat) = StatSample::read(&root) {
            assert!(stat.cores.keys().all(|core| online.contains(*core)), "{}", board.display());
            assert_eq!(stat.load_since(&stat).len(), 0);
        }
    }
}

#[test]
fn policies_of_different_cores_are_told_apart_by_part() {
    let board = boards().into_iter().find(|path| path.ends_with("orange-pi-5")).expect("orange-pi-5");
    let facts = BoardFacts::read(&SysRoot::at(board));
    let part = |id: usize| facts.cores.each[id].part;
    assert_eq!((part(0), part(3), part(4), part(7)), (Some(0xd05), Some(0xd05), Some(0xd0b), Some(0xd0b)));
}

#[test]
fn cores_that_are_off_are_noted() {
    let board =
        boards().into_iter().find(|path| path.ends_with("orange-pi-pc-cores-offline")).expect("board");
    let facts = BoardFacts::read(&SysRoot::at(board));
    assert!(facts.notes.contains(&"1 of 4 cores running; off: 1-3".to_owned()), "{:?}", facts.notes);
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
    let broken = scratch.0.join("sys/devices/system/cpu/cpufreq/policy4/scaling_cur_freq");
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
    let at = |path: &str| facts.pointer(path).unwrap_or_else(|| panic!("{path} is not in {facts}"));
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
