//! What limited a run, with the evidence for and against each candidate.
//!
//! Several can be at their limit at once, and one explains the others away. That is their order:
//!
//! 1. **Laptop**: a load tester that can't keep up, or is not let, measures itself. Nothing else can be said then.
//! 2. **Link**: bytes that don't fit through it can't be served, whatever the cores do meanwhile.
//! 3. **Admission**: a server that turns requests away has decided what it serves. That its cores are busy then is why it
//!    does so; the refusals, which cost next to nothing, are in the rate.
//! 4. **Clock**: cores that are slowed down are busy sooner. They would serve more if they were not.
//! 5. **One core**: before all of them, since threads that can't have more than their cores are at their limit even when
//!    something else fills the others.
//! 6. **All cores**.
//! 7. **Too little load**: only when none of these holds, the board was seen, as a core that nobody looks at may be full, and
//!    the speed of the link is known, for the same reason.
//!
//! In an open loop whose arrivals were all answered nothing is the limit, unless a resource was used up all the same.
//!
//! The method is that of utilization, saturation and errors for each resource; means are over the whole run.

mod admission;
mod case;
mod clock;
mod cores;
mod laptop;
mod link;
mod load;
mod missing;
#[cfg(test)]
mod tests;
mod wire;
mod words;

pub(super) use case::{Case, percent};
pub(super) use laptop::{Kind, Reason, reasons};
pub(super) use words::wrapped;

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::RunReport;

/// What can limit a run; also the names of the candidates.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LimitedBy {
    /// The machine that ran the load.
    Laptop,
    /// The network between the two.
    Link,
    /// The server turned requests away.
    Admission,
    /// The board's clock, held down by heat or supply while its cores were busy.
    Clock,
    /// One core of the board, or the threads of a server that does not use all of them.
    OneCore,
    /// All cores of the board.
    AllCores,
    /// Nothing was busy: more load would have found more.
    TooLittleLoad,
    /// Nothing: all that was offered was answered. Only an open loop offers a certain amount.
    Nothing,
    /// Evidence is missing.
    #[default]
    Unknown,
}

/// What the evidence says of a candidate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It held the run back.
    Limits,
    /// It did not.
    Clear,
    /// There is no evidence, or too little.
    #[default]
    Unknown,
}

/// One thing that may have held the run back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Candidate {
    /// Which.
    pub name: LimitedBy,
    /// What the evidence says.
    pub state: State,
    /// The evidence, with its numbers, in one line.
    pub evidence: String,
}

/// What limited a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Verdict {
    /// The first candidate that limits, in the order in which they stand.
    pub limited_by: LimitedBy,
    /// That in one sentence.
    pub headline: String,
    /// All candidates, the one that would explain the others away first.
    pub candidates: Vec<Candidate>,
    /// Which evidence is missing and what would provide it, one sentence each.
    pub missing: Vec<String>,
}

impl Verdict {
    /// Judges a run by its report: its counts, its series, and what it says of who was watched.
    #[must_use]
    pub fn of(report: &RunReport) -> Self {
        Self::of_case(&Case::new(report))
    }

    pub(super) fn of_case(case: &Case<'_>) -> Self {
        let (one, all) = (cores::one(case), cores::all(case));
        let limits = |candidate: &Candidate| candidate.state == State::Limits;
        let known = one.state != State::Unknown;
        let busy = limits(&one) || limits(&all);
        let laptop = laptop::judge(case);
        let link = link::judge(case, busy || limits(&laptop));
        let clock = clock::judge(case.report, (busy || known).then_some(busy));
        let link_known = link.state != State::Unknown;
        let mut candidates = vec![laptop, link, admission::judge(case), clock, one, all];
        let some = candidates.iter().any(limits);
        candidates.push(load::judge(case, some, known, link_known));
        let limited_by = first(&candidates);
        let headline = words::headline(case, limited_by, &candidates);
        let missing = missing::of(case, &candidates);
        Self { limited_by, headline, candidates, missing }
    }

    /// A candidate by its name; none in a verdict of another version that did not have it.
    #[must_use]
    pub fn candidate(&self, name: LimitedBy) -> Option<&Candidate> {
        self.candidates.iter().find(|candidate| candidate.name == name)
    }
}

/// The first that limits. Only if all are known not to is it nothing.
fn first(candidates: &[Candidate]) -> LimitedBy {
    let limits = candidates.iter().find(|candidate| candidate.state == State::Limits);
    let load_is_clear = candidates
        .last()
        .is_some_and(|load| load.name == LimitedBy::TooLittleLoad && load.state == State::Clear);
    match limits {
        Some(candidate) => candidate.name,
        // An offer that is met is evidence enough: what was not seen was no hindrance.
        None if load_is_clear => LimitedBy::Nothing,
        None => LimitedBy::Unknown,
    }
}

impl fmt::Display for LimitedBy {
    /// As people say it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Laptop => "laptop",
            Self::Link => "link",
            Self::Admission => "admission",
            Self::Clock => "clock",
            Self::OneCore => "one core",
            Self::AllCores => "all cores",
            Self::TooLittleLoad => "too little load",
            Self::Nothing => "nothing",
            Self::Unknown => "unknown",
        })
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Limits => "limits",
            Self::Clear => "clear",
            Self::Unknown => "unknown",
        })
    }
}
