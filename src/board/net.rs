//! Counters of the network: devices, the kernel's queues in front of its network code, and TCP.

use super::SysRoot;

/// Counters of one network device since it came up; they may begin again when it goes and comes back.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NicCounters {
    /// Its name.
    pub name: String,
    /// Bytes received, link headers included.
    pub rx_bytes: u64,
    /// Frames received.
    pub rx_packets: u64,
    /// Frames dropped on the way in.
    pub rx_dropped: u64,
    /// Bytes sent.
    pub tx_bytes: u64,
    /// Frames sent.
    pub tx_packets: u64,
    /// Frames dropped on the way out.
    pub tx_dropped: u64,
}

impl NicCounters {
    /// The devices of this process's network namespace, without loopback. Source: /proc/net/dev, one read for all of them;
    /// what /sys/class/net shows belongs to whoever mounted it, which may be another namespace.
    #[must_use]
    pub fn read(root: &SysRoot) -> Vec<Self> {
        let text = root.text("proc/net/dev").unwrap_or_default();
        text.lines().filter_map(Self::parse).filter(|nic| nic.name != "lo").collect()
    }

    /// `eth0: bytes packets errs drop fifo frame compressed multicast bytes packets errs drop …`; long counters touch the
    /// colon.
    fn parse(line: &str) -> Option<Self> {
        let (name, counters) = line.rsplit_once(':')?;
        let counters: Vec<u64> =
            counters.split_ascii_whitespace().map_while(|word| word.parse().ok()).collect();
        let &[rx_bytes, rx_packets, _, rx_dropped, _, _, _, _, tx_bytes, tx_packets, _, tx_dropped, ..] =
            &counters[..]
        else {
            return None;
        };
        let name = name.trim_ascii().to_owned();
        Some(Self { name, rx_bytes, rx_packets, rx_dropped, tx_bytes, tx_packets, tx_dropped })
    }

    /// What was counted since an earlier reading of the same device. `None` when a counter went down: it began again.
    #[must_use]
    pub fn since(&self, before: &Self) -> Option<Self> {
        Some(Self {
            name: self.name.clone(),
            rx_bytes: self.rx_bytes.checked_sub(before.rx_bytes)?,
            rx_packets: self.rx_packets.checked_sub(before.rx_packets)?,
            rx_dropped: self.rx_dropped.checked_sub(before.rx_dropped)?,
            tx_bytes: self.tx_bytes.checked_sub(before.tx_bytes)?,
            tx_packets: self.tx_packets.checked_sub(before.tx_packets)?,
            tx_dropped: self.tx_dropped.checked_sub(before.tx_dropped)?,
        })
    }
}

/// What a network device says of its link; asking may take a driver milliseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NicLink {
    /// Speed in Mbit/s. `None` for what the kernel answers -1 or an error: no cable, Wi-Fi, tunnels. Older kernels answer 10
    /// for a tunnel, which means nothing. Source: /sys/class/net/NAME/speed.
    pub speed_mbit: Option<u32>,
    /// The largest packet that it sends, in bytes without the link's header. Source: /sys/class/net/NAME/mtu.
    pub mtu: Option<u32>,
    /// Whether it sends and receives in turns, so that both directions share the speed. `None` where it does not say. Source:
    /// /sys/class/net/NAME/duplex.
    pub half_duplex: Option<bool>,
}

impl NicLink {
    /// Asks the device.
    #[must_use]
    pub fn read(root: &SysRoot, name: &str) -> Self {
        // -1 in 32 bits is what some drivers answer instead of -1; both fail to be a positive i32.
        let positive = |file: &str| {
            let number: i32 = root.text(&format!("sys/class/net/{name}/{file}"))?.parse().ok()?;
            u32::try_from(number).ok().filter(|number| *number > 0)
        };
        let half_duplex = match root.text(&format!("sys/class/net/{name}/duplex")).as_deref() {
            Some("half") => Some(true),
            Some("full") => Some(false),
            _ => None,
        };
        Self { speed_mbit: positive("speed"), mtu: positive("mtu"), half_duplex }
    }
}

/// Packets that the network code had no time for, by core. Source: /proc/net/softnet_stat, a row for each running core.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SoftnetCounters {
    rows: Vec<[u64; 2]>,
}

impl SoftnetCounters {
    /// Reads the table; `None` when there is none.
    #[must_use]
    pub fn read(root: &SysRoot) -> Option<Self> {
        let text = root.text("proc/net/softnet_stat")?;
        // Hexadecimal: packets handled, packets dropped, times that it stopped with work left, …
        let row = |line: &str| {
            let mut words = line.split_ascii_whitespace().skip(1);
            let mut next = || u64::from_str_radix(words.next()?, 16).ok();
            Some([next()?, next()?])
        };
        let rows: Vec<[u64; 2]> = text.lines().map_while(row).collect();
        (!rows.is_empty()).then_some(Self { rows })
    }

    /// Packets dropped and times stopped since an earlier reading, over all cores. `None` when cores came or went, or a
    /// counter went down: it has 32 bits.
    #[must_use]
    pub fn since(&self, before: &Self) -> Option<(u64, u64)> {
        if self.rows.len() != before.rows.len() {
            return None;
        }
        let mut sum = (0, 0);
        for ([dropped, squeezed], [dropped_before, squeezed_before]) in self.rows.iter().zip(&before.rows) {
            sum.0 += dropped.checked_sub(*dropped_before)?;
            sum.1 += squeezed.checked_sub(*squeezed_before)?;
        }
        Some(sum)
    }
}

