//! Every route, byte by byte.

use std::time::{Duration, SystemTime};

use crate::support::boardd::{Boardd, until};
use crate::support::client::{Answer, exchange, filler};

const TEXT: &str = "text/plain; charset=utf-8";
const PLAIN: &str = "text/plain";
const BINARY: &str = "application/octet-stream";
const BAD_COUNT: &str = "/bytes/N: N is a number of bytes from 0 to 16777216\n";

/// Sends one request, and returns what came, with the date, checked apart, as `DATE`.
fn raw(server: &Boardd, request: &str) -> Vec<u8> {
    let bytes = exchange(server.address, request);
    let at = bytes.windows(6).position(|six| six == b"Date: ").expect("a Date") + 6;
    let length = "Sun, 06 Nov 1994 08:49:37 GMT".len();
    let date = std::str::from_utf8(&bytes[at..at + length]).expect("ASCII");
    let time = httpdate::parse_http_date(date).expect("a valid Date");
    assert_eq!(httpdate::fmt_http_date(time), date, "in the preferred form");
    [&bytes[..at], b"DATE", &bytes[at + length..]].concat()
}

/// A request with nothing but what must be there.
fn request(method: &str, target: &str) -> String {
    format!("{method} {target} HTTP/1.1\r\nHost: a\r\n\r\n")
}

/// What must come back, the headers in their documented order.
fn wire(status: &str, headers: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
    let mut wire = format!("HTTP/1.1 {status}\r\nServer: boardd\r\nDate: DATE\r\n");
    for (name, value) in headers {
        wire += &format!("{name}: {value}\r\n");
    }
    [wire.as_bytes(), b"\r\n", body].concat()
}

/// The answer with a body of this type.
fn with_body(status: &str, media_type: &str, body: &[u8]) -> Vec<u8> {
    let length = body.len().to_string();
    wire(status, &[("Content-Type", media_type), ("Content-Length", &length)], body)
}

/// Compares without printing 16 MiB.
fn expect_same(got: &[u8], expected: &[u8], request: &str) {
    let start = |bytes: &[u8]| String::from_utf8_lossy(&bytes[..bytes.len().min(400)]).into_owned();
    assert_eq!(start(got), start(expected), "{request}");
    assert!(got == expected, "{request}: {} bytes came, {} were due", got.len(), expected.len());
}

#[test]
fn every_route_answers_these_bytes_to_get_and_the_same_head_to_head() {
    let server = Boardd::start(&[]);
    let message = br#"{"message":"Hello, World!"}"#;
    let mut cases = vec![
        ("/".to_owned(), with_body("200 OK", PLAIN, b"Hello, World!")),
        ("/plaintext".into(), with_body("200 OK", PLAIN, b"Hello, World!")),
        ("/?query".into(), with_body("200 OK", PLAIN, b"Hello, World!")),
        ("http://board.local:8080/".into(), with_body("200 OK", PLAIN, b"Hello, World!")),
        ("/json".into(), with_body("200 OK", "application/json", message)),
    ];
    for count in [0, 1, 4095, 4096, 4097, 65_536, 65_537, 16 * 1024 * 1024] {
        cases.push((format!("/bytes/{count}"), with_body("200 OK", BINARY, &filler(count))));
    }
    cases.push(("/bytes/1%30".into(), with_body("200 OK", BINARY, &filler(10))));
    for count in ["16777217", "-1", "x", "+1", "1e3", "18446744073709551616", "0x10", "1%2b"] {
        cases.push((format!("/bytes/{count}"), with_body("400 Bad Request", TEXT, BAD_COUNT.as_bytes())));
    }
    for path in ["/nothing", "/Json", "/json/", "//", "/bytes", "/bytes/1/2", "/%6Ason"] {
        cases.push((path.into(), with_body("404 Not Found", TEXT, b"404 Not Found\n")));
    }
    for (target, expected) in cases {
        expect_same(&raw(&server, &request("GET", &target)), &expected, &target);
        let end = expected.windows(4).position(|four| four == b"\r\n\r\n").expect("a head") + 4;
        expect_same(&raw(&server, &request("HEAD", &target)), &expected[..end], &format!("HEAD {target}"));
    }
}

#[test]
fn other_methods_are_told_which_are_allowed() {
    let server = Boardd::start(&[]);
    let allow = ("Allow", "GET, HEAD, OPTIONS");
    let text = b"405 Method Not Allowed\n";
    let headers = [("Content-Type", TEXT), ("Content-Length", "23"), allow];
    let refused = wire("405 Method Not Allowed", &headers, text);
    for method in ["POST", "PUT", "DELETE", "PATCH", "TRACE"] {
        for target in ["/", "/json", "/bytes/5"] {
            expect_same(&raw(&server, &request(method, target)), &refused, method);
        }
    }
    let options = wire("204 No Content", &[allow], b"");
    for target in ["/", "/plaintext", "/json", "/bytes/5"] {
        expect_same(&raw(&server, &request("OPTIONS", target)), &options, target);
    }
    let all = wire("204 No Content", &[("Allow", "GET, HEAD, POST, OPTIONS")], b"");
    expect_same(&raw(&server, &request("OPTIONS", "*")), &all, "*");
    let unknown = with_body("501 Not Implemented", TEXT, b"501 Not Implemented\n");
    for line in ["get", "BREW", "G.E.T!", "CONNECT"] {
        expect_same(&raw(&server, &request(line, "/")), &unknown, line);
    }
    for method in ["OPTIONS", "POST", "DELETE"] {
        let expected = with_body("404 Not Found", TEXT, b"404 Not Found\n");
        expect_same(&raw(&server, &request(method, "/nothing")), &expected, method);
    }
}

#[test]
fn what_is_no_request_is_answered_once_and_the_connection_ends() {
    let server = Boardd::start(&[]);
    for line in ["GET /", "GET / HTTP/1.1 x", "GET  / HTTP/1.1", "/ HTTP/1.1", "GET / http/1.1", "\0"] {
        let text = "400 Bad Request: the request line or a header is malformed\n";
        let length = text.len().to_string();
        let headers = [("Content-Type", TEXT), ("Content-Length", &*length), ("Connection", "close")];
        let expected = wire("400 Bad Request", &headers, text.as_bytes());
        expect_same(&raw(&server, &format!("{line}\r\nHost: a\r\n\r\n")), &expected, line);
    }
}

#[test]
fn the_date_is_now_and_moves_on() {
    let server = Boardd::start(&["--workers", "1"]);
    let mut client = server.connect();
    let mut date = || {
        client.send("GET /json HTTP/1.1\r\nHost: a\r\n\r\n");
        let answer: Answer = client.answer();
        httpdate::parse_http_date(answer.header("Date").expect("a Date")).expect("a valid Date")
    };
    let before = SystemTime::now();
    let first = date();
    let second = Duration::from_secs(1);
    assert!(first + second > before && first <= SystemTime::now(), "{first:?} is not now, {before:?}");
    let mut last = first;
    until("the next second but one", || {
        let next = date();
        assert!(next >= last, "back from {last:?} to {next:?}");
        last = next;
        next >= first + 2 * second
    });
    let now = SystemTime::now();
    assert!(last <= now && last + 2 * second > now, "{last:?} is not now, {now:?}");
}
