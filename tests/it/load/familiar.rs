//! `--like`: what wrk, ab and httpress print, from the same kind of run; `--hgrm` beside it.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::scratch::Scratch;
use crate::support::boardctl::{Run, TempFile, boardctl, load};
use crate::support::boardd::Boardd;
use crate::support::scripted::{Peer, answering, dead_port, serve};

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/// A line without its figures: every number, its unit and the room before it is one `#`.
fn shape(line: &str) -> String {
    let is_unit = |unit: &str| ["us", "ms", "s", "k", "M", "G", "KB", "MB", "GB", "B", ""].contains(&unit);
    let words = line.split_whitespace().map(|word| {
        let rest = word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        let unit = rest.trim_end_matches([',', '%']);
        if rest.len() < word.len() && is_unit(unit) {
            format!("#{}", &rest[unit.len()..])
        } else {
            word.to_owned()
        }
    });
    let indent = line.len() - line.trim_start().len();
    // Numbers that lead a line are aligned to the right.
    let indent = if line.trim_start().starts_with(|c: char| c.is_ascii_digit()) { 0 } else { indent };
    " ".repeat(indent) + &words.collect::<Vec<_>>().join(" ")
}

/// The shapes of all lines from the one that begins with `first` on. What ab doubts depends on the figures.
fn shapes(text: &str, first: &str) -> Vec<String> {
    let from_first = text.lines().skip_while(|line| !line.starts_with(first));
    let doubts = ["WARNING: ", "ERROR: ", "        These results", "       deviation apart"];
    from_first.filter(|line| !doubts.iter().any(|doubt| line.starts_with(doubt))).map(shape).collect()
}

