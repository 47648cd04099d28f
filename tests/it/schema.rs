//! The published schema: the one that the program prints, and every report that it writes keeps to it.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::boardctl::{self, TempFile};
use crate::support::boardd::{Boardd, until};

/// Holds files against a schema in which nothing more is allowed than is written there, by the jsonschema of Python.
const VALIDATE: &str = "
import json, sys
import jsonschema

def closed(node):
    if isinstance(node, dict):
        if 'properties' in node and node is not root:
            node['additionalProperties'] = False
        for child in node.values():
            closed(child)
    elif isinstance(node, list):
        for child in node:
            closed(child)

root = json.load(open(sys.argv[1]))
closed(root)
if sys.argv[2] == 'whole':
    root['additionalProperties'] = False
checker = jsonschema.Draft202012Validator(root)
checker.check_schema(root)
wrong = [error for name in sys.argv[3:] for error in checker.iter_errors(json.load(open(name)))]
for error in wrong[:5]:
    print('/'.join(map(str, error.absolute_path)), error.message[:300])
sys.exit(bool(wrong))
";

fn published(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(name)
}

/// A Python that has the validator; Debian's own has it where another one comes first in PATH.
fn python() -> &'static str {
    let has_it = |python: &&&str| {
        let mut probe = Command::new(python);
        let probe = probe.args(["-c", "import jsonschema"]).stderr(Stdio::null()).status();
        probe.is_ok_and(|status| status.success())
    };
    let found = ["python3", "/usr/bin/python3"].iter().find(has_it).copied();
    found.expect("a Python with jsonschema: Debian's python3-jsonschema, which ./test installs")
}

/// Fails the test unless the files keep to the schema of a run; `more` may have fields beside those of it.
fn validate(files: &[&TempFile], more: bool) {
    validate_by("run.schema.json", files, more);
}

fn validate_by(schema: &str, files: &[&TempFile], more: bool) {
    let mut command = Command::new(python());
    command.args(["-c", VALIDATE]).arg(published(schema)).arg(if more { "more" } else { "whole" });
    let output = command.args(files.iter().map(|file| &file.0)).output().expect("Python runs");
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
}

/// `boardctl load` with its report in a file of its own.
fn load(arguments: &[&str]) -> TempFile {
    let file = TempFile::new("schema.json");
    let path = file.0.to_str().expect("text").to_owned();
    let arguments = [&["load", "--json", &path], arguments].concat();
    boardctl::command(&arguments).output().expect("boardctl runs");
    file
}

#[test]
fn the_published_schemas_are_those_of_this_program() {
    for (verb, name) in [("load", "run.schema.json"), ("compare", "compare.schema.json")] {
        let output = boardctl::command(&["schema", verb]).output().expect("boardctl runs");
        let printed = String::from_utf8(output.stdout).expect("text");
        let kept = std::fs::read_to_string(published(name)).expect(name);
        assert!(printed == kept, "the schema has changed: boardctl schema {verb} > docs/{name}");
    }
}

#[test]
fn a_comparison_keeps_to_its_own() {
    let boardd = Boardd::start(&[]);
    let file = TempFile::new("compare.json");
    let path = file.0.to_str().expect("text").to_owned();
    let [one, other] = ["plaintext", "nothing"].map(|at| format!("{at}=http://{}/{at}", boardd.address));
    let flags = ["compare", "--rounds", "10", "-d", "40ms", "--warmup", "0s", "--json", &path, &one, &other];
    let status = boardctl::command(&flags).output().expect("boardctl runs").status;
    assert!(status.success());
    validate_by("compare.schema.json", &[&file], false);
}

