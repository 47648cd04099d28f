//! Several requests on one connection: their order, the bodies between them, who asks for a body, and who ends it all
//! (RFC 9112 §9, RFC 9110 §10.1.1).

use super::{End, Row, get, post, refused, row, run};

const OLD: &str = "GET / HTTP/1.0\r\n";

/// A POST to a handler of this path with a body of five bytes, framed in either way.
fn five(path: &str, lines: &str, is_chunked: bool) -> String {
    let (framing, body) = if is_chunked {
        ("Transfer-Encoding: chunked", "5\r\nGET /\r\n0\r\n\r\n")
    } else {
        ("Content-Length: 5", "GET /")
    };
    format!("POST {path} HTTP/1.1\r\nHost: a\r\n{lines}{framing}\r\n\r\n{body}")
}

fn bodies_between() -> Vec<Row> {
    let mut rows = Vec::new();
    for is_chunked in [false, true] {
        let kind = if is_chunked { "chunked" } else { "counted" };
        for (path, answer) in [
            ("/echo", "200 POST /echo GET /"),
            ("/unread", "200 POST /unread"),
            ("/in-place", "200 POST /in-place"),
            ("/", "405"),
            ("/nothing", "404"),
        ] {
            let name = format!("a {kind} body for {path} between requests");
            let bytes = format!("{}{}{}", get(""), five(path, "", is_chunked), get(""));
            rows.push(row("9112 §9.3", &name, bytes, &["200 GET /", answer, "200 GET /"], End::Stays));
            let name = format!("an empty line behind a {kind} body for {path}");
            let bytes = format!("{}\r\n{}", five(path, "", is_chunked), get(""));
            rows.push(row("9112 §2.2", &name, bytes, &[answer, "200 GET /"], End::Stays));
        }
    }
    let large = |path: &str| {
        format!("POST {path} HTTP/1.1\r\nHost: a\r\nContent-Length: 200000\r\n\r\n{}", "x".repeat(200_000))
    };
    rows.push(row("9112 §9.3", "many requests at once", get("").repeat(50), &["200 GET /"; 50], End::Stays));
    rows.push(refused("9112 §9.6", "405", "a body too long to be skipped", large("/")));
    rows.push(refused(
        "9112 §9.6",
        "200 POST /unread",
        "a body too long to be left unread",
        large("/unread"),
    ));
    rows.push(refused(
        "9112 §9.6",
        "200 POST /in-place",
        "a body too long to be left unread in place",
        large("/in-place"),
    ));
    rows
}

fn expectations() -> Vec<Row> {
    let expect = "Expect: 100-continue\r\n";
    let old = |lines: &str| format!("POST /echo HTTP/1.0\r\n{lines}Content-Length: 5\r\n\r\nhello");
    let unknown = |value: &str| post(&format!("Expect: {value}\r\nContent-Length: 5\r\n"), "hello");
    vec![
        refused("9110 §10.1.1", "404", "for a path that is not there", five("/nothing", expect, false)),
        refused("9110 §10.1.1", "405", "for a method that the path has not", five("/", expect, true)),
        refused("9110 §10.1.1", "413", "for a body that is too long", {
            format!("POST /limited HTTP/1.1\r\nHost: a\r\n{expect}Content-Length: 2000\r\n\r\n")
        }),
        row("9110 §10.1.1", "without a body", post(expect, ""), &["200 POST /echo "], End::Stays),
        row(
            "9110 §10.1.1",
            "with a length of 0",
            post(&format!("{expect}Content-Length: 0\r\n"), ""),
            &["200 POST /echo "],
            End::Stays,
        ),
        row(
            "9110 §10.1.1",
            "in HTTP/1.0, which has none",
            old(expect),
            &["200 POST /echo hello"],
            End::Asked,
        ),
        row(
            "9110 §10.1.1",
            "unknown in HTTP/1.0, which has none",
            old("Expect: coffee\r\n"),
            &["200 POST /echo hello"],
            End::Asked,
        ),
        refused("9110 §15.5.18", "417", "an unknown one", unknown("coffee")),
        refused("9110 §15.5.18", "417", "an unknown one among others", unknown("100-continue, coffee")),
        refused("9110 §15.5.18", "417", "an empty one", unknown("")),
    ]
}

