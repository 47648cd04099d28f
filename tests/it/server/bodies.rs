//! Bodies in and out of handlers that await, on a server built from the library as a user would.

use std::net::SocketAddr;
use std::num::NonZeroUsize;

use boardkit::http::Method;
use boardkit::server::{Config, Failure, Handle, Response, Routes, Server, blocking};
use smol::channel::{Receiver, Sender, unbounded};
use smol::stream::StreamExt;

use crate::support::client::{Client, GET, exchange};

/// A server with handlers that read, ignore, stream and panic.
struct Served {
    handle: Option<Handle>,
    address: SocketAddr,
    /// Told whenever a stream of `/ticks` is dropped.
    dropped: Receiver<()>,
}

/// Says when it is dropped.
struct Tells(Sender<()>);

impl Drop for Tells {
    fn drop(&mut self) {
        let _ = self.0.try_send(());
    }
}

fn routes(tell: Sender<()>) -> Routes {
    Routes::new()
        .get("/", |_, reply| reply.text("Hello, World!"))
        .get("/panics", |_, _| panic!("on purpose"))
        .get_async("/panics/later", |_| async move {
            smol::future::yield_now().await;
            if true {
                panic!("on purpose");
            }
            Response::empty()
        })
        .get_async("/panics/elsewhere", |_| async {
            blocking(|| panic!("on purpose")).await?;
            Ok::<_, Failure>(Response::empty())
        })
        .get_async("/panics/within", |_| async {
            let pieces = smol::stream::iter(0_u8..2).map(|at| Ok(vec![b'x'; usize::from(1 / (1 - at))]));
            Response::stream("text/plain", pieces)
        })
        .post_async("/length", |mut request| async move {
            let body = request.body.bytes(100_000).await?;
            Ok::<_, Failure>(Response::text(body.len().to_string()))
        })
        .on_async(Method::Put, "/ignores", |_| async { Response::text("ignored") })
        .get_async("/mirror", |request| async move { Response::stream("text/plain", request.body) })
        .post_async("/echo", |request| async move { Response::stream("text/plain", request.body) })
        .get_async("/letters/{count}", |request| async move {
            let count: u8 = request.param("count").and_then(|count| count.parse().ok()).unwrap_or(0);
            let pieces = smol::stream::iter((0..count).map(|at| Ok(vec![b'a' + at; usize::from(at) * 1000])));
            Response::stream("text/plain", pieces)
        })
        .get_async("/breaks", |_| async {
            let pieces = [Ok(b"begun".to_vec()), Err(std::io::Error::other("on purpose"))];
            Response::stream("text/plain", smol::stream::iter(pieces))
        })
        .get_async("/events", |_| async {
            Response::events(smol::stream::iter(["one".to_owned(), "two".to_owned()]))
        })
        .get_async("/ticks", move |_| {
            let tells = Tells(tell.clone());
            async move {
                let ticks = smol::stream::repeat_with(move || {
                    let _ = &tells;
                    Ok(vec![b'.'; 10_000])
                });
                Response::stream("text/plain", ticks)
            }
        })
}

impl Served {
    fn start() -> Self {
        let (tell, dropped) = unbounded();
        let config = Config::new(([127, 0, 0, 1], 0).into(), NonZeroUsize::MIN);
        let handle = Server::bind(config, routes(tell)).expect("loopback").start().expect("threads");
        Self { address: handle.address(), handle: Some(handle), dropped }
    }

    fn connect(&self) -> Client {
        Client::connect(self.address)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        if let Some(handle) = self.handle.take() {
            handle.stop();
            handle.join().expect("no worker failed");
        }
    }
}

fn post(path: &str, body: &str) -> String {
    format!("POST {path} HTTP/1.1\r\nHost: a\r\nContent-Length: {}\r\n\r\n{body}", body.len())
}

