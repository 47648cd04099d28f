//! Where the network cuts a request must not matter; neither must how many come at once.

use std::io::Read;
use std::thread;

use crate::support::boardd::Boardd;
use crate::support::client::{Answer, Client, GET, exchange};

/// Requests, bodies that nobody wants among them, and the answers that are due, `true` for those to HEAD.
const REQUESTS: [(&str, u16, bool); 9] = [
    ("GET / HTTP/1.1\r\nHost: a\r\n\r\n", 200, false),
    ("\r\n\r\nGET /json?a=b HTTP/1.1\r\nHost: a\r\nX:  y \r\n\r\n", 200, false),
    ("HEAD /json HTTP/1.1\r\nHost: a\r\n\r\n", 200, true),
    ("GET /bytes/5 HTTP/1.1\r\nHost:a\t\r\n\r\n", 200, false),
    ("GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n", 404, false),
    ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 27\r\n\r\nGET /json HTTP/1.1\r\nHost: b", 405, false),
    (
        "PUT /json HTTP/1.1\r\nTransfer-Encoding: chunked\r\nHost: a\r\n\r\n\
         5;x=\"y\"\r\nGET /\r\n0A\r\n0123456789\r\n0\r\nX: y\r\n\r\n",
        405,
        false,
    ),
    ("GET /bytes/3 HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n\r\n", 200, false),
    ("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", 204, false),
];

fn next(client: &mut Client, head_only: bool) -> Answer {
    if head_only { client.answer_to_head() } else { client.answer() }
}

/// Waits until the server has taken what was sent, so that the next piece is a read of its own.
fn settle(client: &Client) {
    use rustix::net::{RecvFlags, recv};
    // Nothing tells when the other side has read. A round trip through the scheduler is enough nearly always, and
    // where it is not, the pieces come glued: one case less, no false alarm.
    thread::yield_now();
    let mut byte = [0];
    let _ = recv(&client.stream, &mut byte[..], RecvFlags::PEEK | RecvFlags::DONTWAIT);
}

#[test]
fn a_request_cut_at_any_byte_is_answered_as_if_it_were_not() {
    let server = Boardd::start(&["--workers", "1"]);
    let mut client = server.connect();
    for (request, status, head_only) in REQUESTS {
        client.send(request);
        let whole = next(&mut client, head_only);
        assert_eq!(whole.status, status, "{request:?}");
        for cut in 1..request.len() {
            client.send(&request[..cut]);
            settle(&client);
            client.send(&request[cut..]);
            let answer = next(&mut client, head_only);
            assert_eq!((answer.status, &answer.body), (status, &whole.body), "cut at {cut}: {request:?}");
        }
    }
    client.expect_greeting();
}

#[test]
fn requests_that_come_byte_by_byte_are_answered() {
    let server = Boardd::start(&["--workers", "1"]);
    let mut client = server.connect();
    for (request, status, head_only) in REQUESTS {
        for byte in request.as_bytes() {
            client.send([*byte]);
            settle(&client);
        }
        assert_eq!(next(&mut client, head_only).status, status, "{request:?}");
    }
    client.expect_greeting();
}

#[test]
fn glued_requests_are_answered_in_order() {
    let server = Boardd::start(&["--workers", "1"]);
    let mut client = server.connect();
    for start in 0..REQUESTS.len() {
        // Several times what one read takes, so that requests lie across the ends of reads.
        let order: Vec<_> = (0..1500).map(|step| REQUESTS[(start + step * step) % REQUESTS.len()]).collect();
        client.send(order.iter().map(|(request, ..)| *request).collect::<String>());
        for (request, status, head_only) in order {
            assert_eq!(next(&mut client, head_only).status, status, "{request:?}");
        }
    }
    client.expect_greeting();
}

#[test]
fn two_glued_messages_cut_at_any_byte_are_two() {
    let server = Boardd::start(&["--workers", "1"]);
    let mut client = server.connect();
    for (first, status, head_only) in REQUESTS {
        let both = format!("{first}HEAD /bytes/7 HTTP/1.1\r\nHost: a\r\n\r\n");
        for cut in 1..both.len() {
            client.send(&both[..cut]);
            settle(&client);
            client.send(&both[cut..]);
            assert_eq!(next(&mut client, head_only).status, status, "cut at {cut}: {both:?}");
            let last = client.answer_to_head();
            assert_eq!((last.status, last.header("Content-Length")), (200, Some("7")), "cut at {cut}");
        }
    }
}

#[test]
fn small_answers_to_glued_requests_leave_in_one_segment() {
    let server = Boardd::start(&["--workers", "1"]);
    let mut client = server.connect();
    client.expect_greeting();
    client.send(GET.repeat(16));
    let mut segment = vec![0; 64 * 1024];
    // A read returns what one segment brought when that is all there is; in one send it cannot be less.
    let count = client.stream.read(&mut segment).expect("answers");
    let answers = Answer::parse_all(&segment[..count]);
    assert_eq!(answers.len(), 16);
}

#[test]
fn a_body_of_any_size_is_skipped_or_ends_the_connection() {
    let server = Boardd::start(&["--workers", "1"]);
    for length in [1, 4096, 32 * 1024, 64 * 1024, 64 * 1024 + 1, 100_000] {
        let body = "x".repeat(length);
        let kept = length <= 64 * 1024;
        let plain = format!("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: {length}\r\n\r\n{body}{GET}");
        let answers = Answer::parse_all(&exchange(server.address, plain));
        let statuses: Vec<_> = answers.iter().map(|answer| answer.status).collect();
        assert_eq!(statuses, if kept { vec![405, 200] } else { vec![405] }, "{length} bytes");
        assert_eq!(answers[0].header("Connection"), (!kept).then_some("close"));
    }
}

#[test]
fn a_client_that_waits_for_continue_gets_its_answer_at_once_and_no_continue() {
    let server = Boardd::start(&["--workers", "1"]);
    let mut client = server.connect();
    client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n");
    let answer = client.answer();
    assert_eq!((answer.status, answer.header("Connection")), (405, Some("close")));
    client.expect_end();
}
