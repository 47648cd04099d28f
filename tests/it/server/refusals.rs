//! Errors arrive: the status is seen and the stream ends cleanly, although the client had more to say.

use std::io::{Read, Write};

use crate::support::boardd::Boardd;
use crate::support::client::{Answer, GET};

fn with(lines: &str) -> String {
    format!("GET / HTTP/1.1\r\nHost: a\r\n{lines}\r\n")
}

/// Sends `bytes` and a request behind them; all that came, which must have ended cleanly.
fn refused(server: &Boardd, bytes: &str, half_close: bool) -> Vec<Answer> {
    let mut client = server.connect();
    client.send(format!("{bytes}{}", GET.repeat(20)));
    if half_close {
        client.finish();
    }
    Answer::parse_all(&client.rest())
}

/// Fails the test unless each is answered with `status` alone, and the connection ends.
fn expect_refused(status: u16, cases: &[String]) {
    let server = Boardd::start(&["--workers", "1"]);
    for case in cases {
        for half_close in [false, true] {
            let shown = &case[..case.len().min(120)];
            let answers = refused(&server, case, half_close);
            let got: Vec<_> = answers.iter().map(|answer| answer.status).collect();
            assert_eq!(got, [status], "{shown:?}");
            assert_eq!(answers[0].header("Connection"), Some("close"), "{shown:?}");
        }
    }
    server.expect_alive();
}

#[test]
fn too_many_or_too_large_headers_are_431() {
    let many = |count: usize| with(&"X: y\r\n".repeat(count));
    let large = |bytes: usize| with(&format!("X: {}\r\n", "y".repeat(bytes)));
    expect_refused(431, &[many(100), many(101), many(5000), large(17_000), large(40_000), large(70 * 1024)]);
}

#[test]
fn a_hundred_headers_are_fine() {
    let server = Boardd::start(&["--workers", "1"]);
    let answers = refused(&server, &with(&"X: y\r\n".repeat(99)), true);
    assert_eq!(answers.len(), 21);
}

#[test]
fn too_long_a_target_is_414() {
    let target = |bytes: usize| format!("GET /{} HTTP/1.1\r\nHost: a\r\n\r\n", "a".repeat(bytes));
    expect_refused(414, &[target(8192), target(20_000), target(70 * 1024)]);
}

#[test]
fn a_message_whose_end_is_contested_is_400() {
    let lines = [
        "Content-Length: 47\r\nContent-Length: 0\r\n",
        "Content-Length: 5\r\nContent-Length: 5\r\n",
        "Content-Length: 5, 5\r\n",
        "Content-Length: +5\r\n",
        "Content-Length: -1\r\n",
        "Content-Length: 5 5\r\n",
        "Content-Length: 0x5\r\n",
        "Content-Length:\r\n",
        "Content-Length: 18446744073709551616\r\n",
        "Content-Length : 5\r\n",
        "Transfer-Encoding : chunked\r\n",
        "Transfer-Encoding: chunked\t\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
        "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked, chunked\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked, identity\r\n",
        "Transfer-Encoding: identity\r\n",
        "Transfer-Encoding: xchunked\r\n",
        "Transfer-Encoding:\r\n",
        "Transfer-Encoding: \x0bchunked\r\n",
        " Transfer-Encoding: chunked\r\n",
        "X: y\r\n Transfer-Encoding: chunked\r\n",
        "X: y\rTransfer-Encoding: chunked\r\n",
        "X\0: y\r\n",
        "X: \0\r\n",
        "Host: b\r\n",
    ];
    let mut cases: Vec<_> = lines.iter().map(|lines| with(lines)).collect();
    cases.push("GET / HTTP/1.1\r\n\r\n".into());
    cases.push("GET / HTTP/1.1\r\nHost: a b\r\n\r\n".into());
    cases.push("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n".into());
    expect_refused(400, &cases);
}

#[test]
fn what_is_understood_and_not_had_says_so() {
    expect_refused(501, &[with("Transfer-Encoding: gzip, chunked\r\n")]);
    expect_refused(
        505,
        &["GET / HTTP/2.0\r\nHost: a\r\n\r\n".into(), "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".into()],
    );
    expect_refused(417, &[with("Expect: coffee\r\n")]);
}

#[test]
fn a_chunked_body_that_is_none_ends_the_connection() {
    let server = Boardd::start(&["--workers", "1"]);
    for body in
        ["", "x\r\n", "5\nhello", "-5\r\n", "5\r\nhelloX", "0x5\r\n", "00000000000000001\r\n", "5;\n\r\n"]
    {
        let request = format!("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n{body}");
        for half_close in [false, true] {
            let answers = refused(&server, &request, half_close);
            let got: Vec<_> = answers.iter().map(|answer| answer.status).collect();
            // Answered before its body was looked at; what matters is that nothing behind it is taken for a request.
            assert_eq!(got, [405], "{body:?}");
        }
    }
    server.expect_alive();
}

#[test]
fn a_megabyte_that_nobody_wants_does_not_destroy_its_answer() {
    let server = Boardd::start(&["--workers", "1"]);
    for half_close in [false, true] {
        let head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1048576\r\n\r\n";
        let answers = refused(&server, &format!("{head}{}", "x".repeat(1024 * 1024)), half_close);
        assert_eq!(answers.len(), 1);
        assert_eq!((answers[0].status, answers[0].header("Connection")), (405, Some("close")));
    }
    server.expect_alive();
}

#[test]
fn who_never_stops_sending_is_cut_off() {
    let server = Boardd::start(&["--workers", "1"]);
    let base = server.base_descriptors();
    for start in [
        "GET /",
        "GET / HTTP/1.1\r\nHost: a\r\nX: ",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 999999999\r\n\r\n",
    ] {
        let mut client = server.connect();
        client.send(start);
        let endless = vec![b'a'; 64 * 1024];
        while client.stream.write_all(&endless).is_ok() {}
        let mut status = [0; 12];
        client.stream.read_exact(&mut status).expect("the answer outlives the reset");
        assert!(status.starts_with(b"HTTP/1.1 4"), "{:?}", String::from_utf8_lossy(&status));
    }
    server.until_descriptors(base);
    server.expect_alive();
}
