//! A proxy that lets only so many bytes a second through towards the client: a link that is full.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// Passed on at once: a few milliseconds at the rates of the tests.
const PIECE: usize = 4096;

/// A proxy that was late makes up for this much, so that a crowded machine does not make the link slower.
const MADE_UP: Duration = Duration::from_millis(50);

/// When the next byte may go: what a link's own queue is.
struct Link {
    bytes_per_s: f64,
    free: Mutex<Instant>,
}

impl Link {
    /// Waits until the link has taken so many bytes.
    fn take(&self, bytes: usize) {
        let taken = Duration::from_secs_f64(bytes as f64 / self.bytes_per_s);
        let done = {
            let mut free = self.free.lock().expect("nobody panics while it is held");
            let now = Instant::now();
            *free = (*free).max(now.checked_sub(MADE_UP).unwrap_or(now)) + taken;
            *free
        };
        thread::sleep(done.saturating_duration_since(Instant::now()));
    }
}

/// Starts a proxy in front of `server`, with all its connections over one link.
pub(super) fn start(server: SocketAddr, bytes_per_s: f64) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port on loopback");
    let address = listener.local_addr().expect("bound");
    let link = Arc::new(Link { bytes_per_s, free: Mutex::new(Instant::now()) });
    thread::spawn(move || {
        while let Ok((client, _)) = listener.accept() {
            let Ok(upstream) = TcpStream::connect(server) else { return };
            let (up, down) = (pair(&client, &upstream), pair(&upstream, &client));
            let link = Arc::clone(&link);
            thread::spawn(move || pump(up.0, up.1, |_| {}));
            thread::spawn(move || pump(down.0, down.1, |bytes| link.take(bytes)));
        }
    });
    address
}

fn pair(from: &TcpStream, to: &TcpStream) -> (TcpStream, TcpStream) {
    (from.try_clone().expect("a descriptor"), to.try_clone().expect("a descriptor"))
}

fn pump(mut from: TcpStream, mut to: TcpStream, wait: impl Fn(usize)) {
    let mut piece = [0; PIECE];
    while let Ok(bytes @ 1..) = from.read(&mut piece) {
        wait(bytes);
        if to.write_all(&piece[..bytes]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Write);
}