#[test]
fn what_was_measured_and_what_was_not_keeps_to_the_schema() {
    let boardd = Boardd::start(&[]);
    let url = format!("http://{}/plaintext", boardd.address);
    let missing = format!("http://{}/nothing", boardd.address);
    let files = [
        load(&["-d", "1300ms", &url]),
        load(&["-d", "400ms", "--rate", "200", &url]),
        load(&["-d", "400ms", "--rate", "100..200", "--steps", "2", "--slo", "p99<1s", &url]),
        load(&[
            "--rate",
            "max",
            "--slo",
            "p99<1s",
            "--probe-duration",
            "100ms",
            "--search-limit",
            "1s",
            &url,
        ]),
        load(&["-d", "200ms", &missing]),
        // A port that nobody listens on.
        load(&["-d", "200ms", "http://127.0.0.1:1/"]),
    ];
    validate(&files.each_ref(), false);
}

#[test]
fn a_soak_a_sum_and_a_published_test_keep_to_the_schema() {
    let boardd = Boardd::start(&[]);
    let url = format!("http://{}/plaintext", boardd.address);
    let soak = TempFile::new("soak.json");
    let sum = TempFile::new("sum.json");
    let [soak_path, sum_path] = [&soak, &sum].map(|file| file.0.to_str().expect("text"));
    let flags =
        ["soak", "-c", "2", "--min-duration", "1s", "--max-duration", "2s", "--json", soak_path, &url];
    assert!(boardctl::command(&flags).output().expect("boardctl runs").status.success());
    let preset = load(&["--preset", "orange-pi-c100", "-d", "300ms", "-c", "4", &url]);
    let parts = [load(&["-d", "300ms", &url]), load(&["-d", "300ms", &url])];
    let [one, other] = parts.each_ref().map(|file| file.0.to_str().expect("text"));
    let flags = ["merge", one, other, "--sequential", "--json", sum_path];
    let merged = boardctl::command(&flags).output().expect("boardctl runs");
    assert!(merged.status.success(), "{}", String::from_utf8_lossy(&merged.stderr));
    let has = |file: &TempFile, part: &str| !file.json()[part].is_null();
    assert!(
        has(&soak, "soak") && has(&preset, "preset") && has(&sum, "merged"),
        "each has a part of its own"
    );
    validate(&[&soak, &preset, &sum], false);
}

#[test]
fn another_form_does_not_keep_to_the_schema() {
    for (name, form) in [("run", "boardkit-run-1"), ("compare", "boardkit-compare-1")] {
        let text = std::fs::read_to_string(published(&format!("{name}.schema.json"))).expect("the schema");
        let schema: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let field = &schema["properties"]["form"];
        assert_eq!(field["const"], form);
        assert!(!text.contains("[`"), "links of the source mean nothing to readers of the schema");
    }
}

#[test]
fn the_report_of_a_run_that_is_killed_is_whole_and_has_its_seconds() {
    let boardd = Boardd::start(&[]);
    let file = TempFile::new("killed.json");
    let (path, url) = (file.0.to_str().expect("text").to_owned(), format!("http://{}/", boardd.address));
    let mut run = boardctl::command(&["load", "-d", "60s", "--json", &path, &url]);
    let mut run = run.spawn().expect("boardctl starts");
    let seconds = || {
        let text = std::fs::read(&file.0).unwrap_or_default();
        let report: serde_json::Value = serde_json::from_slice(&text).unwrap_or_default();
        report["series"].as_array().map_or(0, Vec::len)
    };
    until("two seconds are in the file", || seconds() >= 2);
    run.kill().expect("it runs");
    run.wait().expect("our child");
    let report = file.json();
    assert_eq!(report["partial"], true);
    let rows = report["series"].as_array().expect("rows");
    let sum: u64 = rows.iter().filter_map(|row| row["requests"].as_u64()).sum();
    assert_eq!(report["requests"].as_u64(), Some(sum), "what is in the rows is in the whole");
    assert!(sum > 0);
    validate(&[&file], false);
}

#[test]
fn a_trial_is_a_run_with_more() {
    let file = TempFile::new("trial.json");
    let path = file.0.to_str().expect("text").to_owned();
    let status =
        boardctl::command(&["try", "-d", "300ms", "--json", &path]).output().expect("boardctl runs").status;
    assert!(status.success());
    validate(&[&file], true);
}
