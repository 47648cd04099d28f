//! Everything that the kernel counts up, and the differences between two readings of it.

use crate::board::{
    GroupThrottle, NicCounters, SoftnetCounters, StatSample, SwapCounters, SysRoot, TcpCounters,
};
use crate::telemetry::{NicSample, Sample, SoftnetSample, SwapSample, TcpSample};

/// One reading. What cannot be read is missing, and its next reading begins anew.
#[derive(Debug, Default)]
pub(super) struct Counters {
    pub(super) stat: Option<StatSample>,
    pub(super) nics: Vec<NicCounters>,
    softnet: Option<SoftnetCounters>,
    tcp: Option<TcpCounters>,
    swap: Option<SwapCounters>,
    groups: Option<GroupThrottle>,
}

impl Counters {
    pub(super) fn read(root: &SysRoot) -> Self {
        Self {
            stat: StatSample::read(root),
            nics: NicCounters::read(root),
            softnet: SoftnetCounters::read(root),
            tcp: TcpCounters::read(root),
            swap: SwapCounters::read(root),
            groups: GroupThrottle::read(root),
        }
    }

    /// Puts what was counted since `before` into a sample.
    pub(super) fn fill(&self, before: &Self, sample: &mut Sample) {
        let both = |now, before| Option::zip(now, before);
        sample.cores = both(self.stat.as_ref(), before.stat.as_ref())
            .map(|(now, before): (&StatSample, &StatSample)| now.load_since(before))
            .unwrap_or_default();
        sample.nics = self.nics.iter().filter_map(|nic| nic_since(nic, &before.nics)).collect();
        sample.softnet = self.softnet.as_ref().zip(before.softnet.as_ref()).and_then(|(now, before)| {
            let (dropped, squeezed) = now.since(before)?;
            Some(SoftnetSample { dropped, squeezed })
        });
        sample.tcp = self.tcp.zip(before.tcp).and_then(|(now, before)| {
            let TcpCounters { retransmitted, listen_overflows } = now.since(&before)?;
            Some(TcpSample { retransmitted, listen_overflows })
        });
        sample.swap = self.swap.zip(before.swap).and_then(|(now, before)| {
            let SwapCounters { in_bytes, out_bytes } = now.since(&before)?;
            Some(SwapSample { in_bytes, out_bytes })
        });
        sample.own_throttled_us =
            self.groups.as_ref().zip(before.groups.as_ref()).and_then(|(now, before)| now.since(before));
    }
}

fn nic_since(now: &NicCounters, before: &[NicCounters]) -> Option<NicSample> {
    let before = before.iter().find(|before| before.name == now.name)?;
    let counted = now.since(before)?;
    Some(NicSample {
        name: counted.name,
        rx_bytes: counted.rx_bytes,
        rx_packets: counted.rx_packets,
        tx_bytes: counted.tx_bytes,
        tx_packets: counted.tx_packets,
        dropped: counted.rx_dropped.saturating_add(counted.tx_dropped),
        ..NicSample::default()
    })
}
