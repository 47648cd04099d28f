//! Who listens on a port.

use super::SysRoot;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// The state of a listening socket in /proc/net/tcp.
const LISTENS: &str = "0A";

/// What holds a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PortOwner {
    /// A process.
    Process {
        /// Its number.
        pid: u32,
        /// Its name. Source: /proc/PID/comm.
        name: String,
    },
    /// A process that this one may not look at, or that is in another container.
    Hidden {
        /// The number of the user whose it is.
        uid: u32,
    },
}

impl PortOwner {
    /// What listens at `address`, or at a wildcard that takes it in, or at an address that `address` takes in. `None` when
    /// nothing is seen to. Sources: /proc/net/tcp, /proc/net/tcp6, and the links in /proc/PID/fd. Takes milliseconds.
    #[must_use]
    pub fn of(root: &SysRoot, address: SocketAddr) -> Option<Self> {
        let tables = ["proc/net/tcp", "proc/net/tcp6"].map(|table| root.text(table).unwrap_or_default());
        let rows = tables.iter().flat_map(|table| table.lines().skip(1));
        let (uid, inode) = rows.filter_map(|row| listener(row, address)).next()?;
        let link = format!("socket:[{inode}]");
        let owner = root.find_numbered("proc", "", &mut |pid| {
            let dir = format!("proc/{pid}/fd");
            let mut is_it = |fd| root.link(&format!("{dir}/{fd}")).as_ref() == Some(&link);
            root.find_numbered(&dir, "", &mut is_it).is_some()
        });
        Some(match owner {
            Some(pid) => {
                let name = root.text(&format!("proc/{pid}/comm")).unwrap_or_else(|| "a program".to_owned());
                Self::Process { pid, name }
            }
            None => Self::Hidden { uid },
        })
    }
}

/// The processes that hold a socket that takes connections to `address`, as far as they may be looked at: several where one
/// was handed on, as systemd hands a service its sockets and a master its workers, or where each worker has its own
/// (SO_REUSEPORT). Takes milliseconds.
#[must_use]
pub fn holders(root: &SysRoot, address: SocketAddr) -> Vec<u32> {
    let tables = ["proc/net/tcp", "proc/net/tcp6"].map(|table| root.text(table).unwrap_or_default());
    let rows = tables.iter().flat_map(|table| table.lines().skip(1));
    let listening = rows.filter_map(|row| {
        let (ip, _) = parse_local(row.split_ascii_whitespace().nth(1)?)?;
        Some((ip == address.ip(), format!("socket:[{}]", listener(row, address)?.1)))
    });
    // As in the kernel, who listens at the very address comes before who listens at all of them.
    let (exact, others): (Vec<_>, Vec<_>) = listening.partition(|(exact, _)| *exact);
    let links: Vec<String> =
        if exact.is_empty() { others } else { exact }.into_iter().map(|(_, link)| link).collect();
    let mut holders = Vec::new();
    root.find_numbered("proc", "", &mut |pid| {
        let dir = format!("proc/{pid}/fd");
        let mut is_it = |fd| root.link(&format!("{dir}/{fd}")).is_some_and(|link| links.contains(&link));
        let holds = !links.is_empty() && root.find_numbered(&dir, "", &mut is_it).is_some();
        holders.extend(holds.then_some(pid));
        false
    });
    holders
}

/// User and inode of the row, if it listens where `address` would.
fn listener(row: &str, address: SocketAddr) -> Option<(u32, u64)> {
    let words: Vec<&str> = row.split_ascii_whitespace().take(10).collect();
    let &[_, local, _, LISTENS, .., uid, _, inode] = &words[..] else { return None };
    let (ip, port) = parse_local(local)?;
    let wildcard = |ip: IpAddr| ip.is_unspecified();
    let clashes = port == address.port() && (ip == address.ip() || wildcard(ip) || wildcard(address.ip()));
    if !clashes {
        return None;
    }
    Some((uid.parse().ok()?, inode.parse().ok()?))
}

