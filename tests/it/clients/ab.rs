//! ab: HTTP/1.0 with and without keep-alive, as a tool that is everywhere speaks it.

use std::process::{Command, Stdio};

use crate::scratch::Scratch;
use crate::support::boardd::{Boardd, until};

use super::library::{Library, PAGE, large};
use super::{Client, Row, Servers, hold, run, run_rows, spawn, text, url};

const AB: Client = Client {
    cannot: &[
        ("echo-chunked", "it sends bodies with Content-Length only"),
        ("echo-slow", "it sends a body as fast as it is taken"),
        ("continue", "it sends the header and the body after it, and takes the first answer for the last"),
        ("long-target", "it cuts a request's head off after 8191 bytes"),
        ("pipelined", "it waits for each answer"),
        ("events", "it shows an answer when it is whole"),
        ("stalled", "it never stops in the middle of a body"),
    ],
    pending: &[],
};

#[test]
fn every_case_through_ab() {
    AB.check(&run_rows(ROWS, &Servers::start()));
}

/// What ab printed after a run in which everything was answered.
struct Report(String);

impl Report {
    /// What stands behind `label`; ab leaves out some of what is nothing.
    fn figure(&self, label: &str) -> &str {
        let line = self.0.lines().find_map(|line| line.strip_prefix(label)?.strip_prefix(':'));
        line.unwrap_or("0").trim()
    }

    /// Fails the test unless so many requests were answered with so many bytes each, and so many of them kept their
    /// connection.
    fn expect(&self, requests: usize, length: usize, kept: usize) -> &Self {
        let is =
            ["Complete requests", "Document Length", "Keep-Alive requests"].map(|label| self.figure(label));
        let expected = [requests.to_string(), format!("{length} bytes"), kept.to_string()];
        assert_eq!(is, [&*expected[0], &*expected[1], &*expected[2]], "{}", self.0);
        assert_eq!((self.figure("Failed requests"), self.figure("Write errors")), ("0", "0"), "{}", self.0);
        self
    }

    /// Fails the test unless so many answers were errors, or no news.
    fn expect_other_than_2xx(&self, count: usize) {
        assert_eq!(self.figure("Non-2xx responses"), count.to_string(), "{}", self.0);
    }
}

fn ab(arguments: &[&str]) -> Report {
    let mut command = Command::new("ab");
    // Longer without an answer is a hang.
    command.args(["-q", "-s", "30"]).args(arguments);
    let output = run(&mut command, "apache2-utils", b"");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    Report(said)
}

/// Four requests with these arguments and with keep-alive.
fn kept(arguments: &[&str]) -> Report {
    ab(&[&["-k", "-n", "4"], arguments].concat())
}

/// An answer as ab shows it, head and all.
fn shown(arguments: &[&str]) -> String {
    ab(&[&["-v", "4", "-n", "1"], arguments].concat()).0
}

