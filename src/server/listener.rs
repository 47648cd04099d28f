//! Listening sockets: ours and passed ones, and what each way of failing to accept means.

use std::io;
use std::net::SocketAddr;
use std::os::fd::OwnedFd;

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::{Errno, FdFlags};
use rustix::net::{Shutdown, SocketFlags, SocketType};
use socket2::{Domain, Protocol, SockFilter, SockRef, Socket, Type};

/// A listening socket, shared by all workers of a server.
#[derive(Debug)]
pub struct Listener {
    socket: OwnedFd,
    address: SocketAddr,
    /// Others hold it too: it outlives this server, and nothing may be done to it that would.
    passed: bool,
}

/// An address that cannot be listened on.
#[derive(Debug, thiserror::Error)]
#[error("cannot listen on {address}: {error}")]
pub struct BindError {
    /// The address that was asked for.
    pub address: SocketAddr,
    /// What the kernel said.
    pub error: io::Error,
}

impl From<BindError> for io::Error {
    /// Of the same kind, with the address in its text.
    fn from(error: BindError) -> Self {
        Self::new(error.error.kind(), error)
    }
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
    /// Listens on every address of the list, with room for `backlog` connections that wait at each. Port 0 asks for a
    /// free one.
    ///
    /// `[::]` takes IPv4 as well (its clients have IPv4 addresses then), unless the list has an IPv4 address with the
    /// same port: the two share the port then, each its own family, whatever net.ipv6.bindv6only says.
    ///
    /// # Errors
    /// The first address that cannot be had, and what the kernel says to it.
    pub fn bind_all(addresses: &[SocketAddr], backlog: i32) -> Result<Vec<Self>, BindError> {
        let has_v4 = |port| addresses.iter().any(|other| other.is_ipv4() && other.port() == port);
        let mut bound = Vec::with_capacity(addresses.len());
        for &address in addresses {
            let only_v6 = !address.ip().is_unspecified() || has_v4(address.port());
            match Self::bind(address, only_v6, backlog) {
                Ok(listener) => bound.push(listener),
                Err(error) => return Err(BindError { address, error }),
            }
        }
        Ok(bound)
    }

    fn bind(address: SocketAddr, only_v6: bool, backlog: i32) -> io::Result<Self> {
        let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
        socket.set_reuse_address(true)?;
        if address.is_ipv6() {
            socket.set_only_v6(only_v6)?;
        }
        socket.set_nonblocking(true)?;
        // Accepted sockets inherit it: one call here instead of one per connection.
        socket.set_tcp_nodelay(true)?;
        socket.bind(&address.into())?;
        socket.listen(backlog)?;
        let address = socket.local_addr()?.as_socket().unwrap_or(address);
        Ok(Self { socket: socket.into(), address, passed: false })
    }

    /// Takes over a socket that listens already and that others hold too, such as the service manager: its queue is made
    /// as long as `backlog`, and it is left open for them when this server ends.
    ///
    /// # Errors
    /// When it is no TCP socket that listens, in words; or what the kernel says to the options that ours have.
    pub fn passed(socket: OwnedFd, backlog: i32) -> io::Result<Self> {
        let not = |what| Err(io::Error::new(io::ErrorKind::InvalidInput, what));
        if rustix::net::sockopt::socket_type(&socket) != Ok(SocketType::STREAM) {
            return not("is no stream socket");
        }
        let options = SockRef::from(&socket);
        let Some(address) = options.local_addr()?.as_socket() else {
            return not("is no IPv4 or IPv6 socket");
        };
        if rustix::net::sockopt::socket_acceptconn(&socket) != Ok(true) {
            return not("does not listen");
        }
        rustix::io::fcntl_setfd(&socket, FdFlags::CLOEXEC)?;
        options.set_nonblocking(true)?;
        options.set_tcp_nodelay(true)?;
        options.listen(backlog)?;
        Ok(Self { socket, address, passed: true })
    }

    /// The address that clients reach, with the port that was found for port 0.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    pub(super) const fn socket(&self) -> &OwnedFd {
        &self.socket
    }

    /// Whether others hold it too.
    pub(super) const fn is_passed(&self) -> bool {
        self.passed
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
                let mut peer = peer.and_then(|peer| SocketAddr::try_from(peer).ok()).unwrap_or(self.address);
                // An IPv4 client of an IPv6 listener.
                peer.set_ip(peer.ip().to_canonical());
                Accepted::Connection(socket, peer)
            }
            Err(error) => Accepted::of(error),
        }
    }

    /// Lets no new handshake begin; those that have begun may end. The connections that come of them inherit the
    /// filter, to which none of their packets is a SYN.
    pub(super) fn turn_away(&self) {
        self.filter(&[
            // Byte 13 of the TCP header is its flags (RFC 9293 §3.1); 2 is SYN, 16 is ACK.
            SockFilter::new(LOAD_BYTE, 0, 0, 13),
            SockFilter::new(AND, 0, 0, 2 | 16),
            SockFilter::new(JUMP_IF_EQUAL, 0, 1, 2),
            SockFilter::new(RETURN, 0, 0, DROP),
            SockFilter::new(RETURN, 0, 0, u32::MAX),
        ]);
    }

    /// Lets nobody join the queue any more, so that it can be emptied for good.
    pub(super) fn bar(&self) {
        self.filter(&[SockFilter::new(RETURN, 0, 0, DROP)]);
    }

    fn filter(&self, program: &[SockFilter]) {
        if !self.passed {
            // A kernel that cannot filter lets some come too late; nothing else is lost by it.
            let _ = SockRef::from(&self.socket).attach_filter(program);
        }
    }

    /// Stops listening for good, for all workers and at once: whoever connects from now on is refused, and whoever still
    /// waits is reset.
    pub(super) fn shut(&self) {
        if !self.passed {
            // For a listener this is the whole end; another worker may have been faster.
            let _ = rustix::net::shutdown(&self.socket, Shutdown::Read);
        }
    }
}

/// Instructions of the kernel's classic packet filter (linux/bpf_common.h).
const LOAD_BYTE: u16 = 0x30;
const AND: u16 = 0x54;
const JUMP_IF_EQUAL: u16 = 0x15;
const RETURN: u16 = 0x06;

/// What a filter returns for a packet that is to be forgotten: keep no byte of it.
const DROP: u32 = 0;

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
mod tests;
