//! Where boardd listens: passed sockets, the addresses that were asked for, or all there are; and why not.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::fd::{AsRawFd, OwnedFd};

use rustix::io::Errno;

use super::DaemonError;
use crate::board::{PortOwner, SysRoot};
use crate::server::{BindError, Listener};

/// Where boardd listens when nothing is said: a port that needs no privilege.
const DEFAULT_PORT: u16 = 8080;

/// Most sockets that are taken over: far more than any board has addresses, and few enough to keep a mad number from
/// filling the memory.
const MOST_PASSED: u32 = 64;

/// The sockets that the service manager passed on, with descriptors from 3 on (sd_listen_fds(3)), if it is this process that
/// they are for. To be called once, and before anything else is opened. The variables stay in the environment: boardd
/// starts no program that could take them for its own, and `LISTEN_PID` would not fit it.
///
/// # Errors
/// When the number of sockets is none, or one of them is not open.
pub(super) fn passed() -> Result<Vec<OwnedFd>, DaemonError> {
    let pid = std::process::id().to_string();
    let Some(count) = std::env::var_os("LISTEN_FDS").filter(|_| std::env::var("LISTEN_PID") == Ok(pid))
    else {
        return Ok(Vec::new());
    };
    if count.to_str().and_then(|count| count.parse().ok()).is_none_or(|count: u32| count > MOST_PASSED) {
        let count = count.to_string_lossy();
        let text = format!("LISTEN_FDS={count} is no number of sockets from 0 to {MOST_PASSED}");
        return Err(DaemonError::Listen(text));
    }
    let passed = sd_listen_fds::get().unwrap_or_default();
    let passed: Vec<OwnedFd> = passed.into_iter().map(|(_name, socket)| socket.into_std()).collect();
    let closed = |socket: &&OwnedFd| rustix::io::fcntl_getfd(socket).is_err();
    let Some(number) = passed.iter().find(closed).map(AsRawFd::as_raw_fd) else { return Ok(passed) };
    // To close what is not open is never right; what is open goes with the process.
    let count = passed.len();
    std::mem::forget(passed);
    let text = format!("LISTEN_FDS={count} promises descriptor {number}, which is not open");
    Err(DaemonError::Listen(text))
}

/// Listeners of these sockets.
///
/// # Errors
/// When one is of no use.
pub(super) fn take_over(passed: Vec<OwnedFd>, backlog: i32) -> Result<Vec<Listener>, DaemonError> {
    let mut listeners = Vec::with_capacity(passed.len());
    for socket in passed {
        let number = socket.as_raw_fd();
        listeners.push(Listener::passed(socket, backlog).map_err(|error| {
            DaemonError::Listen(format!(
                "the passed descriptor {number} {error}: the .socket unit needs ListenStream="
            ))
        })?);
    }
    Ok(listeners)
}

/// Listeners of these addresses, or of all that the machine has when there are none.
///
/// # Errors
/// When an address cannot be had, with whose fault it is and the way out.
pub(super) fn bind(addresses: &[SocketAddr], backlog: i32) -> Result<Vec<Listener>, DaemonError> {
    let bound = if addresses.is_empty() {
        let all = |ip: IpAddr| Listener::bind_all(&[SocketAddr::new(ip, DEFAULT_PORT)], backlog);
        match all(Ipv6Addr::UNSPECIFIED.into()) {
            Err(BindError { error, .. }) if says_no_ipv6(&error) => all(Ipv4Addr::UNSPECIFIED.into()),
            other => other,
        }
    } else {
        Listener::bind_all(addresses, backlog)
    };
    bound.map_err(|BindError { address, error }| {
        let same_port = addresses.iter().filter(|other| other.port() == address.port()).count();
        let why = match Errno::from_io_error(&error) {
            // Those before it are closed by now, and cannot be found any more.
            Some(Errno::ADDRINUSE) if same_port > 1 => "another --listen has the same port".to_owned(),
            _ => why_not(&SysRoot::live(), address, &error),
        };
        DaemonError::Listen(format!("cannot listen on {address}: {why}"))
    })
}

