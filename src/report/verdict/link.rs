//! The network between laptop and board.

use super::case::{Case, percent};
use super::wire::{Flow, SEGMENT, flows};
use super::{Candidate, LimitedBy, State};

/// From this share of its speed on a link is full: the rest is gaps that a sender leaves.
const FULL: f64 = 0.90;

/// A device that carried this many times its speed has another one. Counting by the second takes the rest.
const DISPROVED: f64 = 1.10;

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
    let speed = Speed::of(case, &flows);
    let mut line = carried(flow, device);
    let state = if let Some(known) = speed.known.as_ref().filter(|known| known.share() >= FULL) {
        line += &known.used();
        State::Limits
    } else if let Some(mbit) = looks_like(case, flow, loopback).filter(|_| !busy) {
        let meanwhile = if case.core_count() > 0 { " while no core was busy" } else { "" };
        line += &format!(", even from second to second{meanwhile}: it looks like a {mbit} Mbit/s link");
        State::Limits
    } else {
        line += &speed.known.map_or(String::new(), |known| known.used());
        match speed.unknown {
            Some(whose) => {
                line += &format!("; {whose} is not known");
                State::Unknown
            }
            None if speed.is_wire => State::Clear,
            None => {
                line += ", over loopback: there is no wire";
                State::Clear
            }
        }
    };
    candidate(state, line + &errors(case))
}

/// Share of the link's speed that was used; `None` when the speed is not known.
pub(super) fn used(case: &Case<'_>) -> Option<f64> {
    let link = case.link()?;
    let device = link.device.as_deref().filter(|_| !link.loopback);
    Speed::of(case, &flows(case.report, device)).known.map(|known| known.share())
}

/// What is known of the link's speed: whoever typed it, else what its two ends say.
struct Speed {
    /// The fuller one of those that are known.
    known: Option<Known>,
    /// Which is not, in words.
    unknown: Option<String>,
    /// Whether there is a wire, or someone says that something is as slow as one.
    is_wire: bool,
}

/// A speed, and how much of it was used.
struct Known {
    mbit: f64,
    carried: f64,
    half_duplex: bool,
    /// Who says so.
    by: String,
}

impl Known {
    fn share(&self) -> f64 {
        self.carried / self.mbit
    }

    fn used(&self) -> String {
        let together = if self.half_duplex { " (half duplex: both directions together)" } else { "" };
        format!(", {} of the {} Mbit/s {}{together}", percent(self.share()), self.mbit, self.by)
    }
}

impl Speed {
    fn of(case: &Case<'_>, flows: &[Flow]) -> Self {
        let ends = ends(case);
        let is_half = |end: &End| end.half_duplex;
        let carried = |half_duplex: bool| {
            let wires = flows.iter().map(|flow| flow.wire);
            if half_duplex { wires.sum() } else { wires.fold(0.0, f64::max) }
        };
        if let Some(mbit) = case.link().and_then(|link| link.said_mbit) {
            let half_duplex = ends.iter().any(is_half);
            let by = "of --link-speed".to_owned();
            let known = Some(Known { mbit, carried: carried(half_duplex), half_duplex, by });
            return Self { known, unknown: None, is_wire: true };
        }
        let is_wire = !ends.is_empty();
        let (mut known, mut unknown): (Option<Known>, _) = (None, None);
        for End { device, mbit, half_duplex } in ends {
            let carried = carried(half_duplex);
            match mbit.filter(|mbit| carried <= mbit * DISPROVED) {
                Some(mbit) => {
                    let end = Known { mbit, carried, half_duplex, by: format!("that {device} has") };
                    known = Some(match known {
                        Some(other) if other.share() >= end.share() => other,
                        _ => end,
                    });
                }
                None => unknown = unknown.or(Some(format!("the speed of {device}"))),
            }
        }
        Self { known, unknown, is_wire }
    }
}

/// One end of the link, by its network device.
struct End {
    device: String,
    mbit: Option<f64>,
    half_duplex: bool,
}

/// Those that were watched; none where nothing goes over a wire. A link whose one end is slow is slow.
fn ends(case: &Case<'_>) -> Vec<End> {
    let ours = case.link().map_or_else(
        || End { device: "the link".to_owned(), mbit: None, half_duplex: false },
        |link| End {
            device: link.device.clone().unwrap_or_else(|| "the device".to_owned()),
            mbit: link.speed_mbit,
            half_duplex: link.half_duplex == Some(true),
        },
    );
    match case.local {
        true => Vec::new(),
        false => [Some(ours), busiest_nic(case)].into_iter().flatten().collect(),
    }
}

/// The board's network device with the most bytes in the run.
fn busiest_nic(case: &Case<'_>) -> Option<End> {
    let mut sums: std::collections::BTreeMap<&str, (u64, Option<u32>, bool)> =
        std::collections::BTreeMap::new();
    for nic in case.report.series.iter().filter_map(|row| row.board.as_ref()).flat_map(|sample| &sample.nics)
    {
        let (bytes, speed, half_duplex) = sums.entry(&nic.name).or_default();
        *bytes += nic.rx_bytes + nic.tx_bytes;
        *speed = nic.speed_mbit.or(*speed);
        *half_duplex |= nic.half_duplex == Some(true);
    }
    let (name, (_, speed, half_duplex)) = sums.into_iter().max_by_key(|(_, (bytes, ..))| *bytes)?;
    Some(End { device: format!("the board's {name}"), mbit: speed.map(f64::from), half_duplex })
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
