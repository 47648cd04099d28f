//! Heads, good and bad. Every line names the rule that it holds.

use super::*;

/// Parses a head that must be complete and returns what a test wants to see of it.
pub(super) fn parse(text: &str) -> Result<(Method, String, Option<String>, Framing, bool), HttpError> {
    let mut slots = header_slots();
    let (head, length) = parse_head(text.as_bytes(), &mut slots)?.expect("complete head");
    assert_eq!(length, text.len(), "the whole head is consumed");
    Ok((head.method, head.path.into(), head.query.map(Into::into), head.framing, head.keep_alive))
}

pub(super) fn error(text: &str) -> HttpError {
    parse(text).expect_err(text)
}

/// A GET with these header lines, Host included.
pub(super) fn with(lines: &str) -> String {
    format!("GET / HTTP/1.1\r\nHost: a\r\n{lines}\r\n")
}

#[test]
fn a_plain_request() {
    let head = parse("GET /a/b?c=d HTTP/1.1\r\nHost: board.local:80\r\n\r\n").expect("valid");
    assert_eq!(head, (Method::Get, "/a/b".into(), Some("c=d".into()), Framing::Empty, true));
}

#[test]
fn every_prefix_asks_for_more() {
    let whole = b"\r\nPOST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n";
    for end in 0..whole.len() {
        assert!(parse_head(&whole[..end], &mut header_slots()).expect("no error").is_none(), "prefix {end}");
    }
    assert!(parse_head(whole, &mut header_slots()).expect("no error").is_some());
}

