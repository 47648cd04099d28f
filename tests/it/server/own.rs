//! What routes and answers of a user's own come to, whatever they and their clients do.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr};
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use boardkit::http::Status;
use boardkit::server::{Body, Config, Failure, Handle, Response, Routes, Server, blocking};

use smol::stream::StreamExt;

use crate::support::boardd::until;
use crate::support::client::{Answer, Client, GET};

/// A running server with one worker.
struct Served {
    handle: Option<Handle>,
    address: SocketAddr,
}

impl Served {
    fn start(routes: Routes) -> Self {
        Self::start_with(routes, |_| {})
    }

    fn start_with(routes: Routes, configure: impl FnOnce(&mut Config)) -> Self {
        let mut config = Config::new(([127, 0, 0, 1], 0).into(), NonZeroUsize::MIN);
        configure(&mut config);
        let handle = Server::bind(config, routes).expect("loopback").start().expect("threads");
        Self { address: handle.address(), handle: Some(handle) }
    }

    fn connect(&self) -> Client {
        Client::connect(self.address)
    }

    fn stop(&mut self) {
        if let Some(handle) = self.handle.take() {
            handle.stop();
            handle.join().expect("no worker failed");
        }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.stop();
    }
}

#[test]
fn a_pipeline_that_outruns_the_server_is_answered_in_order() {
    const REQUESTS: usize = 12_000;
    let routes = Routes::new().get("/{number}", |request, reply| {
        let number = request.param("number").unwrap_or_default();
        if number == "0" {
            // The others fill the socket meanwhile.
            thread::sleep(Duration::from_millis(100));
        }
        // Now and then an answer that is sent at once, ahead of its batch.
        let length = if number.ends_with("77") { 5000 } else { 8 };
        reply.body("text/plain", Body::Bytes(format!("{number:<length$}").into()))
    });
    let server = Served::start(routes);
    let mut client = server.connect();
    let mut writer = client.stream.try_clone().expect("a descriptor");
    let writing = thread::spawn(move || {
        let padding = "x".repeat(1000);
        let request = |number| format!("GET /{number} HTTP/1.1\r\nHost: a\r\nX: {padding}\r\n\r\n");
        writer.write_all((0..REQUESTS).map(request).collect::<String>().as_bytes())?;
        writer.shutdown(Shutdown::Write)
    });
    let mut all = Vec::new();
    client.stream.read_to_end(&mut all).expect("a clean end");
    writing.join().expect("no panic").expect("all of it was read");
    let answers = Answer::parse_all(&all);
    assert_eq!(answers.len(), REQUESTS);
    for (number, answer) in answers.iter().enumerate() {
        assert_eq!(answer.text().trim_end(), number.to_string());
    }
}

#[test]
fn a_pipeline_of_a_later_version_needs_no_more_stack_than_one_request() {
    let server = Served::start(Routes::new().get("/", |_, reply| reply.text("Hello, World!")));
    let mut client = server.connect();
    client.send("GET / HTTP/1.2\r\nHost:\r\n\r\n".repeat(2000));
    for _ in 0..2000 {
        assert_eq!(client.answer().text(), "Hello, World!");
    }
}

#[test]
fn an_answer_that_may_have_no_body_has_none_whoever_gives_it() {
    let routes = Routes::new()
        .get("/", |_, reply| reply.text("Hello, World!"))
        .get("/placed", |_, reply| reply.with_status(Status::NO_CONTENT).text("body"))
        .get_async("/awaited", |_| async { Response::text("body").with_status(Status::NO_CONTENT) })
        .get_async("/pieces", |_| async {
            Response::events(smol::stream::repeat(String::new())).with_status(Status::NOT_MODIFIED)
        });
    let server = Served::start(routes);
    let mut client = server.connect();
    for path in ["/placed", "/awaited", "/pieces"] {
        client.send(format!("GET {path} HTTP/1.1\r\nHost: a\r\n\r\n"));
        let answer = client.answer();
        assert_eq!(answer.header("Transfer-Encoding"), None, "{path}");
        client.expect_greeting();
    }
}

#[test]
fn a_body_that_stops_after_a_while_is_late_after_the_deadline_of_a_head() {
    let routes = Routes::new().post_async("/", |mut request| async move {
        request.body.bytes(1000).await.map(|_| Response::empty()).map_err(Failure::from)
    });
    let server = Served::start_with(routes, |config| {
        config.deadlines.head = Some(Duration::from_millis(300));
    });
    let mut client = server.connect();
    client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n");
    for _ in 0..5 {
        thread::sleep(Duration::from_millis(20));
        client.send("x");
    }
    // Well before the minute that an idle connection has.
    assert_eq!(client.answer().status, 408);
    client.expect_end();
}

#[test]
fn an_answer_without_a_length_that_is_cut_off_does_not_look_whole() {
    let routes = Routes::new().get_async("/", |_| async {
        let begun = smol::stream::once(Ok(b"begun".to_vec()));
        Response::stream("text/plain", begun.chain(smol::stream::pending()))
    });
    let mut server = Served::start_with(routes, |config| config.drain = Duration::from_millis(200));
    let mut client = server.connect();
    client.send("GET / HTTP/1.0\r\n\r\n");
    client.bytes_until("begun");
    server.stop();
    let end = client.stream.read_to_end(&mut Vec::new());
    assert_eq!(end.map_err(|error| error.kind()), Err(ErrorKind::ConnectionReset));
}

#[test]
fn the_threads_for_blocking_work_end_with_their_server() {
    let (tell, told) = mpsc::channel();
    let routes = Routes::new().get_async("/", move |_| {
        let tell = tell.clone();
        async move {
            blocking(move || tell.send(rustix::thread::gettid())).await?.expect("the test lives");
            Ok::<_, Failure>(Response::text("Hello, World!"))
        }
    });
    let mut server = Served::start(routes);
    server.connect().expect_greeting();
    server.stop();
    let thread = told.recv().expect("it ran").as_raw_pid();
    until("the thread ended", || !Path::new(&format!("/proc/self/task/{thread}")).exists());
}

#[test]
fn one_long_turn_has_nothing_refused_for_which_there_is_time() {
    let routes = Routes::new().get("/", |_, reply| reply.text("Hello, World!")).get("/blocks", |_, reply| {
        thread::sleep(Duration::from_millis(300));
        reply.text("blocked everybody")
    });
    let server = Served::start(routes);
    let (mut blocks, mut client) = (server.connect(), server.connect());
    blocks.send("GET /blocks HTTP/1.1\r\nHost: a\r\n\r\n");
    assert_eq!(blocks.answer().status, 200);
    client.send(GET.repeat(10));
    for _ in 0..10 {
        assert_eq!(client.answer().status, 200);
    }
}
