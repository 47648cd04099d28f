//! What a server of one's own has at hand beside the bare answer, asked over a socket.

use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};

use boardkit::server::{Config, Failure, Handle, Level, Log, OwnedRequest, Response, Routes, Server, Status};

use crate::scratch::Scratch;
use crate::support::client::{Answer, exchange};

/// Keeps what is logged.
#[derive(Default)]
struct Kept(Mutex<Vec<String>>);

impl Log for Kept {
    fn log(&self, level: Level, subject: &'static str, text: &str) {
        self.0.lock().expect("no panic").push(format!("{level:?}: {subject}: {text}"));
    }
}

async fn sum(mut request: OwnedRequest) -> Result<Response, Failure> {
    let numbers: Vec<i64> = request.body.json(20).await?;
    Ok(Response::json(&numbers.iter().sum::<i64>()))
}

async fn pieces(mut request: OwnedRequest) -> Result<Response, Failure> {
    request.body.limit(10)?;
    let mut count = 0;
    while let Some(piece) = request.body.piece().await? {
        count += piece.len();
    }
    Ok(Response::text(count.to_string()))
}

async fn number(request: OwnedRequest) -> Result<Response, Failure> {
    let number: u8 = request.param("number").and_then(|text| text.parse().ok()).ok_or(Status::BAD_REQUEST)?;
    Ok(Response::html(format!("<p>{number}")))
}

fn routes(folder: &Scratch) -> Routes {
    let folder = folder.0.clone();
    Routes::new()
        .get("/keys/{key}", |request, reply| reply.text(&request.param("key").unwrap_or_default()))
        .put_async("/keys/{key}", |request| async move {
            Response::text(request.param("key").unwrap_or_default())
        })
        .delete_async("/keys/{key}", |_| async { Response::empty().with_status(Status::NO_CONTENT) })
        .get("/old", |_, reply| reply.redirect(Status::PERMANENT_REDIRECT, "/new"))
        .get("/page", |request, reply| reply.html(&request.query_value("name").unwrap_or_default()))
        .get("/cookie", |request, reply| reply.text(request.cookie("a").unwrap_or("none")))
        .get_async("/numbers/{number}", number)
        .get_async("/files/{name}", move |request| {
            let path = folder.join(request.param("name").unwrap_or_default());
            Response::file(path)
        })
        .get_async("/fails", |_| async {
            Err::<Response, _>(Failure::from(std::io::Error::other("the sensor is gone")))
        })
        .post_async("/sum", sum)
        .post_async("/pieces", pieces)
}

struct Own {
    handle: Handle,
    log: Arc<Kept>,
}

impl Own {
    fn start(folder: &Scratch) -> Self {
        let (config, log) =
            (Config::new(([127, 0, 0, 1], 0).into(), NonZeroUsize::MIN), Arc::<Kept>::default());
        let server = Server::bind(config, routes(folder)).expect("loopback");
        Self { handle: server.with_log(Arc::clone(&log) as Arc<dyn Log>).start().expect("threads"), log }
    }

    fn ask(&self, method: &str, target: &str, rest: &str) -> Answer {
        ask(self.handle.address(), method, target, rest)
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        self.handle.stop();
    }
}

/// One request on a connection of its own; `rest` is what follows the Host header.
fn ask(address: SocketAddr, method: &str, target: &str, rest: &str) -> Answer {
    let answers =
        Answer::parse_all(&exchange(address, format!("{method} {target} HTTP/1.1\r\nHost: a\r\n{rest}")));
    answers.into_iter().next().expect("an answer")
}

#[test]
fn parameters_bodies_and_answers_at_hand() {
    let folder = Scratch::new();
    folder.write("note.txt", "21 °C".as_bytes());
    folder.write("sub/x", b"x");
    let own = Own::start(&folder);
    let length = |body: &str| format!("Content-Length: {}\r\n\r\n{body}", body.len());
    let chunked = "Transfer-Encoding: chunked\r\n\r\n6\r\nabcdef\r\n6\r\nghijkl\r\n0\r\n\r\n";
    let rows = [
        ("GET", "/keys/J%C3%BCrgen%2fx", "\r\n".to_owned(), 200, "Jürgen/x"),
        ("PUT", "/keys/a%20b", length("x"), 200, "a b"),
        ("DELETE", "/keys/a", "\r\n".into(), 204, ""),
        ("POST", "/keys/a", length(""), 405, "405 Method Not Allowed\n"),
        ("GET", "/old", "\r\n".into(), 308, "308 Permanent Redirect\n"),
        ("GET", "/page?x=1&name=%3C+b", "\r\n".into(), 200, "< b"),
        ("GET", "/cookie", "Cookie: b=1; a=2\r\n\r\n".into(), 200, "2"),
        ("GET", "/numbers/7", "\r\n".into(), 200, "<p>7"),
        ("GET", "/numbers/x", "\r\n".into(), 400, "400 Bad Request\n"),
        ("GET", "/files/note.txt", "\r\n".into(), 200, "21 °C"),
        ("GET", "/files/none", "\r\n".into(), 404, "404 Not Found\n"),
        ("GET", "/files/sub", "\r\n".into(), 404, "404 Not Found\n"),
        ("POST", "/sum", length("[1,2,3]"), 200, "6"),
        (
            "POST",
            "/sum",
            length("[1,2"),
            400,
            "400 Bad Request: EOF while parsing a list at line 1 column 4\n",
        ),
        (
            "POST",
            "/sum",
            length("[1,2,3,4,5,6,7,8,9,10]"),
            413,
            "413 Content Too Large: the body is longer than 20 bytes\n",
        ),
        ("POST", "/pieces", length("abcdef"), 200, "6"),
        (
            "POST",
            "/pieces",
            length("abcdefghijkl"),
            413,
            "413 Content Too Large: the body is longer than 10 bytes\n",
        ),
        ("POST", "/pieces", chunked.into(), 413, "413 Content Too Large: the body is longer than 10 bytes\n"),
    ];
    for (method, target, rest, status, text) in rows {
        let answer = own.ask(method, target, &rest);
        assert_eq!((answer.status, answer.text()), (status, text), "{method} {target}");
    }
    let header = |target, name| own.ask("GET", target, "\r\n").header(name).map(str::to_owned);
    assert_eq!(header("/old", "Location").as_deref(), Some("/new"));
    assert_eq!(header("/page?name=x", "Content-Type").as_deref(), Some("text/html; charset=utf-8"));
    assert_eq!(header("/keys/x", "Content-Type").as_deref(), Some("text/plain; charset=utf-8"));
    assert_eq!(own.ask("POST", "/keys/a", "\r\n").header("Allow"), Some("GET, HEAD, PUT, DELETE, OPTIONS"));
}

#[test]
fn what_a_handler_hides_from_its_client_is_in_the_log() {
    let own = Own::start(&Scratch::new());
    assert_eq!(own.ask("GET", "/fails", "\r\n").text(), "500 Internal Server Error\n");
    let kept = own.log.0.lock().expect("no panic");
    assert_eq!(*kept, ["Error: a handler failed: the sensor is gone"]);
}
