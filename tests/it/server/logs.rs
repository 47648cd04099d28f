//! What boardd says about itself and about each request, and that nobody has to read it.

use std::fs;
use std::io::{BufRead, Read, Write};
use std::num::NonZeroUsize;
use std::path::Path;
use std::process::{Command, Stdio};

use boardkit::server::{AccessLog, Config, Response, Routes, Server};
use rustix::process::Signal;

use crate::support::boardctl::TempFile;
use crate::support::boardd::{Boardd, program, until};
use crate::support::client::{Client, GET, exchange};

fn path(file: &TempFile) -> &str {
    file.0.to_str().expect("a plain name")
}

fn lines(path: &Path) -> Vec<String> {
    fs::read_to_string(path).unwrap_or_default().lines().map(str::to_owned).collect()
}

/// The request, status and length of a line, after checking the rest of it.
fn record(line: &str) -> &str {
    let rest = line.strip_prefix("127.0.0.1 - - [").unwrap_or_else(|| panic!("{line}"));
    let (time, rest) = rest.split_once("] ").unwrap_or_else(|| panic!("{line}"));
    let shape: String = time.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    assert!(months.iter().any(|month| shape == format!("00/{month}/0000:00:00:00 +0000")), "{line}");
    rest
}

#[test]
fn each_request_has_its_line_in_order_once_boardd_has_ended() {
    let file = TempFile::new("access.log");
    let server = Boardd::start(&["--workers", "1", "--access-log", path(&file)]);
    let cases = [
        (GET, "\"GET / HTTP/1.1\" 200 13"),
        ("HEAD /json?a=%22b HTTP/1.1\r\nHost: a\r\n\r\n", "\"HEAD /json?a=%22b HTTP/1.1\" 200 -"),
        ("GET /none HTTP/1.0\r\n\r\n", "\"GET /none HTTP/1.0\" 404 14"),
        ("GET /bytes/100000 HTTP/1.1\r\nHost: a\r\n\r\n", "\"GET /bytes/100000 HTTP/1.1\" 200 100000"),
        ("POST / HTTP/1.1\r\nHost: a\r\n\r\n", "\"POST / HTTP/1.1\" 405 23"),
        ("nonsense\r\n\r\n", "\"-\" 400 "),
    ];
    for (request, _) in cases {
        exchange(server.address, request);
    }
    server.terminate();
    assert!(server.wait().0.success());
    let lines = lines(&file.0);
    assert_eq!(lines.len(), cases.len(), "{lines:#?}");
    for (line, (_, expected)) in lines.iter().zip(cases) {
        assert!(record(line).starts_with(expected), "{line}");
    }
}

#[test]
fn lines_come_while_it_runs_and_go_on_in_a_new_file_after_sighup() {
    let (file, old) = (TempFile::new("access.log"), TempFile::new("access.log.1"));
    let server = Boardd::start(&["--workers", "2", "--access-log", path(&file)]);
    let mut client = server.connect();
    let mut asked = 0;
    let mut ask = |client: &mut Client, times| {
        for _ in 0..times {
            client.expect_greeting();
            asked += 1;
        }
    };
    ask(&mut client, 10);
    until("they are written", || lines(&file.0).len() == 10);
    fs::rename(&file.0, &old.0).expect("as logrotate does");
    ask(&mut client, 10);
    server.signal(Signal::HUP);
    until("the new file is there", || file.0.exists());
    until("it is written to", || {
        ask(&mut client, 1);
        !lines(&file.0).is_empty()
    });
    drop(client);
    server.terminate();
    assert!(server.wait().0.success());
    let (old, new) = (lines(&old.0), lines(&file.0));
    assert!(old.len() >= 10 && old.len() + new.len() == asked, "{} and {} of {asked}", old.len(), new.len());
}

#[test]
fn a_file_that_cannot_be_opened_anew_leaves_the_old_one_in_use() {
    let folder = TempFile::new("folder");
    fs::create_dir(&folder.0).expect("a new folder");
    let file = folder.0.join("access.log");
    let server = Boardd::start(&["--workers", "1", "--access-log", file.to_str().expect("a plain name")]);
    let moved = TempFile::new("access.log.1");
    fs::rename(&file, &moved.0).expect("as logrotate does");
    fs::remove_dir(&folder.0).expect("it is empty");
    server.signal(Signal::HUP);
    server.expect_alive();
    server.terminate();
    let (status, said) = server.wait();
    assert!(status.success() && said.contains("access log cannot be opened anew"), "{said}");
    assert_eq!(lines(&moved.0).len(), 1);
}

#[test]
fn a_file_that_cannot_be_written_is_refused_in_one_line() {
    let arguments = ["serve", "--listen", "127.0.0.1:0", "--access-log", "/nonexistent/access.log"];
    let output = Command::new(program()).args(arguments).output().expect("boardd starts");
    let said = String::from_utf8(output.stderr).expect("text");
    assert_eq!((output.status.code(), said.lines().count()), (Some(2), 1), "{said}");
    assert!(said.contains("/nonexistent/access.log"), "{said}");
}

