//! As many connections as asked for, or the reason why not; flags that make no sense.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::thread;

use rustix::thread::{CapabilitySet, remove_capability_from_bounding_set};
use serde_json::Value;

use crate::scratch::Scratch;
use crate::support::boardctl::{BOARDCTL, Run, boardctl, expect_usage_errors, load_until};
use crate::support::scripted::answering;

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

#[test]
fn connections_that_do_not_divide_are_all_opened() {
    let run = load_until(&answering(OK), 100, &["-c", "15", "-t", "8"]);
    run.expect_clean();
    assert_eq!((run.count("connections/asked"), run.count("connections/opened")), (15, 15));
    assert_eq!(run.count("threads"), 8);
    assert!(run.stdout.contains("  8 threads and 15 connections\n"), "{}", run.stdout);
    assert!(run.stdout.contains("Connections: 15 asked, 15 opened"), "{}", run.stdout);
}

#[test]
fn more_threads_than_connections_are_not_used_and_that_is_said() {
    let run = load_until(&answering(OK), 100, &["-c", "2", "-t", "4"]);
    run.expect_clean();
    assert_eq!((run.count("threads"), run.count("connections/opened")), (2, 2));
    assert!(run.stdout.contains("2 threads instead of 4"), "{}", run.stdout);
}

