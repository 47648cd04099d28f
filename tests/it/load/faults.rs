//! Servers that never answer, break off, or are not there.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::thread;

use serde_json::Value;

use crate::support::boardctl::{Run, TempFile, command, interrupt, load, load_until, load_url_until};
use crate::support::scripted::{Peer, Server, answering, dead_port, listen_beside, serve};

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/// Nothing finished: the text and the JSON say so without inventing a number, and the exit code is 1.
fn expect_nothing_finished(run: &Run) {
    assert_eq!(run.code, 1, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("  0 requests finished in "), "{}", run.stdout);
    assert!(run.stdout.contains("    Latency        -         -        -"), "{}", run.stdout);
    assert!(!run.stdout.contains("NaN") && !run.stdout.contains("inf"), "{}", run.stdout);
    assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    assert_eq!(run.report["requests"], 0);
    assert_eq!(run.report["requests_per_s"], 0.0);
    let latency = run.report["latency_us"].as_object().expect("an object");
    assert!(latency.len() >= 9 && latency.values().all(Value::is_null), "{latency:?}");
    assert_eq!(run.report["fairness"], Value::Null);
}

#[test]
fn a_server_that_never_answers_is_time_outs_and_no_numbers() {
    let url = format!("http://{}/", serve(Peer::ignore));
    let run = load(&url, &["-c", "4", "--timeout", "50ms", "-d", "300ms"]);
    expect_nothing_finished(&run);
    assert!(run.count("errors/timeout") >= 4, "{}", run.stdout);
    assert!(run.stdout.contains("  Socket errors: connect 0, read 0, write 0, timeout "), "{}", run.stdout);
    // Cut off before the first time-out: still told apart from a run in which nothing was tried.
    let run = load(&url, &["-c", "4", "-d", "100ms"]);
    expect_nothing_finished(&run);
    assert_eq!(run.count("unfinished"), 4);
}