/// `0100007F:1F90`: the address in words of four bytes, each printed as a number of this machine's byte order, and the port.
fn parse_local(text: &str) -> Option<(IpAddr, u16)> {
    let (ip, port) = text.split_once(':')?;
    let port = u16::from_str_radix(port, 16).ok()?;
    let word = |at: usize| Some(u32::from_str_radix(ip.get(at * 8..at * 8 + 8)?, 16).ok()?.to_ne_bytes());
    let ip = match ip.len() {
        8 => IpAddr::V4(Ipv4Addr::from(word(0)?)),
        32 => {
            let mut bytes = [0; 16];
            for (at, four) in bytes.chunks_exact_mut(4).enumerate() {
                four.copy_from_slice(&word(at)?);
            }
            IpAddr::V6(Ipv6Addr::from(bytes))
        }
        _ => return None,
    };
    Some((ip, port))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::tree::Tree;
    use std::os::unix::fs::symlink;

    const TCP: &str = "\
  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 111 1 0000 100 0 0 10 0
   1: 00000000:0050 00000000:0000 0A 00000000:00000000 00:00000000 00000000    33        0 222 1 0000 100 0 0 10 0
   2: 0100007F:1F91 0100007F:9999 01 00000000:00000000 00:00000000 00000000     0        0 333 1 0000 20 4 30 10 -1
garbage
";
    const TCP6: &str = "\
  sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when
   0: 00000000000000000000000001000000:2328 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 444 1 0000 100 0 0 10 0
";

    fn tree() -> Tree {
        let tree = Tree::new(&[
            ("proc/net/tcp", TCP.as_bytes()),
            ("proc/net/tcp6", TCP6.as_bytes()),
            ("proc/7/comm", b"nginx: master\n"),
            ("proc/7/fd/x", b""),
            ("proc/8/comm", b"other\n"),
            ("proc/8/fd/x", b""),
            ("proc/self/fd/x", b""),
        ]);
        for (link, target) in [
            ("proc/8/fd/0", "socket:[2221]"),
            ("proc/7/fd/6", "socket:[222]"),
            ("proc/7/fd/7", "socket:[444]"),
        ] {
            symlink(target, tree.path(link)).expect("a link");
        }
        tree
    }

    #[test]
    fn the_owner_is_found_through_wildcards_in_either_direction() {
        let nginx = Some(PortOwner::Process { pid: 7, name: "nginx: master".into() });
        let hidden = Some(PortOwner::Hidden { uid: 1000 });
        let cases = [
            ("127.0.0.1:80", &nginx),
            ("0.0.0.0:80", &nginx),
            ("[::]:80", &nginx),
            ("[::1]:9000", &nginx),
            ("[::]:9000", &nginx),
            ("127.0.0.1:8080", &hidden),
            ("0.0.0.0:8080", &hidden),
            ("192.168.1.1:8080", &None),
            ("127.0.0.1:8081", &None),
            ("127.0.0.1:9000", &None),
        ];
        let tree = tree();
        for (address, expected) in cases {
            let owner = PortOwner::of(&tree.root(), address.parse().expect("address"));
            assert_eq!(&owner, expected, "{address}");
        }
    }

    #[test]
    fn all_holders_of_a_socket_are_found() {
        let tree = tree();
        symlink("socket:[222]", tree.path("proc/8/fd/9")).expect("a link");
        let mut found = holders(&tree.root(), "127.0.0.1:80".parse().expect("address"));
        found.sort_unstable();
        assert_eq!(found, [7, 8]);
        assert!(holders(&tree.root(), "127.0.0.1:8081".parse().expect("address")).is_empty());
    }

    #[test]
    fn this_very_process_is_found_by_its_listener() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("loopback");
        let owner = PortOwner::of(&SysRoot::live(), listener.local_addr().expect("bound"));
        assert!(
            matches!(owner, Some(PortOwner::Process { pid, .. }) if pid == std::process::id()),
            "{owner:?}"
        );
    }

    #[test]
    fn without_tables_nothing_is_known() {
        let tree = Tree::new(&[("proc/net/tcp", b"x")]);
        assert_eq!(PortOwner::of(&tree.root(), "0.0.0.0:1".parse().expect("address")), None);
    }
}
