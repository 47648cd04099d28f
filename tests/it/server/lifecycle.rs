//! From the start to the end: where boardd listens, what it lets in while it stops, and when it gives up.

use std::io::ErrorKind;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::num::NonZeroUsize;
use std::process::{Command, Output};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use boardkit::server::{Config, Handle, Response, Routes, Server, Stage};
use rustix::process::Signal;

use crate::support::boardd::{Boardd, program, until};
use crate::support::client::{Client, GET};

/// Fails the test unless this is the last answer of a connection that then ends cleanly.
fn expect_last_greeting(client: &mut Client) {
    let answer = client.answer();
    assert_eq!((answer.text(), answer.header("Connection")), ("Hello, World!", Some("close")));
    client.expect_end();
}

/// Whether a connection is refused at once; while a server stops its packets may be dropped for a moment.
fn is_refused(address: SocketAddr) -> bool {
    let tried = TcpStream::connect_timeout(&address, Duration::from_millis(20));
    tried.is_err_and(|error| error.kind() == ErrorKind::ConnectionRefused)
}

/// A server of the library whose `/hold` keeps its worker, and `/wait` only its connection, until the test lets go.
struct Holding {
    handle: Handle,
    held: Receiver<Sender<()>>,
    waiting: Receiver<smol::channel::Sender<()>>,
}

impl Holding {
    fn start(workers: usize) -> Self {
        let (hold, held) = channel();
        let (tell, waiting) = channel();
        let (hold, tell) = (Arc::new(Mutex::new(hold)), Arc::new(Mutex::new(tell)));
        let routes = Routes::new()
            .get("/", |_, reply| reply.text("Hello, World!"))
            .get("/hold", move |_, reply| {
                let (let_go, wait) = channel();
                hold.lock().expect("no panic").send(let_go).expect("the test lives");
                let _ = wait.recv();
                reply.text("held")
            })
            .get_async("/wait", move |_| {
                let (let_go, wait) = smol::channel::bounded(1);
                tell.lock().expect("no panic").send(let_go).expect("the test lives");
                async move {
                    let _ = wait.recv().await;
                    Response::text("waited")
                }
            });
        let workers = NonZeroUsize::new(workers).expect("at least one");
        let config = Config::new(([127, 0, 0, 1], 0).into(), workers);
        let handle = Server::bind(config, routes).and_then(Server::start).expect("loopback");
        Self { handle, held, waiting }
    }

    fn ask(&self, path: &str) -> Client {
        let mut client = Client::connect(self.handle.address());
        client.send(format!("GET {path} HTTP/1.1\r\nHost: a\r\n\r\n"));
        client
    }
}

#[test]
fn who_waits_in_the_queue_of_a_held_worker_is_served_after_the_stop() {
    let server = Holding::start(1);
    let mut holder = server.ask("/hold");
    let let_go = server.held.recv().expect("it is asked");
    let mut waiting: Vec<_> = (0..200).map(|_| server.ask("/")).collect();
    server.handle.stop();
    assert_eq!(server.handle.stage(), Stage::Stopping);
    drop(let_go);
    assert_eq!(holder.answer().text(), "held");
    waiting.iter_mut().for_each(expect_last_greeting);
    let served = server.handle.join().expect("no worker failed").counters;
    assert_eq!((served.requests, served.accepted, served.reset), (201, 201, 0));
}

#[test]
fn who_waits_is_served_by_the_others_while_one_worker_is_held() {
    let server = Holding::start(2);
    let _holder = server.ask("/hold");
    let let_go = server.held.recv().expect("it is asked");
    server.handle.stop();
    // One at a time: whoever is still let in is not given to the one that is held.
    while let Ok(stream) = TcpStream::connect_timeout(&server.handle.address(), Duration::from_millis(50)) {
        let mut client = Client::of(stream);
        client.send(GET);
        expect_last_greeting(&mut client);
    }
    until("new ones are refused", || is_refused(server.handle.address()));
    drop(let_go);
    server.handle.join().expect("no worker failed");
}

#[test]
fn late_clients_are_refused_while_others_still_wait_for_their_answers() {
    let server = Holding::start(2);
    let mut client = server.ask("/wait");
    let let_go = server.waiting.recv().expect("it is asked");
    server.handle.stop();
    until("new ones are refused", || is_refused(server.handle.address()));
    assert_eq!(server.handle.stage(), Stage::Stopping);
    drop(let_go);
    assert_eq!(client.answer().text(), "waited");
    client.expect_end();
    server.handle.join().expect("no worker failed");
}

#[test]
fn a_crowd_that_connects_while_boardd_sleeps_is_served_when_it_wakes_to_a_sigterm() {
    let server = Boardd::start(&["--workers", "2"]);
    server.expect_alive();
    server.signal(Signal::STOP);
    let mut crowd: Vec<_> = (0..300).map(|_| server.connect()).collect();
    crowd.iter_mut().for_each(|client| client.send(GET));
    server.terminate();
    server.signal(Signal::CONT);
    for client in &mut crowd {
        // Those that are answered before boardd looks at the signal are not told.
        assert_eq!(client.answer().text(), "Hello, World!");
        client.expect_end();
    }
    let (status, said) = server.wait();
    assert!(status.success() && said.contains("served 301 requests on 301 connections"), "{said}");
}