/// What TCP had to repeat and to refuse since boot, in this process's network namespace.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TcpCounters {
    /// Segments sent again. Source: Tcp RetransSegs of /proc/net/snmp.
    pub retransmitted: u64,
    /// Connections that found the queue of a listener full. Source: TcpExt ListenOverflows of /proc/net/netstat.
    pub listen_overflows: u64,
}

impl TcpCounters {
    /// Reads both tables; `None` when one of them does not have its counter.
    #[must_use]
    pub fn read(root: &SysRoot) -> Option<Self> {
        Some(Self {
            retransmitted: counter(&root.text("proc/net/snmp")?, "Tcp:", "RetransSegs")?,
            listen_overflows: counter(&root.text("proc/net/netstat")?, "TcpExt:", "ListenOverflows")?,
        })
    }

    /// What was counted since an earlier reading; `None` when a counter went down.
    #[must_use]
    pub fn since(&self, before: &Self) -> Option<Self> {
        Some(Self {
            retransmitted: self.retransmitted.checked_sub(before.retransmitted)?,
            listen_overflows: self.listen_overflows.checked_sub(before.listen_overflows)?,
        })
    }
}

/// A counter of a table in which a row of names stands above each row of values. Kernels differ in which names they have.
fn counter(text: &str, table: &str, name: &str) -> Option<u64> {
    let mut rows = text.lines().filter_map(|line| line.strip_prefix(table));
    let (names, values) = (rows.next()?, rows.next()?);
    let at = names.split_ascii_whitespace().position(|word| word == name)?;
    values.split_ascii_whitespace().nth(at)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::tree::Tree;

    const DEV: &str = "\
Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo:     100       1    0    0    0     0          0         0      100       1    0    0    0     0       0          0
  eth0:98765432101   700    0    3    0     0          0         0     5000      50    0    1    0     0       0          0
vlan:7: 1 2 0 0 0 0 0 0 3 4 0 0 0 0 0 0
";

    #[test]
    fn devices_are_read_without_loopback() {
        let tree = Tree::new(&[("proc/net/dev", DEV.as_bytes())]);
        let nics = NicCounters::read(&tree.root());
        assert_eq!(nics.iter().map(|nic| nic.name.as_str()).collect::<Vec<_>>(), ["eth0", "vlan:7"]);
        let eth0 = &nics[0];
        assert_eq!((eth0.rx_bytes, eth0.rx_packets, eth0.rx_dropped), (98_765_432_101, 700, 3));
        assert_eq!((eth0.tx_bytes, eth0.tx_packets, eth0.tx_dropped), (5000, 50, 1));
        assert!(NicCounters::read(&Tree::new(&[]).root()).is_empty());
    }

    #[test]
    fn a_device_whose_counters_begin_again_has_no_difference() {
        let nic = |rx_bytes, tx_bytes| NicCounters { rx_bytes, tx_bytes, ..NicCounters::default() };
        assert_eq!(nic(30, 5).since(&nic(10, 5)), Some(nic(20, 0)));
        assert_eq!(nic(30, 4).since(&nic(10, 5)), None);
    }

    #[test]
    fn a_speed_that_is_none_is_unknown() {
        for (text, speed) in
            [("1000\n", Some(1000)), ("-1\n", None), ("4294967295\n", None), ("0\n", None), ("", None)]
        {
            let tree = Tree::new(&[("sys/class/net/eth0/speed", text.as_bytes())]);
            let expected = NicLink { speed_mbit: speed, ..NicLink::default() };
            assert_eq!(NicLink::read(&tree.root(), "eth0"), expected);
        }
        for (text, half) in [("half\n", Some(true)), ("full\n", Some(false)), ("unknown\n", None)] {
            let tree = Tree::new(&[("sys/class/net/eth0/duplex", text.as_bytes())]);
            assert_eq!(NicLink::read(&tree.root(), "eth0").half_duplex, half);
        }
    }

    #[test]
    fn softnet_counters_are_hexadecimal_and_by_core() {
        let read = |text: &str| {
            SoftnetCounters::read(&Tree::new(&[("proc/net/softnet_stat", text.as_bytes())]).root())
        };
        let before = read("000000ff 0000000a 00000001 0\n00000001 00000000 00000002 0\n").expect("rows");
        let after = read("000001ff 00000010 00000001 0\n00000001 00000001 00000004 0\n").expect("rows");
        assert_eq!(after.since(&before), Some((7, 2)));
        assert_eq!(before.since(&after), None, "went down");
        assert_eq!(after.since(&read("0 0 0").expect("a row")), None, "another number of cores");
        assert_eq!(read("x\n"), None);
    }

    #[test]
    fn tcp_counters_are_found_by_name() {
        let snmp = b"Ip: A B\nIp: 1 2\nTcp: RtoAlgorithm OutSegs RetransSegs InErrs\nTcp: 1 900 17 0\n";
        let netstat = b"TcpExt: ListenOverflows ListenDrops\nTcpExt: 4 5\nIpExt: X\nIpExt: 1\n";
        let tree = Tree::new(&[("proc/net/snmp", snmp), ("proc/net/netstat", netstat)]);
        let counters = TcpCounters::read(&tree.root()).expect("counters");
        assert_eq!(counters, TcpCounters { retransmitted: 17, listen_overflows: 4 });
        assert_eq!(TcpCounters::default().since(&counters), None);
        let tree = Tree::new(&[("proc/net/snmp", b"Tcp: A\nTcp: 1\n"), ("proc/net/netstat", netstat)]);
        assert_eq!(TcpCounters::read(&tree.root()), None);
    }
}
