//! `boardctl load --slo`, on one run and with `--rate max`.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStdout};
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::support::boardctl::{Run, TempFile, command, interrupt, limit_open_files, load};
use crate::support::scripted::{Mortal, Peer, Server, answering, dead_port, serve};

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
const BUSY: &str = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n";

/// One request at a time, and 10 ms for each: a hundred a second and not one more.
fn one_at_a_time() -> Server {
    let turn = Mutex::new(());
    serve(move |peer| {
        while peer.request().is_some() {
            let turn = turn.lock().expect("no script panics");
            thread::sleep(Duration::from_millis(10));
            drop(turn);
            peer.send(OK);
        }
    })
}

fn probes(run: &Run, result: &str) -> Vec<f64> {
    let probes =
        run.report["search"]["probes"].as_array().unwrap_or_else(|| panic!("{}{}", run.stdout, run.stderr));
    let with = probes.iter().filter(|probe| probe["result"] == result);
    with.map(|probe| probe["rate"].as_f64().expect("a rate")).collect()
}

#[test]
fn the_highest_rate_is_searched_for() {
    let url = format!("http://localhost:{}/", one_at_a_time().address.port());
    let flags = ["--rate", "max", "--slo", "p90<200ms", "--probe-duration", "500ms", "--search-limit", "8s"];
    let run = load(&url, &flags);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    let held = probes(&run, "held");
    // Of a thousand a second, and less, a tenth waits longer; ten a second go through, whatever else the machine does.
    assert!(!held.is_empty() && held.iter().all(|rate| *rate < 400.0), "{}", run.stdout);
    assert!(probes(&run, "broke").len() + probes(&run, "late").len() > 0, "{}", run.stdout);
    // The run in the report is the one at the highest rate that held.
    let highest = held.iter().copied().fold(0.0, f64::max);
    assert_eq!(run.report["open_loop"]["rate"].as_f64(), Some(highest), "{}", run.stdout);
    assert_eq!(run.report["url"], url.as_str(), "as typed, whatever address it was");
    assert_eq!((&run.report["slo"]["met"], &run.report["partial"]), (&true.into(), &false.into()));
    let rows = run
        .stdout
        .lines()
        .filter(|line| [" held ", " broke ", " late "].iter().any(|end| line.contains(end)));
    let all = run.report["search"]["probes"].as_array().expect("a list").len();
    assert!(
        rows.count() >= all && run.stdout.contains("\nHighest rate with p90<200ms,errors<0.1%: "),
        "{}",
        run.stdout
    );
}

#[test]
fn where_no_rate_holds_the_exit_code_is_1() {
    let refusing = format!("http://{}/", answering(BUSY));
    let flags = ["--rate", "max", "--slo", "p99<1h", "--probe-duration", "100ms", "--search-limit", "1s"];
    let run = load(&refusing, &flags);
    assert_eq!((run.code, probes(&run, "held").len()), (1, 0), "{}", run.stdout);
    assert!(run.stderr.starts_with("error: not even ") && run.stderr.lines().count() == 1, "{}", run.stderr);
    assert!(run.stdout.contains("errors<0.1% "), "{}", run.stdout);
    let (_kept, address) = dead_port();
    let run = load(&format!("http://{address}/"), &flags);
    assert_eq!((run.code, &run.report, run.stderr.lines().count()), (1, &Value::Null, 1), "{}", run.stdout);
    assert!(run.stderr.contains("is the server running"), "{}", run.stderr);
    assert!(!run.stdout.contains("Highest rate with"), "{}", run.stdout);
}

/// A search of an end far away, once a rate has held, and what it has printed by then.
fn under_way(url: &str, file: &TempFile) -> (Child, BufReader<ChildStdout>, String) {
    let flags =
        ["load", url, "--rate", "max", "--slo", "p50<1s", "--probe-duration", "100ms", "-c", "20", "--json"];
    let mut child = command(&flags).arg(&file.0).spawn().expect("boardctl starts");
    let mut lines = BufReader::new(child.stdout.take().expect("piped"));
    let mut seen = String::new();
    while !seen.contains(" held ") {
        assert!(lines.read_line(&mut seen).expect("text") > 0, "{seen}");
    }
    (child, lines, seen)
}