fn endings() -> Vec<Row> {
    let closed = |section, name, bytes: String| row(section, name, bytes, &["200 GET /"], End::Asked);
    let kept = |section, name, bytes: String| row(section, name, bytes, &["200 GET /"], End::Stays);
    vec![
        closed("9112 §9.3", "HTTP/1.0", format!("{OLD}\r\n")),
        closed("9112 §9.3", "HTTP/1.0 with a Host", format!("{OLD}Host: a\r\n\r\n")),
        kept("9112 §9.3", "HTTP/1.0 that asks for more", format!("{OLD}Connection: keep-alive\r\n\r\n")),
        kept(
            "9112 §9.3",
            "HTTP/1.0 that asks for more, as ab does",
            format!("{OLD}Connection: Keep-Alive\r\n\r\n"),
        ),
        closed(
            "9112 §9.6",
            "HTTP/1.0 that wants both",
            format!("{OLD}Connection: keep-alive, close\r\n\r\n"),
        ),
        closed("9112 §9.6", "close", get("Connection: close\r\n")),
        closed("9112 §9.6", "close in capitals", get("CONNECTION: CLOSE\r\n")),
        closed("9112 §9.6", "close in a list", get("Connection: x,close ,y\r\n")),
        closed("9112 §9.6", "close behind keep-alive", get("Connection: keep-alive, close\r\n")),
        closed("9112 §9.6", "close before keep-alive", get("Connection: close, keep-alive\r\n")),
        closed(
            "9112 §9.6",
            "close in a second header",
            get("Connection: keep-alive\r\nConnection: close\r\n"),
        ),
        closed(
            "9112 §9.6",
            "close in a first header",
            get("Connection: close\r\nConnection: keep-alive\r\n"),
        ),
        kept("9112 §9.3", "keep-alive in HTTP/1.1", get("Connection: keep-alive\r\n")),
        kept("9112 §9.3", "an option that is not known", get("Connection: closed, x-close\r\n")),
        kept("9110 §7.8", "an upgrade that is not had", get("Connection: upgrade\r\nUpgrade: websocket\r\n")),
        row(
            "9112 §9.6",
            "close with a body",
            five("/echo", "Connection: close\r\n", true),
            &["200 POST /echo GET /"],
            End::Asked,
        ),
        row("9110 §9.3.2", "HEAD", "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n", &["HEAD 200 HEAD /"], End::Stays),
        row(
            "9110 §9.3.2",
            "HEAD of what is not there",
            "HEAD /x HTTP/1.1\r\nHost: a\r\n\r\n",
            &["HEAD 404"],
            End::Stays,
        ),
        row(
            "9110 §9.3.2",
            "HEAD that may not be",
            "HEAD /echo HTTP/1.1\r\nHost: a\r\n\r\n",
            &["HEAD 405"],
            End::Stays,
        ),
        refused(
            "9110 §15.5.12",
            "411",
            "a POST of HTTP/1.0 without a length",
            "POST /echo HTTP/1.0\r\n\r\nhello",
        ),
        row("9110 §8.6", "OPTIONS", "OPTIONS / HTTP/1.1\r\nHost: a\r\n\r\n", &["204"], End::Stays),
    ]
}

#[test]
fn bodies_that_nobody_reads_are_not_requests() {
    run(&bodies_between());
}

#[test]
fn a_body_is_asked_for_only_when_it_is_wanted() {
    run(&expectations());
}

#[test]
fn who_ends_the_connection() {
    run(&endings());
}
