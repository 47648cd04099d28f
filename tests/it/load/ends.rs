//! How a run ends before its time: Ctrl-C, a reader that goes away.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use socket2::{Domain, Socket, Type};

use crate::scratch::Scratch;
use crate::support::boardctl::{TempFile, boardctl, command, interrupt, load_until};
use crate::support::scripted::answering;

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

#[test]
fn the_first_ctrl_c_reports_what_there_is() {
    let server = answering(OK);
    // More than there are connections: some connection has read its first answer and asked again.
    let run = load_until(&server, 11, &["-c", "10"]);
    run.expect_clean();
    assert_eq!(run.report["partial"], true);
    assert!(run.stdout.contains("\nPartial: "), "{}", run.stdout);
}

#[test]
fn ctrl_c_before_anything_was_measured_says_so() {
    let server = answering(OK);
    let run = load_until(&server, 11, &["-c", "10", "--warmup", "1h"]);
    assert_eq!((run.code, &run.report["partial"]), (1, &true.into()), "{}", run.stdout);
    assert!(run.stderr.contains("stopped before anything was measured"), "{}", run.stderr);
}

#[test]
fn the_second_ctrl_c_leaves_at_once() {
    // A full accept queue: the kernel answers no further connect, so the run hangs where it can't look at the first.
    let listener = Socket::new(Domain::IPV4, Type::STREAM, None).expect("a socket");
    listener
        .bind(&"127.0.0.1:0".parse::<std::net::SocketAddr>().expect("an address").into())
        .expect("a port");
    listener.listen(0).expect("it listens");
    let address = listener.local_addr().expect("bound").as_socket().expect("IPv4");
    let filling: Vec<_> = (0..3)
        .map(|_| {
            let socket = Socket::new(Domain::IPV4, Type::STREAM, None).expect("a socket");
            socket.set_nonblocking(true).expect("it takes options");
            let _ = socket.connect(&address.into());
            socket
        })
        .collect();
    let mut child =
        command(&["load", &format!("http://{address}/"), "--timeout", "1h"]).spawn().expect("it starts");
    let mut headline = String::new();
    BufReader::new(child.stdout.take().expect("piped")).read_line(&mut headline).expect("a headline");
    let status = loop {
        interrupt(&child);
        if let Some(status) = child.try_wait().expect("our child") {
            break status;
        }
        // Two signals at the same moment are one to the kernel.
        thread::sleep(Duration::from_millis(5));
    };
    assert_eq!(status.code(), Some(130));
    drop(filling);
}

#[test]
fn a_reader_that_went_away_is_no_error() {
    let file = TempFile::new("report.json");
    let mut command = command(&["load", &format!("http://{}/", answering(OK)), "-d", "100ms", "--json"]);
    let mut child = command.arg(&file.0).stdout(Stdio::piped()).spawn().expect("boardctl starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert!(file.json()["requests"].as_u64().is_some_and(|requests| requests > 0));
}

#[test]
fn a_report_on_standard_output_is_alone_there() {
    let run = boardctl(&["load", &format!("http://{}/", answering(OK)), "-n", "20", "--json", "-"]);
    let report: serde_json::Value = serde_json::from_str(&run.stdout).expect("nothing but JSON");
    assert_eq!((run.code, &report["requests"]), (0, &20.into()), "{}", run.stderr);
    assert!(run.stderr.starts_with("Running 20 requests @ ") && run.stderr.contains("Requests/sec:"));
    assert!(!Path::new("-").exists());
}

#[test]
fn what_a_link_leads_to_is_replaced_and_not_the_link() {
    let folder = Scratch::new();
    let (real, link) = (folder.0.join("real.json"), folder.0.join("link.json"));
    fs::write(&real, "before").expect("a file");
    symlink("real.json", &link).expect("a link");
    let url = format!("http://{}/", answering(OK));
    let run = boardctl(&["load", &url, "-n", "1", "-c", "1", "--json", &link.to_string_lossy()]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(link.is_symlink() && fs::read_to_string(&real).expect("the report").starts_with('{'));
}

#[test]
fn a_report_replaces_the_one_before_and_leaves_nothing_beside_it() {
    let folder = TempFile::new("folder");
    fs::create_dir(&folder.0).expect("a temporary folder");
    let path = folder.0.join("run.json");
    fs::write(&path, "the one before").expect("a file in it");
    let url = format!("http://{}/", answering(OK));
    let run = boardctl(&["load", &url, "-c", "1", "-d", "500ms", "--json", &path.to_string_lossy()]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let names: Vec<_> = fs::read_dir(&folder.0)
        .expect("it is there")
        .map(|entry| entry.expect("readable").file_name())
        .collect();
    assert_eq!(names, ["run.json"]);
    assert!(fs::read_to_string(&path).expect("the report").starts_with('{'));
    fs::remove_dir_all(&folder.0).expect("ours");
}
