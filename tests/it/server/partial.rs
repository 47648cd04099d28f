//! Answers that the client's window does not take at once.

use std::io::Read;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crate::support::boardd::Boardd;
use crate::support::client::{Client, GET, filler};

const LARGEST: usize = 16 * 1024 * 1024;

/// As small as the kernel lets a receive buffer be.
const NARROW: usize = 2048;

fn ask(count: usize) -> String {
    format!("GET /bytes/{count} HTTP/1.1\r\nHost: a\r\n\r\n")
}

/// Reads exactly the body of the filler, in small pieces; nothing is kept.
fn expect_filler(client: &mut Client, length: usize, piece: usize) {
    let mut got = vec![0; piece];
    let line = filler(64 + piece);
    let mut at = 0;
    while at < length {
        let take = piece.min(length - at);
        client.stream.read_exact(&mut got[..take]).expect("more of the body");
        assert!(got[..take] == line[at % 64..][..take], "wrong bytes after {at}");
        at += take;
    }
}

/// Reads a head, byte by byte so that nothing of the body is taken.
fn head(client: &mut Client) -> String {
    let (mut head, mut byte) = (Vec::new(), [0]);
    while !head.ends_with(b"\r\n\r\n") {
        client.stream.read_exact(&mut byte).expect("more of the head");
        head.push(byte[0]);
    }
    String::from_utf8(head).expect("ASCII")
}

#[test]
fn the_largest_answer_through_a_narrow_window_is_exact_and_holds_nobody_up() {
    let server = Boardd::start(&["--workers", "1"]);
    let mut slow = Client::connect_narrow(server.address, NARROW);
    slow.send(format!("{}{GET}", ask(LARGEST)));
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let others = scope.spawn(|| {
            let (mut count, mut client) = (0, server.connect());
            while !done.load(Ordering::Relaxed) {
                client.expect_greeting();
                server.expect_alive();
                count += 1;
            }
            count
        });
        assert!(head(&mut slow).contains("Content-Length: 16777216\r\n"));
        expect_filler(&mut slow, LARGEST, 3000);
        done.store(true, Ordering::Relaxed);
        assert!(others.join().expect("the others were served") > 0);
    });
    assert_eq!(slow.answer().text(), "Hello, World!");
}

#[test]
fn glued_large_answers_through_a_narrow_window_are_exact_and_in_order() {
    let server = Boardd::start(&["--workers", "1"]);
    let mut client = Client::connect_narrow(server.address, NARROW);
    let lengths = [300_000, 0, 4096, 1, 65_537, 4097, 1_000_001, 64 * 1024, 200_000];
    client.send(lengths.iter().map(|length| format!("{}{GET}", ask(*length))).collect::<String>());
    for length in lengths {
        let head = head(&mut client);
        assert!(head.contains(&format!("Content-Length: {length}\r\n")), "{head}");
        expect_filler(&mut client, length, 1000);
        expect_greeting(&mut client);
    }
    client.finish();
    client.expect_end();
}

/// The greeting, read without taking a byte of what follows.
fn expect_greeting(client: &mut Client) {
    let head = head(client);
    assert!(head.contains("Content-Length: 13\r\n"), "{head}");
    let mut body = [0; 13];
    client.stream.read_exact(&mut body).expect("a body");
    assert_eq!(&body, b"Hello, World!");
}

#[test]
fn thousands_of_small_answers_wait_for_a_client_that_does_not_read_yet() {
    let server = Boardd::start(&["--workers", "1"]);
    let mut client = Client::connect_narrow(server.address, NARROW);
    let mut writer = client.stream.try_clone().expect("a descriptor");
    // More answers than both sockets hold: the server stops reading, and the writer waits as well.
    let count = 60_000;
    let requests = GET.repeat(count);
    let writing = thread::spawn(move || std::io::Write::write_all(&mut writer, requests.as_bytes()));
    server.expect_alive();
    let mut answers = Vec::new();
    let (mut seen, mut piece) = (0, vec![0; 8192]);
    while seen < count {
        let got = client.stream.read(&mut piece).expect("more answers");
        assert!(got > 0, "closed after {seen} answers");
        answers.extend_from_slice(&piece[..got]);
        let whole = answers.windows(13).filter(|window| window == b"Hello, World!").count();
        let end = answers.windows(13).rposition(|window| window == b"Hello, World!");
        seen += whole;
        answers.drain(..end.map_or(0, |end| end + 13));
    }
    writing.join().expect("it ends").expect("all was taken");
    assert_eq!(answers.len(), 0);
}

#[test]
fn a_half_closed_client_with_a_narrow_window_gets_the_whole_answer() {
    let server = Boardd::start(&["--workers", "1"]);
    let mut client = Client::connect_narrow(server.address, NARROW);
    client.send(format!("{GET}{}", ask(3_000_000)));
    client.finish();
    expect_greeting(&mut client);
    assert!(head(&mut client).contains("Content-Length: 3000000\r\n"));
    expect_filler(&mut client, 3_000_000, 5000);
    client.expect_end();
}

#[test]
fn the_last_large_answer_arrives_whole_before_the_end() {
    let server = Boardd::start(&["--workers", "1"]);
    let mut client = Client::connect_narrow(server.address, NARROW);
    client.send(format!("GET /bytes/3000000 HTTP/1.0\r\n\r\n{GET}"));
    assert!(head(&mut client).contains("Connection: close\r\n"));
    expect_filler(&mut client, 3_000_000, 5000);
    client.expect_end();
}
