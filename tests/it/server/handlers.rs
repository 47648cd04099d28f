//! Handlers that await, on a server built from the library as a user would.

use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::thread;
use std::time::Duration;

use boardkit::server::{Config, Handle, Response, Routes, Server, Snapshot};
use smol::channel::{Receiver, Sender, unbounded};

use crate::support::boardd::until;
use crate::support::client::{Answer, Client, GET, exchange};

/// The far end of a request to `/wait`: what is sent here is answered.
type Answerer = Sender<String>;

/// A running server whose handlers wait until the test says what they answer.
struct Waiting {
    handle: Option<Handle>,
    address: SocketAddr,
    /// One for each request to `/wait`, in the order in which they were taken.
    taken: Receiver<Answerer>,
}

impl Waiting {
    fn start(workers: usize) -> Self {
        let (tell, taken) = unbounded();
        let routes = Routes::new()
            .get("/", |_, reply| reply.text("Hello, World!"))
            .get("/blocks", |_, reply| {
                thread::sleep(Duration::from_millis(50));
                reply.text("blocked everybody")
            })
            .get_async("/echo/{word}", |request| async move { Response::text(&*request.params[0].1) })
            .get_async("/yield/{times}", |request| async move {
                for _ in 0..request.params[0].1.parse().unwrap_or(0) {
                    smol::future::yield_now().await;
                }
                Response::text("yielded")
            })
            .get_async("/wait", move |_| {
                let (answerer, answer) = unbounded();
                let told = tell.try_send(answerer);
                async move {
                    told.expect("the test lives");
                    Response::text(answer.recv().await.unwrap_or_else(|_| "nobody answered".into()))
                }
            });
        let workers = NonZeroUsize::new(workers).expect("at least one");
        let server =
            Server::bind(Config::new(([127, 0, 0, 1], 0).into(), workers), routes).expect("loopback");
        let handle = server.start().expect("threads");
        Self { address: handle.address(), handle: Some(handle), taken }
    }

    fn connect(&self) -> Client {
        Client::connect(self.address)
    }

    /// The next request to `/wait`, once it is taken.
    fn next(&self) -> Answerer {
        self.taken.recv_blocking().expect("the server lives")
    }

    fn stop(mut self) -> Snapshot {
        let handle = self.handle.take().expect("not stopped yet");
        handle.stop();
        handle.join().expect("no worker failed")
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some(handle) = self.handle.take() {
            handle.stop();
        }
    }
}

fn get(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: a\r\n\r\n")
}

fn answer(answerer: &Answerer, text: &str) {
    answerer.try_send(text.to_owned()).expect("somebody waits for it");
}

#[test]
fn an_answer_comes_when_it_is_there_and_others_are_served_meanwhile() {
    let server = Waiting::start(1);
    let (mut waiting, mut other) = (server.connect(), server.connect());
    waiting.send(get("/wait"));
    let request = server.next();
    other.expect_greeting();
    answer(&request, "at last");
    assert_eq!(waiting.answer().text(), "at last");
    waiting.expect_greeting();
}

#[test]
fn requests_behind_one_that_waits_are_answered_after_it_in_order() {
    let server = Waiting::start(1);
    let mut client = server.connect();
    let paths = ["/", "/wait", "/echo/b", "/", "/wait", "/echo/c"];
    client.send(paths.map(get).concat());
    assert_eq!(client.answer().text(), "Hello, World!");
    let first = server.next();
    client.send(get("/echo/d"));
    answer(&first, "a");
    for expected in ["a", "b", "Hello, World!"] {
        assert_eq!(client.answer().text(), expected);
    }
    answer(&server.next(), "second");
    for expected in ["second", "c", "d"] {
        assert_eq!(client.answer().text(), expected);
    }
}

#[test]
fn head_bodies_and_closing_are_the_same_for_handlers_that_await() {
    let server = Waiting::start(1);
    let mut client = server.connect();
    client.send("HEAD /echo/word HTTP/1.1\r\nHost: a\r\n\r\n");
    let answer = client.answer_to_head();
    assert_eq!((answer.status, answer.header("Content-Length")), (200, Some("4")));
    client.send("GET /echo/x HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nGET");
    assert_eq!(client.answer().text(), "x");
    client.send("GET /echo/x HTTP/1.0\r\n\r\n");
    assert_eq!(client.answer().header("Connection"), Some("close"));
    client.expect_end();
    let half_closed = exchange(server.address, get("/echo/x") + &get("/yield/3") + GET);
    let texts: Vec<_> = Answer::parse_all(&half_closed).into_iter().map(|a| a.text().to_owned()).collect();
    assert_eq!(texts, ["x", "yielded", "Hello, World!"]);
}

