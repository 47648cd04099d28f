//! What is too dear to be read once a second.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::board::{NicLink, SysRoot};
use crate::telemetry::NicSample;

/// A device may take milliseconds to say its speed, which seldom changes: what is five seconds old is still worth telling.
const EVERY: Duration = Duration::from_secs(5);

/// The last reading.
#[derive(Debug)]
pub(super) struct Rare {
    at: Instant,
    links: BTreeMap<String, NicLink>,
}

impl Rare {
    pub(super) fn new(now: Instant) -> Self {
        Self { at: now, links: BTreeMap::new() }
    }

    /// Forgets what is to be read again.
    pub(super) fn refresh(&mut self, now: Instant) {
        if now.duration_since(self.at) >= EVERY {
            self.at = now;
            self.links.clear();
        }
    }

    /// Puts speed and size of packets into the sample of a device.
    pub(super) fn fill(&mut self, root: &SysRoot, nic: &mut NicSample) {
        let read = || NicLink::read(root, &nic.name);
        let link = self.links.entry(nic.name.clone()).or_insert_with(read);
        (nic.speed_mbit, nic.mtu, nic.half_duplex) = (link.speed_mbit, link.mtu, link.half_duplex);
    }
}
