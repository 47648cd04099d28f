//! From rounds to ratios, and from ratios to what may be said.

use std::collections::BTreeMap;

use fastrand::Rng;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::interval::{RESAMPLES, interval};
use super::metric::Metric;
use super::turn::Round;

/// An interval of this level is what is promised for one metric, over all servers.
const LEVEL: f64 = 0.95;

/// One server against the first one.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Pair {
    /// The server's name.
    pub server: String,
    /// The first server's name.
    pub against: String,
    /// What was found, by metric.
    pub metrics: BTreeMap<Metric, Judgement>,
    /// What a person should conclude, in one sentence.
    pub conclusion: String,
}

/// Two servers by one metric.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Judgement {
    /// What may be said.
    pub verdict: Verdict,
    /// This server's value over the first one's; `null` when there is none, or no interval for it.
    pub ratio: Option<Ratio>,
    /// Rounds in which both servers have a value.
    pub rounds: usize,
}

/// A ratio, and between which bounds the true one lies.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ratio {
    /// The ratio, from the trimmed mean of the logarithms of the rounds' ratios.
    pub value: f64,
    /// The lower bound.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
}

/// What may be said of a server against the first one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Faster, cheaper, shorter: the interval is on the good side of 1.
    Better,
    /// Slower, dearer, longer: the interval is on the bad side of 1.
    Worse,
    /// The interval has 1 in it: if there is a difference, it is no larger than the interval.
    NoDifference,
    /// There are values, but of fewer rounds than an interval needs.
    TooFewRounds,
    /// At least one of the two has no value in any round.
    Unknown,
}

/// The level of each interval where `servers` are compared: with several comparisons each is made a little wider, so that
/// all of one metric hold together as often as a single one would (Bonferroni).
pub(super) fn level(servers: usize) -> f64 {
    1.0 - (1.0 - LEVEL) / servers.saturating_sub(1).max(1) as f64
}

/// Judges the server at place `server` against the first one, by one metric. The same rounds and seed give the same bounds.
pub(super) fn judge(rounds: &[Round], server: usize, metric: Metric, level: f64, seed: u64) -> Judgement {
    let value = |round: &Round, place: usize| metric.of(round.turns.get(place)?);
    // Within a round, so that whatever slows the machine for longer than a round drops out.
    let ratios: Vec<f64> = rounds
        .iter()
        .filter_map(|round| Some((value(round, server)? / value(round, 0)?).ln()))
        .filter(|ratio| ratio.is_finite())
        .collect();
    let found = interval(&ratios, level, RESAMPLES, &mut Rng::with_seed(seed));
    let ratio =
        found.map(|found| Ratio { value: found.centre.exp(), low: found.low.exp(), high: found.high.exp() });
    let verdict = match &ratio {
        Some(ratio) => ratio.verdict(metric),
        None if ratios.is_empty() => Verdict::Unknown,
        None => Verdict::TooFewRounds,
    };
    Judgement { verdict, ratio, rounds: ratios.len() }
}

impl Ratio {
    fn verdict(&self, metric: Metric) -> Verdict {
        let more = self.low > 1.0;
        if !more && self.high >= 1.0 {
            Verdict::NoDifference
        } else if more == metric.more_is_better() {
            Verdict::Better
        } else {
            Verdict::Worse
        }
    }
}
