//! `boardctl merge`: results of real runs added up, and what it refuses.

use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::Value;

use crate::support::boardctl::{Run, TempFile, boardctl, command, load};
use crate::support::scripted::{Peer, answering, serve};

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/// Two runs at the same time against one server.
fn two_at_once() -> [TempFile; 2] {
    let url = format!("http://{}/", answering(OK));
    let run = |file: &TempFile, connections: &str| {
        let path = file.0.to_str().expect("text").to_owned();
        let arguments = ["load", &url, "-d", "1500ms", "-c", connections, "--json", &path];
        command(&arguments).output().expect("boardctl runs");
    };
    let files = [TempFile::new("one.json"), TempFile::new("other.json")];
    thread::scope(|scope| {
        scope.spawn(|| run(&files[0], "2"));
        scope.spawn(|| run(&files[1], "3"));
    });
    files
}

fn merge(files: &[&TempFile], flags: &[&str]) -> Run {
    let sum = TempFile::new("sum.json");
    let mut command = command(&["merge", "--json"]);
    let command = command.arg(&sum.0).args(files.iter().map(|file| &file.0)).args(flags);
    let output = command.output().expect("boardctl runs");
    Run::new(&output, if sum.0.exists() { sum.json() } else { Value::Null })
}

#[test]
fn two_runs_at_once_are_one() {
    let files = two_at_once();
    let sum = merge(&files.each_ref(), &[]);
    sum.expect_clean();
    let count = |path: &str| -> u64 {
        let of = |file: &TempFile| file.json().pointer(path).and_then(Value::as_u64).expect("a count");
        files.iter().map(of).sum()
    };
    assert_eq!(sum.count("requests"), count("/requests"), "{}", sum.stdout);
    assert_eq!(sum.count("statuses/200/count"), count("/requests"));
    assert_eq!((sum.count("bytes"), sum.count("connections/opened")), (count("/bytes"), 5));
    let longest = |file: &TempFile| file.json()["latency_us"]["max"].as_f64().expect("a latency");
    assert_eq!(sum.report["latency_us"]["max"].as_f64(), Some(longest(&files[0]).max(longest(&files[1]))));
    assert!(sum.stdout.starts_with("Sum of 2 runs @ http://127.0.0.1:"), "{}", sum.stdout);
    let runs = sum.report["merged"]["runs"].as_array().expect("a list");
    assert!(runs.iter().all(|run| run["command"].as_str().is_some_and(|said| said.contains("load"))));
}

#[test]
fn what_can_not_be_added_is_refused_in_one_line() {
    let [one, other] = two_at_once();
    let run = merge(&[&one, &one], &[]);
    assert_eq!((run.code, run.report.is_null()), (2, true), "{}", run.stdout);
    assert!(run.stderr.contains("are the same run: it would be counted twice"), "{}", run.stderr);
    // The same, but as if it had been measured an hour later, and elsewhere.
    let mut later = other.json();
    let start = later["started_unix_s"].as_f64().expect("a time");
    later["started_unix_s"] = (start + 3600.0).into();
    later["settings"]["connections"] = 2.into();
    std::fs::write(&other.0, later.to_string()).expect("our file");
    let run = merge(&[&one, &other], &[]);
    assert!(run.code == 2 && run.stderr.contains("--sequential"), "{}", run.stderr);
    assert_eq!(run.stderr.lines().count(), 1);
    let run = merge(&[&one, &other], &["--sequential"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    later["url"] = "http://elsewhere/".into();
    std::fs::write(&other.0, later.to_string()).expect("our file");
    let run = merge(&[&one, &other], &["--sequential"]);
    assert!(run.code == 2 && run.stderr.contains("differ in the URL"), "{}", run.stderr);
    assert_eq!(merge(&[&one, &other], &["--sequential", "--force"]).code, 0);
    std::fs::write(&other.0, "{}").expect("our file");
    let run = merge(&[&one, &other], &[]);
    assert!(run.code == 2 && run.stderr.contains("no result of a load"), "{}", run.stderr);
    let run = boardctl(&["merge", &one.0.to_string_lossy()]);
    assert_eq!((run.code, run.stderr.lines().count()), (2, 1), "{}", run.stderr);
}

#[test]
fn a_short_open_loop_began_when_it_began_however_long_its_last_answers_took() {
    // It never answers, so that the only second is handed over when the time-out is over.
    let server = serve(Peer::ignore);
    let flags = ["-d", "200ms", "-c", "2", "--rate", "20", "--timeout", "600ms"];
    let run = load(&format!("http://{server}/"), &flags);
    let after = SystemTime::now().duration_since(UNIX_EPOCH).expect("this century").as_secs_f64();
    let started = run.report["started_unix_s"].as_f64().expect("a time");
    // All time was waited through: what is left for the last ones after the last arrival is a whole time-out.
    assert!(after - started > 0.75, "{started} to {after}: {}", run.stdout);
}
