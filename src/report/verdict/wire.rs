//! What went over the link, second by second and in each direction.

use super::super::seen::mean_of_rows;
use super::super::{RunReport, SeriesRow, Spread};
use crate::telemetry::wire_bytes;

/// Payload of a full TCP segment: 1500 bytes of an Ethernet frame less 20 of IPv4, 20 of TCP and 12 of its time stamps.
pub(super) const SEGMENT: f64 = 1448.0;
/// What a segment costs beside its payload: those 52 bytes, and on the wire 14 of Ethernet's header, 4 of its checksum, 8 of
/// preamble and 12 of gap (IEEE 802.3).
const OVERHEAD: f64 = 90.0;

/// A row that is as long is one of a whole second.
const WHOLE_S: f64 = 0.9;

/// Bits in a byte, by a million.
const MBIT: f64 = 8.0 / 1_000_000.0;

/// One direction of the link.
#[derive(Debug, Clone)]
pub(super) struct Flow {
    /// Where to.
    pub(super) to: &'static str,
    /// HTTP in it, in Mbit/s.
    pub(super) payload: f64,
    /// All of it, as it is on a wire, in Mbit/s.
    pub(super) wire: f64,
    /// Whether that was counted by the device, or else reckoned from the payload.
    pub(super) counted: bool,
    /// Whole seconds, without the first; `None` when there were too few.
    pub(super) steady: Option<Steady>,
}

/// What a direction carried once it was under way.
#[derive(Debug, Clone, Copy)]
pub(super) struct Steady {
    /// Its mean against that of the whole run.
    pub(super) of_mean: f64,
    /// Its standard deviation against its mean.
    pub(super) ripple: f64,
}

/// Both directions; none when there was no time to see them in. `device` is the laptop's that leads to the server, if
/// anything goes over a wire.
pub(super) fn flows(report: &RunReport, device: Option<&str>) -> Vec<Flow> {
    let down = flow(report, "towards this laptop", in_time, device, false);
    let up = flow(report, "towards the server", |row| row.sent_bytes, device, true);
    down.into_iter().chain(up).collect()
}

/// Bytes read in a second, without what an open loop still waited for after it.
fn in_time(row: &SeriesRow) -> u64 {
    row.bytes.saturating_sub(row.bytes_after_end)
}

fn flow(
    report: &RunReport,
    to: &'static str,
    bytes: fn(&SeriesRow) -> u64,
    device: Option<&str>,
    sent: bool,
) -> Option<Flow> {
    let per_s = |row: &SeriesRow, amount: u64| amount as f64 / row.length_s.max(f64::MIN_POSITIVE);
    let series = &report.series;
    let payload = mean_of_rows(series, |row| per_s(row, bytes(row)))?;
    let counted = device.and_then(|device| counted(series, device, sent));
    let segments = (payload / SEGMENT).max(mean_of_rows(series, |row| row.requests_per_s)?);
    // Of a run without a byte there is no segment either; a request that was not answered was one.
    let reckoned = if payload > 0.0 { payload + segments * OVERHEAD } else { 0.0 };
    Some(Flow {
        to,
        payload: payload * MBIT,
        wire: counted.unwrap_or(reckoned) * MBIT,
        counted: counted.is_some(),
        steady: steady(series, payload, |row| per_s(row, bytes(row))),
    })
}

/// Bytes on the wire of `device` per second, over the seconds in which it was seen.
fn counted(series: &[SeriesRow], device: &str, sent: bool) -> Option<f64> {
    let (mut bytes, mut seconds) = (0, 0.0);
    for sample in series.iter().filter_map(|row| row.laptop.as_ref()) {
        let Some(nic) = sample.nics.iter().find(|nic| nic.name == device) else { continue };
        let wire = wire_bytes(nic);
        bytes += if sent { wire.tx } else { wire.rx };
        seconds += sample.interval_s;
    }
    (seconds > 0.0).then(|| bytes as f64 / seconds)
}

/// How even whole seconds were, without the first if there are enough: in it connections open, and queues fill that a link
/// has.
fn steady(series: &[SeriesRow], payload: f64, rate: impl Fn(&SeriesRow) -> f64) -> Option<Steady> {
    let whole: Vec<f64> = series.iter().filter(|row| row.length_s > WHOLE_S).map(rate).collect();
    let steady = if whole.len() > 2 { &whole[1..] } else { &whole[..] };
    let spread = Spread::of(steady).filter(|spread| steady.len() > 1 && spread.mean > 0.0)?;
    Some(Steady { of_mean: spread.mean / payload, ripple: spread.stdev / spread.mean })
}