#[test]
fn what_to_do_is_said_by_what_went_wrong() {
    // What the server does, and what is said when it never came to a whole answer.
    type Case = (fn(&mut Peer), &'static str);
    let cases: [Case; 4] = [
        (
            |peer| {
                peer.request();
                peer.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: x\n\n");
                peer.ignore();
            },
            "its answers begin and do not end",
        ),
        (|_| {}, "it closes without an answer"),
        (
            |peer| peer.send(b"\x15\x03\x01\x00\x02\x02\x46"),
            "it closes without an answer, or does not speak HTTP",
        ),
        (|peer| peer.send(vec![b'x'; 100_000]), "it closes without an answer, or does not speak HTTP"),
    ];
    for (script, said) in cases {
        let url = format!("http://{}/", serve(script));
        let run = load(&url, &["-c", "2", "-d", "300ms", "--timeout", "50ms"]);
        expect_nothing_finished(&run);
        assert!(run.stderr.contains(said), "{}{}", run.stdout, run.stderr);
    }
    let tls = serve(|peer| {
        peer.send(b"\x15\x03\x01\x00\x02\x02\x46");
        peer.ignore();
    });
    let run = load_until(&tls, 4, &["-c", "1"]);
    assert!(run.stdout.contains("the server speaks TLS here (https)"), "{}", run.stdout);
}

#[test]
fn a_dead_port_ends_at_once_with_a_connect_error() {
    let (_kept, address) = dead_port();
    let run = load(&format!("http://{address}/"), &["-d", "1h"]);
    expect_nothing_finished(&run);
    assert_eq!(run.count("errors/connect"), 1);
    assert_eq!(run.count("connections/opened"), 0);
    assert!(run.stdout.contains("Connections: 10 asked, 0 opened"), "{}", run.stdout);
    assert!(run.stdout.contains("refused"), "{}", run.stdout);
}

#[test]
fn a_dead_name_ends_at_once_and_apart_from_a_refusal() {
    let run = load("http://name.invalid/", &["-d", "1h"]);
    assert_eq!(run.code, 2, "{}", run.stderr);
    assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    assert!(run.stderr.contains("name.invalid"), "{}", run.stderr);
    // The resolver's words, once.
    let reason = run.stderr.trim().rsplit(": ").next().expect("a reason");
    assert_eq!(run.stderr.matches(reason).count(), 1, "{}", run.stderr);
    assert_eq!(run.report, Value::Null);
}

#[test]
fn a_name_with_a_dead_address_first_still_works() {
    // `localhost` is ::1 and 127.0.0.1 nearly everywhere; this server has the latter only.
    let server = answering(OK);
    let url = format!("http://localhost:{}/", server.address.port());
    load_url_until(&url, &server, 50, &["-c", "2"]).expect_clean();
}

#[test]
fn what_is_not_http_is_a_read_error() {
    let server = serve(|peer| {
        peer.send("SSH-2.0-OpenSSH_9.2\r\n");
        peer.ignore();
    });
    let run = load_until(&server, 10, &["-c", "2"]);
    expect_nothing_finished(&run);
    assert!(run.count("errors/read") > 0 && run.stdout.contains("not HTTP"), "{}", run.stdout);
    assert_eq!(run.count("failed"), run.count("failed_by/not_understood"));
}

#[test]
fn an_answer_broken_off_is_a_read_error_and_failed() {
    let server = serve(|peer| {
        if peer.request().is_some() {
            peer.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell");
        }
    });
    let run = load_until(&server, 10, &["-c", "2"]);
    expect_nothing_finished(&run);
    assert!(run.count("errors/read") > 0);
    assert_eq!(run.count("failed"), run.count("errors/read"));
    assert_eq!(run.count("failed"), run.count("failed_by/broken_off"));
    assert!(run.stdout.contains("no complete answer (answer broken off "), "{}", run.stdout);
}

/// A server that takes each fourth request of a connection and closes without a byte of answer.
fn silent_closer() -> (Server, Arc<AtomicU64>) {
    let dropped = Arc::new(AtomicU64::new(0));
    let counter = Arc::clone(&dropped);
    let server = serve(move |peer| {
        for _ in 0..3 {
            if peer.request().is_none() {
                return;
            }
            peer.send(OK);
        }
        if peer.request().is_some() {
            counter.fetch_add(1, Ordering::Relaxed);
        }
    });
    (server, dropped)
}

#[test]
fn a_close_before_the_answer_began_is_repeated_on_a_new_connection() {
    let (server, dropped) = silent_closer();
    let run = load_until(&server, 50, &["-c", "2"]);
    assert!(run.expect_clean().count("reconnects") > 0);
    assert!(run.count("reconnects") <= dropped.load(Ordering::Relaxed));
}

#[test]
fn without_retry_such_a_request_failed() {
    let (server, dropped) = silent_closer();
    let run = load_until(&server, 50, &["-c", "2", "--no-retry"]);
    let failed = run.count("failed");
    assert!(failed > 0 && failed <= dropped.load(Ordering::Relaxed), "{}", run.stdout);
    assert_eq!(run.count("errors/read"), failed);
    assert_eq!(run.count("failed_by/closed"), failed);
    assert_eq!(run.count("connections/closed_without_notice"), failed);
    assert_eq!(run.count("reconnects"), 0);
}

#[test]
fn a_request_is_repeated_only_once() {
    // Answers on the first connections, then drops whatever is sent: the repetition is dropped, too.
    let answered = Arc::new(AtomicU64::new(0));
    let server = serve(move |peer| {
        if peer.request().is_some() && answered.fetch_add(1, Ordering::Relaxed) == 0 {
            peer.send(OK);
            peer.request();
        }
    });
    let run = load_until(&server, 4, &["-c", "1"]);
    assert_eq!((run.count("requests"), run.count("reconnects")), (1, 1), "{}", run.stdout);
    assert!(run.count("errors/read") >= 1 && run.count("failed") >= 1);
}

#[test]
fn a_time_out_counts_with_the_least_it_took() {
    let server = serve(|peer| {
        for _ in 0..20 {
            if peer.request().is_none() {
                return;
            }
            peer.send(OK);
        }
        peer.ignore();
    });
    let run = load_until(&server, 43, &["-c", "1", "--timeout", "60ms"]);
    assert!(run.count("errors/timeout") > 0 && run.count("requests") >= 20, "{}", run.stdout);
    assert_eq!(run.count("failed_by/timed_out"), run.count("errors/timeout"));
    assert_eq!(run.count("connections/closed_without_notice"), 0, "{}", run.stdout);
    assert!(run.report["latency_us"]["max"].as_f64().is_some_and(|us| us >= 60_000.0), "{}", run.stdout);
    assert!(run.stdout.contains("timed out after 60ms; each is in the latency figures"), "{}", run.stdout);
}

#[test]
fn a_connection_that_hangs_is_in_the_latency_although_the_run_ends_first() {
    let first = AtomicU64::new(0);
    let server = serve(move |peer| {
        // The probe asks nothing, and of the others the first one hangs.
        while peer.request().is_some() {
            if first.fetch_add(1, Ordering::Relaxed) == 0 {
                return peer.ignore();
            }
            peer.send(OK);
        }
    });
    let flags = ["-c", "2", "-t", "1", "-d", "500ms", "--timeout", "30s", "--slo", "max<300ms"];
    let run = load(&format!("http://{server}/"), &flags);
    assert_eq!((run.code, run.count("unfinished") >= 1), (1, true), "{}", run.stdout);
    assert!(run.report["latency_us"]["max"].as_f64().is_some_and(|us| us >= 450_000.0), "{}", run.stdout);
    assert!(run.report["latency_us"]["p50"].as_f64().is_some_and(|us| us < 300_000.0), "{}", run.stdout);
}

#[test]
fn a_server_that_comes_back_is_found_again() {
    let (restarted, served_again) = mpsc::channel();
    let (_kept, address) = dead_port();
    let listener = listen_beside(address);
    thread::spawn(move || {
        let (probe, _) = listener.accept().expect("the probe");
        drop(probe);
        let (stream, _) = listener.accept().expect("the load");
        drop(listener);
        let mut peer = Peer::new(stream);
        peer.request();
        peer.send(OK);
        drop(peer);
        // Nobody tells a server that a client was refused; whenever it is back, the place must not be lost.
        let listener = listen_beside(address);
        let (stream, _) = listener.accept().expect("the load again");
        let mut peer = Peer::new(stream);
        while peer.request().is_some() {
            peer.send(OK);
            let _ = restarted.send(());
        }
    });
    let file = TempFile::new("report.json");
    let mut command = command(&["load", &format!("http://{address}/"), "-c", "1", "-d", "1h", "--json"]);
    let child = command.arg(&file.0).spawn().expect("boardctl starts");
    // The third answer is sent only when the second was asked for, and so the first of them read.
    for _ in 0..3 {
        served_again.recv().expect("the load goes on after the restart");
    }
    interrupt(&child);
    let run = Run::new(&child.wait_with_output().expect("it ends"), file.json());
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.count("requests") >= 2);
}