#[test]
fn a_worker_that_cannot_start_is_one_error_and_no_server() {
    let config = Config { pin: vec![1000], ..Config::new(([127, 0, 0, 1], 0).into(), NonZeroUsize::MIN) };
    let server = Server::bind(config, Routes::new()).expect("loopback");
    let address = server.address();
    assert!(server.start().is_err(), "no machine has that core");
    assert!(is_refused(address));
}

/// A client that asked for more than any socket holds, and reads none of it.
fn stuck(server: &Boardd) -> Client {
    let mut client = Client::connect_narrow(server.address, 2048);
    client.send("GET /bytes/16777216 HTTP/1.1\r\nHost: a\r\n\r\n");
    until("it is accepted", || server.deal().iter().flatten().any(|port| *port == client.port()));
    client
}

#[test]
fn what_does_not_end_within_the_drain_is_cut_off_and_counted() {
    let server = Boardd::start(&["--workers", "1", "--drain", "0.3"]);
    let _stuck = stuck(&server);
    server.terminate();
    let (status, said) = server.wait();
    assert!(status.success() && said.contains("cut off when the drain was over: 1"), "{said}");
}

#[test]
fn a_second_signal_ends_at_once_and_the_exit_code_tells() {
    for (first, second) in [(Signal::TERM, Signal::TERM), (Signal::INT, Signal::TERM)] {
        let mut server = Boardd::start(&["--workers", "2", "--drain", "3600", "--write-timeout", "0"]);
        let _stuck = stuck(&server);
        server.signal(first);
        until("it stops", || is_refused(server.address));
        until("it ends", || {
            let ended = server.has_ended();
            if !ended {
                server.signal(second);
            }
            ended
        });
        let (status, said) = server.wait();
        assert_eq!(status.code(), Some(1), "{said}");
        assert!(said.contains("second signal; connections cut off: 1"), "{said}");
    }
}

#[test]
fn a_signal_that_comes_twice_at_once_is_one() {
    let server = Boardd::start(&["--workers", "1", "--drain", "0.1"]);
    let _stuck = stuck(&server);
    (0..5).for_each(|_| server.terminate());
    let (status, said) = server.wait();
    assert!(status.success() && said.contains("cut off when the drain was over: 1"), "{said}");
}

#[test]
fn sighup_is_harmless() {
    let server = Boardd::start(&[]);
    let mut client = server.connect();
    client.expect_greeting();
    server.signal(Signal::HUP);
    client.expect_greeting();
    server.expect_alive();
    server.terminate();
    assert!(server.wait().0.success());
}

#[test]
fn every_listener_is_served_by_every_worker() {
    let mut addresses = vec!["127.0.0.2:0", "127.0.0.1:0"];
    if TcpListener::bind("[::1]:0").is_ok() {
        addresses.push("[::1]:0");
    }
    let mut flags = vec!["--workers", "2"];
    addresses.iter().for_each(|address| flags.extend(["--listen", *address]));
    let server = Boardd::start(&flags);
    assert_eq!(server.further.len(), addresses.len());
    for (asked, got) in addresses.iter().zip(&server.further) {
        assert_eq!(asked.strip_suffix(":0"), got.to_string().rsplit_once(':').map(|(ip, _)| ip));
        let mut clients: Vec<_> = (0..20).map(|_| Client::connect(*got)).collect();
        clients.iter_mut().for_each(Client::expect_greeting);
    }
    let mut kept: Vec<_> = server.further.iter().map(|address| Client::connect(*address)).collect();
    kept.iter_mut().for_each(Client::expect_greeting);
    let all = server.further.clone();
    server.terminate();
    kept.iter_mut().for_each(Client::expect_end);
    assert!(server.wait().0.success());
    assert!(all.into_iter().all(is_refused));
}

fn refusal(command: &mut Command) -> String {
    let Output { status, stdout, stderr } = command.output().expect("it starts");
    let said = String::from_utf8(stderr).expect("text");
    assert_eq!((status.code(), said.lines().count(), stdout.len()), (Some(2), 1, 0), "{said}");
    said
}

#[test]
fn who_has_the_port_is_named() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("bound").to_string();
    let line = refusal(Command::new(program()).args(["serve", "--listen", &address]));
    assert!(line.contains(&format!("(pid {})", std::process::id())), "{line}");
    drop(listener);
    let line = refusal(Command::new(program()).args(["serve", "--listen", &address, "--listen", &address]));
    assert!(line.contains("another --listen has the same port"), "{line}");
}

#[test]
fn more_connections_than_descriptors_are_refused_with_both_numbers() {
    let line = refusal(
        Command::new("sh")
            .arg("-c")
            .arg("ulimit -n 100; exec \"$0\" serve --listen 127.0.0.1:0 --workers 1 --max-connections 1000")
            .arg(program()),
    );
    assert!(line.contains("--max-connections 1000") && line.contains("may have 100"), "{line}");
    assert!(line.contains("LimitNOFILE="), "{line}");
}
