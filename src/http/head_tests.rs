//! Heads, good and bad. Every line names the rule that it holds.

use super::*;

/// Parses a head that must be complete and returns what a test wants to see of it.
fn parse(text: &str) -> Result<(Method, String, Option<String>, Framing, bool), HttpError> {
    let mut slots = header_slots();
    let (head, length) = parse_head(text.as_bytes(), &mut slots)?.expect("complete head");
    assert_eq!(length, text.len(), "the whole head is consumed");
    Ok((head.method, head.path.into(), head.query.map(Into::into), head.framing, head.keep_alive))
}

fn error(text: &str) -> HttpError {
    parse(text).expect_err(text)
}

/// A GET with these header lines, Host included.
fn with(lines: &str) -> String {
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
    for value in
        ["+5", "-5", "5, 5", "5 5", "0x5", "", "5;", "18446744073709551616", "5\r\nContent-Length: 5"]
    {
        assert_eq!(error(&with(&format!("Content-Length: {value}\r\n"))), HttpError::Length, "{value}");
    }
}

#[test]
fn transfer_encoding_is_chunked_or_refused() {
    assert_eq!(parse(&with("Transfer-Encoding: CHUNKED\r\n")).expect("valid").3, Framing::Chunked);
    let cases = [
        ("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", HttpError::Length),
        ("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", HttpError::Length),
        ("Transfer-Encoding: chunked, gzip\r\n", HttpError::TransferEncoding),
        ("Transfer-Encoding: chunked, chunked\r\n", HttpError::TransferEncoding),
        ("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", HttpError::TransferEncoding),
        ("Transfer-Encoding: xchunked\r\n", HttpError::TransferEncoding),
        ("transfer-encoding:chunked\t\r\n", HttpError::TransferEncoding),
        ("Transfer-Encoding: gzip, chunked\r\n", HttpError::UnknownCoding),
        ("Transfer-Encoding : chunked\r\n", HttpError::Malformed),
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
    assert!(!keeps(&with("Connection: Keep-Alive, Close\r\n")));
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
fn versions() {
    assert_eq!(error("GET / HTTP/2.0\r\nHost: a\r\n\r\n"), HttpError::Version);
    assert_eq!(error("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), HttpError::Version);
    assert_eq!(error("GET / http/1.1\r\nHost: a\r\n\r\n"), HttpError::Malformed);
    assert_eq!(error("GET /\r\n\r\n"), HttpError::Malformed);
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
    let mut slots = header_slots();
    let text = with("Expect: 100-Continue\r\n");
    let (head, _) = parse_head(text.as_bytes(), &mut slots).expect("valid").expect("complete");
    assert!(head.expects_continue);
    assert_eq!(error(&with("Expect: coffee\r\n")), HttpError::Expectation);
}

#[test]
fn smuggled_whitespace_and_controls_are_malformed() {
    for lines in
        [" X: y\r\n", "X : y\r\n", "X: y\r\n z\r\n", "X: a\0b\r\n", "X: a\rb\r\n", ": y\r\n", "X\r\n"]
    {
        assert_eq!(error(&with(lines)), HttpError::Malformed, "{lines:?}");
    }
}