/// The output of the real tool.
fn real(program: &str, arguments: &[&str], url: &str) -> String {
    let output = Command::new(program).args(arguments).arg(url).output();
    let output = output.unwrap_or_else(|error| panic!("{program}, which ./test installs: {error}"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// Ours in its layout, from a run without a fault.
fn like(tool: &str, arguments: &[&str], url: &str) -> String {
    let Run { code, stdout, stderr, .. } = boardctl(&[&["load", url, "--like", tool], arguments].concat());
    // Other tests may make it a run that is not valid as a measurement; that is all that may be said.
    assert!(code == 0 && (stderr.is_empty() || stderr.starts_with("Validity: ")), "{stderr}{stdout}");
    stdout
}

/// Fails the test unless the patterns of people's scripts find their figures in each of these.
fn expect_parsed(tool: &str, texts: &[&str]) {
    let folder = Scratch::new();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/load/parsers.py");
    let mut python = Command::new("python3");
    python.arg(script).arg(tool);
    for (number, text) in texts.iter().enumerate() {
        let name = format!("output-{number}");
        folder.write(&name, text.as_bytes());
        python.arg(folder.0.join(name));
    }
    let output = python.output().expect("python3, which ./test installs");
    assert!(output.status.success(), "{}{texts:#?}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn wrks_lines_in_wrks_order() {
    let boardd = Boardd::start(&[]);
    for (path, errors) in [("json", false), ("nothing", true)] {
        let url = format!("http://{}/{path}", boardd.address);
        let flags = ["-t", "2", "-c", "4", "-d", "1s"];
        let theirs = real("wrk", &[&["--latency"], &flags[..]].concat(), &url);
        let ours = like("wrk", &flags, &url);
        assert_eq!(shapes(&ours, "Running"), shapes(&theirs, "Running"), "{ours}{theirs}");
        assert_eq!(ours.contains("  Non-2xx or 3xx responses: "), errors, "{ours}");
        expect_parsed("wrk", &[&theirs, &ours]);
    }
}

#[test]
fn abs_lines_in_abs_order() {
    let boardd = Boardd::start(&[]);
    let folder = Scratch::new();
    folder.write("body", b"hello");
    let body = folder.0.join("body").to_str().expect("text").to_owned();
    let at_body = format!("@{body}");
    // A path, what ab is told, and what boardctl is.
    let cases: [(&str, &[&str], &[&str]); 4] = [
        ("json", &["-k"], &[]),
        ("nothing", &["-k"], &[]),
        ("bytes/1000000", &[], &["--no-keepalive"]),
        ("json", &["-k", "-p", &body], &["--body", &at_body]),
    ];
    for (path, for_ab, for_us) in cases {
        let url = format!("http://{}/{path}", boardd.address);
        let theirs = real("ab", &[&["-q", "-n", "300", "-c", "4"], for_ab].concat(), &url);
        let ours = like("ab", &[&["-c", "4", "-d", "300ms"], for_us].concat(), &url);
        assert_eq!(shapes(&ours, "Server Software"), shapes(&theirs, "Server Software"), "{ours}{theirs}");
        assert!(
            ours.starts_with("Server Software:        boardd\nServer Hostname:        127.0.0.1\n"),
            "{ours}"
        );
        if path == "json" && for_ab.len() == 1 {
            expect_parsed("ab", &[&theirs, &ours]);
        }
    }
}

#[test]
fn httpress_has_three_lines() {
    let url = format!("http://{}/", answering(OK));
    let ours = like("httpress", &["-c", "3", "-d", "300ms"], &url);
    assert_eq!(ours.lines().count(), 3, "{ours}");
    assert!(ours.contains("TOTALS:  3 connect, ") && ours.contains(" success, 0 fail, 3 (3) real"), "{ours}");
    assert!(ours.contains("\nTRAFFIC: 2 avg bytes, 38 avg overhead, "), "{ours}");
    expect_parsed("httpress", &[&ours]);
}

#[test]
fn abs_table_has_what_was_measured() {
    // A connect of its own for each request, and a body that ends 20 ms after it began.
    let server = serve(|peer| {
        if peer.request().is_some() {
            peer.send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 4\r\n\r\nab");
            std::thread::sleep(std::time::Duration::from_millis(20));
            peer.send("cd");
        }
    });
    let run = load(&format!("http://{server}/"), &["-c", "2", "-d", "500ms", "--no-keepalive"]);
    run.expect_clean();
    let figure = |path: &str| run.report.pointer(path).and_then(serde_json::Value::as_f64).expect("a figure");
    let [connect, first_byte, total] =
        ["connect", "first_byte", "total"].map(|part| figure(&format!("/times_us/{part}/p50")));
    let latency = figure("/latency_us/p50");
    assert!(connect > 0.0 && total > latency, "{:#}", run.report);
    assert!(latency >= 20_000.0 && first_byte <= latency - 10_000.0, "{:#}", run.report);
    let answers = &run.report["answers"];
    assert_eq!((&answers["shortest_body_bytes"], &answers["longest_body_bytes"]), (&4.into(), &4.into()));
    assert_eq!(run.count("answers/body_bytes"), 4 * run.count("requests"));
    assert_eq!(run.count("answers/kept_alive"), 0);
}

#[test]
fn what_does_not_belong_to_the_layout_is_on_the_error_output() {
    let (_kept, address) = dead_port();
    let silent = serve(Peer::ignore);
    for (url, said) in
        [(format!("http://{address}/"), "can't connect"), (format!("http://{silent}/"), "timed out")]
    {
        for tool in ["wrk", "ab", "httpress"] {
            let run =
                boardctl(&["load", &url, "--like", tool, "-c", "2", "-d", "300ms", "--timeout", "50ms"]);
            assert_eq!(run.code, 1, "{}", run.stderr);
            assert!(run.stderr.contains(said) && !run.stdout.contains(said), "{}{}", run.stdout, run.stderr);
            assert!(
                run.stderr.lines().last().is_some_and(|line| line.starts_with("error: ")),
                "{}",
                run.stderr
            );
            assert!(!run.stdout.contains("NaN") && !run.stdout.contains("inf"), "{}", run.stdout);
        }
    }
}

#[test]
fn the_percentile_file_agrees_with_the_report() {
    let (json, hgrm) = (TempFile::new("run.json"), TempFile::new("run.hgrm"));
    let url = format!("http://{}/", answering(OK));
    let names = [&json.0, &hgrm.0].map(|path| path.to_str().expect("text"));
    let run = boardctl(&["load", &url, "-c", "2", "-d", "300ms", "--json", names[0], "--hgrm", names[1]]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let (report, text) = (json.json(), fs::read_to_string(&hgrm.0).expect("it was written"));
    let rows = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let at = |quantile: &str| {
        let row = rows.clone().find(|row| row.get(1) == Some(&quantile)).expect(quantile);
        row[0].parse::<f64>().expect("milliseconds")
    };
    for (quantile, name) in [("0.500000000000", "p50"), ("0.900000000000", "p90"), ("1.000000000000", "max")]
    {
        let us = report["latency_us"][name].as_f64().expect(name);
        assert!((at(quantile) * 1000.0 / us - 1.0).abs() < 0.005, "{quantile}: {text}");
    }
    let total = format!(", Total count    = {:12}]", report["requests"].as_u64().expect("a count"));
    assert!(text.contains(&total), "{text}");
}

#[test]
fn answers_of_another_length_than_the_first_fail_as_ab_counts_them() {
    // Four lengths in turn, whichever connection asks.
    let turn = AtomicUsize::new(0);
    let server = serve(move |peer| {
        while peer.request().is_some() {
            let length = 1 + turn.fetch_add(1, Ordering::Relaxed) % 4;
            let content = &"abcd"[..length];
            peer.send(format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n{content}"));
        }
    });
    let url = format!("http://{server}/");
    let run = boardctl(&["load", &url, "-n", "100", "-c", "4", "--like", "ab"]);
    let failed = "Failed requests:        75\n   (Connect: 0, Receive: 0, Length: 75, Exceptions: 0)\n";
    assert!(run.stdout.contains(failed), "{}", run.stdout);
    let run = boardctl(&["load", &url, "-n", "100", "-c", "4"]);
    assert!(run.stdout.contains("Contents: 1 to 4 bytes; 75 not as long as the first\n"), "{}", run.stdout);
}