#[test]
fn a_handler_reads_its_body_however_it_comes() {
    let server = Served::start();
    let mut client = server.connect();
    client.send(post("/length", &"x".repeat(70_000)) + GET);
    assert_eq!(client.answer().text(), "70000");
    assert_eq!(client.answer().text(), "Hello, World!");
    client.send("POST /length HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nab");
    client.send("c\r\n2;x=y\r\nde\r\n0\r\nTrailer: z\r\n\r\n".to_owned() + GET);
    assert_eq!(client.answer().text(), "5");
    assert_eq!(client.answer().text(), "Hello, World!");
    client.send(
        post("/length", "") + "PUT /ignores HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nGET " + GET,
    );
    for expected in ["0", "ignored", "Hello, World!"] {
        assert_eq!(client.answer().text(), expected);
    }
}

#[test]
fn a_body_that_is_too_long_or_broken_is_refused_and_the_refusal_arrives() {
    let server = Served::start();
    let too_long = post("/length", &"x".repeat(100_001));
    let chunked = "POST /length HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
    let rows = [
        (too_long, 413),
        (format!("{chunked}186a1\r\n{}\r\n0\r\n\r\n", "x".repeat(100_001)), 413),
        (format!("{chunked}xyz\r\n"), 400),
        (format!("{chunked}2\r\nabc\r\n"), 400),
    ];
    for (request, status) in rows {
        let mut client = server.connect();
        client.send(request + GET);
        let answer = client.answer();
        assert_eq!((answer.status, answer.header("Connection")), (status, Some("close")), "{}", answer.head);
        client.finish();
        client.expect_end();
    }
    let answers = exchange(server.address, format!("{chunked}5\r\nab"));
    assert!(answers.starts_with(b"HTTP/1.1 400 "), "the client ended in the middle of it");
}

#[test]
fn continue_is_sent_when_the_body_is_wanted_and_only_then() {
    let server = Served::start();
    let head = |path: &str, length: usize| {
        format!("POST {path} HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: {length}\r\n\r\n")
    };
    let mut client = server.connect();
    client.send(head("/length", 3));
    client.expect_bytes(b"HTTP/1.1 100 Continue\r\n\r\n");
    client.send("abc");
    assert_eq!(client.answer().text(), "3");
    // Sent along unasked: no interim answer is needed any more.
    client.send(head("/length", 3) + "abc" + GET);
    assert_eq!(client.answer().text(), "3");
    assert_eq!(client.answer().text(), "Hello, World!");
    // Asked for by an answer that has begun: before that answer, not in it.
    client.send(head("/echo", 3));
    client.expect_bytes(b"HTTP/1.1 100 Continue\r\n\r\n");
    client.send("abc");
    assert_eq!(client.answer_in_chunks().text(), "abc");
    client.send(head("/length", 100_001));
    let answer = client.answer();
    assert_eq!((answer.status, answer.header("Connection")), (413, Some("close")));
    // HEAD wants no pieces, so nobody will read what they would have been made of.
    let mut client = server.connect();
    client.send("HEAD /mirror HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n");
    let answer = client.bytes_until("\r\n\r\n");
    assert!(answer.contains("\r\nConnection: close\r\n"), "{answer}");
    let mut client = server.connect();
    client.send(head("/ignores", 3).replace("POST", "PUT"));
    let answer = client.answer();
    assert_eq!((answer.text(), answer.header("Connection")), ("ignored", Some("close")));
}