const ROWS: &[Row] = &[
    ("kept", |_| {
        for path in ["/plaintext", "/bytes/20000"] {
            let length = if path == "/plaintext" { 13 } else { 20_000 };
            let boardd = Boardd::start(&[]);
            let report = ab(&["-k", "-n", "2000", "-c", "10", &url(boardd.address, path)]);
            report.expect(2000, length, 2000).expect_other_than_2xx(0);
            boardd.terminate();
            let (_, said) = boardd.wait();
            assert!(said.contains("served 2000 requests on 10 connections"), "{said}");
        }
    }),
    ("http-1.0-kept", |servers| {
        let answer = shown(&["-k", &servers.boardd("/plaintext")]);
        assert!(answer.contains("\r\nConnection: keep-alive\r\n"), "{answer}");
        kept(&[&servers.boardd("/plaintext")]).expect(4, 13, 4);
    }),
    ("http-1.0", |_| {
        let boardd = Boardd::start(&[]);
        ab(&["-n", "200", "-c", "5", &url(boardd.address, "/bytes/20000")]).expect(200, 20_000, 0);
        boardd.terminate();
        let (_, said) = boardd.wait();
        // It may have opened one more for a request that it did not make.
        assert!(said.contains("served 200 requests on 20"), "{said}");
    }),
    ("close", |servers| {
        kept(&["-H", "Connection: close", &servers.boardd("/plaintext")]).expect(4, 13, 0);
    }),
    ("head", |servers| {
        for path in ["/json", "/bytes/1000000"] {
            kept(&["-i", &servers.boardd(path)]).expect(4, 0, 4);
        }
    }),
    ("errors", |servers| {
        kept(&[&servers.boardd("/nothing")]).expect(4, 14, 4).expect_other_than_2xx(4);
        kept(&["-m", "DELETE", &servers.boardd("/json")]).expect(4, 23, 4).expect_other_than_2xx(4);
        kept(&["-m", "BREW", &servers.boardd("/json")]).expect(4, 20, 4).expect_other_than_2xx(4);
        kept(&[&servers.boardd("/bytes/many")]).expect(4, 52, 4).expect_other_than_2xx(4);
        let answer = shown(&["-k", "-H", "Host: a b", &servers.boardd("/json")]);
        assert!(answer.contains("HTTP/1.1 400 Bad Request\r\n"), "{answer}");
    }),
    ("errors/counted", |_| {
        let boardd = Boardd::start(&[]);
        kept(&[&url(boardd.address, "/nothing")]).expect(4, 14, 4);
        boardd.terminate();
        let (_, said) = boardd.wait();
        assert!(said.contains("; 4 errors 4xx, 0 errors 5xx"), "{said}");
    }),
    ("query", |servers| {
        let answer = shown(&[&servers.boardd("/hello?name=%3Cb%3EJ%C3%BCrgen+%26+Co&x=%2541&broken=%zz")]);
        for row in ["<dt>name<dd>&lt;b&gt;Jürgen &amp; Co\n", "<dt>x<dd>%41\n", "<dt>broken<dd>%zz\n"] {
            assert!(answer.contains(row), "{row} is not in {answer}");
        }
    }),
    ("bytes", |servers| {
        for length in [0, 1, 4096, 65_537, 1_000_000] {
            kept(&[&servers.boardd(&format!("/bytes/{length}"))]).expect(4, length, 4);
        }
    }),
    ("json", |servers| {
        kept(&[&servers.boardd("/json")]).expect(4, 27, 4);
        assert!(shown(&[&servers.boardd("/json")]).contains("{\"message\":\"Hello, World!\"}"));
    }),
    // An answer of unknown length ends with its connection, as HTTP/1.0 knows no chunks.
    ("echo-length", |servers| {
        for length in [5, 1_000_000] {
            post(length, &servers.boardd("/echo")).expect(4, length, 0).expect_other_than_2xx(0);
        }
    }),
    ("chunked", |servers| {
        kept(&[&servers.library("/letters/20")]).expect(4, 190_000, 0).expect_other_than_2xx(0);
    }),
    ("large-body", |servers| {
        post(32_000_000, &servers.boardd("/echo")).expect(4, 62, 0).expect_other_than_2xx(4);
    }),
    // Its end is waited for, and the connection after it is of use only if that is near.
    ("large-body/unwanted", |servers| {
        for (length, kept) in [(5, 4), (60_000, 4), (1_000_000, 0)] {
            post(length, &servers.boardd("/json")).expect(4, 23, kept).expect_other_than_2xx(4);
        }
    }),
    ("large-head", |servers| {
        let url = servers.boardd("/");
        let mut arguments = vec!["-v", "4", "-n", "1", "-k"];
        arguments.extend(["-H", "X: y"].repeat(200));
        let answer = ab(&[&arguments[..], &[&url]].concat()).0;
        assert!(answer.contains("HTTP/1.1 431 ") && answer.contains("\r\nConnection: close\r\n"), "{answer}");
    }),
    ("parallel", |servers| {
        for path in ["/slow?ms=30", "/work?us=1000"] {
            let report = ab(&["-k", "-n", "40", "-c", "10", &servers.boardd(path)]);
            report.expect(40, 5, 40).expect_other_than_2xx(0);
        }
    }),
    ("file", |servers| {
        let url = servers.library("/page.html");
        kept(&[&url]).expect(4, PAGE.len(), 4).expect_other_than_2xx(0);
        let since = format!("If-Modified-Since: {}", servers.library.page_date());
        kept(&["-H", &since, &url]).expect(4, 0, 4).expect_other_than_2xx(4);
    }),
    ("range", |servers| {
        let url = servers.library("/large.bin");
        kept(&["-H", "Range: bytes=0-99", &url]).expect(4, 100, 4).expect_other_than_2xx(0);
        kept(&["-H", "Range: bytes=10000000-", &url]).expect(4, 26, 4).expect_other_than_2xx(4);
    }),
    ("precompressed", |servers| {
        let url = servers.library("/coded.txt");
        for coding in ["gzip", "br", "zstd"] {
            let answer = shown(&["-H", &format!("Accept-Encoding: {coding}"), &url]);
            // Of a body it shows what stands before the first zero.
            assert!(answer.contains(&format!("\r\nContent-Encoding: {coding}\r\n")), "{answer}");
        }
        assert!(shown(&[&url]).contains(&Library::coded(None)));
    }),
    ("large-file", |servers| {
        kept(&[&servers.library("/large.bin")]).expect(4, large().len(), 4).expect_other_than_2xx(0);
    }),
    ("drain", |servers| {
        let boardd = &servers.draining;
        let mut held = hold(boardd);
        let before = boardd.descriptors();
        let mut command = Command::new("ab");
        command.args(["-q", "-k", "-n", "2", &url(boardd.address, "/slow?ms=200")]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = spawn(&mut command, "apache2-utils");
        until("the client has come", || boardd.descriptors() > before);
        boardd.terminate();
        let output = child.wait_with_output().expect("our child");
        let said = text(&output.stderr);
        assert!(said.contains("Connection refused"), "{said}");
        assert!(text(&output.stdout).contains("Total of 1 requests completed"), "{output:?}");
        assert_eq!(held.answer().header("Connection"), Some("close"));
    }),
];

/// Four requests with a body of so many bytes.
fn post(length: usize, url: &str) -> Report {
    let folder = Scratch::new();
    folder.write("body", &vec![b'x'; length]);
    kept(&["-p", folder.0.join("body").to_str().expect("text"), url])
}
