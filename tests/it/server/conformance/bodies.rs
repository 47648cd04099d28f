//! Chunked bodies, well and badly formed (RFC 9112 §7.1).

use super::{End, Row, chunked, refused, row, run};

/// What a body must not look like. Behind each comes a request, which must not be answered.
const BAD: [(&str, &str); 37] = [
    ("no size", "\r\nhello\r\n0\r\n\r\n"),
    ("only an extension", ";x\r\nhello\r\n0\r\n\r\n"),
    ("only a space", " \r\nhello\r\n0\r\n\r\n"),
    ("space before the size", " 5\r\nhello\r\n0\r\n\r\n"),
    ("space behind the size", "5 \r\nhello\r\n0\r\n\r\n"),
    ("tab behind the size", "5\t\r\nhello\r\n0\r\n\r\n"),
    ("space before the extension", "5 ;x\r\nhello\r\n0\r\n\r\n"),
    ("a prefix", "0x5\r\nhello\r\n0\r\n\r\n"),
    ("a plus", "+5\r\nhello\r\n0\r\n\r\n"),
    ("a minus", "-5\r\nhello\r\n0\r\n\r\n"),
    ("an underscore", "5_0\r\nhello\r\n0\r\n\r\n"),
    ("a letter beyond f", "g\r\nhello\r\n0\r\n\r\n"),
    ("a size of 17 digits", "00000000000000005\r\nhello\r\n0\r\n\r\n"),
    ("a size beyond 64 bits", "10000000000000005\r\nhello\r\n0\r\n\r\n"),
    ("a bare line feed behind the size", "5\nhello\r\n0\r\n\r\n"),
    ("a bare return behind the size", "5\rhello\r\n0\r\n\r\n"),
    ("a bare line feed in an extension", "5;x\nhello\r\n0\r\n\r\n"),
    ("a line feed within an extension", "5;\n\r\nhello\r\n0\r\n\r\n"),
    ("a NUL in an extension", "5;x\0\r\nhello\r\n0\r\n\r\n"),
    ("more data than its size", "5\r\nhelloX\r\n0\r\n\r\n"),
    ("less data than its size", "6\r\nhello\r\n0\r\n\r\n"),
    ("no line end behind the data", "5\r\nhello0\r\n\r\n"),
    ("a bare line feed behind the data", "5\r\nhello\n0\r\n\r\n"),
    ("a bare return behind the data", "5\r\nhello\r0\r\n\r\n"),
    ("a return and a letter behind the data", "5\r\nhello\rX0\r\n\r\n"),
    ("an empty line behind the data", "5\r\nhello\r\n\r\n0\r\n\r\n"),
    ("a bare line feed behind the last size", "0\n\r\n"),
    ("a bare line feed at the end", "0\r\n\n"),
    ("two bare line feeds at the end", "5\r\nhello\r\n0\n\n"),
    ("a return too many at the end", "0\r\n\r\r\n"),
    ("a request for a trailer", "0\r\nGET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n"),
    ("a trailer without a colon", "0\r\nX\r\n\r\n"),
    ("a trailer without a name", "0\r\n: y\r\n\r\n"),
    ("space before a trailer's colon", "0\r\nX : y\r\n\r\n"),
    ("a folded trailer", "0\r\nX: y\r\n z\r\n\r\n"),
    ("a bare line feed behind a trailer", "0\r\nX: y\n\r\n"),
    ("a NUL in a trailer", "0\r\nX: \0\r\n\r\n"),
];

