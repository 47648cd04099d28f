//! Servers that do exactly what a test says, on a free loopback port, with a thread per connection.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

/// A connection as a script sees it.
pub(crate) struct Peer {
    reader: BufReader<TcpStream>,
}

impl Peer {
    pub(crate) fn new(stream: TcpStream) -> Self {
        stream.set_nodelay(true).expect("a fresh socket takes options");
        Self {
            reader: BufReader::new(stream),
        }
    }

    /// The next request head, or `None` when the client has closed.
    pub(crate) fn request(&mut self) -> Option<String> {
        let mut head = String::new();
        while self.reader.read_line(&mut head).ok()? > 0 {
            if head.ends_with("\r\n\r\n") {
                return Some(head);
            }
        }
        None
    }

    /// Sends all of `bytes`; a client that is gone is no failure of a server.
    pub(crate) fn send(&mut self, bytes: impl AsRef<[u8]>) {
        let _ = self.reader.get_mut().write_all(bytes.as_ref());
    }

    /// Reads until the client closes, and answers nothing.
    pub(crate) fn ignore(&mut self) {
        while self.request().is_some() {}
    }
}

/// Starts a server that runs `script` for each connection and closes it when the script returns.
pub(crate) fn serve(script: impl Fn(&mut Peer) + Send + Sync + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port on loopback");
    let address = listener.local_addr().expect("a bound socket has an address");
    let script = Arc::new(script);
    thread::spawn(move || {
        while let Ok((stream, _)) = listener.accept() {
            let script = Arc::clone(&script);
            thread::spawn(move || script(&mut Peer::new(stream)));
        }
    });
    address
}

/// A server that answers every request with the same bytes and keeps the connection.
pub(crate) fn answering(response: impl Into<Vec<u8>>) -> SocketAddr {
    let response = response.into();
    serve(move |peer| {
        while peer.request().is_some() {
            peer.send(&response);
        }
    })
}

/// A port that nothing listens on.
pub(crate) fn dead_port() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port on loopback");
    listener.local_addr().expect("a bound socket has an address")
}