/// Runs 100 connections under a shell's limit on open files.
fn under_limit(limit: &str) -> (i32, String, String) {
    let url = format!("http://{}/", answering(OK));
    let script = format!("ulimit {limit} && exec \"$0\" load -c 100 -t 2 -d 1s \"$1\"");
    let output = Command::new("sh").args(["-c", &script, BOARDCTL, &url]).output().expect("a shell");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

#[test]
fn a_soft_limit_is_raised() {
    let (code, stdout, stderr) = under_limit("-Sn 64");
    assert_eq!(code, 0, "{stderr}");
    assert!(stdout.contains("Connections: 100 asked, 100 opened"), "{stdout}");
}

#[test]
fn a_hard_limit_is_refused_with_the_number_that_fits() {
    let (code, _, stderr) = under_limit("-n 64");
    assert_eq!(code, 2, "{stderr}");
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    let fits = stderr.split("at most ").nth(1).and_then(|rest| rest.split(' ').next()).expect("a number");
    assert!(fits.parse::<u64>().is_ok_and(|fits| (20..64).contains(&fits)), "{stderr}");
}

#[test]
fn a_folder_that_cannot_be_written_into_costs_no_run() {
    let folder = Scratch::new();
    fs::set_permissions(&folder.0, fs::Permissions::from_mode(0o555)).expect("ours");
    let path = folder.0.join("run.json");
    let path = path.to_str().expect("text");
    let run = as_anybody(&["load", "http://127.0.0.1:1/", "--json", path]);
    fs::set_permissions(&folder.0, fs::Permissions::from_mode(0o755)).expect("ours");
    assert_eq!((run.code, run.stderr.lines().count()), (2, 1), "{}", run.stderr);
    assert!(run.stderr.contains("--json: can't write into the folder "), "{}", run.stderr);
}

/// `boardctl` held by permissions, as root is not: what a thread may no longer pass on, its children do not have.
fn as_anybody(arguments: &[&str]) -> Run {
    let run = || {
        if rustix::process::geteuid().is_root() {
            remove_capability_from_bounding_set(CapabilitySet::DAC_OVERRIDE).expect("root may give it up");
        }
        boardctl(arguments)
    };
    thread::scope(|scope| scope.spawn(run).join().expect("it ends"))
}

#[test]
fn threads_that_the_machine_does_not_allow_are_refused_in_one_line() {
    let url = format!("http://{}/", answering(OK));
    // Each has two megabytes for its stack: some of them fit, and all of them do not.
    let script = "ulimit -v 800000 && exec \"$0\" load -c 1000 -t 1000 -d 1s \"$1\"";
    let output = Command::new("sh").args(["-c", script, BOARDCTL, &url]).output().expect("a shell");
    let run = Run::new(&output, Value::Null);
    assert_eq!((run.code, run.stderr.lines().count()), (2, 1), "{}{}", run.stdout, run.stderr);
    let number = run.stderr.split("can't start thread ").nth(1).and_then(|rest| rest.split(' ').next());
    let number: usize = number.and_then(|text| text.parse().ok()).expect("a number");
    assert!((2..1000).contains(&number) && run.stderr.contains("lower -t"), "{}", run.stderr);
}

#[test]
fn bad_values_are_named_in_one_line() {
    let url = "http://127.0.0.1:1/";
    let cases: &[(&[&str], &str)] = &[
        (&["load", "https://board/"], "https is not supported: load the server's http port"),
        (&["load", "board:8080"], "must begin with http://"),
        (&["load"], "<URL>"),
        (&["load", url, "-c", "0"], "--connections"),
        (&["load", url, "-c", "18446744073709551615"], "from 1 to 65535"),
        (&["load", url, "-c", "99999999999999999999"], "from 1 to 65535"),
        (&["load", url, "-n", "99999999999999999999"], "must be at most "),
        (&["load", url, "-t", "many"], "--threads"),
        (&["load", url, "-d", "18446744073s", "--warmup", "1s"], "must be at most 8760h"),
        (&["load", url, "--warmup", "8761h"], "must be at most 8760h"),
        (&["load", url, "--timeout", "8761h"], "must be at most 8760h"),
        (&["soak", url, "--max-duration", "8761h"], "must be at most 8760h"),
        (&["load", url, "-d", "0s"], "--duration"),
        (&["load", url, "-d", "3 parsecs"], "--duration"),
        (&["load", url, "--timeout=-1s"], "--timeout"),
        (&["load", url, "-H", "no colon"], "--header"),
        (&["load", url, "-H", "Content-Length: 3"], "--body"),
        (&["load", url, "-m", "GET /"], "--method"),
        (&["load", url, "--body", "@/does/not/exist"], "--body"),
        (&["load", url, "--no-keepalive", "--pipeline", "4"], "--pipeline"),
        (&["load", url, "--rate", "0"], "--rate"),
        (&["load", url, "--rate", "many"], "--rate"),
        (&["load", url, "--rate", "10", "--pipeline", "4"], "--pipeline"),
        (&["load", url, "--rate", "max"], "--slo 'p99<50ms'"),
        (&["load", url, "--rate", "max", "--slo", "p99"], "errors<0.1%"),
        (&["load", url, "--rate", "max", "--slo", "p99<1s", "-d", "1s"], "--probe-duration"),
        (&["load", url, "--rate", "max", "--slo", "p99<1s", "--like", "wrk"], "--like"),
        (&["load", url, "--rate", "max", "--slo", "p99<1s", "--steps", "3"], "--steps is for a ramp"),
        (&["load", url, "--probe-duration", "1s"], "--rate max"),
        (&["load", url, "--search-limit", "1s"], "--rate max"),
        (&["try", "--rate", "max"], "--rate max"),
        (&["soak", url, "--rate", "10"], "--rate"),
        (&["soak", url, "-d", "10s"], "--max-duration"),
        (&["soak", url, "--min-duration", "2m", "--max-duration", "1m"], "--min-duration 2m is longer"),
        (&["load", url, "--rate", "1.."], "--rate"),
        (&["load", url, "--rate", "0..10"], "0.001"),
        (&["load", url, "--rate", "1..10", "--steps", "1"], "2 to 1000 steps"),
        (&["load", url, "--rate", "10", "--steps", "5"], "--steps is for a ramp"),
        (&["load", url, "--steps", "5"], "--rate"),
        (&["load", url, "--conections", "4"], "--connections"),
        (&["load", url, "-t", "1001"], "1000"),
        (&["load", url, "--pipeline", "100000000000"], "at most "),
        (&["load", url, "--json", "/does/not/exist/run.json"], "--json: there is no folder /does/not/exist"),
        (&["load", url, "--hgrm", "/does/not/exist/run.hgrm"], "--hgrm: there is no folder /does/not/exist"),
        (&["load", url, "--json", "/tmp/one", "--hgrm", "/tmp/one"], "two different files"),
        (&["load", url, "--json", "/"], "--json: / is a folder"),
        (&["load", url, "--latency"], "the latencies are printed without it"),
        (&["load", url, "-k"], "kept alive without it"),
        (&["load", url, "-R", "100"], "-r or --rate"),
        (&["load", url, "--like", "siege"], "must be one of wrk, ab, httpress"),
    ];
    expect_usage_errors(cases);
}

#[test]
fn help_has_examples_and_the_defaults_that_are_used() {
    for (verb, said) in [
        ("load", "Examples: boardctl load http://"),
        ("load", "over the threads [default: 10; with --rate max 100]"),
        ("load", "before measuring [default: 0s; with --rate max 300ms]"),
        ("try", "over the threads [default: 100]"),
        ("soak", "over the threads [default: 100]"),
        ("compare", "over the threads [default: 10]"),
    ] {
        let run = boardctl(&[verb, "--help"]);
        let one_line = run.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(run.code == 0 && one_line.contains(said), "no {said:?} in {}", run.stdout);
    }
}
