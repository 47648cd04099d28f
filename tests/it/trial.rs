//! `boardctl try`: what a newcomer sees first.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::support::boardctl::{Run, TempFile, boardctl, command};

#[test]
fn a_trial_reports_board_plan_load_cores_memory_and_limit() {
    let file = TempFile::new("try.json");
    let path = file.0.to_str().expect("a plain name");
    let run = boardctl(&["try", "--duration", "400ms", "-c", "4", "--json", path]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    let order = [
        "Board ",
        "Kernel ",
        "workers ",
        "Running 400ms test",
        "Requests/sec:",
        "100%",
        "Load per core",
        "Server memory:",
        "What limited it",
    ];
    let places: Vec<_> = order
        .iter()
        .map(|text| run.stdout.find(text).unwrap_or_else(|| panic!("no {text:?} in {}", run.stdout)))
        .collect();
    assert!(places.is_sorted(), "{}", run.stdout);
    let report = file.json();
    let errors = report["errors"].as_object().expect("errors by kind");
    assert!(errors.values().all(|count| *count == 0), "{errors:?}");
    assert!(report["requests"].as_u64() > Some(0) && report["server"]["rss_idle_bytes"].as_u64() > Some(0));
    assert!(report["plan"]["decisions"].as_array().is_some_and(|decisions| !decisions.is_empty()));
    assert!(report["board"]["online"].is_array() && report["board"]["form"] == "boardkit-board-1");
    assert!(report["verdict"]["limited_by"].is_string(), "{}", report["verdict"]);
}

#[test]
fn the_server_of_a_trial_ends_with_it_even_when_it_is_killed() {
    let mut trial = command(&["try", "--duration", "1h"]).spawn().expect("boardctl starts");
    let out = BufReader::new(trial.stdout.take().expect("piped"));
    // The address is printed once the server listens.
    let running =
        out.lines().map_while(Result::ok).find(|line| line.starts_with("Running")).expect("it starts");
    let address =
        running.split("http://").nth(1).and_then(|rest| rest.strip_suffix('/')).expect("a URL").to_owned();
    assert!(std::net::TcpStream::connect(&address).is_ok());
    trial.kill().expect("it runs");
    trial.wait().expect("it ends");
    let begin = Instant::now();
    while std::net::TcpStream::connect(&address).is_ok() {
        assert!(begin.elapsed() < Duration::from_secs(30), "the server outlived its parent");
        std::thread::yield_now();
    }
}

#[test]
fn serve_is_not_offered_and_not_to_be_had_without_a_parent() {
    let help = boardctl(&["--help"]);
    let offered = |verb: &str| help.stdout.contains(&format!("\n  {verb} "));
    assert!(offered("try") && !offered("serve"), "{}", help.stdout);
    let orphan = boardctl(&["serve", "--parent", "1", "--", "--listen", "127.0.0.1:0"]);
    assert_eq!(orphan.code, 2);
    assert!(
        orphan.stderr.contains("boardd serve") && orphan.stderr.lines().count() == 1,
        "{}",
        orphan.stderr
    );
}

#[test]
fn nothing_is_started_for_a_report_that_cannot_be_written() {
    let run = boardctl(&["try", "--json", "/no/such/folder/try.json"]);
    assert_eq!((run.code, run.report), (2, Value::Null));
    assert!(run.stderr.contains("/no/such/folder") && !run.stdout.contains("Running"), "{}", run.stderr);
}

#[test]
fn a_trial_whose_server_dies_shows_what_was_measured() {
    let file = TempFile::new("try.json");
    let mut trial = command(&["try", "-d", "1s", "--json"]).arg(&file.0).spawn().expect("boardctl starts");
    let mut out = BufReader::new(trial.stdout.take().expect("piped"));
    let mut seen = String::new();
    while !seen.contains("\nRunning ") {
        assert!(out.read_line(&mut seen).expect("text") > 0, "{seen}");
    }
    let pid = trial.id();
    let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).expect("it runs");
    let server = children.trim().parse().ok().and_then(Pid::from_raw).expect("one child, the server");
    kill_process(server, Signal::KILL).expect("it runs");
    out.read_to_string(&mut seen).expect("text");
    let run = Run::new(&trial.wait_with_output().expect("it ends"), file.json());
    assert_eq!((run.code, run.stderr.lines().count()), (2, 1), "{seen}{}", run.stderr);
    assert!(run.stderr.starts_with("error: the server ended with signal: 9"), "{}", run.stderr);
    assert!(seen.contains("\nRequests/sec:"), "{seen}");
    // The whole report of a trial, and not the one of the run that is written meanwhile.
    assert!(run.report["plan"].is_object(), "{:#}", run.report);
}
