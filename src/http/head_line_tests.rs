//! The lines of a head: where they end, what they begin with, which bytes they may hold.

use super::super::{is_blank, with_minor_1};
use super::tests::{error, parse, with};
use super::*;

#[test]
fn versions() {
    let whole = error;
    let error = |version: &str| error(&format!("GET / {version}\r\nHost: a\r\n\r\n"));
    for version in ["HTTP/2.0", "HTTP/3.0", "HTTP/0.9", "HTTP/0.0", "HTTP/9.9"] {
        assert_eq!(error(version), HttpError::Version, "{version}");
    }
    for version in [
        "http/1.1",
        "Http/1.1",
        "HTTP/1,1",
        "HTTP/1",
        "HTTP/1.",
        "HTTP/.1",
        "HTTP/11.1",
        "HTTP/1.10",
        "HTTP/1.1x",
        "HTTP/ 1.1",
        "HTTP/1.1 ",
        " HTTP/1.1",
        "HTTP/x.y",
        "HTTPS/1.1",
        "HTCPCP/1.0",
        "",
    ] {
        assert_eq!(error(version), HttpError::Malformed, "{version:?}");
    }
    assert_eq!(whole("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), HttpError::Version);
    assert_eq!(whole("GET /\r\n\r\n"), HttpError::Malformed);
}

#[test]
fn a_newer_minor_version_is_1_1_after_all() {
    for minor in 2..=9 {
        let text = format!("\r\nGET /x HTTP/1.{minor}\r\nHost: a\r\nContent-Length: 3\r\n\r\n");
        assert_eq!(error(&text), HttpError::NewerMinor, "{minor}");
        let copy = with_minor_1(text.as_bytes()).expect("such a version");
        let head = parse(std::str::from_utf8(&copy).expect("ASCII")).expect("valid");
        assert_eq!(head, (Method::Get, "/x".into(), None, Framing::Length(3), true));
    }
    // Its rules are those of 1.1.
    let copy = with_minor_1(b"GET / HTTP/1.2\r\n\r\n").expect("such a version");
    assert_eq!(error(std::str::from_utf8(&copy).expect("ASCII")), HttpError::Host);
    // What only begins like one is none.
    let copy = with_minor_1(b"GET / HTTP/1.22\r\nHost: a\r\n\r\n").expect("it begins like one");
    assert_eq!(error(std::str::from_utf8(&copy).expect("ASCII")), HttpError::Malformed);
}

#[test]
fn a_line_ends_in_carriage_return_and_line_feed() {
    let fields = "Host: a\r\nX: y \r\nEmpty:\r\nBlank: \t \r\n";
    let whole = format!("\r\nGET / HTTP/1.1\r\n{fields}\r\n");
    assert!(parse(&whole).is_ok());
    for (at, _) in whole.match_indices('\r') {
        let bare_line_feed = format!("{}{}", &whole[..at], &whole[at + 1..]);
        assert_eq!(error(&bare_line_feed), HttpError::Malformed, "{bare_line_feed:?}");
        let bare_return = format!("{}{}", &whole[..=at], &whole[at + 2..]);
        let verdict = parse_head(bare_return.as_bytes(), &mut header_slots()).map(|head| head.is_some());
        // The last one of all may still become a whole line end.
        let expected = if at + 2 == whole.len() { Ok(false) } else { Err(HttpError::Malformed) };
        assert_eq!(verdict, expected, "{bare_return:?}");
    }
    for text in ["GET / HTTP/1.1\n\n", "GET / HTTP/1.0\n\n", "GET / HTTP/1.0\r\n\n", "GET / HTTP/1.0\n\r\n"] {
        assert_eq!(error(text), HttpError::Malformed, "{text:?}");
    }
}

#[test]
fn a_few_empty_lines_come_before_a_request_and_no_more() {
    let blank = |count: usize| "\r\n".repeat(count);
    let verdict = |text: &str| {
        parse_head(text.as_bytes(), &mut header_slots()).map(|head| head.map(|(_, length)| length))
    };
    for count in 0..=8 {
        let text = format!("{}{}", blank(count), with(""));
        assert_eq!(verdict(&text), Ok(Some(text.len())), "{count}");
        assert_eq!(verdict(&blank(count)), Ok(None), "{count}");
        assert!(is_blank(blank(count).as_bytes()));
    }
    assert_eq!(verdict(&format!("{}{}", blank(9), with(""))), Err(HttpError::Malformed));
    assert_eq!(verdict(&blank(9)), Err(HttpError::Malformed));
    assert_eq!(verdict(&(blank(8) + "\r")), Err(HttpError::Malformed));
    for text in ["\n", "\r\n\n", "\n\r\n", "\r", "\r\r\n"] {
        assert_eq!(error(&format!("{text}{}", with(""))), HttpError::Malformed, "{text:?}");
    }
}

#[test]
fn smuggled_whitespace_and_controls_are_malformed() {
    for lines in [
        " X: y\r\n",
        "\tX: y\r\n",
        "X : y\r\n",
        "X\t: y\r\n",
        "X: y\r\n z\r\n",
        "X: y\r\n\tz\r\n",
        "X:\r\n y\r\n",
        "X: a\rb\r\n",
        "X: a\r\r\n",
        ": y\r\n",
        "X\r\n",
        "X y\r\n",
        "X[]: y\r\n",
        "X\u{e9}: y\r\n",
        "(X): y\r\n",
        "X,Y: z\r\n",
    ] {
        assert_eq!(error(&with(lines)), HttpError::Malformed, "{lines:?}");
    }
    for control in
        (0..b' ').chain([0x7f]).filter(|byte| !matches!(byte, b'\t' | b'\n' | b'\r')).map(char::from)
    {
        for lines in
            [format!("X: a{control}b\r\n"), format!("X{control}: y\r\n"), format!("X: {control}\r\n")]
        {
            assert_eq!(error(&with(&lines)), HttpError::Malformed, "{lines:?}");
        }
        for line in [format!("GET /{control}"), format!("GET{control} /"), format!("{control}GET /")] {
            let refused = error(&format!("{line} HTTP/1.1\r\nHost: a\r\n\r\n"));
            assert!(matches!(refused, HttpError::Malformed | HttpError::Target), "{line:?}: {refused}");
        }
    }
    for line in
        ["GET  /", "GET\t/", "GET /  ", "GET / x", " GET /", "", "GET", "GET / /", "G(T /", "GET\r\n/"]
    {
        assert_eq!(error(&format!("{line} HTTP/1.1\r\nHost: a\r\n\r\n")), HttpError::Malformed, "{line:?}");
    }
    assert!(parse(&with("X: \u{e9}\tz\r\n")).is_ok(), "a tab and what is not ASCII may stand in a value");
}