#[test]
fn an_answer_in_pieces_is_chunked_and_the_connection_goes_on() {
    let server = Served::start();
    let mut client = server.connect();
    let letters: String =
        (0..20).map(|at| String::from(char::from(b'a' + at)).repeat(usize::from(at) * 1000)).collect();
    client.send(format!("GET /letters/20 HTTP/1.1\r\nHost: a\r\n\r\n{GET}"));
    let answer = client.answer_in_chunks();
    assert_eq!(answer.header("Content-Length"), None);
    assert!(answer.text() == letters, "{} bytes", answer.body.len());
    assert_eq!(client.answer().text(), "Hello, World!");
    client.send(format!("GET /letters/0 HTTP/1.1\r\nHost: a\r\n\r\n{GET}"));
    assert_eq!(client.answer_in_chunks().text(), "");
    assert_eq!(client.answer().text(), "Hello, World!");
    client.send("GET /events HTTP/1.1\r\nHost: a\r\n\r\n");
    let events = client.answer_in_chunks();
    assert_eq!(
        (events.header("Content-Type"), events.text()),
        (Some("text/event-stream"), "data: one\n\ndata: two\n\n")
    );
    client.send(format!("HEAD /letters/3 HTTP/1.1\r\nHost: a\r\n\r\n{GET}"));
    client.expect_bytes(b"HTTP/1.1 200 OK\r\n");
    let rest = client.bytes_until("Hello, World!");
    assert!(rest.contains("Transfer-Encoding: chunked\r\n\r\nHTTP/1.1 200 OK"), "{rest}");
}

#[test]
fn an_old_client_gets_pieces_until_the_end_of_the_connection() {
    let server = Served::start();
    let answer = exchange(server.address, "GET /letters/4 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    let answer = String::from_utf8(answer).expect("text");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
    assert!(head.contains("Connection: close") && !head.contains("chunked"), "{head}");
    assert_eq!(body.len(), 6000);
}

#[test]
fn an_answer_that_breaks_off_has_no_end() {
    let server = Served::start();
    let answer = exchange(server.address, "GET /breaks HTTP/1.1\r\nHost: a\r\n\r\n");
    assert!(answer.ends_with(b"\r\n\r\n5\r\nbegun\r\n"), "{:?}", String::from_utf8_lossy(&answer));
}

#[test]
fn a_body_is_echoed_while_it_comes_and_a_client_that_does_not_read_holds_it_up() {
    let server = Served::start();
    let mut client = server.connect();
    client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 300000\r\n\r\nhello");
    let begun = client.bytes_until("hello\r\n");
    assert!(begun.contains("Transfer-Encoding: chunked"), "{begun}");
    let mut sender = client.stream.try_clone().expect("a second handle");
    let sending = std::thread::spawn(move || std::io::Write::write_all(&mut sender, &vec![b'x'; 299_995]));
    let rest = client.bytes_until("\r\n0\r\n\r\n");
    assert_eq!(rest.matches('x').count(), 299_995);
    sending.join().expect("no panic").expect("all of it was read");
    client.expect_greeting();
}

#[test]
fn a_stream_ends_with_its_client() {
    let server = Served::start();
    for reset in [true, false] {
        let mut client = server.connect();
        client.send("GET /ticks HTTP/1.1\r\nHost: a\r\n\r\n");
        client.bytes_until("....");
        if reset {
            client.reset();
        } else {
            drop(client);
        }
        server.dropped.recv_blocking().expect("the server lives");
    }
    server.connect().expect_greeting();
}

#[test]
fn a_handler_that_panics_is_answered_with_500_and_nothing_else_is_lost() {
    let server = Served::start();
    let mut other = server.connect();
    other.expect_greeting();
    for path in ["/panics", "/panics/later", "/panics/elsewhere"] {
        let mut client = server.connect();
        client.send(format!("{GET}GET {path} HTTP/1.1\r\nHost: a\r\n\r\n{GET}"));
        let statuses: Vec<_> = (0..3).map(|_| client.answer().status).collect();
        assert_eq!(statuses, [200, 500, 200], "{path}");
    }
    let answer = exchange(server.address, "GET /panics/within HTTP/1.1\r\nHost: a\r\n\r\n");
    assert!(answer.ends_with(b"\r\n\r\n1\r\nx\r\n"), "{:?}", String::from_utf8_lossy(&answer));
    other.expect_greeting();
}
