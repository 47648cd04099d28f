//! `boardctl soak`: ends when the rate has settled, at its longest, or on Ctrl-C, and says what it found.

use std::io::{BufRead, BufReader};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use socket2::{Domain, Socket, Type};

use crate::support::boardctl::{Run, TempFile, command, interrupt};
use crate::support::scripted::{Server, answering, serve};

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/// A hundred answers a second and not one more, by the clock: what a slow machine was late with comes at once.
fn by_the_clock() -> Server {
    let next = Mutex::new(Instant::now());
    serve(move |peer| {
        while peer.request().is_some() {
            let mut next = next.lock().expect("no script panics");
            *next += Duration::from_millis(10);
            let due = *next;
            drop(next);
            thread::sleep(due.saturating_duration_since(Instant::now()));
            peer.send(OK);
        }
    })
}

fn soak(server: &Server, flags: &[&str]) -> Run {
    let file = TempFile::new("soak.json");
    let url = format!("http://{server}/");
    let output =
        command(&["soak", &url, "--json"]).arg(&file.0).args(flags).output().expect("boardctl starts");
    Run::new(&output, file.json())
}

#[test]
fn it_ends_when_the_rate_has_settled() {
    let run = soak(&by_the_clock(), &["-c", "4", "--min-duration", "2s", "--max-duration", "60s"]);
    run.expect_clean();
    let found = &run.report["soak"];
    assert_eq!((&found["settled"], &run.report["partial"]), (&true.into(), &false.into()), "{}", run.stdout);
    let seconds = run.report["duration_s"].as_f64().expect("a number");
    assert!((7.0..59.0).contains(&seconds), "{}", run.stdout);
    assert!(run.report["series"].as_array().is_some_and(|series| series.len() >= 8));
    let sustained = found["sustained"]["per_s"].as_f64().expect("a number");
    assert!((90.0..=101.0).contains(&sustained), "{}", run.stdout);
    assert!(
        run.stdout.contains("\nSoak\n  burst      ") && run.stdout.contains("\n  settled    after "),
        "{}",
        run.stdout
    );
}

#[test]
fn it_ends_at_its_longest_and_says_that_it_has_not_settled() {
    let run = soak(&answering(OK), &["-c", "2", "--min-duration", "1s", "--max-duration", "1s"]);
    run.expect_clean();
    let found = &run.report["soak"];
    assert_eq!((&found["settled"], &run.report["partial"]), (&false.into(), &false.into()), "{}", run.stdout);
    assert!(found["burst_per_s"].as_f64().is_some_and(|burst| burst > 0.0), "{}", run.stdout);
    assert!(run.stdout.contains("\n  settled    no: the run was too short to say\n"), "{}", run.stdout);
}

#[test]
fn ctrl_c_reports_what_there_is() {
    let server = answering(OK);
    let file = TempFile::new("soak.json");
    let url = format!("http://{server}/");
    let child = command(&["soak", &url, "-c", "2", "--json"]).arg(&file.0).spawn().expect("boardctl starts");
    server.wait_for(100);
    interrupt(&child);
    let output = child.wait_with_output().expect("it ends");
    let run = Run::new(&output, file.json());
    run.expect_clean();
    assert_eq!(run.report["partial"], true);
    assert!(run.report["soak"].is_object() && run.stdout.contains("\nPartial: "), "{}", run.stdout);
}

#[test]
fn ctrl_c_is_heard_while_connections_are_opened() {
    let full = Socket::new(Domain::IPV4, Type::STREAM, None).expect("a socket");
    full.bind(&SocketAddr::from((Ipv4Addr::LOCALHOST, 0)).into()).expect("a free port on loopback");
    // Takes one connection, which nobody fetches, and answers no other.
    full.listen(0).expect("it listens");
    let url = format!("http://{}/", full.local_addr().ok().and_then(|it| it.as_socket()).expect("bound"));
    let mut child = command(&["soak", &url, "-c", "2", "--timeout", "1h"]).spawn().expect("boardctl starts");
    let mut lines = BufReader::new(child.stdout.take().expect("piped"));
    lines.read_line(&mut String::new()).expect("the first line");
    interrupt(&child);
    let begin = Instant::now();
    while child.try_wait().expect("our child").is_none() {
        if begin.elapsed() > Duration::from_secs(30) {
            child.kill().expect("it runs");
            panic!("it did not hear Ctrl-C");
        }
        thread::sleep(Duration::from_millis(5));
    }
    let run = Run::new(&child.wait_with_output().expect("it has ended"), Value::Null);
    assert_eq!((run.code, run.stderr.lines().count()), (1, 1), "{}", run.stderr);
    assert!(run.stderr.contains("stopped before anything was measured"), "{}", run.stderr);
}
