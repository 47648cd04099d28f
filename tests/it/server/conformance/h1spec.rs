//! The checks of h1spec, a public conformance suite for HTTP/1.1 servers, written anew.

use super::{End, Row, get, post, refused, row, run};

/// A request that arrives in parts: where the first one ends.
const FRAGMENTS: [(&str, &str); 15] = [
    ("method", "G"),
    ("nothing behind the method", "GET "),
    ("target", "GET /mark"),
    ("nothing behind the target", "GET /marker "),
    ("version", "GET /marker HTTP"),
    ("request line", "GET /marker HTTP/1.1"),
    ("half the line end", "GET /marker HTTP/1.1\r"),
    ("no header yet", "GET /marker HTTP/1.1\r\n"),
    ("header name", "GET /marker HTTP/1.1\r\nHo"),
    ("colon", "GET /marker HTTP/1.1\r\nHost:"),
    ("space behind the colon", "GET /marker HTTP/1.1\r\nHost: "),
    ("header value", "GET /marker HTTP/1.1\r\nHost: a"),
    ("half the line end of a header", "GET /marker HTTP/1.1\r\nHost: a\r"),
    ("headers", "GET /marker HTTP/1.1\r\nHost: a\r\n"),
    ("half the empty line", "GET /marker HTTP/1.1\r\nHost: a\r\n\r"),
];

fn rows() -> Vec<Row> {
    let mut rows: Vec<_> = FRAGMENTS
        .into_iter()
        .map(|(name, bytes)| {
            row("9112 §2.2", &format!("an unfinished request: {name}"), bytes, &[], End::Waits)
        })
        .collect();
    let ok = |section, name, bytes: String| row(section, name, bytes, &["200 GET /"], End::Stays);
    let long = "9".repeat(27);
    rows.extend([
        ok("9110 §9.3.1", "a plain GET", get("")),
        ok("9112 §5", "a tab behind the colon, a name in any case, and an empty value", {
            "GET / HTTP/1.1\r\nhoSt:\ta\r\nempty:\r\n\r\n".into()
        }),
        ok("9112 §5", "a value of one space", get("X-Empty: \r\n")),
        ok("9110 §10.1.1", "an expectation without a body", get("Expect: 100-continue\r\n")),
        row(
            "9110 §9.3.3",
            "a POST with a body",
            post("Content-Length: 5\r\n", "hello"),
            &["200 POST /echo hello"],
            End::Stays,
        ),
        refused("9112 §3", "400", "no version", "GET / \r\n\r\n"),
        refused("9112 §2.3", "505", "a version from the future", "GET / HTTP/9.9\r\nHost: a\r\n\r\n"),
        refused("9112 §3", "400", "text before the method", "Some textGET / HTTP/1.1\r\nHost: a\r\n\r\n"),
        refused("9112 §5.1", "400", "brackets in a header's name", get("X-Invalid[]: y\r\n")),
        refused("9110 §5.5", "400", "a bell in a value", get("X: y\x07\r\n")),
        refused("9112 §2.2", "400", "a return alone before a header", get("\rX: y\r\n")),
        refused("9112 §3.2", "400", "no Host", "GET / HTTP/1.1\r\nContent-Length: 5\r\n\r\n"),
        refused("9112 §3.2", "400", "two Hosts", get("Host: b\r\n")),
        refused("9112 §6.3", "400", "a negative length", get("Content-Length: -1234\r\n")),
        refused(
            "9112 §6.3",
            "400",
            "a negative length beyond any integer",
            get(&format!("Content-Length: -{long}\r\n")),
        ),
        refused("9112 §6.3", "400", "a length of letters", get("Content-Length: abc\r\n")),
        refused(
            "9112 §6.3",
            "400",
            "chunked and a length",
            get("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n"),
        ),
    ]);
    rows
}

#[test]
fn every_check_passes() {
    run(&rows());
}
