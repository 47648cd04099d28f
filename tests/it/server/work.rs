//! The routes that stand for a user's own handlers: what they print, compute, wait for and send back.

use std::thread;

use crate::support::boardd::Boardd;
use crate::support::client::{Answer, Client, GET};

fn get(client: &mut Client, target: &str) -> Answer {
    client.send(format!("GET {target} HTTP/1.1\r\nHost: a\r\n\r\n"));
    client.answer()
}

#[test]
fn hello_prints_the_request_and_escapes_it() {
    let server = Boardd::start(&[]);
    let mut client = server.connect();
    client.send(
        "GET /hello?name=%3Cb%3EJ%C3%BCrgen+%26+Co&name=2&x=%2541&broken=%zz&=v&alone HTTP/1.1\r\n\
         Host: a\r\nX-Quote: \"><script>\r\nX-Latin: \u{e9}\r\n\r\n",
    );
    let answer = client.answer();
    assert_eq!(answer.header("Content-Type"), Some("text/html; charset=utf-8"));
    let page = answer.text();
    for row in [
        "<h1>GET /hello</h1>",
        "<dt>name<dd>&lt;b&gt;J\u{fc}rgen &amp; Co\n",
        "<dt>name<dd>2\n",
        "<dt>x<dd>%41\n",
        "<dt>broken<dd>%zz\n",
        "<dt><dd>v\n",
        "<dt>alone<dd>\n",
        "<dt>X-Quote<dd>&quot;&gt;&lt;script&gt;\n",
        "<dt>Host<dd>a\n",
    ] {
        assert!(page.contains(row), "{row} is not in {page}");
    }
    assert!(!page.contains("<script>"), "{page}");
}

#[test]
fn work_and_slow_say_what_they_take() {
    let server = Boardd::start(&["--workers", "1"]);
    let mut client = server.connect();
    for target in ["/work?us=0", "/work?us=1000", "/work?x=1&us=5", "/slow?ms=0", "/slow?ms=20"] {
        assert_eq!(get(&mut client, target).text(), "done\n", "{target}");
    }
    for target in [
        "/work",
        "/work?us=",
        "/work?us=-1",
        "/work?us=10000001",
        "/slow?ms=60001",
        "/slow?ms=1e3",
        "/slow?us=1",
    ] {
        let answer = get(&mut client, target);
        let path = target.split('?').next().expect("a path");
        assert_eq!(answer.status, 400, "{target}");
        assert!(
            answer.text().starts_with(path) && answer.text().contains("is a number from 0 to "),
            "{}",
            answer.text()
        );
    }
}

#[test]
fn others_are_answered_while_work_is_done_and_slow_ones_wait() {
    let server = Boardd::start(&["--workers", "1"]);
    let (mut slow, mut work, mut other) = (server.connect(), server.connect(), server.connect());
    slow.send("GET /slow?ms=60000 HTTP/1.1\r\nHost: a\r\n\r\n");
    work.send("GET /work?us=300000 HTTP/1.1\r\nHost: a\r\n\r\n");
    for _ in 0..100 {
        other.expect_greeting();
    }
    work.stream.set_nonblocking(true).expect("a socket takes options");
    let error = std::io::Read::read(&mut work.stream, &mut [0; 1]).expect_err("it computes still");
    assert_eq!(error.kind(), std::io::ErrorKind::WouldBlock);
    work.stream.set_nonblocking(false).expect("a socket takes options");
    assert_eq!(work.answer().text(), "done\n");
}

#[test]
fn more_work_than_is_done_in_time_is_refused_at_once_and_all_are_answered() {
    let server = Boardd::start(&["--workers", "1"]);
    let clients: Vec<_> = (0..200)
        .map(|_| {
            let mut client = server.connect();
            thread::spawn(move || {
                let answer = get(&mut client, "/work?us=20000");
                let retry = answer.header("Retry-After").map(str::to_owned);
                client.expect_greeting();
                (answer.status, retry)
            })
        })
        .collect();
    let answers: Vec<_> = clients.into_iter().map(|client| client.join().expect("no panic")).collect();
    let (done, refused): (Vec<_>, Vec<_>) = answers.into_iter().partition(|(status, _)| *status == 200);
    assert!(!done.is_empty() && !refused.is_empty(), "{} done, {} refused", done.len(), refused.len());
    assert!(
        refused.iter().all(|(status, retry)| *status == 503 && retry.as_deref() == Some("1")),
        "{refused:?}"
    );
    server.terminate();
    let (_, said) = server.wait();
    let count = refused.len();
    assert!(said.contains(&format!("0 errors 4xx, {count} errors 5xx, {count} refused, ")), "{said}");
}

#[test]
fn echo_sends_back_what_comes_up_to_its_limit() {
    let server = Boardd::start(&[]);
    let mut client = server.connect();
    client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Type: text/x\r\nContent-Length: 5\r\n\r\nhello");
    let answer = client.answer_in_chunks();
    assert_eq!((answer.header("Content-Type"), answer.text()), (Some("text/x"), "hello"));
    client.send("POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n");
    assert_eq!(client.answer_in_chunks().text(), "hello");
    client.send("POST /echo HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 16777217\r\n\r\n");
    let answer = client.answer();
    assert_eq!((answer.status, answer.header("Connection")), (413, Some("close")));
    client.expect_end();
    let mut old = server.connect();
    old.send("POST /echo HTTP/1.0\r\nContent-Length: 5\r\n\r\nhello");
    let answer = String::from_utf8(old.rest()).expect("text");
    assert!(answer.ends_with("\r\n\r\nhello") && !answer.contains("chunked"), "{answer}");
    let mut nameless = server.connect();
    nameless.send("POST /echo HTTP/1.0\r\n\r\nhello");
    assert_eq!(nameless.answer().status, 411);
}

#[test]
fn a_later_minor_version_is_served_as_ours_and_blank_lines_begin_no_request() {
    let server = Boardd::start(&["--workers", "1", "--head-timeout", "0.2"]);
    let mut client = server.connect();
    client.send("GET /json HTTP/1.2\r\nHost: a\r\n\r\nGET / HTTP/1.9\r\nHost: a\r\n\r\nPOST /echo HTTP/1.3\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc");
    assert_eq!(client.answer().text(), "{\"message\":\"Hello, World!\"}");
    assert_eq!(client.answer().text(), "Hello, World!");
    assert_eq!(client.answer_in_chunks().text(), "abc");
    client.send("\r\n");
    // Longer than a head may take.
    assert_eq!(get(&mut server.connect(), "/slow?ms=500").status, 200);
    client.send(GET);
    assert_eq!(client.answer().status, 200);
}
