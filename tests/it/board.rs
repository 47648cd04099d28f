//! The recorded boards, replayed: each tree under tests/fixtures/boards against its own expected.json.

use crate::scratch::Scratch;
use boardkit::board::{BoardFacts, StatSample, SysRoot};
use boardkit::tune::{KernelPlan, Wanted, plan};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

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

/// The facts in the words of expected.json, which counts the zones.
fn told(facts: &BoardFacts) -> Value {
    let mut told = serde_json::to_value(facts).expect("JSON");
    told["zones"] = facts.thermal.zones.len().into();
    told
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
            // Oddities in words, and a clock that somebody measured beside what was recorded.
            if key == "quirks" || (key == "real_mhz" && found[key].is_null()) {
                continue;
            }
            let found = found.get(key).unwrap_or_else(|| panic!("{}: no {key}", board.display()));
            assert!(holds(value, found), "{}: {key} should be {value} and is {found}", board.display());
            judged += 1;
        }
    }
    assert!(judged > 85 && errors == 2, "judged {judged} values with {errors} errors injected");
}

/// What `boardd plan --root` prints, kept beside each board: the same facts give the same plan, and a change shows.
#[test]
fn every_recorded_board_has_the_plan_that_was_kept() {
    for board in boards() {
        let facts = BoardFacts::read(&SysRoot::at(&board));
        let found = format!("{}\n{}", plan(&facts, &Wanted::default()), KernelPlan::new(&facts));
        let kept = fs::read_to_string(board.join("plan.txt")).unwrap_or_default();
        assert_eq!(kept, found, "{}: target/debug/boardd plan --root prints it anew", board.display());
    }
}

/// By the boardd of this build: the one that ships only serves.
#[test]
fn what_is_printed_of_a_board_is_what_is_kept() {
    let board = boards().into_iter().find(|path| path.ends_with("orange-pi-zero")).expect("orange-pi-zero");
    let run = |verb: &str, more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_boardd"));
        let output = command.arg(verb).arg("--root").arg(&board).args(more).output().expect("boardd runs");
        (
            output.status.code(),
            String::from_utf8(output.stdout).expect("text"),
            String::from_utf8(output.stderr).expect("text"),
        )
    };
    let (code, facts, _) = run("facts", &["--json"]);
    let facts: Value = serde_json::from_str(&facts).expect("JSON");
    assert_eq!(
        (code, &facts["model"], &facts["nic_irq"]["all_on_cpu"]),
        (Some(0), &"Xunlong Orange Pi Zero".into(), &0.into())
    );
    assert!(run("facts", &[]).1.contains("\nNetwork end0, all interrupts on core 0\n"));
    let kept = fs::read_to_string(board.join("plan.txt")).expect("kept");
    let printed = run("plan", &[]).1;
    assert!(kept.lines().filter(|line| !line.is_empty()).all(|line| printed.contains(line)), "{printed}");
    let (code, found, complaint) = run("doctor", &[]);
    assert_eq!((code, complaint.lines().count()), (Some(1), 1), "{complaint}");
    assert!(found.contains("WRONG    network interrupts"), "{found}");
    let missing =
        Command::new(env!("CARGO_BIN_EXE_boardd")).args(["facts", "--root", "/does/not/exist"]).output();
    let missing = missing.expect("boardd runs");
    assert_eq!(missing.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&missing.stderr).contains("there is no folder /does/not/exist"));
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
