//! The network between laptop and board.

use super::case::{Case, percent};
use super::wire::{Flow, SEGMENT, flows};
use super::{Candidate, LimitedBy, State};

/// From this share of its speed on a link is full: the rest is gaps that a sender leaves.
const FULL: f64 = 0.90;

/// Speeds in Mbit/s that boards' links have.
const USUAL: [u32; 4] = [10, 100, 1000, 2500];

/// What a full link of a usual speed carries, as a share of it: as seen on the wire, and as HTTP where something else than a
/// wire holds it back, which counts no headers. The rest to 1 is that of the second's own edges.
const WIRE: std::ops::Range<f64> = 0.90..1.04;
const PAYLOAD: std::ops::Range<f64> = 0.90..1.02;

/// A full link is even to a few percent from second to second; a server seldom is.
const EVEN: f64 = 0.05;

/// On loopback there is no link but a proxy or a tunnel; there two machines' worth of coincidences fit below these bounds.
const LOOPBACK_PAYLOAD: std::ops::Range<f64> = 0.93..1.01;
const LOOPBACK_MOST: u32 = 100;

/// Whether it was the limit. `busy` is whether cores of the board or the laptop were: then an even rate is theirs.
pub(super) fn judge(case: &Case<'_>, busy: bool) -> Candidate {
    let link = case.link();
    let loopback = link.is_some_and(|link| link.loopback);
    let device = link.and_then(|link| link.device.as_deref()).filter(|_| !loopback);
    let flows = flows(case.report, device);
    let fullest = flows.iter().max_by(|a, b| a.wire.total_cmp(&b.wire));
    let candidate = |state, evidence| Candidate { name: LimitedBy::Link, state, evidence };
    let Some(flow) = fullest else {
        return candidate(State::Unknown, "nothing was seen of it".to_owned());
    };
    let speed = speed(case, loopback);
    let mut line = carried(flow, device);
    let state = if let Some((mbit, by)) = speed.clone().filter(|(mbit, _)| flow.wire >= FULL * mbit) {
        line += &format!(", {} of the {mbit} Mbit/s {by}", percent(flow.wire / mbit));
        State::Limits
    } else if let Some(mbit) = looks_like(case, flow, loopback).filter(|_| !busy) {
        let meanwhile = if case.core_count() > 0 { " while no core was busy" } else { "" };
        line += &format!(", even from second to second{meanwhile}: it looks like a {mbit} Mbit/s link");
        State::Limits
    } else if let Some((mbit, by)) = speed {
        line += &format!(", {} of the {mbit} Mbit/s {by}", percent(flow.wire / mbit));
        State::Clear
    } else if loopback {
        line += ", over loopback: there is no wire";
        State::Clear
    } else {
        line += "; the link's speed is not known";
        State::Unknown
    };
    candidate(state, line + &errors(case))
}

/// Share of the link's speed that was used; `None` when the speed is not known.
pub(super) fn used(case: &Case<'_>) -> Option<f64> {
    let link = case.link()?;
    let (mbit, _) = speed(case, link.loopback)?;
    let device = link.device.as_deref().filter(|_| !link.loopback);
    flows(case.report, device).iter().map(|flow| flow.wire / mbit).reduce(f64::max)
}

/// The link's speed in Mbit/s, and who says so: whoever typed it, else the slower of its two ends.
fn speed(case: &Case<'_>, loopback: bool) -> Option<(f64, String)> {
    let link = case.link();
    if let Some(said) = link.and_then(|link| link.said_mbit) {
        return Some((said, "of --link-speed".to_owned()));
    }
    let ours = link.filter(|_| !loopback).and_then(|link| {
        let device = link.device.as_deref().unwrap_or("the device");
        Some((link.speed_mbit?, format!("that {device} has")))
    });
    let theirs = busiest_nic(case)
        .filter(|_| !case.local)
        .map(|(name, mbit)| (mbit, format!("that the board's {name} has")));
    [ours, theirs].into_iter().flatten().min_by(|a, b| a.0.total_cmp(&b.0))
}

/// The board's network device with the most bytes in the run, if it says how fast it is.
fn busiest_nic(case: &Case<'_>) -> Option<(String, f64)> {
    let mut sums: std::collections::BTreeMap<&str, (u64, Option<u32>)> = std::collections::BTreeMap::new();
    for nic in case.report.series.iter().filter_map(|row| row.board.as_ref()).flat_map(|sample| &sample.nics)
    {
        let (bytes, speed) = sums.entry(&nic.name).or_default();
        *bytes += nic.rx_bytes + nic.tx_bytes;
        *speed = nic.speed_mbit.or(*speed);
    }
    let (name, (_, speed)) = sums.into_iter().max_by_key(|(_, (bytes, _))| *bytes)?;
    Some((name.to_owned(), f64::from(speed?)))
}

/// The usual speed that the rate is the most of, if it is as even as a full link makes it. An open loop that is met is even
/// by itself.
fn looks_like(case: &Case<'_>, flow: &Flow, loopback: bool) -> Option<u32> {
    let steady = flow.steady.filter(|steady| steady.ripple <= EVEN && case.offer_met() != Some(true))?;
    let per_request =
        case.report.bytes.max(case.report.sent_bytes) as f64 / case.report.requests.max(1) as f64;
    let is_it = |mbit: &u32| {
        let share = |rate: f64| rate * steady.of_mean / f64::from(*mbit);
        if loopback {
            // Small answers are held back by anything but the bytes in them.
            *mbit <= LOOPBACK_MOST
                && per_request >= SEGMENT
                && LOOPBACK_PAYLOAD.contains(&share(flow.payload))
        } else {
            WIRE.contains(&share(flow.wire)) || PAYLOAD.contains(&share(flow.payload))
        }
    };
    USUAL.into_iter().find(is_it)
}

fn carried(flow: &Flow, device: Option<&str>) -> String {
    let rate = |mbit: f64| if mbit < 10.0 { format!("{mbit:.2}") } else { format!("{mbit:.1}") };
    let (payload, wire) = (rate(flow.payload), rate(flow.wire));
    match device.filter(|_| flow.counted) {
        Some(device) => format!("{device} carried {wire} Mbit/s {} ({payload} of HTTP)", flow.to),
        None => format!("{payload} Mbit/s of HTTP {}, about {wire} with headers", flow.to),
    }
}

fn errors(case: &Case<'_>) -> String {
    let mut text = String::new();
    let (resent, dropped) = (case.resent(), case.dropped());
    if resent > 0 {
        text += &format!("; {resent} TCP segments sent again");
    }
    if dropped > 0 {
        text += &format!("; {dropped} packets dropped");
    }
    text
}
