//! Samples of recorded boards, of this machine, and of boards that answer over HTTP, rightly and wrongly.

use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

use boardkit::board::SysRoot;
use boardkit::telemetry::{ClockSample, News, Remote, Sample, Sampler, Watched};
use serde_json::Value;

use crate::board::{boards, expected, holds, replayed};
use crate::support::scripted::{Server, dead_port, serve};

/// Longer than anything here takes on the slowest machine.
const HANG: Duration = Duration::from_secs(60);

/// The clocks of a sample in the words of expected.json.
fn clocks(clocks: &[ClockSample]) -> Value {
    let told = |clock: &ClockSample| serde_json::json!({"cpus": clock.cpus, "max_khz": clock.max_khz, "cur_khz": clock.cur_khz});
    clocks.iter().map(told).collect()
}

/// What is expected, of each row only the keys that a sample has.
fn known_keys(expected: &Value, found: &Value) -> Value {
    let Some((rows, first)) = expected.as_array().zip(found.get(0)) else { return expected.clone() };
    let known = |row: &Value| {
        let mut row = row.as_object().cloned().unwrap_or_default();
        row.retain(|key, _| first.get(key).is_some());
        Value::Object(row)
    };
    rows.iter().map(known).collect()
}

#[test]
fn every_recorded_board_gives_a_sample() {
    let mut judged = 0;
    for board in boards() {
        let (copy, _) = replayed(&board);
        let mut sampler = Sampler::new(SysRoot::at(&copy.0), Watched::default());
        let sample = sampler.sample();
        let (expected, name) = (expected(&board), board.display());
        assert!(sample.cores.is_empty(), "{name}: counters stood still");
        for (key, found) in [
            ("cpu_temp_c", serde_json::json!(sample.cpu_temp_c)),
            ("throttle_trip_c", serde_json::json!(sample.throttle_trip_c)),
            ("policies", clocks(&sample.clocks)),
        ] {
            let Some(value) = expected.get(key) else { continue };
            assert!(
                holds(&known_keys(value, &found), &found),
                "{name}: {key} should be {value} and is {found}"
            );
            judged += 1;
        }
        if board.ends_with("raspberry-pi-3b-plus") {
            let raw = sample.throttled.map(|throttle| format!("{:#x}", throttle.raw));
            assert_eq!(raw.as_deref(), expected["throttled"]["raw"].as_str(), "{name}");
            assert_eq!(sample.under_voltage, Some(true), "{name}");
        }
        if board.ends_with("orange-pi-one") {
            assert_eq!(sample.cooling_state, Some(2), "{name}");
        }
    }
    assert!(judged > 25, "judged only {judged} values");
}

#[test]
fn the_cores_of_a_board_come_and_go_by_their_numbers() {
    let board = boards().into_iter().find(|path| path.ends_with("proc-stat-with-holes")).expect("recorded");
    let (copy, _) = replayed(&board);
    let stat = std::fs::read_to_string(copy.0.join("proc/stat")).expect("recorded");
    let mut sampler = Sampler::new(SysRoot::at(&copy.0), Watched::default());
    // Every core idles for ten more ticks, and core 9 goes.
    let later = stat.lines().filter(|line| !line.starts_with("cpu9 ")).map(|line| {
        let mut words: Vec<String> =
            line.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect();
        if let Some(idle) = words.get(4).and_then(|idle| idle.parse::<u64>().ok()) {
            words[4] = (idle + 10).to_string();
        }
        words.join(" ") + "\n"
    });
    copy.write("proc/stat", later.collect::<String>().as_bytes());
    let sample = sampler.sample();
    let cores: Vec<u32> = sample.cores.keys().copied().collect();
    assert_eq!(cores, [0, 1, 8, 16, 17]);
    assert!(sample.cores.values().all(|load| load.idle == 1.0), "{sample:?}");
}

/// A program that does nothing but work; ends with the test.
struct Burner(Child);

impl Burner {
    fn start() -> Self {
        Self(Command::new("sh").args(["-c", "while :; do :; done"]).spawn().expect("a shell"))
    }
}

