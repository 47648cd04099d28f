//! How a comparison ends before its time: Ctrl-C, a kill, a server that goes or was never there.

use std::process::Child;

use serde_json::Value;

use super::{OK, SHORT, compare, rounds};
use crate::support::boardctl::{Run, TempFile, command, interrupt, limit_open_files};
use crate::support::boardd::until;
use crate::support::scripted::{Mortal, Server, answering, dead_port};

/// A comparison that has no end of its own, once so many rounds are in its report.
fn started(servers: &[String], file: &TempFile, wanted: usize) -> Child {
    let flags = ["--rounds", "100000", "-d", "80ms", "--warmup", "0s", "-c", "2"];
    let mut command = command(&["compare", "--json"]);
    let child = command.arg(&file.0).args(servers).args(flags).spawn().expect("boardctl starts");
    until("the rounds are in the file", || {
        let text = std::fs::read(&file.0).unwrap_or_default();
        rounds(&serde_json::from_slice(&text).unwrap_or_default()) >= wanted
    });
    child
}

fn two() -> [Server; 2] {
    [answering(OK), answering(OK)]
}

fn named(servers: &[Server; 2]) -> [String; 2] {
    [format!("a=http://{}/", servers[0]), format!("b=http://{}/", servers[1])]
}

#[test]
fn the_first_ctrl_c_reports_the_rounds_that_are_complete() {
    let (servers, file) = (two(), TempFile::new("compare.json"));
    let child = started(&named(&servers), &file, 12);
    interrupt(&child);
    let output = child.wait_with_output().expect("it ends");
    let run = Run::new(&output, file.json());
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(run.report["partial"], true);
    let complete = rounds(&run.report);
    assert!(run.stdout.contains(&format!("\nPartial: {complete} of 100000 rounds")), "{}", run.stdout);
    let judged = run.report["pairs"][0]["metrics"]["requests_per_s"]["rounds"].as_u64();
    assert!(judged > Some(0), "{}", run.stdout);
}

#[test]
fn ctrl_c_before_a_round_is_complete_has_nothing_to_report() {
    let servers = two();
    let mut command = command(&["compare", "-d", "1h", "--warmup", "0s"]);
    let child = command.args(named(&servers)).spawn().expect("boardctl starts");
    // Each is asked once before the rounds.
    until("a round is under way", || servers.iter().map(Server::requests).sum::<u64>() > 10);
    interrupt(&child);
    let run = Run::new(&child.wait_with_output().expect("it ends"), Value::Null);
    assert_eq!((run.code, run.stderr.lines().count()), (1, 1), "{}", run.stderr);
    assert!(run.stderr.contains("stopped before the first round was complete"), "{}", run.stderr);
}

#[test]
fn what_was_measured_before_a_kill_is_in_the_file() {
    let (servers, file) = (two(), TempFile::new("compare.json"));
    let mut child = started(&named(&servers), &file, 11);
    child.kill().expect("it runs");
    child.wait().expect("our child");
    let report = file.json();
    assert!(rounds(&report) >= 11 && report["partial"] == true, "{report:#}");
    assert!(report["pairs"][0]["metrics"]["requests_per_s"]["ratio"]["low"].is_f64(), "{report:#}");
}

#[test]
fn a_server_that_is_not_there_ends_it_before_it_begins() {
    let (_kept, dead) = dead_port();
    let server = answering(OK);
    let run = compare(&[format!("here=http://{server}/"), format!("gone=http://{dead}/")], &SHORT);
    assert_eq!((run.code, run.stderr.lines().count()), (1, 1), "{}", run.stderr);
    assert!(
        run.stderr.starts_with(&format!("error: no answer from gone (http://{dead}/): ")),
        "{}",
        run.stderr
    );
    assert_eq!((run.stdout.as_str(), &run.report), ("", &Value::Null));
}

#[test]
fn a_server_that_goes_ends_it_with_what_there_is() {
    let goes = Mortal::start(OK);
    let (stays, file) = (answering(OK), TempFile::new("compare.json"));
    let servers = [format!("stays=http://{stays}/"), format!("goes=http://{}/", goes.address)];
    let child = started(&servers, &file, 2);
    let _kept = goes.go();
    let run = Run::new(&child.wait_with_output().expect("it ends"), file.json());
    assert_eq!((run.code, run.stderr.lines().count()), (1, 1), "{}", run.stderr);
    assert!(run.stderr.contains("goes finished nothing in the last "), "{}", run.stderr);
    assert!(run.stdout.contains("goes served nothing in "), "{}", run.stdout);
    assert!(rounds(&run.report) >= 5 && run.report["partial"] == true, "{}", run.stdout);
    let last = run.report["rounds"].as_array().and_then(|rounds| rounds.last()).expect("rounds");
    assert_eq!((&last["turns"][1]["requests"], &last["turns"][1]["p99_us"]), (&Value::from(0), &Value::Null));
}

#[test]
fn a_turn_that_cannot_start_ends_it_with_what_there_is() {
    let (servers, file) = (two(), TempFile::new("compare.json"));
    let child = started(&named(&servers), &file, 3);
    limit_open_files(&child, 27);
    let run = Run::new(&child.wait_with_output().expect("it ends"), file.json());
    assert_eq!((run.code, run.stderr.lines().count()), (2, 1), "{}", run.stderr);
    assert!(run.stderr.contains("the hard limit is 27"), "{}", run.stderr);
    let complete = rounds(&run.report);
    assert!(complete >= 3 && run.report["partial"] == true, "{}", run.stdout);
    assert!(run.stdout.contains(&format!("\nPartial: {complete} of 100000 rounds")), "{}", run.stdout);
}
