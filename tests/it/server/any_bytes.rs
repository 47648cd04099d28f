//! Any bytes in any pieces give answers or a close: never a hang, never a crash.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};

use proptest::prelude::*;

use crate::support::boardd::Boardd;
use crate::support::client::{Answer, HANG};

/// Pieces of requests, whole and broken: strung together they get past the first look.
const FRAGMENTS: [&str; 62] = [
    "HEAD /bytes/70000 HTTP/1.1\r\nHost: a\r\n\r\n",
    "HEAD ",
    "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
    "POST /json HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello",
    "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n",
    "GET /bytes/70000 HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
    "5\r\nhello\r\n",
    "0\r\n\r\n",
    "ffffffffffffffff\r\n",
    "GET ",
    "POST ",
    "OPTIONS ",
    "CONNECT ",
    "BREW ",
    "/",
    "/bytes/",
    "/json",
    "*",
    "http://a/",
    "?a=b",
    "#",
    "%",
    "12",
    " HTTP/1.1\r\n",
    " HTTP/1.0\r\n",
    " HTTP/1.2\r\n",
    " HTTP/2.0\r\n",
    " http/1.1\r\n",
    "Host: a\r\n",
    "Host: [::1]:80\r\n",
    "Host: \r\n",
    "Content-Length: 5\r\n",
    "Content-Length: 0\r\n",
    "Content-Length: 70000\r\n",
    "Content-Length: +5\r\n",
    "Content-Length: 99999999999999999999\r\n",
    "Transfer-Encoding: chunked\r\n",
    "Transfer-Encoding: gzip, chunked\r\n",
    "transfer-encoding : chunked\r\n",
    "Connection: close\r\n",
    "Connection: keep-alive, x\r\n",
    "Expect: 100-continue\r\n",
    "Expect: x\r\n",
    "X: y\r\n",
    "X:\r\n",
    ": y\r\n",
    " folded\r\n",
    "\r\n",
    "\n",
    "\r",
    "\n\n",
    "\r\n\r\n",
    "\0",
    "\t",
    " ",
    ":",
    ";x=y\r\n",
    "\u{e9}",
    "\u{7f}",
    "HTTP/1.1",
    "GET / HTTP/1.1\r\nHost: a\r\nX: ",
];

/// A stretch of bytes: mostly like HTTP, sometimes anything, sometimes a lot of one thing.
fn stretch() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        20 => prop::sample::select(&FRAGMENTS[..]).prop_map(|fragment| fragment.as_bytes().to_vec()),
        2 => prop::collection::vec(any::<u8>(), 0..40),
        1 => (prop::sample::select(&FRAGMENTS[..]), 1_usize..4000)
            .prop_map(|(fragment, times)| fragment.repeat(times).into_bytes()),
        1 => (any::<u8>(), 1_usize..40_000).prop_map(|(byte, times)| vec![byte; times]),
    ]
}

fn stream() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(stretch(), 0..14).prop_map(|stretches| stretches.concat())
}

/// What came back: all of it, and whether the end was a reset.
struct Outcome {
    bytes: Vec<u8>,
    reset: bool,
}

/// Writes the stream in pieces from one thread and reads to the end in another, as either side may have to wait.
fn converse(server: &Boardd, stream: &[u8], pieces: &[usize]) -> Outcome {
    let socket = TcpStream::connect(server.address).expect("boardd takes connections");
    socket.set_nodelay(true).expect("a fresh socket takes options");
    socket.set_read_timeout(Some(HANG)).expect("a fresh socket takes options");
    socket.set_write_timeout(Some(HANG)).expect("a fresh socket takes options");
    let mut outcome = Outcome { bytes: Vec::new(), reset: false };
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let (mut left, mut sizes) = (stream, pieces.iter().cycle());
            while !left.is_empty() {
                let size = if left.len() > 2000 { 2000 } else { *sizes.next().unwrap_or(&1) };
                let (piece, rest) = left.split_at(size.min(left.len()));
                // A server that has closed has said what it had to say.
                if (&socket).write_all(piece).is_err() {
                    return;
                }
                left = rest;
            }
            let _ = socket.shutdown(Shutdown::Write);
        });
        match (&socket).read_to_end(&mut outcome.bytes) {
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::ConnectionReset => outcome.reset = true,
            Err(error) => panic!("neither answer nor close: {error}"),
        }
    });
    outcome
}

/// Takes the answers off what came; `None` when something else is among them. Answers to HEAD have no body, and which ones
/// these are, only the server knows: those that read as answers only without one.
fn answers(mut bytes: &[u8]) -> Option<Vec<Answer>> {
    let is_answer = |bytes: &[u8]| bytes.is_empty() || bytes.starts_with(b"HTTP/1.1 ");
    let mut answers = Vec::new();
    while !bytes.is_empty() {
        let read = |head_only| {
            let (answer, length) = is_answer(bytes).then(|| Answer::parse(bytes, head_only))??;
            is_answer(&bytes[length..]).then_some((answer, length))
        };
        let (answer, length) = read(false).or_else(|| read(true))?;
        answers.push(answer);
        bytes = &bytes[length..];
    }
    Some(answers)
}

#[test]
fn any_stream_gives_answers_or_a_close() {
    // One for all cases, which ends with the test.
    let server = Boardd::start(&["--workers", "2"]);
    let config = ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(stream in stream(), pieces in prop::collection::vec(1_usize..60, 1..20))| {
        let outcome = converse(&server, &stream, &pieces);
        let answers = answers(&outcome.bytes);
        prop_assert!(answers.is_some(), "{:?}", String::from_utf8_lossy(&outcome.bytes));
        let answers = answers.unwrap_or_default();
        // The client's end came: nobody may wait for more of its head.
        prop_assert!(answers.iter().all(|answer| answer.status != 408), "a deadline passed");
        // A client that asked to close and goes on talking may be hung up on; a refused one may not.
        let last = answers.last();
        let asked = last.is_some_and(|last| last.status < 300 && last.header("Connection") == Some("close"));
        prop_assert!(!outcome.reset || asked, "a reset after {:?}", last);
        server.expect_alive();
    });
}