impl Drop for Burner {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Samples until one is as wanted.
fn until(sampler: &mut Sampler, wanted: impl Fn(&Sample) -> bool) -> Sample {
    let begun = Instant::now();
    loop {
        thread::sleep(Duration::from_millis(50));
        let sample = sampler.sample();
        if wanted(&sample) {
            return sample;
        }
        assert!(begun.elapsed() < HANG, "the last one was {sample:?}");
    }
}

#[test]
fn a_busy_program_of_this_machine_is_the_server_or_among_the_others() {
    let burner = Burner::start();
    let pid = burner.0.id();
    let watched = |server| Watched { own: vec![std::process::id()], server };
    let mut sampler = Sampler::new(SysRoot::live(), watched(None));
    let among = |sample: &Sample| sample.others.iter().any(|other| other.pid == pid && other.name == "sh");
    let sample = until(&mut sampler, among);
    assert!(sample.others.iter().all(|other| other.cores > 0.01 && other.pid != std::process::id()));
    assert!(sample.others.is_sorted_by(|a, b| a.cores >= b.cores) && sample.others.len() <= 8);
    assert!(sample.server.is_none() && sample.cores.values().any(|load| load.busy() > 0.0));
    assert!(sample.memory_available_bytes.is_some() && sample.nics.iter().all(|nic| nic.name != "lo"));
    sampler.watch_server(Some(pid));
    let busy = |sample: &Sample| sample.server.as_ref().is_some_and(|server| server.busiest_thread > 0.01);
    let sample = until(&mut sampler, busy);
    let server = sample.server.expect("busy");
    assert_eq!((server.pid, server.name.as_str(), server.threads, server.busy_threads), (pid, "sh", 1, 1));
    assert!(server.cores >= server.busiest_thread && server.cpu_s > 0.0 && server.rss_bytes > Some(0));
    assert!(sample.others.iter().all(|other| other.pid != pid));
}

/// A board that answers `/board` and `/load` with these.
fn board(facts: &str, load: &str) -> Server {
    let (facts, load) = (facts.to_owned(), load.to_owned());
    serve(move |peer| {
        while let Some(head) = peer.request() {
            peer.send(if head.starts_with("GET /board ") { &facts } else { &load });
        }
    })
}

fn ok(body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len())
}

fn status(line: &str) -> String {
    format!("HTTP/1.1 {line}\r\nContent-Length: 0\r\n\r\n")
}

#[test]
fn a_sample_of_another_version_is_read_as_far_as_it_is_known() {
    let load =
        r#"{"interval_s":1.01,"from_the_future":[1],"cores":{"3":{"user":0.5}},"nics":[{"name":"eth0"}]}"#;
    let server = board(&ok(r#"{"identity":{}}"#), &ok(load));
    let remote = Remote::start(&format!("http://{server}/"), None).expect("a board");
    assert!(remote.facts().is_object() && remote.is_here());
    let news = remote.news();
    let News::Sample(new) = &news[0] else { panic!("{news:?}") };
    assert_eq!((new.sample.interval_s, new.sample.cores[&3].user), (1.01, 0.5));
    assert_eq!((new.sample.nics[0].speed_mbit, new.sample.cpu_temp_c), (None, None));
}

#[test]
fn a_token_is_shown_to_the_board() {
    let server = serve(|peer| {
        while let Some(head) = peer.request() {
            let shown = head.lines().any(|line| line.eq_ignore_ascii_case("authorization: Bearer s3cret"));
            peer.send(if shown { ok(r#"{"interval_s":1}"#) } else { status("401 Unauthorized") });
        }
    });
    let base = format!("http://{server}");
    assert!(Remote::start(&base, Some("s3cret\n")).is_ok());
    for (token, advice) in [(None, "give --telemetry-token FILE"), (Some("other"), "check the file")] {
        let error = Remote::start(&base, token).expect_err("refused").to_string();
        assert!(error.contains(&base) && error.contains("401") && error.contains(advice), "{error}");
        assert!(!error.contains("other"), "a secret is not printed: {error}");
    }
}

#[test]
fn what_is_no_board_is_told_from_what_does_not_answer() {
    let sample = ok(r#"{"interval_s":1}"#);
    let html = ok("<!DOCTYPE html>\n<title>Router</title>");
    let moved =
        "HTTP/1.1 301 Moved Permanently\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n";
    for (facts, load, says) in [
        (
            status("404 Not Found").as_str(),
            sample.as_str(),
            "/board answers 404 Not Found; a board's telemetry has /board and /load",
        ),
        (&ok("{}"), &status("404 Not Found"), "/load answers 404"),
        (&status("500 Internal Server Error"), &sample, "answers 500"),
        (moved, &sample, "it sends to another address"),
        (&html, &sample, "no telemetry of a board (\"<!DOCTYPE html>"),
        (&ok("[1]"), &sample, "no telemetry of a board (not facts)"),
        (&ok("{}"), &ok(r#"{"load":1}"#), "no telemetry of a board (not a sample)"),
        (&ok("{}"), &ok(r#"{"interval_s":1,"cores":7}"#), "no telemetry of a board (not a sample)"),
        ("SSH-2.0-OpenSSH_9.2\r\n", &sample, "is something that serves it running there"),
        ("", &sample, "is something that serves it running there"),
    ] {
        let server = board(facts, load);
        // An answer of nothing at all would be waited for: that server closes instead.
        let server = if facts.is_empty() { serve(|peer| drop(peer.request())) } else { server };
        let error = Remote::start(&format!("http://{server}"), None).expect_err(says).to_string();
        assert!(error.contains(says) && error.contains(&server.to_string()), "{says}: {error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
    let (_port, address) = dead_port();
    let error = Remote::start(&format!("http://{address}"), None).expect_err("nothing listens").to_string();
    assert!(error.contains(&address.to_string()) && error.contains("refused"), "{error}");
}
