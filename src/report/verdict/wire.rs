//! What went over the link, second by second and in each direction.

use super::super::seen::mean_of_rows;
use super::super::{RunReport, SeriesRow};
use crate::telemetry::wire_bytes;

/// Payload of a full TCP segment: 1500 bytes of an Ethernet frame less 20 of IPv4, 20 of TCP and 12 of its time stamps.
pub(super) const SEGMENT: f64 = 1448.0;
/// What a segment costs beside its payload: those 52 bytes, and on the wire 14 of Ethernet's header, 4 of its checksum, 8 of
/// preamble and 12 of gap (IEEE 802.3).
const OVERHEAD: f64 = 90.0;

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
    /// Standard deviation of the payload of whole seconds, against its mean; `None` when there were too few.
    pub(super) ripple: Option<f64>,
}

/// Both directions; none when there was no time to see them in. `device` is the laptop's that leads to the server, if
/// anything goes over a wire.
pub(super) fn flows(report: &RunReport, device: Option<&str>) -> Vec<Flow> {
    let down = flow(report, "towards this laptop", |row| row.bytes, device, false);
    let up = flow(report, "towards the server", |row| row.sent_bytes, device, true);
    down.into_iter().chain(up).collect()
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
        ripple: ripple(series, |row| per_s(row, bytes(row))),
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

/// How uneven whole seconds were, without the first if there are enough: in it connections open and windows grow.
fn ripple(series: &[SeriesRow], rate: impl Fn(&SeriesRow) -> f64) -> Option<f64> {
    let whole: Vec<f64> = series.iter().filter(|row| row.length_s > 0.9).map(rate).collect();
    let steady = if whole.len() > 2 { &whole[1..] } else { &whole[..] };
    if steady.len() < 2 {
        return None;
    }
    let count = steady.len() as f64;
    let mean = steady.iter().sum::<f64>() / count;
    let squares: f64 = steady.iter().map(|rate| (rate - mean).powi(2)).sum();
    (mean > 0.0).then(|| (squares / (count - 1.0)).sqrt() / mean)
}
