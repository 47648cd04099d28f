//! What limited a run, with the evidence for and against each candidate.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
