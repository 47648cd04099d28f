//! Servers that do exactly what a test says, on a free loopback port, with a thread per connection.

use std::fmt;
use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

use socket2::{Domain, Socket, Type};

/// Longer than any test waits on the slowest machine; only a hang comes here, and the assertions then say what is missing.
const HANG: Duration = Duration::from_secs(60);

/// A running server. Printed, it is its address.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    requests: Arc<Requests>,
}

/// How many requests a server has read.
#[derive(Default)]
struct Requests {
    count: Mutex<u64>,
    changed: Condvar,
}

impl Server {
    /// Waits until the server has read this many requests, over all its connections.
    pub(crate) fn wait_for(&self, requests: u64) {
        let count = self.requests.count.lock().expect("scripts do not panic while counting");
        let too_few = |count: &mut u64| *count < requests;
        drop(self.requests.changed.wait_timeout_while(count, HANG, too_few).expect("as above"));
    }

    /// Requests read so far.
    pub(crate) fn requests(&self) -> u64 {
        *self.requests.count.lock().expect("scripts do not panic while counting")
    }
}

impl fmt::Display for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.address.fmt(f)
    }
}

/// A connection as a script sees it.
pub(crate) struct Peer {
    reader: BufReader<TcpStream>,
    requests: Arc<Requests>,
}

impl Peer {
    pub(crate) fn new(stream: TcpStream) -> Self {
        Self::counting(stream, Arc::default())
    }

    fn counting(stream: TcpStream, requests: Arc<Requests>) -> Self {
        stream.set_nodelay(true).expect("a fresh socket takes options");
        Self { reader: BufReader::new(stream), requests }
    }

    /// The next request head, or `None` when the client has closed.
    pub(crate) fn request(&mut self) -> Option<String> {
        let mut head = String::new();
        while self.reader.read_line(&mut head).ok()? > 0 {
            if head.ends_with("\r\n\r\n") {
                *self.requests.count.lock().ok()? += 1;
                self.requests.changed.notify_all();
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
pub(crate) fn serve(script: impl Fn(&mut Peer) + Send + Sync + 'static) -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port on loopback");
    let address = listener.local_addr().expect("a bound socket has an address");
    let requests = Arc::<Requests>::default();
    let (script, counted) = (Arc::new(script), Arc::clone(&requests));
    thread::spawn(move || {
        while let Ok((stream, _)) = listener.accept() {
            let (script, counted) = (Arc::clone(&script), Arc::clone(&counted));
            thread::spawn(move || script(&mut Peer::counting(stream, counted)));
        }
    });
    Server { address, requests }
}

/// A server that answers every request with the same bytes and keeps the connection.
pub(crate) fn answering(response: impl Into<Vec<u8>>) -> Server {
    let response = response.into();
    serve(move |peer| {
        while peer.request().is_some() {
            peer.send(&response);
        }
    })
}

/// A port of our own that nothing listens on. It stays ours, and dead, as long as the socket is kept: a port that is
/// merely free may be given to somebody else at any time.
pub(crate) fn dead_port() -> (Socket, SocketAddr) {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).expect("a socket");
    socket.set_reuse_port(true).expect("a fresh socket takes options");
    socket.bind(&SocketAddr::from((Ipv4Addr::LOCALHOST, 0)).into()).expect("a free port on loopback");
    let address = socket.local_addr().ok().and_then(|address| address.as_socket()).expect("bound");
    (socket, address)
}

/// A listener on the port of `dead_port`, which is alive until it is dropped.
pub(crate) fn listen_beside(address: SocketAddr) -> TcpListener {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).expect("a socket");
    socket.set_reuse_port(true).expect("a fresh socket takes options");
    socket.bind(&address.into()).expect("the port is shared");
    socket.listen(16).expect("it listens");
    socket.into()
}

/// A server that answers like [`answering`] until it goes; its port stays ours, and dead then.
pub(crate) struct Mortal {
    pub(crate) address: SocketAddr,
    gone: Arc<AtomicBool>,
    listening: thread::JoinHandle<()>,
    kept: Socket,
}

impl Mortal {
    pub(crate) fn start(response: &'static str) -> Self {
        let (kept, address) = dead_port();
        let (listener, gone) = (listen_beside(address), Arc::new(AtomicBool::new(false)));
        let going = Arc::clone(&gone);
        let listening = thread::spawn(move || {
            while let Ok((stream, _)) = listener.accept() {
                if going.load(Ordering::Relaxed) {
                    // The port goes with the listener.
                    return;
                }
                let going = Arc::clone(&going);
                thread::spawn(move || {
                    let mut peer = Peer::new(stream);
                    while peer.request().is_some() && !going.load(Ordering::Relaxed) {
                        peer.send(response);
                    }
                });
            }
        });
        Self { address, gone, listening, kept }
    }

    /// Goes: from now on the port refuses. It stays ours as long as what this gives is kept.
    pub(crate) fn go(self) -> Socket {
        self.gone.store(true, Ordering::Relaxed);
        while !self.listening.is_finished() {
            // Wakes it; one that comes too late is refused.
            let _ = TcpStream::connect(self.address);
        }
        self.kept
    }
}
