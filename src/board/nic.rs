//! The network devices: what drives them, their link, and which cores have their work.

use super::irq::NicIrq;
use super::{CoreSet, NicLink, SysRoot};
use serde::Serialize;

const NET_DIR: &str = "sys/class/net";

/// Words by which interrupts of a USB controller are known, behind which a device is.
const USB_CONTROLLERS: [&str; 3] = ["dwc_otg", "dwc2_hsotg", "xhci-hcd"];

/// Names that are no hardware: loopback, bridges, tunnels, ends of containers.
const VIRTUAL: [&str; 8] = ["lo", "docker", "veth", "br-", "virbr", "tun", "tap", "wg"];

/// A network device.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Nic {
    /// Its name.
    pub name: String,
    /// The module that drives it. Source: device/driver.
    pub driver: Option<String>,
    /// Whether it is Wi-Fi. Source: the folders wireless and phy80211.
    pub wireless: bool,
    /// Whether a cable is in it, or it has joined a network. Source: carrier.
    pub carrier: Option<bool>,
    /// Speed of the link in Mbit/s.
    pub speed_mbit: Option<u32>,
    /// Whether it sends and receives in turns.
    pub half_duplex: Option<bool>,
    /// The largest packet that it sends, in bytes.
    pub mtu: Option<u32>,
    /// The cores that a receive queue's packets are passed on to, for each queue; an empty set: the core that took the
    /// interrupt does all of the work. Source: queues/rx-N/rps_cpus.
    pub rps: Vec<CoreSet>,
    /// Send queues.
    pub tx_queues: usize,
}

impl Nic {
    /// The devices of the machine that are hardware, by name.
    #[must_use]
    pub fn read_all(root: &SysRoot) -> Vec<Self> {
        let mut names = root.names(NET_DIR);
        let has_device = |name: &String| !root.names(&format!("{NET_DIR}/{name}/device")).is_empty();
        // A recorded board may have none of the links.
        if names.iter().any(has_device) {
            names.retain(has_device);
        } else {
            names.retain(|name| !VIRTUAL.iter().any(|prefix| name.starts_with(prefix)));
        }
        names.into_iter().map(|name| Self::read(root, name)).collect()
    }

    fn read(root: &SysRoot, name: String) -> Self {
        let dir = format!("{NET_DIR}/{name}");
        let below = root.names(&dir);
        let has = |wanted: &str| below.iter().any(|name| name == wanted);
        let NicLink { speed_mbit, mtu, half_duplex } = NicLink::read(root, &name);
        let carrier = match root.text(&format!("{dir}/carrier")).as_deref() {
            Some("1") => Some(true),
            Some("0") => Some(false),
            _ => None,
        };
        let queues = root.numbered(&format!("{dir}/queues"), "rx-");
        let mask = |queue: u32| {
            let text = root.text(&format!("{dir}/queues/rx-{queue}/rps_cpus"))?;
            CoreSet::parse_mask(&text)
        };
        Self {
            driver: root.link(&format!("{dir}/device/driver")).and_then(|link| last_part(&link)),
            wireless: has("wireless") || has("phy80211"),
            carrier,
            speed_mbit,
            half_duplex,
            mtu,
            rps: queues.iter().filter_map(mask).collect(),
            tx_queues: root.numbered(&format!("{dir}/queues"), "tx-").len(),
            name,
        }
    }

    /// By which other words its interrupts may be known: the device that it is, and the controllers that it is behind.
    fn other_names(&self, root: &SysRoot) -> Vec<String> {
        let path = root.real_path(&format!("{NET_DIR}/{}/device", self.name)).unwrap_or_default();
        let mut names: Vec<String> =
            path.split('/').filter(|part| part.len() > 3).map(str::to_owned).collect();
        if path.contains("usb") {
            names.extend(USB_CONTROLLERS.map(str::to_owned));
        }
        names
    }
}

fn last_part(path: &str) -> Option<String> {
    path.rsplit('/').next().filter(|name| !name.is_empty()).map(str::to_owned)
}

/// The interrupts of these devices; of whatever looks like one where none is known.
pub(crate) fn interrupts(root: &SysRoot, nics: &[Nic]) -> Vec<NicIrq> {
    let devices: Vec<_> = nics.iter().map(|nic| (nic.name.clone(), nic.other_names(root))).collect();
    NicIrq::read(root, &devices)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::tree::Tree;

    #[test]
    fn a_device_is_told_with_its_queues() {
        let tree = Tree::new(&[
            ("sys/class/net/end0/speed", b"100\n"),
            ("sys/class/net/end0/duplex", b"full\n"),
            ("sys/class/net/end0/carrier", b"1\n"),
            ("sys/class/net/end0/queues/rx-0/rps_cpus", b"0\n"),
            ("sys/class/net/end0/queues/rx-1/rps_cpus", b"00000000,0000000e\n"),
            ("sys/class/net/end0/queues/tx-0/xps_cpus", b"f\n"),
            ("sys/class/net/wlan0/phy80211/name", b"phy0\n"),
            ("sys/class/net/lo/mtu", b"65536\n"),
            ("sys/class/net/veth12/mtu", b"1500\n"),
        ]);
        let nics = Nic::read_all(&tree.root());
        assert_eq!(nics.iter().map(|nic| nic.name.as_str()).collect::<Vec<_>>(), ["end0", "wlan0"]);
        let end0 = &nics[0];
        assert_eq!((end0.speed_mbit, end0.half_duplex, end0.carrier), (Some(100), Some(false), Some(true)));
        assert_eq!(end0.rps, [CoreSet::default(), CoreSet::from_iter([1, 2, 3])]);
        assert_eq!((end0.tx_queues, end0.wireless, nics[1].wireless), (1, false, true));
    }

    #[test]
    fn the_drivers_name_and_the_controllers_come_from_links() {
        let tree = Tree::new(&[
            ("sys/devices/platform/soc/3f980000.usb/usb1/1-1/net/eth0/mtu", b"1500\n"),
            ("sys/bus/usb/drivers/smsc95xx/new_id", b"\n"),
            ("proc/interrupts", b"   CPU0 CPU1\n 56: 9 0  ARMCTRL  64 Edge  dwc_otg, dwc_otg_pcd\n"),
        ]);
        let link = |to: &str, at: &str| {
            let at = tree.path(at);
            std::fs::create_dir_all(at.parent().expect("a folder")).expect("folder");
            std::os::unix::fs::symlink(to, at).expect("a link");
        };
        link("../../devices/platform/soc/3f980000.usb/usb1/1-1/net/eth0", "sys/class/net/eth0");
        link("../..", "sys/devices/platform/soc/3f980000.usb/usb1/1-1/net/eth0/device");
        link(
            "../../../../../../bus/usb/drivers/smsc95xx",
            "sys/devices/platform/soc/3f980000.usb/usb1/1-1/driver",
        );
        let nics = Nic::read_all(&tree.root());
        assert_eq!(nics[0].driver.as_deref(), Some("smsc95xx"));
        let irqs = interrupts(&tree.root(), &nics);
        assert_eq!((irqs[0].name.as_str(), irqs[0].all_on_cpu), ("eth0", Some(0)));
    }
}