#[test]
fn the_output_takes_the_lines_behind_the_addresses() {
    let mut server = Boardd::start(&["--workers", "1", "--access-log", "-"]);
    server.expect_alive();
    let mut line = String::new();
    server.stdout.as_mut().expect("piped").read_line(&mut line).expect("a line");
    assert_eq!(record(line.trim_end()), "\"GET / HTTP/1.1\" 200 13");
}

#[test]
fn an_output_that_nobody_reads_costs_lines_and_not_answers() {
    let server = Boardd::start(&["--workers", "1", "--access-log", "-"]);
    let mut client = server.connect();
    // Each burst is more lines than a pipe holds, and all of them more than may wait.
    let burst = GET.repeat(2000);
    for _ in 0..10 {
        client.send(&burst);
        (0..2000).for_each(|_| assert_eq!(client.answer().status, 200));
    }
    drop(client);
    server.terminate();
    assert!(server.wait().0.success());
}

#[test]
fn answers_that_were_awaited_are_recorded_with_their_requests() {
    let routes = Routes::new().get_async("/echo/{word}", |request| async move {
        smol::future::yield_now().await;
        Response::text(&*request.params[0].1)
    });
    let log = AccessLog::new(1);
    let config = Config::new(([127, 0, 0, 1], 0).into(), NonZeroUsize::MIN);
    let server = Server::bind(config, routes).expect("loopback").with_access_log(log.clone());
    let handle = server.start().expect("threads");
    let get = |word: &str| format!("GET /echo/{word} HTTP/1.1\r\nHost: a\r\n\r\n");
    exchange(handle.address(), get("one") + &get("three") + GET);
    handle.stop();
    handle.join().expect("no worker failed");
    let mut lines = Vec::new();
    assert!(log.take(0, &mut lines));
    let lines = String::from_utf8(lines).expect("text");
    let records: Vec<_> = lines.lines().map(record).collect();
    let expected = [
        "\"GET /echo/one HTTP/1.1\" 200 3",
        "\"GET /echo/three HTTP/1.1\" 200 5",
        "\"GET / HTTP/1.1\" 404 14",
    ];
    assert_eq!(records, expected);
}

/// What boardd says from start to end with these flags.
fn said(flags: &[&str]) -> String {
    let server = Boardd::start(flags);
    server.terminate();
    let (status, said) = server.wait();
    assert!(status.success(), "{said}");
    said
}

#[test]
fn messages_have_the_form_that_was_asked_for() {
    let plain = said(&[]);
    assert!(plain.lines().all(|line| line.starts_with("boardd: ")), "{plain}");
    assert!(plain.contains("boardd: workers ") && plain.contains("boardd: served 0 requests"), "{plain}");
    let journal = said(&["--log", "journal"]);
    assert!(journal.lines().all(|line| line.starts_with("<6>")), "{journal}");
    assert!(journal.contains("<6>served 0 requests"), "{journal}");
    assert_eq!(said(&["--log-level", "warning"]), "");
}

#[test]
fn an_error_output_that_is_the_journal_gets_levels() {
    for (stream, prefix) in [("$(stat -L -c %d:%i /dev/stderr)", "<6>"), ("1:2", "boardd: ")] {
        let mut command = Command::new("sh");
        let line = format!("JOURNAL_STREAM={stream} exec \"$0\" serve --listen 127.0.0.1:0");
        command.args(["-c", &line]).arg(program());
        let server = Boardd::spawn(command);
        server.terminate();
        let (_, said) = server.wait();
        assert!(!said.is_empty() && said.lines().all(|line| line.starts_with(prefix)), "{stream}: {said}");
    }
    let line = "JOURNAL_STREAM=$(stat -L -c %d:%i /dev/stderr) exec \"$0\" serve --listen 192.0.2.1:0";
    let output = Command::new("sh").args(["-c", line]).arg(program()).output().expect("sh starts");
    assert!(output.stderr.starts_with(b"<3>cannot listen on 192.0.2.1:0"), "{output:?}");
}

#[test]
fn an_error_output_that_nobody_empties_holds_nobody_up() {
    let (mut reader, writer) = std::io::pipe().expect("a pipe");
    let mut filler = fs::File::from(std::os::fd::OwnedFd::from(writer.try_clone().expect("a descriptor")));
    let length = rustix::pipe::fcntl_getpipe_size(&filler).expect("a pipe has a size");
    filler.write_all(&vec![b' '; length]).expect("it holds so much");
    let mut command = Command::new(program());
    command.args(["serve", "--listen", "127.0.0.1:0", "--workers", "1", "--max-connections", "1"]);
    let server = Boardd::spawn_as_is(command.stdin(Stdio::null()).stderr(writer));
    drop(command);
    let mut first = server.connect();
    first.expect_greeting();
    // About this one there is something to say, several times.
    let mut second = server.connect();
    second.send(GET);
    (0..50).for_each(|_| {
        std::thread::sleep(std::time::Duration::from_millis(10));
        first.expect_greeting();
    });
    drop(first);
    assert_eq!(second.answer().status, 200);
    drop(second);
    server.terminate();
    assert!(server.wait().0.success());
    drop(filler);
    let mut rest = Vec::new();
    reader.read_to_end(&mut rest).expect("it ended");
    assert_eq!(rest.len(), length, "only what was there before");
}
