//! `boardctl load --rate`: requests start on time, their wait counts from then, and none is lost from sight.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use crate::support::boardctl::{Run, load, load_until};
use crate::support::scripted::{Peer, Server, answering, serve};

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
const BUSY: &str = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n";

/// Nothing is dropped silently: each arrival was answered, has failed, or is unanswered.
fn expect_all_accounted_for(run: &Run) {
    let count = |name: &str| run.count(&format!("open_loop/{name}"));
    let sum = count("answered") + count("failed") + count("unanswered");
    assert_eq!(count("arrivals"), sum, "{}", run.stdout);
    assert_eq!(count("answered"), run.count("requests"));
    assert_eq!(count("failed"), run.count("failed"));
    assert_eq!(count("unanswered"), run.count("unfinished"));
    assert!(count("unsent") <= count("unanswered"));
    let statuses = run.report["statuses"].as_object().expect("an object");
    let by_status: u64 = statuses.keys().map(|status| run.count(&format!("statuses/{status}/count"))).sum();
    assert_eq!(by_status, count("answered"), "{}", run.stdout);
}

fn microseconds(run: &Run, path: &str) -> f64 {
    let value = run.report.pointer(&format!("/{path}")).and_then(serde_json::Value::as_f64);
    value.unwrap_or_else(|| panic!("no {path} in {:#}", run.report))
}

/// A server that is still for a while after its twentieth request, once; it answers one request at a time.
fn stalls_once(pause: Duration) -> Server {
    let stalled = AtomicBool::new(false);
    serve(move |peer| {
        let mut answered = 0;
        while peer.request().is_some() {
            answered += 1;
            if answered == 20 && !stalled.swap(true, Ordering::Relaxed) {
                thread::sleep(pause);
            }
            peer.send(OK);
        }
    })
}

#[test]
fn arrivals_keep_to_the_rate_and_are_all_answered() {
    let flags = ["-c", "5", "-t", "2", "-d", "1s", "--warmup", "100ms", "--rate", "200"];
    let run = load(&format!("http://{}/", answering(OK)), &flags);
    run.expect_clean();
    expect_all_accounted_for(&run);
    assert_eq!(run.count("open_loop/arrivals"), 200, "{}", run.stdout);
    assert_eq!((run.count("requests"), run.count("classes/2xx/count")), (200, 200));
    assert!((microseconds(&run, "requests_per_s") - 200.0).abs() < 1e-6, "{}", run.stdout);
    assert!(
        run.stdout
            .contains("\nArrivals: 200 at 200/s: 200 answered, 0 failed, 0 unanswered (0 never sent)\n")
    );
}

#[test]
fn a_stall_shows_in_every_arrival_that_it_held_up() {
    // 300 ms out of 1.5 s: one in five arrivals was due in it, and those wait 150 ms on average.
    let stall = Duration::from_millis(300);
    let url = |server: &Server| format!("http://{server}/");
    let open = load(&url(&stalls_once(stall)), &["-c", "1", "-d", "1500ms", "--rate", "200"]);
    open.expect_clean();
    expect_all_accounted_for(&open);
    assert_eq!(open.count("open_loop/arrivals"), 300);
    // Most of the arrivals of the stall: a machine that was slow besides makes it only more.
    assert!(open.count("open_loop/waited") >= 50, "{}", open.stdout);
    assert!(microseconds(&open, "latency_us/p90") >= 100_000.0, "{}", open.stdout);
    assert!(microseconds(&open, "latency_us/max") >= 300_000.0, "{}", open.stdout);
    // In a closed loop the same stall is one request among thousands.
    let closed = load(&url(&stalls_once(stall)), &["-c", "1", "-d", "1500ms"]);
    assert!(microseconds(&closed, "latency_us/p90") < 100_000.0, "{}", closed.stdout);
    assert!(microseconds(&closed, "latency_us/max") >= 300_000.0, "{}", closed.stdout);
}

#[test]
fn statuses_have_percentiles_of_their_own() {
    let server = serve(|peer| {
        loop {
            for answer in [OK, BUSY, BUSY] {
                if peer.request().is_none() {
                    return;
                }
                if answer == OK {
                    thread::sleep(Duration::from_millis(20));
                }
                peer.send(answer);
            }
        }
    });
    // Apart by more than twice the wait, so that none waits for another.
    let run = load(&format!("http://{server}/"), &["-c", "2", "-d", "900ms", "--rate", "20"]);
    expect_all_accounted_for(&run);
    let (served, refused) = (run.count("statuses/200/count"), run.count("statuses/503/count"));
    assert_eq!((served + refused, refused), (18, run.count("errors/status")), "{}", run.stdout);
    assert_eq!(run.count("classes/5xx/count"), refused);
    assert!(microseconds(&run, "statuses/200/latency_us/p50") >= 20_000.0, "{}", run.stdout);
    let ratio =
        microseconds(&run, "statuses/503/latency_us/p50") / microseconds(&run, "statuses/200/latency_us/p50");
    assert!(ratio < 1.0, "{}", run.stdout);
    assert!(run.stdout.contains("\nLatency by status (ms)\n"), "{}", run.stdout);
}

