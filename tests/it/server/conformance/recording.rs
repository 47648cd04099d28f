//! A server whose handlers write down what they saw, and answer with it.

use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};

use boardkit::http::Method;
use boardkit::server::{Config, Failure, Handle, Reply, Request, Response, Routes, Sent, Server};

use crate::support::client::Client;

/// Longest body that `/limited` takes.
pub(super) const LIMIT_BYTES: usize = 1024;

/// What the handlers saw, in order.
type Log = Arc<Mutex<Vec<String>>>;

/// A running server.
pub(super) struct Recording {
    handle: Handle,
    pub(super) address: SocketAddr,
    log: Log,
}

fn note(log: &Log, what: &str) -> String {
    log.lock().expect("no handler panics").push(what.to_owned());
    what.to_owned()
}

impl Recording {
    /// Starts it: GET on `/`, `/marker` and `/smuggled` in place; POST on `/echo` and `/limited`, which read the body, on
    /// `/unread` and `/in-place`, which do not.
    pub(super) fn start() -> Self {
        let log = Log::default();
        let mut routes = Routes::new();
        for path in ["/", "/marker", "/smuggled"] {
            let log = Arc::clone(&log);
            let answer = move |request: &Request<'_>, reply: Reply<'_>| -> Sent {
                let query = request.query().map(|query| format!("?{query}")).unwrap_or_default();
                reply.text(&note(&log, &format!("{} {path}{query}", request.method().name())))
            };
            routes = routes.get(path, answer);
        }
        for (path, limit) in [("/echo", 1024 * 1024), ("/limited", LIMIT_BYTES)] {
            let log = Arc::clone(&log);
            routes = routes.post_async(path, move |mut request| {
                let log = Arc::clone(&log);
                async move {
                    let body = request.body.bytes(limit).await?;
                    let text = String::from_utf8_lossy(&body).into_owned();
                    Ok::<_, Failure>(Response::text(note(&log, &format!("POST {path} {text}"))))
                }
            });
        }
        let unread = Arc::clone(&log);
        let in_place = Arc::clone(&log);
        let routes = routes
            .post_async("/unread", move |_| {
                let text = note(&unread, "POST /unread");
                async move { Response::text(text) }
            })
            .on(Method::Post, "/in-place", move |_, reply| reply.text(&note(&in_place, "POST /in-place")));
        let config = Config::new(([127, 0, 0, 1], 0).into(), NonZeroUsize::MIN);
        let handle = Server::bind(config, routes).expect("loopback").start().expect("threads");
        Self { address: handle.address(), handle, log }
    }

    /// Waits until the only worker has read all that was sent to it before.
    pub(super) fn catch_up(&self) {
        let mut client = Client::connect(self.address);
        client.send("GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n");
        assert_eq!(client.answer().status, 404);
    }

    pub(super) fn forget(&self) {
        self.log.lock().expect("no handler panics").clear();
    }

    pub(super) fn seen(&self) -> Vec<String> {
        self.log.lock().expect("no handler panics").clone()
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        self.handle.stop();
    }
}
