//! A comparison of several servers: which is faster, which is cheaper, and how sure that is.
//!
//! The servers are loaded in rounds. In each [`Round`] every server has one short [`Turn`], and the order is drawn anew each
//! time, so that nobody always follows the same one. What is compared are ratios within rounds: a machine that gets slower
//! from minute to minute, by heat or by a neighbour, slows both sides of a ratio. An interval says between which bounds
//! the true ratio lies; `interval.rs` says how it is made. Where it has 1 in it, or nearly, the answer is "no difference
//! found", and how large one may be at most.
//!
//! What comes in are turns, and what comes out is a [`Comparison`]: a value that is written as JSON, and from which
//! [`text`] and [`markdown`] print the same tables. Nothing here does any I/O.

mod answer;
mod interval;
mod judge;
mod metric;
mod render;
mod table;
mod turn;
mod typical;
mod words;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use answer::{Answer, Field};
pub use interval::MIN_ROUNDS;
pub use judge::{Judgement, Pair, Ratio, Verdict};
pub use metric::Metric;
pub use render::{markdown, text};
pub use turn::{Round, Turn};
pub use typical::Typical;

use super::seen::BUSY;
use super::{Environment, Settings};

/// A server that fails this share of its requests is not compared by what it serves alone.
const UNSERVED: f64 = 0.01;

/// A comparison. Every field is in the JSON under its own name.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Comparison {
    /// The form of this report: [`Comparison::FORM`].
    pub form: String,
    /// When the first round began, in seconds since 1970 by this machine's clock.
    pub started_unix_s: f64,
    /// Whether it is not, or was not, carried out to its end.
    pub partial: bool,
    /// The servers; all others are compared with the first one.
    pub servers: Vec<Server>,
    /// Each server but the first against the first.
    pub pairs: Vec<Pair>,
    /// The probability with which each interval holds the true ratio, from 0 to 1: 0.95 for two servers, more for more of
    /// them, so that all intervals of one metric hold together with 0.95.
    pub level: f64,
    /// Why the servers may not be comparable, one sentence each.
    pub warnings: Vec<String>,
    /// What else the reader should know, one sentence each.
    pub notes: Vec<String>,
    /// Rounds that were asked for.
    pub rounds_asked: usize,
    /// Length of a turn in seconds.
    pub turn_s: f64,
    /// Where the random orders and signs come from.
    pub seed: u64,
    /// What the first server was asked; for the others it differs in the URL alone.
    pub settings: Settings,
    /// The rounds that are complete.
    pub rounds: Vec<Round>,
    /// The conditions, without which the numbers mean little.
    pub environment: Environment,
}

/// One of the servers.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Server {
    /// Its name in this comparison.
    pub name: String,
    /// Its URL.
    pub url: String,
    /// The process whose processor time is counted, by its name; `null` when it is not known.
    pub process: Option<String>,
    /// What it answered before the rounds; `null` when it did not.
    pub answer: Option<Answer>,
    /// Its figures over all rounds.
    pub typical: Typical,
}

impl Comparison {
    /// The form of the reports that this version writes.
    pub const FORM: &str = "boardkit-compare-1";

    /// Works out all that follows from the rounds and the answers: figures, pairs, warnings and notes, of which there may be
    /// others, `noted`, before. What was there of these is replaced.
    pub fn conclude(&mut self, noted: &[String]) {
        self.form = Self::FORM.to_owned();
        self.partial = self.rounds.len() < self.rounds_asked;
        self.level = judge::level(self.servers.len());
        for (place, server) in self.servers.iter_mut().enumerate() {
            server.typical = Typical::of(&self.rounds, place);
        }
        self.pairs = (1..self.servers.len()).map(|place| self.pair(place)).collect();
        let seen: Vec<answer::Seen<'_>> = self.servers.iter().filter_map(answer::Seen::of).collect();
        let (warnings, fields) = (answer::warnings(&seen), answer::field_differences(&seen));
        self.warnings = warnings;
        self.warnings.extend(self.faults());
        self.warnings.extend(self.saturated());
        self.notes = noted.to_vec();
        self.notes.extend(fields);
        self.notes.extend(self.multiplicity());
        self.notes.extend(self.negligible());
    }

    fn pair(&self, place: usize) -> Pair {
        let judged = Metric::ALL
            .map(|metric| (metric, judge::judge(&self.rounds, place, metric, self.level, self.seed)));
        let mut pair = Pair {
            server: self.servers[place].name.clone(),
            against: self.servers[0].name.clone(),
            metrics: judged.into_iter().collect(),
            conclusion: String::new(),
        };
        // In an open loop the rate is given, and what a server makes of it is how long it takes.
        let first = if self.settings.rate.is_some() { Metric::P99Us } else { Metric::RequestsPerS };
        pair.conclusion = words::conclusion(&pair, [first, Metric::ServerCpuUs]);
        let bad =
            [&self.servers[0], &self.servers[place]].map(|server| (&server.name, server.typical.unserved()));
        for (name, share) in bad.into_iter().filter(|(_, share)| *share >= UNSERVED) {
            pair.conclusion +=
                &format!("; but {name} failed {} % of its requests", render::percent_of(share));
        }
        pair
    }

    /// What went wrong in the rounds.
    fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        for Server { name, typical, .. } in &self.servers {
            let (empty, rounds) = (typical.empty_turns, self.rounds.len());
            if empty > 0 {
                faults.push(format!(
                    "{name} served nothing in {empty} of {rounds} rounds; these are in no ratio, which flatters it"
                ));
            }
            let (status, socket, answers) =
                (typical.errors.status, typical.errors.socket(), typical.requests);
            if status > 0 {
                faults.push(format!("{status} of {answers} answers of {name} are errors (status 400 or above), and in no figure"));
            }
            if socket > 0 {
                faults.push(format!("{name} had {socket} socket errors beside {answers} answers"));
            }
        }
        faults
    }

    /// Whose figures are those of the load tester; `None` when nobody's are.
    fn saturated(&self) -> Option<String> {
        let full = self.servers.iter().filter_map(|server| {
            let share = server.typical.client_thread.filter(|share| *share >= BUSY)?;
            Some(format!("{} % of a core with {}", (share * 100.0).round(), server.name))
        });
        let full = full.collect::<Vec<_>>();
        (!full.is_empty()).then(|| {
            format!(
                "the threads of this load tester had no time left (each used {}): faster servers than that would \
                 look the same; take more threads (-t), or a faster machine",
                full.join(", ")
            )
        })
    }

    /// Why there is no difference where an interval has no 1 in it; `None` when there is none such.
    fn negligible(&self) -> Option<String> {
        let mut judged = self.pairs.iter().flat_map(|pair| pair.metrics.values());
        let told = judged.any(|judgement| {
            judgement.verdict == Verdict::NoDifference
                && judgement.ratio.is_some_and(|ratio| ratio.excludes_one())
        });
        let percent = judge::NEGLIGIBLE * 100.0;
        told.then(|| {
            format!(
                "an interval that comes within {percent:.1} % of 1 is no difference: two copies of one server differ by \
                 as much through their places in memory"
            )
        })
    }

    /// How many comparisons are made at once, and what that means for the intervals; `None` when it is a single one.
    fn multiplicity(&self) -> Option<String> {
        let (level, pairs) = (render::percent_of(self.level), self.pairs.len());
        (pairs > 1).then(|| {
            format!(
                "each interval is one of {level} %, so that the {pairs} of one figure hold together in 95 of 100 \
                 comparisons (Bonferroni)"
            )
        })
    }
}
