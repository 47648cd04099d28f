//! The flags that say who is watched, and reports of runs of which little is seen.

use std::fs;

use super::limited_by;
use crate::scratch::Scratch;
use crate::support::boardctl::{boardctl, load, load_until};
use crate::support::scripted::{answering, serve};

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

#[test]
fn what_cannot_be_watched_is_said_before_the_run() {
    let server = answering(OK);
    let url = format!("http://{server}/");
    let scratch = Scratch::new();
    let empty = scratch.0.join("empty");
    fs::write(&empty, "\n").expect("a file");
    let empty = empty.to_str().expect("a plain name");
    let telemetry = format!("http://{server}");
    let cases: &[(&[&str], &str)] = &[
        (&["--link-speed", "100"], "--link-speed"),
        (&["--link-speed", "fast"], "100M"),
        (&["--telemetry-token", empty], "--telemetry"),
        (&["--telemetry", "board:9100"], "http://board:9100"),
        (&["--telemetry", &telemetry], "no telemetry of a board"),
        (&["--telemetry", &telemetry, "--telemetry-token", "/does/not/exist"], "/does/not/exist"),
        (&["--telemetry", &telemetry, "--telemetry-token", empty], "the first line"),
    ];
    for (flags, says) in cases {
        let run = boardctl(&[&["load", &url, "-d", "1h"], *flags].concat());
        assert_eq!(run.code, 2, "{flags:?}: {}", run.stderr);
        assert!(run.stderr.contains(says) && run.stderr.lines().count() == 1, "{flags:?}: {}", run.stderr);
        assert!(!run.stdout.contains("Running"), "{flags:?}: {}", run.stdout);
    }
}

#[test]
fn the_token_of_a_file_is_sent() {
    let scratch = Scratch::new();
    let file = scratch.0.join("token");
    fs::write(&file, " s3cret \n").expect("a file");
    let telemetry = serve(|peer| {
        while let Some(head) = peer.request() {
            let knows = head.to_ascii_lowercase().contains("\r\nauthorization: bearer s3cret\r\n");
            let (status, body) = if knows { ("200 OK", "{\"interval_s\":1}") } else { ("401 No", "{}") };
            let length = body.len();
            peer.send(format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\n\r\n{body}"));
        }
    });
    let url = format!("http://{telemetry}");
    let file = file.to_str().expect("a plain name");
    let run = load_until(&answering(OK), 20, &["--telemetry", &url, "--telemetry-token", file]);
    run.expect_clean();
}

#[test]
fn a_run_in_which_nothing_finished_is_not_judged_wrong() {
    let server = serve(super::super::support::scripted::Peer::ignore);
    let run = load(&format!("http://{server}/"), &["-d", "300ms", "-c", "2"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert_eq!(limited_by(&run.report), "unknown");
    let validity = &run.report["validity"];
    let unknown = validity["unknown"].as_array().expect("a list");
    // Other tests may make it one that is not valid.
    assert!(validity["valid"] != true, "{validity:#}");
    assert!(unknown.iter().any(|line| line.as_str().is_some_and(|line| line.contains("nothing finished"))));
    assert!(
        run.stdout.contains("not known: nothing finished") && !run.stdout.contains("NaN"),
        "{}",
        run.stdout
    );
}

#[test]
fn both_machines_are_in_every_row() {
    let run = load_until(&answering(OK), 100, &["-c", "2"]);
    run.expect_clean();
    let rows = run.report["series"].as_array().expect("a series");
    assert!(!rows.is_empty());
    for row in rows {
        assert!(row["laptop"]["cores"].is_object() && row["laptop"] == row["board"], "{row:#}");
        assert!(row["board"]["server"]["pid"].is_u64(), "{row:#}");
    }
    let telemetry = &run.report["telemetry"];
    assert_eq!((&telemetry["local"], &telemetry["link"]["loopback"]), (&true.into(), &true.into()));
    assert_eq!(telemetry["server"]["pid"], std::process::id());
}
