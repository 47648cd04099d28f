//! Request lines and header lines: what they may hold, where they end (RFC 9112 §2 to §5).

use super::{End, Row, get, refused, row, run};

/// Heads that are none.
const MALFORMED: [(&str, &str, &str); 46] = [
    ("9112 §2.2", "a bare line feed behind the request line", "GET / HTTP/1.1\nHost: a\r\n\r\n"),
    ("9112 §2.2", "a bare line feed behind a header", "GET / HTTP/1.1\r\nHost: a\n\r\n"),
    ("9112 §2.2", "a bare line feed between headers", "GET / HTTP/1.1\r\nHost: a\nX: y\r\n\r\n"),
    ("9112 §2.2", "a bare line feed behind an empty value", "GET / HTTP/1.1\r\nX:\nHost: a\r\n\r\n"),
    ("9112 §2.2", "a bare line feed behind a space", "GET / HTTP/1.1\r\nHost: a \n\r\n"),
    ("9112 §2.2", "a bare line feed at the end", "GET / HTTP/1.1\r\nHost: a\r\n\n"),
    ("9112 §2.2", "nothing but bare line feeds", "GET / HTTP/1.1\nHost: a\n\n"),
    ("9112 §2.2", "a bare line feed before the request", "\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"),
    ("9112 §2.2", "a bare return before the request", "\rGET / HTTP/1.1\r\nHost: a\r\n\r\n"),
    ("9112 §2.2", "a bare return in a value", "GET / HTTP/1.1\r\nHost: a\r\nX: y\rz\r\n\r\n"),
    ("9112 §2.2", "a bare return behind a value", "GET / HTTP/1.1\r\nHost: a\r\nX: y\r\r\n\r\n"),
    ("9112 §2.2", "a bare return in the request line", "GET /\rHTTP/1.1\r\nHost: a\r\n\r\n"),
    ("9112 §2.2", "space before the first header", "GET / HTTP/1.1\r\n X: y\r\nHost: a\r\n\r\n"),
    ("9112 §2.2", "tab before the first header", "GET / HTTP/1.1\r\n\tHost: a\r\n\r\n"),
    ("9112 §3", "two spaces before the target", "GET  / HTTP/1.1\r\nHost: a\r\n\r\n"),
    ("9112 §3", "two spaces before the version", "GET /  HTTP/1.1\r\nHost: a\r\n\r\n"),
    ("9112 §3", "a tab for a space", "GET\t/\tHTTP/1.1\r\nHost: a\r\n\r\n"),
    ("9112 §3", "space before the method", " GET / HTTP/1.1\r\nHost: a\r\n\r\n"),
    ("9112 §3", "space behind the version", "GET / HTTP/1.1 \r\nHost: a\r\n\r\n"),
    ("9112 §3", "a fourth word", "GET / HTTP/1.1 x\r\nHost: a\r\n\r\n"),
    ("9112 §3", "a space in the target", "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n"),
    ("9112 §3", "no target", "GET HTTP/1.1\r\nHost: a\r\n\r\n"),
    ("9112 §3", "no version", "GET /\r\nHost: a\r\n\r\n"),
    ("9112 §3.1", "a method that is no token", "G(T / HTTP/1.1\r\nHost: a\r\n\r\n"),
    ("9112 §3.1", "a NUL in the method", "G\0T / HTTP/1.1\r\nHost: a\r\n\r\n"),
    ("9112 §2.3", "a name of the protocol in small letters", "GET / http/1.1\r\nHost: a\r\n\r\n"),
    ("9112 §2.3", "another protocol", "GET / HTTPS/1.1\r\nHost: a\r\n\r\n"),
    ("9112 §2.3", "a version of two digits", "GET / HTTP/1.10\r\nHost: a\r\n\r\n"),
    ("9112 §2.3", "a version without a minor", "GET / HTTP/1\r\nHost: a\r\n\r\n"),
    ("9112 §2.3", "a comma in the version", "GET / HTTP/1,1\r\nHost: a\r\n\r\n"),
    ("9112 §3.2", "a fragment in the target", "GET /#x HTTP/1.1\r\nHost: a\r\n\r\n"),
    ("9112 §3.2", "letters beyond ASCII in the target", "GET /\u{e9} HTTP/1.1\r\nHost: a\r\n\r\n"),
    ("9112 §3.2", "a control in the target", "GET /\x01 HTTP/1.1\r\nHost: a\r\n\r\n"),
    ("9112 §3.2", "a target without a slash", "GET smuggled HTTP/1.1\r\nHost: a\r\n\r\n"),
    ("9112 §3.2.4", "an asterisk for another method", "GET * HTTP/1.1\r\nHost: a\r\n\r\n"),
    ("9112 §3.2.3", "an authority for another method", "GET a:80 HTTP/1.1\r\nHost: a\r\n\r\n"),
    ("9112 §5.1", "space before a colon", "GET / HTTP/1.1\r\nHost : a\r\n\r\n"),
    ("9112 §5.1", "tab before a colon", "GET / HTTP/1.1\r\nHost: a\r\nX\t: y\r\n\r\n"),
    ("9112 §5", "no name", "GET / HTTP/1.1\r\nHost: a\r\n: y\r\n\r\n"),
    ("9112 §5", "no colon", "GET / HTTP/1.1\r\nHost: a\r\nX\r\n\r\n"),
    ("9112 §5", "letters beyond ASCII in a name", "GET / HTTP/1.1\r\nHost: a\r\nX\u{e9}: y\r\n\r\n"),
    ("9112 §5", "a space in a name", "GET / HTTP/1.1\r\nHost: a\r\nX Y: z\r\n\r\n"),
    ("9112 §5.2", "a folded value", "GET / HTTP/1.1\r\nHost: a\r\nX: y\r\n z\r\n\r\n"),
    ("9112 §5.2", "a value folded with a tab", "GET / HTTP/1.1\r\nHost: a\r\nX: y\r\n\tz\r\n\r\n"),
    ("9110 §5.5", "a NUL in a value", "GET / HTTP/1.1\r\nHost: a\r\nX: \0\r\n\r\n"),
    ("9110 §5.6.2", "a NUL in a name", "GET / HTTP/1.1\r\nHost: a\r\nX\0: y\r\n\r\n"),
];