#[test]
fn host_is_required_single_and_a_host() {
    for lines in
        ["", "Host: a\r\nHost: a\r\n", "Host: a/b\r\n", "Host: u@a\r\n", "Host: a, b\r\n", "Host: a b\r\n"]
    {
        assert_eq!(error(&format!("GET / HTTP/1.1\r\n{lines}\r\n")), HttpError::Host, "{lines:?}");
    }
    for host in ["", "a", "[::1]:8080", "192.168.1.7", "orange_pi.local."] {
        assert!(parse(&format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n")).is_ok(), "{host}");
    }
    assert!(parse("GET / HTTP/1.0\r\n\r\n").is_ok(), "1.0 needs none");
}

#[test]
fn content_length_is_digits_once() {
    assert_eq!(parse(&with("Content-Length: 47\r\n")).expect("valid").3, Framing::Length(47));
    assert_eq!(parse(&with("Content-Length: 0\r\n")).expect("valid").3, Framing::Empty);
    // White space around a value is not part of it (RFC 9112 §5).
    assert_eq!(parse(&with("Content-Length:\t0047 \t\r\n")).expect("valid").3, Framing::Length(47));
    let largest = with("Content-Length: 18446744073709551615\r\n");
    assert_eq!(parse(&largest).expect("valid").3, Framing::Length(u64::MAX));
    for value in [
        "+5",
        "-5",
        "5, 5",
        "5,5",
        "5,",
        "5 5",
        "0x5",
        "5.0",
        "1e2",
        "٥",
        "",
        " ",
        "5;",
        "18446744073709551616",
        "99999999999999999999999999999999999999999",
        "5\r\nContent-Length: 5",
        "5\r\ncontent-length: 6",
    ] {
        assert_eq!(error(&with(&format!("Content-Length: {value}\r\n"))), HttpError::Length, "{value}");
    }
}

#[test]
fn transfer_encoding_is_chunked_or_refused() {
    for value in ["chunked", "CHUNKED", "  chunked"] {
        let head = parse(&with(&format!("Transfer-Encoding:{value}\r\n"))).expect("valid");
        assert_eq!(head.3, Framing::Chunked, "{value:?}");
    }
    let refused = [
        "chunked, gzip",
        "chunked, identity",
        "chunked, chunked",
        "chunked,",
        ", chunked",
        "chunked;x",
        "chunked;x=y",
        "\"chunked\"",
        "'chunked'",
        "xchunked",
        "chunkedx",
        "chunke",
        "chunk",
        "identity",
        "gzip",
        "",
        "chunked\t",
        "chunked ",
        "\tchunked",
        " \tchunked",
        "chunked \t",
        "chun ked",
        "chunked chunked",
        "gzip chunked",
    ];
    for value in refused {
        let lines = format!("Transfer-Encoding:{value}\r\n");
        assert_eq!(error(&with(&lines)), HttpError::TransferEncoding, "{lines:?}");
    }
    let cases = [
        ("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", HttpError::Length),
        ("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", HttpError::Length),
        ("Content-Length: 0\r\nTransfer-Encoding: chunked\r\n", HttpError::Length),
        ("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", HttpError::TransferEncoding),
        ("Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n", HttpError::TransferEncoding),
        ("Transfer-Encoding: chunked\r\ntransfer-encoding: identity\r\n", HttpError::TransferEncoding),
        ("Transfer-Encoding: gzip, chunked\r\n", HttpError::UnknownCoding),
        ("Transfer-Encoding: \x0bchunked\r\n", HttpError::Malformed),
        ("Transfer-Encoding: chunked\x0c\r\n", HttpError::Malformed),
        ("Transfer-Encoding : chunked\r\n", HttpError::Malformed),
        ("Transfer-Encoding\t: chunked\r\n", HttpError::Malformed),
        ("Transfer-Encoding\r\n: chunked\r\n", HttpError::Malformed),
        ("Transfer-Encoding:\r\n chunked\r\n", HttpError::Malformed),
    ];
    for (lines, expected) in cases {
        assert_eq!(error(&with(lines)), expected, "{lines:?}");
    }
    assert_eq!(error("GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"), HttpError::TransferEncoding);
}

#[test]
fn connection_and_version_decide_keep_alive() {
    let keeps = |text: &str| parse(text).expect("valid").4;
    assert!(keeps(&with("")));
    assert!(!keeps(&with("Connection: close\r\n")));
    for close in [
        "Keep-Alive, Close",
        "close, keep-alive",
        "close\r\nConnection: keep-alive",
        "x\r\nConnection: close",
    ] {
        assert!(!keeps(&with(&format!("Connection: {close}\r\n"))), "{close}");
    }
    assert!(keeps(&with("connection: upgrade\r\n")));
    assert!(!keeps("GET / HTTP/1.0\r\n\r\n"));
    assert!(keeps("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n"));
}

#[test]
fn the_four_target_forms() {
    let path = |line: &str| parse(&format!("{line} HTTP/1.1\r\nHost: a\r\n\r\n")).map(|h| (h.1, h.2));
    assert_eq!(path("GET http://b.example:80/x?y"), Ok(("/x".into(), Some("y".into()))));
    assert_eq!(path("GET HTTP://b.example?y"), Ok(("/".into(), Some("y".into()))));
    assert_eq!(path("GET http://b.example"), Ok(("/".into(), None)));
    assert_eq!(path("OPTIONS *"), Ok(("*".into(), None)));
    for line in
        ["GET *", "GET foo", "GET ftp://a/x", "GET http://u@a/", "GET http:///x", "GET /a#b", "GET /é"]
    {
        assert_eq!(path(line), Err(HttpError::Target), "{line}");
    }
}

#[test]
fn limits_have_their_own_status() {
    let long_target = format!("GET /{} HTTP/1.1\r\nHost: a\r\n\r\n", "a".repeat(MAX_TARGET_BYTES));
    assert_eq!(error(&long_target), HttpError::TargetTooLong);
    let endless = format!("GET /{}", "a".repeat(MAX_HEAD_BYTES));
    assert_eq!(error(&endless), HttpError::TargetTooLong);
    let big_header = with(&format!("X: {}\r\n", "a".repeat(70 * 1024)));
    assert_eq!(error(&big_header), HttpError::HeadTooLarge);
    let fits = with(&"X: y\r\n".repeat(MAX_HEADERS - 1));
    assert!(parse(&fits).is_ok());
    let one_too_many = with(&"X: y\r\n".repeat(MAX_HEADERS));
    assert_eq!(error(&one_too_many), HttpError::HeadTooLarge);
}

#[test]
fn expect_is_continue_or_nothing() {
    let expects = |text: &str| {
        let mut slots = header_slots();
        parse_head(text.as_bytes(), &mut slots).map(|head| head.expect("complete").0.expects_continue)
    };
    let body = "Content-Length: 5\r\n";
    assert_eq!(expects(&with(&format!("Expect: 100-Continue\r\n{body}"))), Ok(true));
    assert_eq!(expects(&with(&format!("{body}Expect: 100-continue\r\n"))), Ok(true));
    assert_eq!(expects(&with("Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n")), Ok(true));
    assert_eq!(expects(&with("Expect: 100-continue\r\n")), Ok(false), "no body to wait with");
    for value in ["coffee", "", "100-continue, coffee", "100-continue;q=1", "100"] {
        assert_eq!(error(&with(&format!("Expect: {value}\r\n{body}"))), HttpError::Expectation, "{value}");
        let old = format!("POST / HTTP/1.0\r\nExpect: {value}\r\n{body}\r\n");
        assert_eq!(expects(&old), Ok(false), "HTTP/1.0 has no expectations");
    }
    assert_eq!(expects(&format!("POST / HTTP/1.0\r\nExpect: 100-continue\r\n{body}\r\n")), Ok(false));
}