/// What it may look like.
const GOOD: [(&str, &str, &str); 11] = [
    ("one chunk", "5\r\nhello\r\n0\r\n\r\n", "hello"),
    ("several", "1\r\nh\r\n4\r\nello\r\n0\r\n\r\n", "hello"),
    ("no bytes at all", "0\r\n\r\n", ""),
    ("digits of both cases", "0A\r\n0123456789\r\nb\r\n0123456789a\r\n0\r\n\r\n", "01234567890123456789a"),
    ("zeros before a size", "0000000000000005\r\nhello\r\n000\r\n\r\n", "hello"),
    ("an extension", "5;a=b\r\nhello\r\n0;c\r\n\r\n", "hello"),
    ("a quoted extension", "5;a=\"b;\\\"c\"\r\nhello\r\n0\r\n\r\n", "hello"),
    ("a trailer", "5\r\nhello\r\n0\r\nX: y\r\n\r\n", "hello"),
    (
        "trailers that would be a length and a coding",
        "0\r\nContent-Length: 9\r\nTransfer-Encoding: x\r\n\r\n",
        "",
    ),
    ("line ends within the data", "4\r\n\r\n\r\n\r\n0\r\n\r\n", "\r\n\r\n"),
    ("the end of a body within the data", "5\r\n0\r\n\r\n\r\n0\r\n\r\n", "0\r\n\r\n"),
];

#[test]
fn a_body_that_breaks_its_grammar_is_refused_and_ends_the_connection() {
    run(&BAD.map(|(name, body)| refused("9112 §7.1", "400", name, chunked(body))));
}

#[test]
fn a_body_is_read_as_it_is_written() {
    let rows = GOOD.map(|(name, body, seen)| {
        row("9112 §7.1", name, chunked(body), &[&format!("200 POST /echo {seen}")], End::Stays)
    });
    run(&rows);
}

fn bounds() -> Vec<Row> {
    let long = "a".repeat(5000);
    let limited = |lines: &str, body: &str| format!("POST /limited HTTP/1.1\r\nHost: a\r\n{lines}\r\n{body}");
    let megabyte = "x".repeat(1024 * 1024);
    let kilobyte = "x".repeat(1024);
    let seen = format!("200 POST /limited {kilobyte}");
    vec![
        refused(
            "9112 §7.1.1",
            "400",
            "an extension without end",
            chunked(&format!("5;{long}\r\nhello\r\n0\r\n\r\n")),
        ),
        refused("9112 §7.1.2", "400", "a trailer without end", chunked(&format!("0\r\nX: {long}\r\n\r\n"))),
        refused(
            "9112 §7.1.2",
            "400",
            "trailers without end",
            chunked(&format!("0\r\n{}\r\n", "X: y\r\n".repeat(2000))),
        ),
        row(
            "9110 §15.5.14",
            "as long as is wanted",
            limited("Content-Length: 1024\r\n", &kilobyte),
            &[&seen],
            End::Stays,
        ),
        refused(
            "9110 §15.5.14",
            "413",
            "a byte longer",
            limited("Content-Length: 1025\r\n", &format!("{kilobyte}x")),
        ),
        refused(
            "9110 §15.5.14",
            "413",
            "a megabyte longer",
            limited("Content-Length: 1048576\r\n", &megabyte),
        ),
        refused("9110 §15.5.14", "413", "a megabyte in one chunk", {
            limited("Transfer-Encoding: chunked\r\n", &format!("100000\r\n{megabyte}\r\n0\r\n\r\n"))
        }),
        refused("9110 §15.5.14", "413", "a chunk of the largest size", {
            limited("Transfer-Encoding: chunked\r\n", &format!("ffffffffffffffff\r\n{kilobyte}x"))
        }),
        refused("9110 §15.5.14", "413", "sizes whose sum is beyond 64 bits", {
            limited("Transfer-Encoding: chunked\r\n", &format!("400\r\n{kilobyte}\r\nffffffffffffffff\r\nx"))
        }),
        row(
            "9112 §8",
            "an unfinished length",
            limited("Content-Length: 5\r\n", "hell"),
            &["400"],
            End::Waits,
        ),
        row(
            "9112 §8",
            "an unfinished chunk",
            limited("Transfer-Encoding: chunked\r\n", "5\r\nhell"),
            &["400"],
            End::Waits,
        ),
        row(
            "9112 §8",
            "no last chunk",
            limited("Transfer-Encoding: chunked\r\n", "5\r\nhello\r\n"),
            &["400"],
            End::Waits,
        ),
        row(
            "9112 §8",
            "no end of the trailers",
            limited("Transfer-Encoding: chunked\r\n", "0\r\nX: y\r\n"),
            &["400"],
            End::Waits,
        ),
    ]
}

#[test]
fn a_body_is_bounded_and_must_be_whole() {
    run(&bounds());
}