/// Values of Host that are none, and lines that make it none.
const BAD_HOSTS: [(&str, &str); 12] = [
    ("none", ""),
    ("two that agree", "Host: a\r\nHost: a\r\n"),
    ("two apart", "Host: a\r\nX: y\r\nhost: b\r\n"),
    ("a list", "Host: a, b\r\n"),
    ("a space", "Host: a b\r\n"),
    ("a path", "Host: a/b\r\n"),
    ("a user", "Host: u@a\r\n"),
    ("a scheme", "Host: http://a\r\n"),
    ("a query", "Host: a?b\r\n"),
    ("a quote", "Host: \"a\"\r\n"),
    ("letters beyond ASCII", "Host: \u{e9}\r\n"),
    ("folded", "Host:\r\n a\r\n"),
];

/// Heads that are fine, and what is answered.
const FINE: [(&str, &str, &str, &str); 20] = [
    ("9112 §2.2", "an empty line before", "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", "200 GET /"),
    ("9112 §2.2", "a few empty lines before", "\r\n\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", "200 GET /"),
    ("9112 §3.2.1", "a query", "GET /?a=b?c HTTP/1.1\r\nHost: a\r\n\r\n", "200 GET /?a=b?c"),
    (
        "9112 §3.2.1",
        "what browsers do not encode",
        "GET /?a|b^{} HTTP/1.1\r\nHost: a\r\n\r\n",
        "200 GET /?a|b^{}",
    ),
    (
        "9112 §3.2.2",
        "an absolute target",
        "GET http://b.example:80/?x HTTP/1.1\r\nHost: a\r\n\r\n",
        "200 GET /?x",
    ),
    (
        "9112 §3.2.2",
        "an absolute target without a path",
        "GET HTTP://b HTTP/1.1\r\nHost: a\r\n\r\n",
        "200 GET /",
    ),
    ("9112 §3.2.4", "an asterisk for OPTIONS", "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", "204"),
    ("9110 §7.2", "an empty Host", "GET / HTTP/1.1\r\nHost:\r\n\r\n", "200 GET /"),
    ("9110 §7.2", "a Host with a port", "GET / HTTP/1.1\r\nHost: board.local:8080\r\n\r\n", "200 GET /"),
    ("9110 §7.2", "a Host in brackets", "GET / HTTP/1.1\r\nHost: [::1]:80\r\n\r\n", "200 GET /"),
    ("9112 §5", "no space behind a colon", "GET / HTTP/1.1\r\nHost:a\r\n\r\n", "200 GET /"),
    (
        "9112 §5",
        "space and tab around a value",
        "GET / HTTP/1.1\r\nHost: \t a \t \r\nX: \ty\r\n\r\n",
        "200 GET /",
    ),
    (
        "9110 §5.5",
        "letters beyond ASCII in a value",
        "GET / HTTP/1.1\r\nHost: a\r\nX: \u{e9}\r\n\r\n",
        "200 GET /",
    ),
    (
        "9110 §5.6.2",
        "every sign of a token",
        "GET / HTTP/1.1\r\nHost: a\r\nx!#$%&'*+-.^_`|~9: y\r\n\r\n",
        "200 GET /",
    ),
    ("9110 §9.1", "an unknown method", "BREW / HTTP/1.1\r\nHost: a\r\n\r\n", "501"),
    ("9110 §9.1", "a method in small letters", "get / HTTP/1.1\r\nHost: a\r\n\r\n", "501"),
    ("9110 §9.3.6", "CONNECT, which is for proxies", "CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n", "501"),
    ("9110 §15.5.6", "a method that the path has not", "DELETE / HTTP/1.1\r\nHost: a\r\n\r\n", "405"),
    ("9110 §15.5.5", "a path that is not there", "GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n", "404"),
    (
        "9110 §4.2.3",
        "an encoded path is not the plain one",
        "GET /%6Darker HTTP/1.1\r\nHost: a\r\n\r\n",
        "404",
    ),
];