#[test]
fn a_client_that_goes_away_meanwhile_harms_nobody() {
    let server = Waiting::start(1);
    for _ in 0..20 {
        let (mut reset, mut closed) = (server.connect(), server.connect());
        reset.send(get("/wait"));
        let first = server.next();
        closed.send(get("/wait"));
        let second = server.next();
        reset.reset();
        drop(closed);
        // Slots of the two may be this one's now; their answers are not.
        let mut next = server.connect();
        next.expect_greeting();
        next.send(get("/wait"));
        let third = server.next();
        let _ = first.try_send("for the first".into());
        let _ = second.try_send("for the second".into());
        answer(&third, "for the third");
        assert_eq!(next.answer().text(), "for the third");
        next.expect_greeting();
    }
}

#[test]
fn many_wait_at_once_and_each_gets_its_own_answer() {
    let server = Waiting::start(2);
    let mut clients: Vec<_> = (0..500).map(|_| server.connect()).collect();
    let mut answerers = Vec::new();
    for client in &mut clients {
        client.send(get("/wait"));
        answerers.push(server.next());
    }
    // From the last to the first, by several threads.
    thread::scope(|scope| {
        for part in 0..4 {
            let answerers = &answerers;
            scope.spawn(move || {
                for number in (0..answerers.len()).rev().filter(|number| number % 4 == part) {
                    answer(&answerers[number], &format!("number {number}"));
                }
            });
        }
    });
    for (number, client) in clients.iter_mut().enumerate() {
        assert_eq!(client.answer().text(), format!("number {number}"));
    }
    drop(clients);
    assert_eq!(server.stop().counters.requests, 500);
}

#[test]
fn a_task_woken_while_the_worker_falls_asleep_is_never_forgotten() {
    let server = Waiting::start(1);
    let mut client = server.connect();
    for round in 0..2000_u32 {
        client.send(get("/wait"));
        let request = server.next();
        // The worker is somewhere between the handler and its sleep: a little further each time.
        for _ in 0..round % 200 {
            std::hint::spin_loop();
        }
        answer(&request, "awake");
        assert_eq!(client.answer().text(), "awake");
    }
}

#[test]
fn a_task_that_yields_for_long_holds_nobody_up() {
    let server = Waiting::start(1);
    let (mut long, mut other) = (server.connect(), server.connect());
    long.send(get("/yield/20000"));
    other.expect_greeting();
    assert_eq!(long.answer().text(), "yielded");
}

#[test]
fn stopping_waits_for_the_answer_that_is_being_made() {
    let server = Waiting::start(1);
    let mut client = server.connect();
    client.send(get("/wait"));
    let request = server.next();
    server.handle.as_ref().expect("it runs").stop();
    let address = server.address;
    let stopping = thread::spawn(move || server.stop());
    until("the door is closed", || {
        // A connection may still be queued; it is dropped when the server ends.
        drop(std::net::TcpStream::connect(address));
        true
    });
    answer(&request, "the last");
    assert_eq!(client.answer().text(), "the last");
    client.expect_end();
    assert_eq!(stopping.join().expect("no panic").counters.requests, 1);
}

#[test]
fn a_loop_that_lags_refuses_what_it_could_not_answer_in_time_and_recovers() {
    let server = Waiting::start(1);
    let mut clients: Vec<Client> = (0..16).map(|_| server.connect()).collect();
    // Those that wait while the first one blocks are one turn of over a quarter of a second; the next one is cut short.
    let refuses_some = |_| {
        clients.iter_mut().for_each(|client| client.send(get("/blocks")));
        let statuses: Vec<u16> = clients.iter_mut().map(|client| client.answer().status).collect();
        assert!(statuses.contains(&200), "nobody is served: {statuses:?}");
        statuses.contains(&503)
    };
    assert!((0..6).any(refuses_some), "nobody was refused in six rounds");
    server.connect().expect_greeting();
    let served = server.stop();
    assert!(served.counters.shed > 0 && served.counters.server_errors >= served.counters.shed);
}
