//! Which process of this machine the server is.

use std::net::SocketAddr;

use crate::board::{PortOwner, SysRoot, holders};

/// The first process of a machine. It holds the sockets of services that are started on demand, and is no server.
const INIT: u32 = 1;

/// Programs that take connections for a server on another machine. What the load does there is not seen here, although the
/// address is this machine's.
const TO_ANOTHER_MACHINE: [&str; 3] = ["ssh", "autossh", "kubectl"];

/// How the names of emulated machines begin, which are other machines too.
const EMULATED: &str = "qemu-system";

/// Programs that take connections for a server in a container on this machine.
const TO_A_CONTAINER: [&str; 3] = ["docker-proxy", "rootlessport", "pasta"];

/// What holds the server's port on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Holder {
    /// The server.
    Server {
        /// Its process number.
        pid: u32,
        /// Its name.
        name: String,
    },
    /// A program that passes connections on to another machine.
    Tunnel {
        /// Its name.
        name: String,
    },
    /// A program that passes connections on to a container.
    Proxy {
        /// Its name.
        name: String,
    },
    /// A process that may not be looked at.
    Hidden {
        /// The number of the user whose it is.
        uid: u32,
    },
    /// Nothing that is seen.
    Nobody,
}

impl Holder {
    /// Looks for what holds `address`, an address of this machine. Takes milliseconds.
    #[must_use]
    pub fn find(root: &SysRoot, address: SocketAddr) -> Self {
        match PortOwner::of(root, address) {
            None => Self::Nobody,
            Some(PortOwner::Hidden { uid }) => Self::Hidden { uid },
            Some(PortOwner::Process { pid: INIT, name }) => {
                let service = holders(root, address).into_iter().find(|pid| *pid != INIT);
                let named = service.and_then(|pid| Some((pid, root.text(&format!("proc/{pid}/comm"))?)));
                let (pid, name) = named.unwrap_or((INIT, name));
                Self::named(pid, name)
            }
            Some(PortOwner::Process { pid, name }) => Self::named(pid, name),
        }
    }

    fn named(pid: u32, name: String) -> Self {
        if TO_ANOTHER_MACHINE.contains(&name.as_str()) || name.starts_with(EMULATED) {
            Self::Tunnel { name }
        } else if TO_A_CONTAINER.contains(&name.as_str()) {
            Self::Proxy { name }
        } else {
            Self::Server { pid, name }
        }
    }

    pub(super) fn pid(&self) -> Option<u32> {
        match self {
            Self::Server { pid, .. } => Some(*pid),
            _ => None,
        }
    }

    /// Why the server's process is not seen, in one sentence; `None` when it is.
    #[must_use]
    pub fn missing(&self, address: SocketAddr) -> Option<String> {
        let port = address.port();
        let unknown = "its processor time and memory are unknown";
        Some(match self {
            Self::Server { .. } => return None,
            Self::Tunnel { name } => format!(
                "port {port} is held by {name}, which passes it on to another machine: that one's cores, clock and heat \
                 are unknown; give --telemetry URL"
            ),
            Self::Proxy { name } => format!(
                "port {port} is held by {name}, which passes it on to a container: the server is not seen, {unknown}"
            ),
            Self::Hidden { uid } => format!(
                "the server on port {port} is user {uid}'s, or in a container, and may not be looked at: {unknown}; start \
                 boardctl as that user or with sudo"
            ),
            Self::Nobody => format!(
                "no process is seen to listen on port {port} of this machine: the server may be in a container; {unknown}"
            ),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::tree::Tree;
    use std::os::unix::fs::symlink;

    const TCP: &str = "\
  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 00000000:0050 00000000:0000 0A 00000000:00000000 00:00000000 00000000    33        0 222 1 0000 100 0 0 10 0
";

    /// What holds port 80, where these processes have it open.
    fn holder(processes: &[(u32, &str)]) -> Holder {
        let tree = Tree::new(&[("proc/net/tcp", TCP.as_bytes())]);
        for (pid, name) in processes {
            let fd = tree.path(&format!("proc/{pid}/fd"));
            std::fs::create_dir_all(&fd).expect("directory");
            symlink("socket:[222]", fd.join("3")).expect("a link");
            std::fs::write(tree.path(&format!("proc/{pid}/comm")), format!("{name}\n")).expect("file");
        }
        Holder::find(&tree.root(), address(80))
    }

    fn address(port: u16) -> SocketAddr {
        ([127, 0, 0, 1], port).into()
    }

    #[test]
    fn the_holder_is_the_server_or_what_stands_before_it() {
        let name = |name: &str| name.to_owned();
        for (processes, expected, says) in [
            (&[(7, "nginx")][..], Holder::Server { pid: 7, name: name("nginx") }, None),
            (&[(1, "systemd"), (9, "boardd")], Holder::Server { pid: 9, name: name("boardd") }, None),
            (&[(1, "systemd")], Holder::Server { pid: 1, name: name("systemd") }, None),
            (&[(5, "ssh")], Holder::Tunnel { name: name("ssh") }, Some("give --telemetry URL")),
            (
                &[(5, "qemu-system-aar")],
                Holder::Tunnel { name: name("qemu-system-aar") },
                Some("another machine"),
            ),
            (&[(5, "docker-proxy")], Holder::Proxy { name: name("docker-proxy") }, Some("a container")),
            (&[], Holder::Hidden { uid: 33 }, Some("user 33's")),
        ] {
            let found = holder(processes);
            assert_eq!(found, expected);
            let missing = found.missing(address(80));
            assert!(missing.is_some() == says.is_some(), "{missing:?}");
            assert!(
                says.is_none_or(|says| missing.as_ref().is_some_and(|text| text.contains(says))),
                "{missing:?}"
            );
        }
        assert_eq!(Holder::find(&Tree::new(&[]).root(), address(80)), Holder::Nobody);
    }
}
