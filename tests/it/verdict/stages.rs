//! The eight stages.

use std::process::Child;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use boardkit::board::CoreLoad;
use boardkit::telemetry::{ClockSample, Sample};
use rustix::process::{Pid, Signal, kill_process};

use super::{evidence, load_promptly, load_while, marks, proxy, staged};
use crate::support::boardctl::load;
use crate::support::boardd::Boardd;
use crate::support::scripted::{Server, serve};

/// Bytes per second of a link with 10 Mbit/s.
const TEN_MBIT: f64 = 10e6 / 8.0;

/// Lets a process run for a fifth of the time, as `cpulimit --limit 20` does: by stopping it and letting it go on.
fn limited(child: &mut Child) {
    let pid = Pid::from_child(child);
    // Nobody waits for it but this loop, so that the number stays its own.
    while child.try_wait().expect("our child").is_none() {
        for (signal, ms) in [(Signal::STOP, 80), (Signal::CONT, 20)] {
            let _ = kill_process(pid, signal);
            thread::sleep(Duration::from_millis(ms));
        }
    }
}

#[test]
fn a_client_that_is_throttled() {
    let server = Boardd::start(&[]);
    let url = format!("http://{}/plaintext", server.address);
    let run = staged("laptop", || load_while(&url, &["-c", "10", "-d", "2s"], limited));
    assert!(evidence(&run.report, "laptop").starts_with("it could not run for "), "{}", run.stdout);
    assert_eq!(run.report["validity"]["valid"], false, "{}", run.stdout);
    assert_eq!(marks(&run.report, "laptop_held_back").len(), 1, "{}", run.stdout);
}

#[test]
fn a_link_of_known_speed() {
    let server = Boardd::start(&[]);
    let url = format!("http://{}/bytes/16384", proxy::start(server.address, TEN_MBIT));
    let run = staged("link", || load(&url, &["-c", "4", "-d", "2s", "--link-speed", "10M"]));
    assert!(evidence(&run.report, "link").contains("of the 10 Mbit/s of --link-speed"), "{}", run.stdout);
}

#[test]
fn a_link_of_unknown_speed() {
    let server = Boardd::start(&[]);
    let url = format!("http://{}/bytes/16384", proxy::start(server.address, TEN_MBIT));
    let run = staged("link", || load(&url, &["-c", "4", "-d", "4s"]));
    assert!(evidence(&run.report, "link").contains("it looks like a 10 Mbit/s link"), "{}", run.stdout);
}

#[test]
fn one_worker_that_has_all_the_connections() {
    let server = Boardd::start(&["--workers", "1", "--pin"]);
    // A page that is made anew each time, and costs the client next to nothing to take.
    let url = format!("http://{}/hello", server.address);
    let header = format!("X: {}", "<".repeat(4000));
    let run = staged("one_core", || load(&url, &["-c", "8", "-t", "1", "-d", "2s", "-H", &header]));
    assert!(evidence(&run.report, "one_core").contains("the server's busiest thread"), "{}", run.stdout);
}

#[test]
fn all_cores_at_work() {
    let server = Boardd::start(&[]);
    let url = format!("http://{}/work?us=2000", server.address);
    let run = staged("all_cores", || load(&url, &["-c", "16", "-d", "2s"]));
    assert!(evidence(&run.report, "all_cores").contains("the server used"), "{}", run.stdout);
}

/// A board's telemetry: all cores busy, and a cap that drops after so many samples.
fn telemetry_with_a_drop_after(samples: usize) -> Server {
    let asked = AtomicUsize::new(0);
    serve(move |peer| {
        while let Some(head) = peer.request() {
            let body = if head.starts_with("GET /load ") {
                let number = asked.fetch_add(1, Ordering::Relaxed);
                serde_json::to_string(&busy_board(number, number >= samples)).expect("JSON")
            } else {
                "{\"model\":\"a board\"}".to_owned()
            };
            let length = body.len();
            peer.send(format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n{body}"));
        }
    })
}

fn busy_board(number: usize, hot: bool) -> Sample {
    let busy = CoreLoad { user: 0.6, system: 0.2, softirq: 0.18, idle: 0.02, ..CoreLoad::default() };
    let cap_khz = Some(if hot { 1_008_000 } else { 1_368_000 });
    let max_khz = Some(1_368_000);
    Sample {
        interval_s: 1.0,
        uptime_s: Some(number as f64),
        cores: (0..4).map(|core| (core, busy)).collect(),
        clocks: vec![ClockSample { cpus: vec![0, 1, 2, 3], cur_khz: cap_khz, cap_khz, max_khz }],
        cpu_temp_c: Some(if hot { 81.5 } else { 74.0 }),
        throttle_trip_c: Some(80.0),
        ..Sample::default()
    }
}

#[test]
fn a_clock_that_drops() {
    let server = Boardd::start(&[]);
    let url = format!("http://{}/slow?ms=5", server.address);
    let run = staged("clock", || {
        // The first sample is of the time before the run.
        let telemetry = format!("http://{}", telemetry_with_a_drop_after(3));
        load(&url, &["-c", "4", "-d", "5s", "--telemetry", &telemetry])
    });
    let said = evidence(&run.report, "clock");
    assert!(said.contains("held down to 1008 of 1368 MHz") && said.contains("82 °C"), "{}", run.stdout);
    let marks = marks(&run.report, "clock_capped");
    let begin = marks.first().and_then(|mark| mark["from_s"].as_f64());
    // The board's second and the run's are not the same.
    assert!(begin.is_some_and(|begin| (1.0..=4.0).contains(&begin)), "{}", run.stdout);
    assert_eq!(run.report["validity"]["valid"], false, "{}", run.stdout);
    assert_eq!(run.report["telemetry"]["board"]["model"], "a board");
}

#[test]
fn a_server_that_turns_requests_away() {
    let server = Boardd::start(&[]);
    let url = format!("http://{}/work?us=20000", server.address);
    let run = staged("admission", || load(&url, &["-c", "200", "-d", "2s"]));
    assert!(
        evidence(&run.report, "admission").contains("said \"not now\" (503, 429), from second 0 on"),
        "{}",
        run.stdout
    );
}

#[test]
fn too_few_connections() {
    let server = Boardd::start(&[]);
    let url = format!("http://{}/slow?ms=5", server.address);
    let run = staged("too_little_load", || load(&url, &["-c", "1", "-d", "2s"]));
    let said = evidence(&run.report, "too_little_load");
    assert!(said.contains("under way, on 1 connections") && said.contains("is about -c "), "{}", run.stdout);
}

#[test]
fn an_offer_that_is_met() {
    let server = Boardd::start(&[]);
    let url = format!("http://{}/plaintext", server.address);
    let run = staged("nothing", || load_promptly(&url, &["-c", "10", "-d", "2s", "--rate", "100"]));
    let said = evidence(&run.report, "too_little_load");
    assert!(said.contains("200 of 200 arrivals were answered"), "{}", run.stdout);
}
