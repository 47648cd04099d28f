//! The way to the server: which network device leads to it, and what is on its wire.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

use if_addrs::{Interface, get_if_addrs};

use super::NicSample;
use crate::board::{NicLink, SysRoot};

/// What Ethernet adds to each frame and the kernel does not count: preamble and start (8 bytes), checksum (4), and the gap
/// to the next frame (12). Source: IEEE 802.3.
const UNCOUNTED_BYTES: u64 = 24;

/// The header of an Ethernet frame, which the kernel counts.
const HEADER_BYTES: u64 = 14;

/// The size of packets on Ethernet where the device does not say another.
const USUAL_MTU: u32 = 1500;

/// The network device that leads to an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Its name, such as eth0; that of loopback for every address of this machine, also for that of eth0.
    pub device: String,
    /// The address of this machine that connections come from.
    pub local: IpAddr,
    /// Speed of the link in Mbit/s; `None` where the device does not say, as Wi-Fi, tunnels and loopback don't.
    pub speed_mbit: Option<u32>,
    /// Whether both directions share the speed; `None` where the device does not say.
    pub half_duplex: Option<bool>,
    /// Whether the address is this machine's own, so that nothing goes over a wire.
    pub loopback: bool,
}

impl Link {
    /// The device that leads to `address`, by the kernel's own choice of route; nothing is sent. `None` when there is no
    /// route, or no device has the address that the route begins at.
    ///
    /// Where two devices have the same address, it may name the wrong one of them.
    #[must_use]
    pub fn towards(address: SocketAddr) -> Option<Self> {
        Self::towards_in(&SysRoot::live(), address)
    }

    /// As [`Link::towards`], with the speeds below `root`.
    pub(super) fn towards_in(root: &SysRoot, address: SocketAddr) -> Option<Self> {
        let local = local_towards(address)?;
        let loopback = is_here(address.ip().to_canonical(), local.to_canonical());
        let device = match loopback {
            true => get_if_addrs().ok()?.into_iter().find(Interface::is_loopback)?.name,
            false => device_of(&get_if_addrs().ok()?, local, scope(address))?,
        };
        let told = NicLink::read(root, &device);
        Some(Self {
            speed_mbit: told.speed_mbit.filter(|_| !loopback),
            half_duplex: told.half_duplex.filter(|_| !loopback),
            device,
            local,
            loopback,
        })
    }
}

/// The address that a connection to `address` would come from. Connecting a socket for datagrams chooses it, and sends none.
fn local_towards(address: SocketAddr) -> Option<IpAddr> {
    let any: IpAddr = match address {
        SocketAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        SocketAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
    };
    let socket = UdpSocket::bind((any, 0)).ok()?;
    socket.connect(address).ok()?;
    Some(socket.local_addr().ok()?.ip())
}

/// The number of the device that an IPv6 address of one link only names.
fn scope(address: SocketAddr) -> Option<u32> {
    match address {
        SocketAddr::V6(address) => Some(address.scope_id()).filter(|scope| *scope != 0),
        SocketAddr::V4(_) => None,
    }
}

/// Packets from one of the machine's own addresses to another come from the one that they go to; 127.0.0.2 is as much this
/// machine as 127.0.0.1, and so is 0.0.0.0.
fn is_here(to: IpAddr, from: IpAddr) -> bool {
    to == from || to.is_loopback() || to.is_unspecified() || from.is_loopback()
}

fn device_of(interfaces: &[Interface], local: IpAddr, scope: Option<u32>) -> Option<String> {
    let mut with_address = interfaces.iter().filter(|interface| interface.ip() == local);
    let is_it = |interface: &&Interface| scope.is_none_or(|scope| interface.index == Some(scope));
    // A second address may carry a label, as in eth0:1; the device is eth0.
    let name = |interface: &Interface| interface.name.split(':').next().map(str::to_owned);
    with_address.find(is_it).and_then(name)
}

/// Bytes on the wire.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WireBytes {
    /// Received.
    pub rx: u64,
    /// Sent.
    pub tx: u64,
}

