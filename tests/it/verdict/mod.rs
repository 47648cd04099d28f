//! Verdicts on staged runs, each with one thing that limits it, through the program that ships.

mod flags;
mod proxy;
mod stages;

use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

use crate::support::boardctl::{self, BOARDCTL, Run, TempFile};

/// A stage that other programs of this machine have disturbed is set up again so many times.
const TRIES: usize = 8;

/// Stages have the machine for themselves, as far as the tests are concerned: nextest sees to that by .config/nextest.toml,
/// and this where all tests are threads of one process.
static ALONE: Mutex<()> = Mutex::new(());

/// Programs beside the stage with as many cores as this have disturbed it.
const DISTURBED: f64 = 0.25;

/// What limited a run, by its report.
fn limited_by(report: &Value) -> &str {
    report["verdict"]["limited_by"].as_str().unwrap_or_else(|| panic!("no verdict in {report:#}"))
}

/// The evidence for or against a candidate.
pub(crate) fn evidence<'a>(report: &'a Value, name: &str) -> &'a str {
    let candidates = report["verdict"]["candidates"].as_array().expect("candidates");
    let candidate = candidates.iter().find(|candidate| candidate["name"] == name);
    candidate.and_then(|candidate| candidate["evidence"].as_str()).expect("the candidate's evidence")
}

/// Marks of a kind.
fn marks<'a>(report: &'a Value, kind: &str) -> Vec<&'a Value> {
    let marks = report["validity"]["marks"].as_array().expect("marks");
    marks.iter().filter(|mark| mark["kind"] == kind).collect()
}

/// Cores that programs beside the stage took on average.
fn others(report: &Value) -> f64 {
    let series = report["series"].as_array().expect("a series");
    let of_row = |row: &Value| {
        let others = row["laptop"]["others"].as_array().expect("a list");
        others.iter().filter_map(|other| other["cores"].as_f64()).sum::<f64>()
    };
    series.iter().map(of_row).sum::<f64>() / series.len().max(1) as f64
}

/// Sets up a stage until nothing else on the machine disturbs it, and fails the test unless the verdict is right then. One
/// that is right in spite of a disturbance is as good.
pub(crate) fn staged(expected: &str, stage: impl Fn() -> Run) -> Run {
    // A stage that failed has told so.
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut run = stage();
    for _ in 1..TRIES {
        if limited_by(&run.report) == expected || others(&run.report) < DISTURBED {
            break;
        }
        run = stage();
    }
    assert_eq!(limited_by(&run.report), expected, "{}", run.stdout);
    assert!(
        run.stdout.contains("\nWhat limited it\n") && run.stdout.contains("\nValidity: "),
        "{}",
        run.stdout
    );
    run
}

/// Runs `boardctl load` while `meanwhile` goes on with its process.
fn load_while(url: &str, arguments: &[&str], meanwhile: impl FnOnce(&mut Child)) -> Run {
    run_while(boardctl::command(&[]), url, arguments, meanwhile)
}

/// Runs `boardctl load` before everything else on the machine, where that is allowed: for a stage that takes next to no
/// time of the cores, but must have it at once.
fn load_promptly(url: &str, arguments: &[&str]) -> Run {
    let prompt = ["-r", "1"];
    let mut probe = Command::new("chrt");
    let probe = probe.args(prompt).arg("true").stdout(Stdio::null()).stderr(Stdio::null()).status();
    let mut command = boardctl::command(&[]);
    if probe.is_ok_and(|status| status.success()) {
        command = Command::new("chrt");
        command.args(prompt).arg(BOARDCTL).stdout(Stdio::piped()).stderr(Stdio::piped());
    }
    run_while(command, url, arguments, |_| {})
}

pub(crate) fn run_while(
    mut command: Command,
    url: &str,
    arguments: &[&str],
    meanwhile: impl FnOnce(&mut Child),
) -> Run {
    let file = TempFile::new("report.json");
    let command = command.args(["load", url, "--json"]).arg(&file.0).args(arguments);
    let mut child = command.spawn().expect("boardctl starts");
    meanwhile(&mut child);
    let output = child.wait_with_output().expect("it ends");
    Run::new(&output, file.json())
}
