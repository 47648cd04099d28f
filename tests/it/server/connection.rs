//! Who keeps the connection, who ends it, and how.

use crate::support::boardd::Boardd;
use crate::support::client::{Answer, GET, exchange, filler};

const OLD: &str = "GET / HTTP/1.0\r\n\r\n";
const OLD_KEEP: &str = "GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n";

#[test]
fn http_1_0_is_answered_and_closed() {
    let server = Boardd::start(&[]);
    let mut client = server.connect();
    client.send(OLD);
    let answer = client.answer();
    assert_eq!((answer.status, answer.header("Connection")), (200, Some("close")));
    assert_eq!(answer.text(), "Hello, World!");
    client.expect_end();
}

#[test]
fn http_1_0_that_asks_for_it_is_kept() {
    let server = Boardd::start(&[]);
    let mut client = server.connect();
    for _ in 0..3 {
        client.send(OLD_KEEP);
        let answer = client.answer();
        assert_eq!((answer.status, answer.header("Connection")), (200, Some("keep-alive")));
        assert_eq!(answer.header("Content-Length"), Some("13"));
    }
    client.send("GET /nothing HTTP/1.0\r\nconnection: keep-alive\r\n\r\n");
    assert_eq!(client.answer().header("Connection"), Some("keep-alive"));
    client.send(OLD);
    assert_eq!(client.answer().header("Connection"), Some("close"));
    client.expect_end();
}

#[test]
fn close_is_honoured_and_nothing_after_it_is_answered() {
    let server = Boardd::start(&[]);
    for value in ["close", "Close", "keep-alive, close", "close, keep-alive", "x,close ,y"] {
        let last = format!("GET / HTTP/1.1\r\nHost: a\r\nConnection: {value}\r\n\r\n");
        let mut client = server.connect();
        client.send(format!("{GET}{last}{GET}"));
        let answers = Answer::parse_all(&client.rest());
        let closes: Vec<_> = answers.iter().map(|answer| answer.header("Connection")).collect();
        assert_eq!(closes, [None, Some("close")], "{value}");
    }
}

#[test]
fn a_half_closed_client_gets_all_its_answers() {
    let server = Boardd::start(&[]);
    let large = "GET /bytes/1000000 HTTP/1.1\r\nHost: a\r\n\r\n";
    let bytes = exchange(server.address, format!("{GET}{large}{GET}{large}"));
    let answers = Answer::parse_all(&bytes);
    let lengths: Vec<_> = answers.iter().map(|answer| answer.body.len()).collect();
    assert_eq!(lengths, [13, 1_000_000, 13, 1_000_000]);
    assert!(answers[3].body == filler(1_000_000));
}

#[test]
fn a_half_closed_client_that_said_nothing_whole_is_just_closed() {
    let server = Boardd::start(&[]);
    let body = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhalf";
    for (bytes, answers) in [("", 0), ("GE", 0), ("GET / HTTP/1.1\r\nHost: a\r\n", 0), (body, 1), ("\r\n", 0)]
    {
        assert_eq!(Answer::parse_all(&exchange(server.address, bytes)).len(), answers, "{bytes:?}");
    }
}

#[test]
fn clients_that_vanish_leave_nothing_behind() {
    let server = Boardd::start(&["--workers", "1"]);
    let base = server.base_descriptors();
    let mut witness = server.connect();
    witness.expect_greeting();
    let large = "GET /bytes/16777216 HTTP/1.1\r\nHost: a\r\n\r\n";
    let body = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\nhalf";
    for bytes in ["", "GET / HT", GET, large, body, "nonsense\r\n\r\n"] {
        for _ in 0..10 {
            let (mut reset, mut closed) = (server.connect(), server.connect());
            reset.send(bytes);
            closed.send(bytes);
            reset.reset();
        }
        witness.expect_greeting();
    }
    // In the middle of an answer: some of it was read.
    for _ in 0..10 {
        let mut client = server.connect();
        client.send(format!("{large}{large}"));
        let mut piece = [0; 1000];
        std::io::Read::read_exact(&mut client.stream, &mut piece).expect("the beginning of an answer");
        client.reset();
    }
    witness.expect_greeting();
    server.until_descriptors(base + 1);
}