/// Bytes that a device put on an Ethernet wire and took from it: what the link's speed is about. At least as many went over
/// it, and where a direction is full they are the speed to within a few percent.
///
/// The kernel counts frames with their header of 14 bytes and without 24 more that each takes on the wire. How many frames
/// there were it does not always know: a device that cuts large segments into frames itself (TSO), or joins them (GRO in
/// hardware, LRO), may count one packet for up to 64 KiB. So there were at least as many frames as counted, and at least as
/// many as bytes of the largest frame make (`mtu`, 1500 where it is unknown). The headers of TCP and IP that a device repeats
/// in each frame that it cuts are counted by some drivers and missed by others. VLAN tags are in what is counted.
#[must_use]
pub fn wire_bytes(nic: &NicSample) -> WireBytes {
    let largest = u64::from(nic.mtu.unwrap_or(USUAL_MTU)).max(1) + HEADER_BYTES;
    let on_wire = |bytes: u64, packets: u64| {
        let frames = packets.max(bytes.div_ceil(largest));
        bytes.saturating_add(frames.saturating_mul(UNCOUNTED_BYTES))
    };
    WireBytes { rx: on_wire(nic.rx_bytes, nic.rx_packets), tx: on_wire(nic.tx_bytes, nic.tx_packets) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::tree::Tree;

    #[test]
    fn an_address_of_this_machine_is_loopback() {
        for address in ["127.0.0.1:80", "127.9.8.7:80", "0.0.0.0:80"] {
            let link = Link::towards(address.parse().expect("address")).expect("loopback is always there");
            assert!(link.loopback, "{link:?}");
            assert_eq!((link.device.as_str(), link.speed_mbit), ("lo", None));
        }
        for interface in get_if_addrs().expect("devices").iter().filter(|interface| !interface.is_loopback())
        {
            let IpAddr::V4(own) = interface.ip() else { continue };
            let link = Link::towards((own, 80).into()).expect("its own address has a route");
            assert!(link.loopback && link.device == "lo", "{own}: {link:?}");
        }
    }

    #[test]
    fn a_device_is_found_by_its_address_and_by_its_number_where_many_have_it() {
        let interface = |name: &str, ip: &str, index| {
            let addr = match ip.parse().expect("address") {
                IpAddr::V4(ip) => if_addrs::IfAddr::V4(if_addrs::Ifv4Addr {
                    ip,
                    netmask: Ipv4Addr::BROADCAST,
                    prefixlen: 32,
                    broadcast: None,
                }),
                IpAddr::V6(ip) => if_addrs::IfAddr::V6(if_addrs::Ifv6Addr {
                    ip,
                    netmask: Ipv6Addr::UNSPECIFIED,
                    prefixlen: 0,
                    broadcast: None,
                }),
            };
            let (name, oper_status) = (name.to_owned(), if_addrs::IfOperStatus::Up);
            Interface { name, addr, index: Some(index), oper_status, is_p2p: false }
        };
        let all = [
            interface("lo", "127.0.0.1", 1),
            interface("eth0", "10.0.0.2", 2),
            interface("eth0", "fe80::1", 2),
            interface("wlan0", "fe80::1", 3),
            interface("eth0:1", "10.0.0.7", 2),
        ];
        for (local, scope, device) in [
            ("10.0.0.2", None, Some("eth0")),
            ("10.0.0.3", None, None),
            ("10.0.0.7", None, Some("eth0")),
            ("fe80::1", Some(3), Some("wlan0")),
            ("fe80::1", Some(9), None),
        ] {
            let local = local.parse().expect("address");
            assert_eq!(device_of(&all, local, scope).as_deref(), device, "{local} {scope:?}");
        }
    }

    #[test]
    fn frames_carry_more_than_the_kernel_counts() {
        let nic = |rx_bytes, rx_packets, mtu| NicSample { rx_bytes, rx_packets, mtu, ..NicSample::default() };
        for (bytes, packets, mtu, wire, why) in [
            (0, 0, None, 0, "nothing"),
            (1514, 1, None, 1538, "a full frame takes 1538 bytes"),
            (60, 1, None, 84, "the smallest takes 84"),
            (15_140, 1, None, 15_380, "one packet that was ten frames"),
            (9014, 1, Some(9000), 9038, "a large frame"),
            (10, 3, Some(0), 82, "an impossible size"),
        ] {
            assert_eq!(wire_bytes(&nic(bytes, packets, mtu)), WireBytes { rx: wire, tx: 0 }, "{why}");
        }
    }

    #[test]
    fn speeds_are_read_below_the_root() {
        let Some(link) = Link::towards(([198, 51, 100, 1], 80).into()) else {
            return; // A machine without a route to anywhere.
        };
        let file = |name: &str| format!("sys/class/net/{}/{name}", link.device);
        let tree = Tree::new(&[(&file("speed"), b"100\n"), (&file("duplex"), b"half\n")]);
        let told = Link::towards_in(&tree.root(), ([198, 51, 100, 1], 80).into()).expect("as before");
        assert_eq!((told.speed_mbit, told.half_duplex, told.loopback), (Some(100), Some(true), false));
    }
}