#[test]
fn what_is_never_answered_is_unanswered_or_timed_out() {
    // Cut off before the time-out: one on each connection was sent, the others wait to the end.
    let url = format!("http://{}/", serve(Peer::ignore));
    let run = load(&url, &["-c", "4", "-d", "300ms", "--timeout", "1s", "--rate", "100"]);
    expect_all_accounted_for(&run);
    assert_eq!((run.code, run.count("requests"), run.count("open_loop/arrivals")), (1, 0, 30));
    assert!(run.count("open_loop/unsent") > 0, "{}", run.stdout);
    // Time-outs are failures of their own kind, in the latency with at least what they waited since they were due.
    let run = load(&url, &["-c", "4", "-d", "500ms", "--timeout", "50ms", "--rate", "100"]);
    expect_all_accounted_for(&run);
    let timed_out = run.count("failed_by/timed_out");
    assert!(timed_out > 0 && timed_out == run.count("failed"), "{}", run.stdout);
    assert_eq!(timed_out, run.count("errors/timeout"));
}

#[test]
fn what_a_server_could_not_do_in_time_is_in_no_rate() {
    // At most 25 a second on each of four connections, and 200 are offered: half of them come after the end, or never.
    let server = serve(|peer| {
        while peer.request().is_some() {
            thread::sleep(Duration::from_millis(40));
            peer.send(OK);
        }
    });
    let run =
        load(&format!("http://{server}/"), &["-c", "4", "-d", "1s", "--rate", "200", "--timeout", "500ms"]);
    expect_all_accounted_for(&run);
    let after = run.count("open_loop/answered_after_end");
    let in_time = run.count("requests") - after;
    assert!(after > 10, "{}", run.stdout);
    let rate = microseconds(&run, "requests_per_s") * microseconds(&run, "duration_s");
    assert!((rate - in_time as f64).abs() < 0.01, "{rate} {in_time}");
    assert!(run.stdout.contains(&format!(", {after} of them after the last was due")), "{}", run.stdout);
    let rows = run.report["series"].as_array().expect("rows");
    assert!(rows.iter().all(|row| row["requests_per_s"].as_f64() < Some(120.0)), "{rows:?}");
    // A wait that never ended is a wait: of 200 arrivals more than 1 in 10 got no answer in 1.5 s.
    let unanswered = run.count("open_loop/unanswered");
    assert!(unanswered > 20, "{}", run.stdout);
    assert!(microseconds(&run, "latency_us/p90") >= 500_000.0, "{}", run.stdout);
}

#[test]
fn arrivals_are_accounted_for_whatever_the_server_does_to_its_connections() {
    // Closes before, in the middle of, and after an answer, each in turn.
    for flags in [&["--no-retry"][..], &[], &["--no-keepalive"]] {
        let server = serve(|peer| {
            for answer in [OK, OK, &OK[..OK.len() - 1]] {
                if peer.request().is_none() {
                    return;
                }
                peer.send(answer);
            }
        });
        let url = format!("http://{server}/");
        let all = [&["-c", "3", "-t", "2", "-d", "1s", "--rate", "300"], flags].concat();
        let run = load(&url, &all);
        expect_all_accounted_for(&run);
        assert_eq!(run.count("open_loop/arrivals"), 300, "{}", run.stdout);
        let broken = flags != ["--no-keepalive"];
        assert_eq!(run.count("failed") > 0, broken, "{flags:?}: {}", run.stdout);
    }
}

#[test]
fn ctrl_c_ends_the_schedule_where_it_is() {
    let server = answering(OK);
    let run = load_until(&server, 50, &["-c", "4", "--rate", "500"]);
    run.expect_clean();
    expect_all_accounted_for(&run);
    assert_eq!(run.report["partial"], true);
    assert!(run.count("open_loop/arrivals") >= 50, "{}", run.stdout);
    assert!(run.count("open_loop/arrivals") < 500 * 3600, "{}", run.stdout);
}
