//! The search for the highest rate that keeps an SLO, as it is reported.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::histograms::is_served;
use super::text::millis;
use super::{BoundReport, LatencyUs, LimitedBy, RunReport, SloReport};
use crate::load::{Interval, Search, Tried};

/// Late starts matter from this share of the arrivals on, and so do those that waited for a connection.
const MANY: f64 = 0.01;

/// The search for the highest rate that keeps an SLO. The run beside it in a report is the one at the highest rate that held.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SearchReport {
    /// What was asked of the server.
    pub slo: String,
    /// The highest rate, in requests per second, that held and that the edge is above, by odds of 39 in 40; `null` when
    /// there is none.
    pub holds: Option<f64>,
    /// The lowest rate that broke and that the edge is below, by the same odds; `null` when there is none.
    pub breaks: Option<f64>,
    /// The rate at which half of all tries hold, as far as it is known.
    pub edge: Option<f64>,
    /// Whether only this machine, and not the server, broke the SLO above `holds`: the server may be able to do more.
    pub at_least: bool,
    /// Whether the search came to its end: an interval of 5 % or less, or nothing left to try.
    pub finished: bool,
    /// What broke where the edge is, and how often.
    pub broken_by: BTreeMap<String, u64>,
    /// All tries in their order.
    pub probes: Vec<ProbeReport>,
}

/// A try at one rate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProbeReport {
    /// Requests per second that were asked for.
    pub rate: f64,
    /// How it ended.
    pub result: Tried,
    /// Answers with a status below 400 per second, that came before the last arrival was due.
    pub achieved_per_s: f64,
    /// Latency of all answers, and of those that timed out the least it took.
    pub latency_us: LatencyUs,
    /// Requests with no answer, or one with a status above 399.
    pub errors: u64,
    /// Arrivals that started more than 1 ms late although a connection was free: this machine's own fault.
    pub late: u64,
    /// Arrivals that found all connections busy.
    pub waited: u64,
    /// Arrivals that were due.
    pub arrivals: u64,
    /// Each bound of the SLO.
    pub bounds: Vec<BoundReport>,
}

impl ProbeReport {
    /// What came of a run at that rate, which was judged so.
    #[must_use]
    pub fn new(rate: f64, run: &RunReport, slo: &SloReport) -> Self {
        let open = run.open_loop.as_ref();
        let served = run.statuses.iter().filter(|(status, _)| is_served(status));
        let in_time: u64 = served.map(|(_, answers)| answers.count - answers.after_end).sum();
        Self {
            rate,
            result: tried(run, slo),
            achieved_per_s: if run.duration_s > 0.0 { in_time as f64 / run.duration_s } else { 0.0 },
            latency_us: run.latency_us,
            errors: run.errors.status + run.failed + open.map_or(0, |open| open.unanswered),
            late: open.map_or(0, |open| open.late),
            waited: open.map_or(0, |open| open.waited),
            arrivals: open.map_or(0, |open| open.arrivals),
            bounds: slo.bounds.clone(),
        }
    }

    fn is_many(&self, count: u64) -> bool {
        count as f64 > self.arrivals as f64 * MANY
    }
}

/// Whose fault it was that an SLO broke: the load tester's where each broken bound would have held without its late starts,
/// and where it was at its own limit. Then its queue is in the latencies, and arrivals wait for connections whose answers
/// it has not read.
fn tried(run: &RunReport, slo: &SloReport) -> Tried {
    if slo.met {
        return Tried::Held;
    }
    if run.verdict.as_ref().is_some_and(|verdict| verdict.limited_by == LimitedBy::Laptop) {
        return Tried::Late;
    }
    let Some(open) = &run.open_loop else { return Tried::Broke };
    let late = open.late as f64 > open.arrivals as f64 * MANY;
    // What waits for this machine has a connection free; what waits for the server has not.
    let mostly_late = open.late > open.waited;
    let mostly_unsent = open.unsent * 2 > run.errors.status + run.failed + open.unanswered;
    let ours = |bound: &BoundReport| match (bound.found_us, bound.late_us, bound.limit_us) {
        (Some(found), Some(late), Some(limit)) => found - late < limit,
        (None, _, Some(_)) => mostly_late,
        // What was sent and went wrong is the server's.
        _ => mostly_late && mostly_unsent,
    };
    if late && slo.broken().all(ours) { Tried::Late } else { Tried::Broke }
}

