//! Refusals arrive: the status is seen and the stream ends cleanly, although the client had a lot more to say. What is
//! refused, and with which status, is in `conformance`.

use std::io::{Read, Write};

use crate::support::boardd::Boardd;
use crate::support::client::{Answer, GET};

/// Sends `bytes` and a request behind them; all that came, which must have ended cleanly.
fn refused(server: &Boardd, bytes: &str, half_close: bool) -> Vec<Answer> {
    let mut client = server.connect();
    client.send(format!("{bytes}{}", GET.repeat(20)));
    if half_close {
        client.finish();
    }
    Answer::parse_all(&client.rest())
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
