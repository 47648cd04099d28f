//! Who keeps boardd waiting is not waited for; 0 waits for ever.

use std::thread;
use std::time::{Duration, Instant};

use crate::support::boardd::Boardd;
use crate::support::client::{Client, GET};

/// A deadline that passes soon, and one that does not pass during a test.
const SOON: &str = "0.3";
const LATE: &str = "3600";

/// Longer than [`SOON`] and the two ticks by which it may be late.
const PAST_SOON: Duration = Duration::from_millis(800);

fn start(idle: &str, head: &str, write: &str) -> Boardd {
    let flags = ["--workers", "1", "--idle-timeout", idle, "--head-timeout", head, "--write-timeout", write];
    Boardd::start(&flags)
}

#[test]
fn an_idle_connection_is_closed_without_a_word() {
    let server = start(SOON, LATE, LATE);
    let (mut fresh, mut used) = (server.connect(), server.connect());
    used.expect_greeting();
    fresh.expect_end();
    used.expect_end();
}

#[test]
fn a_request_grants_the_whole_idle_time_again() {
    let server = start("0.6", LATE, LATE);
    let mut client = server.connect();
    let start = Instant::now();
    // Longer together than one idle time, each pause shorter.
    while start.elapsed() < Duration::from_millis(1500) {
        client.expect_greeting();
        thread::sleep(Duration::from_millis(50));
    }
    client.expect_end();
}

#[test]
fn a_slow_head_is_told_and_closed() {
    let server = start(LATE, SOON, LATE);
    for begun in ["G", "\r\nG", "GET / HTTP/1.1\r\nHost: a\r\n"] {
        let mut client = server.connect();
        client.expect_greeting();
        client.send(begun);
        let answer = client.answer();
        assert_eq!((answer.status, answer.header("Connection")), (408, Some("close")), "{begun:?}");
        client.expect_end();
    }
}

#[test]
fn a_head_in_drops_gets_one_deadline_for_all_of_it() {
    let server = start(LATE, SOON, LATE);
    let mut client = server.connect();
    client.send("GET / HTTP/1.1\r\nX: ");
    let mut writer = client.stream.try_clone().expect("a descriptor");
    let drops = thread::spawn(move || {
        while std::io::Write::write_all(&mut writer, b"y").is_ok() {
            thread::sleep(Duration::from_millis(20));
        }
    });
    assert_eq!(client.answer().status, 408);
    // Bytes go on coming: they are put up with for a while, then the connection is dropped.
    client.expect_gone();
    drops.join().expect("the client ends");
}

#[test]
fn a_body_in_drops_has_a_deadline_too() {
    let server = start(LATE, SOON, LATE);
    let mut client = server.connect();
    client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhalf");
    assert_eq!(client.answer().status, 405);
    client.expect_gone();
}

/// A client that asked for more than any socket holds, and reads none of it.
fn stuck(server: &Boardd) -> Client {
    let mut client = Client::connect_narrow(server.address, 4096);
    client.send("GET /bytes/16777216 HTTP/1.1\r\nHost: a\r\n\r\n");
    client
}

#[test]
fn a_reader_that_stops_reading_is_dropped() {
    let server = start(LATE, LATE, SOON);
    let mut witness = server.connect();
    witness.expect_greeting();
    let base = server.descriptors();
    let stuck: Vec<_> = (0..3).map(|_| stuck(&server)).collect();
    server.until_descriptors(base + stuck.len());
    server.until_descriptors(base);
    witness.expect_greeting();
}

#[test]
fn a_slow_reader_that_goes_on_reading_is_not_dropped() {
    let server = start(LATE, LATE, "0.5");
    let mut client = Client::connect_narrow(server.address, 4096);
    client.send("GET /bytes/9000000 HTTP/1.1\r\nHost: a\r\n\r\n");
    let (mut piece, mut left) = (vec![0; 512 * 1024], 9_000_000);
    while left > 0 {
        let count = std::io::Read::read(&mut client.stream, &mut piece).expect("more of the answer");
        assert!(count > 0, "cut off {left} bytes before the end");
        left -= count.min(left);
        if count > 100_000 {
            thread::sleep(Duration::from_millis(50));
        }
    }
}

#[test]
fn nought_switches_each_deadline_off() {
    let server = start("0", "0", "0");
    let mut idle = server.connect();
    let mut begun = server.connect();
    begun.send(&GET[..5]);
    let mut body = server.connect();
    body.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n12");
    assert_eq!(body.answer().status, 405);
    let mut stuck = stuck(&server);
    thread::sleep(PAST_SOON);
    idle.expect_greeting();
    begun.send(&GET[5..]);
    assert_eq!(begun.answer().status, 200);
    body.send("34");
    body.expect_greeting();
    assert_eq!(stuck.answer().body.len(), 16 * 1024 * 1024);
}

#[test]
fn a_deadline_that_is_off_does_not_take_the_idle_one_with_it() {
    let server = start(SOON, "0", "0");
    let mut slow = server.connect();
    slow.send(&GET[..5]);
    let mut stuck = stuck(&server);
    thread::sleep(PAST_SOON);
    slow.send(&GET[5..]);
    assert_eq!(slow.answer().status, 200);
    slow.expect_end();
    assert_eq!(stuck.answer().status, 200);
    stuck.expect_end();
}

#[test]
fn an_idle_time_shorter_than_the_others_holds_after_a_slow_request() {
    let server = start(SOON, LATE, LATE);
    let mut slow = server.connect();
    slow.send(&GET[..5]);
    thread::sleep(Duration::from_millis(50));
    slow.send(&GET[5..]);
    assert_eq!(slow.answer().status, 200);
    slow.expect_end();
    let mut large = stuck(&server);
    assert_eq!(large.answer().status, 200);
    large.expect_end();
}