/// How it ends, with what was printed before.
fn ended((child, mut lines, mut seen): (Child, BufReader<ChildStdout>, String), file: &TempFile) -> Run {
    lines.read_to_string(&mut seen).expect("text");
    let output = child.wait_with_output().expect("our child");
    Run { stdout: seen, ..Run::new(&output, file.json()) }
}

/// What was known is in the text and in the file, and nothing else.
fn expect_partial(run: &Run) {
    let (found, partial) = ("\nHighest rate with ", "\nPartial: stopped before its time\n");
    assert!(run.stdout.contains(found) && run.stdout.ends_with(partial), "{}", run.stdout);
    assert_eq!(run.report["partial"], true);
    let probes = run.report["search"]["probes"].as_array().expect("a list");
    assert!(
        !probes.is_empty() && probes.iter().all(|probe| probe["arrivals"].as_u64() > Some(0)),
        "{probes:?}"
    );
}

#[test]
fn a_server_that_goes_ends_the_search_with_what_is_known() {
    let (goes, file) = (Mortal::start(OK), TempFile::new("report.json"));
    let search = under_way(&format!("http://{}/", goes.address), &file);
    let _kept = goes.go();
    let run = ended(search, &file);
    assert_eq!((run.code, run.stderr.lines().count()), (1, 1), "{}{}", run.stdout, run.stderr);
    assert!(
        run.stderr.contains("/s: connect ") && run.stderr.contains("is the server running"),
        "{}",
        run.stderr
    );
    expect_partial(&run);
}

#[test]
fn a_probe_that_cannot_start_ends_the_search_with_what_is_known() {
    let (server, file) = (answering(OK), TempFile::new("report.json"));
    let search = under_way(&format!("http://{server}/"), &file);
    limit_open_files(&search.0, 40);
    let run = ended(search, &file);
    assert_eq!((run.code, run.stderr.lines().count()), (2, 1), "{}{}", run.stdout, run.stderr);
    assert!(run.stderr.contains("the hard limit is 40"), "{}", run.stderr);
    expect_partial(&run);
}

#[test]
fn a_probe_is_made_only_when_there_is_time_for_its_last_answers() {
    let silent = serve(Peer::ignore);
    let flags = ["--rate", "max", "--slo", "p99<1h", "--probe-duration", "100ms", "--search-limit", "2s"];
    let flags = [&flags[..], &["--warmup", "0s", "--timeout", "1s", "-c", "4"]].concat();
    let run = load(&format!("http://{silent}/"), &flags);
    // The second would begin after 1.6 s and may take 1.1 s.
    let made = probes(&run, "broke").len() + probes(&run, "late").len();
    assert_eq!((run.code, made), (1, 1), "{}{}", run.stdout, run.stderr);
    assert_eq!(run.report["settings"]["warmup_s"], 0.0, "as typed");
    assert!(run.stdout.ends_with("; --search-limit gives it more\n"), "{}", run.stdout);
}

#[test]
fn ctrl_c_gives_what_is_known_by_then() {
    let file = TempFile::new("report.json");
    let url = format!("http://{}/", answering(OK));
    let search = under_way(&url, &file);
    interrupt(&search.0);
    let run = ended(search, &file);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{}", run.stdout);
    expect_partial(&run);
}

#[test]
fn a_plain_run_is_held_against_its_slo() {
    let slow = serve(|peer| {
        while peer.request().is_some() {
            thread::sleep(Duration::from_millis(20));
            peer.send(OK);
        }
    });
    let url = format!("http://{slow}/");
    let kept = load(&url, &["-c", "1", "-d", "300ms", "--slo", "p50<10s"]);
    assert_eq!((kept.code, kept.report["slo"]["met"].as_bool()), (0, Some(true)), "{}", kept.stdout);
    assert!(kept.stdout.contains("\nSLO p50<10s,errors<0.1%: kept (p50 "), "{}", kept.stdout);
    let broken = load(&url, &["-c", "1", "-d", "300ms", "--slo", "p50<10ms,errors<1%"]);
    assert_eq!((broken.code, broken.report["slo"]["met"].as_bool()), (1, Some(false)), "{}", broken.stdout);
    assert!(
        broken.stderr.starts_with("error: --slo p50<10ms,errors<1% is broken: p50 "),
        "{}",
        broken.stderr
    );
    assert_eq!(broken.stderr.lines().count(), 1, "{}", broken.stderr);
}
