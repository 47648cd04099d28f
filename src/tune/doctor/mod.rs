//! What makes a board slow: checks with their evidence, and the one command that mends what was found.

mod processor;
mod system;

use crate::board::{BoardFacts, CoreClock, Health};
use serde::Serialize;
use std::fmt;

/// What came of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// Nothing is wrong.
    Good,
    /// Something is wrong that makes the board slow, or will.
    Wrong,
    /// It could not be looked at.
    Unknown,
}

/// A check, with what it rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Check {
    /// What was looked at.
    pub name: &'static str,
    /// What came of it.
    pub outcome: Outcome,
    /// What was seen, with its numbers.
    pub evidence: String,
    /// The command, or what else there is to do, that mends it; `None` where nothing is wrong.
    pub mend: Option<String>,
}

fn good(name: &'static str, evidence: impl Into<String>) -> Check {
    Check { name, outcome: Outcome::Good, evidence: evidence.into(), mend: None }
}

fn wrong(name: &'static str, evidence: impl Into<String>, mend: impl Into<String>) -> Check {
    Check { name, outcome: Outcome::Wrong, evidence: evidence.into(), mend: Some(mend.into()) }
}

fn unknown(name: &'static str, evidence: impl Into<String>) -> Check {
    Check { name, outcome: Outcome::Unknown, evidence: evidence.into(), mend: None }
}

/// All checks, what slows a board down most before what does so seldom. `clocks` are measured ones, none where nobody measured.
#[must_use]
pub fn examine(facts: &BoardFacts, health: &Health, clocks: &[CoreClock]) -> Vec<Check> {
    vec![
        processor::cores(facts),
        processor::cap(facts),
        processor::true_clock(clocks),
        processor::governor(facts),
        processor::supply(facts),
        processor::sensors(facts),
        system::interrupts(facts),
        system::keys(health),
        system::descriptors(facts),
        system::load(facts, health),
        system::memory_cgroup(facts),
        system::swap(facts),
        system::userland(facts),
        system::disks(health),
        system::time(health),
    ]
}

/// `wrong    swap: /var/swap is on the card …` and below it what mends it.
impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let outcome = match self.outcome {
            Outcome::Good => "good",
            Outcome::Wrong => "WRONG",
            Outcome::Unknown => "unknown",
        };
        write!(f, "{outcome:<8} {:<18} {}", self.name, self.evidence)?;
        match &self.mend {
            Some(mend) => write!(f, "\n{:<27} mend: {mend}", ""),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
