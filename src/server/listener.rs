//! The listening socket, and what each way of failing to accept means.

use std::io;
use std::net::SocketAddr;
use std::os::fd::OwnedFd;

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use rustix::net::SocketFlags;
use socket2::{Domain, Protocol, Socket, Type};

/// The one listening socket of a server, shared by all its workers.
pub(super) struct Listener {
    socket: OwnedFd,
    address: SocketAddr,
}

/// What came of one accept.
pub(super) enum Accepted {
    /// A connection: not blocking, closed on exec, without Nagle's delay.
    Connection(OwnedFd, SocketAddr),
    /// Nobody waits.
    Empty,
    /// The client went away first, or a signal came: try again at once.
    Again,
    /// Descriptors or memory ran out: nothing will change at once.
    Exhausted(Errno),
    /// The socket itself is of no use any more.
    Broken(Errno),
}

impl Listener {
    /// Binds and listens. Port 0 asks for a free one; see [`Listener::address`].
    pub(super) fn bind(address: SocketAddr, backlog: i32) -> io::Result<Self> {
        let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
        socket.set_reuse_address(true)?;
        socket.set_nonblocking(true)?;
        // Accepted sockets inherit it: one call here instead of one per connection.
        socket.set_tcp_nodelay(true)?;
        socket.bind(&address.into())?;
        socket.listen(backlog)?;
        let address = socket.local_addr()?.as_socket().unwrap_or(address);
        Ok(Self { socket: socket.into(), address })
    }

    /// The address that clients reach.
    pub(super) const fn address(&self) -> SocketAddr {
        self.address
    }

    pub(super) const fn socket(&self) -> &OwnedFd {
        &self.socket
    }

    /// Whether a connection waits to be accepted, as far as the kernel says.
    pub(super) fn is_waited_at(&self) -> bool {
        let mut watched = [PollFd::new(&self.socket, PollFlags::IN)];
        rustix::event::poll(&mut watched, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })) != Ok(0)
    }

    /// Takes one waiting connection.
    pub(super) fn accept(&self) -> Accepted {
        match rustix::net::acceptfrom_with(&self.socket, SocketFlags::NONBLOCK | SocketFlags::CLOEXEC) {
            Ok((socket, peer)) => {
                let peer = peer.and_then(|peer| SocketAddr::try_from(peer).ok());
                Accepted::Connection(socket, peer.unwrap_or(self.address))
            }
            Err(error) => Accepted::of(error),
        }
    }
}

impl Accepted {
    /// Sorts the errors of accept(2). Network errors of the new connection are reported through it as well.
    fn of(error: Errno) -> Self {
        match error {
            Errno::AGAIN => Self::Empty,
            Errno::BADF | Errno::INVAL | Errno::NOTSOCK | Errno::OPNOTSUPP | Errno::FAULT => {
                Self::Broken(error)
            }
            Errno::MFILE | Errno::NFILE | Errno::NOMEM | Errno::NOBUFS => Self::Exhausted(error),
            _ => Self::Again,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_broken_listener_is_broken() {
        for error in [Errno::CONNABORTED, Errno::INTR, Errno::PROTO, Errno::NETDOWN, Errno::HOSTUNREACH] {
            assert!(matches!(Accepted::of(error), Accepted::Again), "{error}");
        }
        for error in [Errno::MFILE, Errno::NFILE, Errno::NOMEM, Errno::NOBUFS] {
            assert!(matches!(Accepted::of(error), Accepted::Exhausted(_)), "{error}");
        }
        assert!(matches!(Accepted::of(Errno::AGAIN), Accepted::Empty));
        assert!(matches!(Accepted::of(Errno::BADF), Accepted::Broken(_)));
    }

    #[test]
    fn a_free_port_is_found_and_nobody_waits() {
        let listener = Listener::bind("127.0.0.1:0".parse().expect("address"), 1).expect("loopback");
        assert_ne!(listener.address().port(), 0);
        assert!(matches!(listener.accept(), Accepted::Empty));
    }
}
