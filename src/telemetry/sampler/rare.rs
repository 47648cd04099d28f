//! What is too dear, or too noisy, to be read once a second.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::board::{Firmware, NicLink, SysRoot};
use crate::telemetry::NicSample;

/// A device may take milliseconds to say its speed, and there are kernels that log a warning each time the throttle word is
/// read. Neither changes in vain: what is five seconds old is still worth telling.
const EVERY: Duration = Duration::from_secs(5);

/// The last reading.
#[derive(Debug)]
pub(super) struct Rare {
    at: Instant,
    firmware: Firmware,
    /// The throttle word.
    pub(super) word: Option<u32>,
    links: BTreeMap<String, NicLink>,
}

impl Rare {
    pub(super) fn read(root: &SysRoot, now: Instant) -> Self {
        let firmware = Firmware::find(root);
        Self { at: now, word: firmware.throttle_word(root), firmware, links: BTreeMap::new() }
    }

    /// Reads again if that is due.
    pub(super) fn refresh(&mut self, root: &SysRoot, now: Instant) {
        if now.duration_since(self.at) < EVERY {
            return;
        }
        self.at = now;
        self.word = self.firmware.throttle_word(root);
        self.links.clear();
    }

    /// Puts speed and size of packets into the sample of a device.
    pub(super) fn fill(&mut self, root: &SysRoot, nic: &mut NicSample) {
        let read = || NicLink::read(root, &nic.name);
        let link = self.links.entry(nic.name.clone()).or_insert_with(read);
        (nic.speed_mbit, nic.mtu) = (link.speed_mbit, link.mtu);
    }

    /// Whether the supply was too low: the sensor is asked each time, and where there is none the word says it.
    pub(super) fn under_voltage(&self, root: &SysRoot) -> Option<bool> {
        self.firmware.under_voltage(root).or_else(|| Some(self.word? & 1 != 0))
    }
}
