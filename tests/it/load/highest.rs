//! `boardctl load --slo`, on one run and with `--rate max`.

use std::io::{BufRead, BufReader, Read};
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use crate::support::boardctl::{Run, TempFile, command, interrupt, load};
use crate::support::scripted::{Server, answering, dead_port, serve};

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
    let url = format!("http://{}/", one_at_a_time());
    let flags = ["--rate", "max", "--slo", "p90<200ms", "--probe-duration", "500ms", "--search-limit", "6s"];
    let run = load(&url, &flags);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    let held = probes(&run, "held");
    // Of a thousand a second, and less, a tenth waits longer; ten a second go through, whatever else the machine does.
    assert!(!held.is_empty() && held.iter().all(|rate| *rate < 400.0), "{}", run.stdout);
    assert!(probes(&run, "broke").len() + probes(&run, "late").len() > 0, "{}", run.stdout);
    // The run in the report is the one at the highest rate that held.
    let highest = held.iter().copied().fold(0.0, f64::max);
    assert_eq!(run.report["open_loop"]["rate"].as_f64(), Some(highest), "{}", run.stdout);
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
    assert_eq!((run.code, probes(&run, "broke")), (1, vec![100.0]), "{}", run.stdout);
    assert!(run.stderr.contains("is the server running"), "{}", run.stderr);
}

#[test]
fn ctrl_c_gives_what_is_known_by_then() {
    let file = TempFile::new("report.json");
    let url = format!("http://{}/", answering(OK));
    let flags = ["load", &url, "--rate", "max", "--slo", "p50<1s", "--probe-duration", "100ms", "--json"];
    let mut child = command(&flags).arg(&file.0).spawn().expect("boardctl starts");
    let mut lines = BufReader::new(child.stdout.take().expect("piped"));
    let mut seen = String::new();
    while !seen.contains(" held ") {
        assert!(lines.read_line(&mut seen).expect("text") > 0, "{seen}");
    }
    interrupt(&child);
    lines.read_to_string(&mut seen).expect("text");
    assert_eq!(child.wait().expect("our child").code(), Some(0), "{seen}");
    assert!(
        seen.contains("\nHighest rate with ") && seen.ends_with("\nPartial: stopped before its time\n"),
        "{seen}"
    );
    let report = file.json();
    assert_eq!(report["partial"], true);
    assert!(report["search"]["probes"].as_array().is_some_and(|probes| !probes.is_empty()));
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