fn versions_and_limits() -> Vec<Row> {
    let newer = |minor: u8| format!("GET / HTTP/1.{minor}\r\nHost: a\r\n\r\n");
    let version = |version: &str| format!("GET / {version}\r\nHost: a\r\n\r\n");
    let target = |length: usize| format!("GET /{} HTTP/1.1\r\nHost: a\r\n\r\n", "a".repeat(length));
    let headers = |count: usize| get(&"X: y\r\n".repeat(count));
    vec![
        row("9110 §2.5", "HTTP/1.2", newer(2), &["200 GET /"], End::Stays),
        row("9110 §2.5", "HTTP/1.9", newer(9), &["200 GET /"], End::Stays),
        refused("9110 §15.6.6", "505", "HTTP/2.0", version("HTTP/2.0")),
        refused("9110 §15.6.6", "505", "HTTP/0.9 by its number", version("HTTP/0.9")),
        refused("9113 §3.4", "505", "HTTP/2 without asking", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
        row("9112 §3", "a target of 8,000 bytes", target(7999), &["404"], End::Stays),
        refused("9112 §3", "414", "a target longer than 8 KiB", target(8192)),
        refused("9112 §3", "414", "a target of 70 KiB", target(70 * 1024)),
        row("6585 §5", "100 headers", headers(99), &["200 GET /"], End::Stays),
        refused("6585 §5", "431", "101 headers", headers(100)),
        refused("6585 §5", "431", "5000 headers", headers(5000)),
        refused("6585 §5", "431", "a header of 17 KiB", get(&format!("X: {}\r\n", "y".repeat(17 * 1024)))),
        refused("6585 §5", "431", "a header of 70 KiB", get(&format!("X: {}\r\n", "y".repeat(70 * 1024)))),
        refused("6585 §5", "431", "a name of 17 KiB", get(&format!("{}: y\r\n", "x".repeat(17 * 1024)))),
        refused(
            "9110 §15.5.15",
            "414",
            "a method of 17 KiB",
            format!("{} / HTTP/1.1\r\n\r\n", "G".repeat(17 * 1024)),
        ),
    ]
}

#[test]
fn what_is_malformed_is_refused() {
    run(&MALFORMED.map(|(section, name, bytes)| refused(section, "400", name, bytes)));
}

#[test]
fn host_is_one_host() {
    let rows = BAD_HOSTS
        .map(|(name, lines)| refused("9112 §3.2", "400", name, format!("GET / HTTP/1.1\r\n{lines}\r\n")));
    run(&rows);
}

#[test]
fn what_is_well_formed_is_answered() {
    run(&FINE.map(|(section, name, bytes, answer)| row(section, name, bytes, &[answer], End::Stays)));
}

#[test]
fn versions_and_sizes_have_their_own_answers() {
    run(&versions_and_limits());
}