/// Whether an IPv6 socket failed because there is no IPv6 at all: not built in, or switched off.
fn says_no_ipv6(error: &io::Error) -> bool {
    matches!(Errno::from_io_error(error), Some(Errno::AFNOSUPPORT | Errno::ADDRNOTAVAIL))
}

/// The cause and the way out.
fn why_not(root: &SysRoot, address: SocketAddr, error: &io::Error) -> String {
    let port = address.port();
    let has_ipv6 = || root.text("proc/net/if_inet6").is_some();
    match Errno::from_io_error(error) {
        Some(Errno::ADDRINUSE) => format!(
            "{}; end it, or choose another port with --listen, 0 for a free one",
            taken(port, PortOwner::of(root, address).as_ref())
        ),
        Some(Errno::ACCESS) => format!(
            "ports below {} are privileged; as a service add AmbientCapabilities=CAP_NET_BIND_SERVICE to the unit, or run \
             `sysctl net.ipv4.ip_unprivileged_port_start={port}`, or choose a higher port with --listen",
            root.text("proc/sys/net/ipv4/ip_unprivileged_port_start").as_deref().unwrap_or("1024")
        ),
        Some(Errno::AFNOSUPPORT | Errno::ADDRNOTAVAIL) if address.is_ipv6() && !has_ipv6() => {
            format!("this machine has no IPv6; 0.0.0.0:{port} means all its IPv4 addresses")
        }
        Some(Errno::ADDRNOTAVAIL) if address.is_ipv6() => {
            "this machine does not have that address; [::] means all it has".to_owned()
        }
        Some(Errno::ADDRNOTAVAIL) => {
            "this machine does not have that address; 0.0.0.0 means all it has".to_owned()
        }
        Some(Errno::INVAL) if address.is_ipv6() => {
            format!("a link-local address needs the number of its interface, like [fe80::1%2]:{port}")
        }
        _ => error.to_string(),
    }
}

fn taken(port: u16, owner: Option<&PortOwner>) -> String {
    match owner {
        Some(PortOwner::Process { pid, name }) => format!("port {port} is taken by {name} (pid {pid})"),
        Some(PortOwner::Hidden { uid }) => {
            format!("port {port} is taken by another user's program (user id {uid}); root can see which")
        }
        None => format!("port {port} is taken by a program that cannot be seen from here"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A machine without IPv6 on which nothing can be seen to listen.
    fn bare() -> SysRoot {
        SysRoot::at("/nonexistent")
    }

    #[test]
    fn each_failure_is_one_line_with_the_way_out() {
        let cases: [(_, _, &[&str]); 7] = [
            ("0.0.0.0:80", Errno::ADDRINUSE, &["port 80 is taken", "--listen"]),
            (
                "0.0.0.0:80",
                Errno::ACCESS,
                &["below 1024", "CAP_NET_BIND_SERVICE", "ip_unprivileged_port_start=80"],
            ),
            ("[::1]:8080", Errno::ADDRNOTAVAIL, &["no IPv6", "0.0.0.0:8080"]),
            ("[::]:8080", Errno::AFNOSUPPORT, &["no IPv6", "0.0.0.0:8080"]),
            ("192.0.2.1:80", Errno::ADDRNOTAVAIL, &["does not have that address", "0.0.0.0"]),
            ("[fe80::1]:80", Errno::INVAL, &["number of its interface", "%2]:80"]),
            ("0.0.0.0:80", Errno::NOBUFS, &["buffer"]),
        ];
        for (address, errno, expected) in cases {
            let error = io::Error::from(errno);
            let line = why_not(&bare(), address.parse().expect("address"), &error);
            assert!(!line.contains('\n') && expected.iter().all(|text| line.contains(text)), "{line}");
        }
    }

    #[test]
    fn whoever_has_the_port_is_named_as_far_as_can_be_seen() {
        let nginx = PortOwner::Process { pid: 1234, name: "nginx".into() };
        let cases = [
            (Some(nginx), "port 80 is taken by nginx (pid 1234)"),
            (Some(PortOwner::Hidden { uid: 33 }), "another user's program (user id 33)"),
            (None, "cannot be seen"),
        ];
        for (owner, expected) in cases {
            let line = taken(80, owner.as_ref());
            assert!(line.contains(expected), "{line}");
        }
    }
}
