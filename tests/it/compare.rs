//! `boardctl compare` against servers that are alike, that differ, that go, and that are not there.

mod ends;
mod found;
mod usage;

use serde_json::Value;

use crate::support::boardctl::{Run, TempFile, command};

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/// As few and as short rounds as there may be.
const SHORT: [&str; 8] = ["--rounds", "10", "-d", "80ms", "--warmup", "0s", "-c", "2"];

/// Runs `boardctl compare` with a JSON report, to its end.
fn compare(servers: &[String], flags: &[&str]) -> Run {
    let file = TempFile::new("compare.json");
    let mut command = command(&["compare", "--json"]);
    let output = command.arg(&file.0).args(servers).args(flags).output().expect("boardctl starts");
    let report = if file.0.exists() { file.json() } else { Value::Null };
    Run::new(&output, report)
}

/// Rounds in a report, all of them whole.
fn rounds(report: &Value) -> usize {
    let rounds = report["rounds"].as_array().map_or(&[][..], Vec::as_slice);
    let servers = report["servers"].as_array().map(Vec::len);
    for round in rounds {
        assert_eq!(round["turns"].as_array().map(Vec::len), servers, "{round}");
    }
    rounds.len()
}