impl SearchReport {
    /// What is known after these probes.
    #[must_use]
    pub fn new(slo: String, search: &Search, probes: &[ProbeReport]) -> Self {
        let Interval { holds, breaks, edge } = search.interval();
        let mut broken_by = BTreeMap::new();
        let top = holds.and(breaks).unwrap_or(f64::INFINITY);
        let at_edge = |probe: &&ProbeReport| probe.result == Tried::Broke && probe.rate <= top;
        for bound in probes.iter().filter(at_edge).flat_map(|probe| &probe.bounds).filter(|bound| !bound.met)
        {
            *broken_by.entry(bound.bound.clone()).or_insert(0) += 1;
        }
        let late = probes.iter().any(|probe| probe.result == Tried::Late);
        let at_least = holds.is_some() && breaks.is_none() && late;
        let finished = search.next().is_none();
        Self { slo, holds, breaks, edge, at_least, finished, broken_by, probes: probes.to_vec() }
    }

    /// The highest rate that ever held.
    #[must_use]
    pub fn highest_held(&self) -> Option<f64> {
        self.rates(Tried::Held).reduce(f64::max)
    }

    fn rates(&self, result: Tried) -> impl Iterator<Item = f64> {
        self.probes.iter().filter(move |probe| probe.result == result).map(|probe| probe.rate)
    }

    /// The lines under the table of probes.
    #[must_use]
    pub fn render(&self) -> String {
        let mut out = String::new();
        // Writing to a string can't fail.
        let _ = self.result(&mut out);
        let _ = self.remarks(&mut out);
        out
    }

    fn result(&self, out: &mut String) -> fmt::Result {
        let slo = &self.slo;
        match (self.holds, self.breaks, self.highest_held()) {
            (Some(holds), Some(breaks), _) => {
                let edge = self
                    .edge
                    .map_or_else(String::new, |edge| format!("; half of all tries hold at {edge}/s"));
                writeln!(
                    out,
                    "Highest rate with {slo}: between {holds}/s, which held, and {breaks}/s, which did not{edge}"
                )
            }
            (Some(holds), None, _) if self.at_least => writeln!(
                out,
                "Highest rate with {slo}: at least {holds}/s; above it this machine had no time to start requests when \
                 they were due, which says nothing of the server"
            ),
            (Some(holds), None, _) => {
                writeln!(out, "Highest rate with {slo}: at least {holds}/s; nothing broke for sure")
            }
            (None, _, Some(held)) => {
                let lowest = self.rates(Tried::Broke).reduce(f64::min);
                let broke = lowest.map_or_else(String::new, |rate| format!(", {rate}/s broke"));
                writeln!(
                    out,
                    "Highest rate with {slo}: not known; {held}/s held{broke}, in too few tries to be sure"
                )
            }
            (None, _, None) => {
                let lowest = self.probes.iter().map(|probe| probe.rate).reduce(f64::min);
                writeln!(
                    out,
                    "Highest rate with {slo}: none; not even {}/s held",
                    lowest.unwrap_or(Search::LOWEST)
                )
            }
        }
    }

    fn remarks(&self, out: &mut String) -> fmt::Result {
        if !self.broken_by.is_empty() {
            let broken: Vec<_> =
                self.broken_by.iter().map(|(bound, count)| format!("{bound} {count}x")).collect();
            writeln!(out, "What broke there: {}", broken.join(", "))?;
        }
        let short = |probe: &ProbeReport| probe.result == Tried::Broke && probe.is_many(probe.waited);
        if self.probes.iter().any(short) {
            writeln!(
                out,
                "Note: where it broke, requests waited for a connection; more connections (-c) may hold a higher rate"
            )?;
        }
        let late = self.rates(Tried::Late).count();
        if late > 0 {
            writeln!(
                out,
                "Note: {late} probes broke while this machine was late itself, or at its limit; they do not count against the \
                 server"
            )?;
        }
        Ok(())
    }
}

/// The heads of the table's columns.
#[must_use]
pub fn probe_titles() -> String {
    format!(
        "{:>10} {:>6}{:>11}{:>11}{:>11}{:>11}{:>8}{:>8}  broken (ms)",
        "rate/s", "", "achieved", "50%", "99%", "100%", "errors", "late"
    )
}

impl fmt::Display for ProbeReport {
    /// A row of the table.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let result = match self.result {
            Tried::Held => "held",
            Tried::Broke => "broke",
            Tried::Late => "late",
        };
        let us = &self.latency_us;
        let [p50, p99, max] = [us.p50, us.p99, us.max].map(millis);
        let broken: Vec<_> = self.bounds.iter().filter(|bound| !bound.met).map(ToString::to_string).collect();
        write!(
            f,
            "{:>10} {result:>6}{:>11.1}{p50:>11}{p99:>11}{max:>11}{:>8}{:>8}  {}",
            self.rate,
            self.achieved_per_s,
            self.errors,
            self.late,
            broken.join(", ")
        )
    }
}

#[cfg(test)]
#[path = "search_tests.rs"]
mod tests;
