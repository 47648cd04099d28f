//! From rounds to ratios, and from ratios to what may be said.

use std::collections::BTreeMap;

use fastrand::Rng;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::interval::{MIN_ROUNDS, RESAMPLES, interval};
use super::metric::Metric;
use super::turn::Round;

/// An interval of this level is what is promised for one metric, over all servers.
const LEVEL: f64 = 0.95;

/// A ratio that is no further from 1 than this is no difference between servers. Two processes of one program differ by
/// as much and more through their places in memory alone (Mytkowicz et al., ASPLOS 2009), and enough rounds would find that.
pub(super) const NEGLIGIBLE: f64 = 0.005;

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
    /// Faster, cheaper, shorter: the interval is on the good side of 1, by more than 0.5 %.
    Better,
    /// Slower, dearer, longer: the interval is on the bad side of 1, by more than 0.5 %.
    Worse,
    /// The interval has 1 in it, or comes within 0.5 % of it, as that of two copies of one server may. If there is a
    /// difference, it is no larger than the interval.
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
        None if ratios.is_empty() || ratios.len() >= MIN_ROUNDS => Verdict::Unknown,
        None => Verdict::TooFewRounds,
    };
    Judgement { verdict, ratio, rounds: ratios.len() }
}

impl Ratio {
    fn verdict(&self, metric: Metric) -> Verdict {
        let more = self.low > 1.0 + NEGLIGIBLE;
        if !more && self.high >= 1.0 / (1.0 + NEGLIGIBLE) {
            Verdict::NoDifference
        } else if more == metric.more_is_better() {
            Verdict::Better
        } else {
            Verdict::Worse
        }
    }

    /// Whether 1 is not in the interval, so that it takes a reason to speak of no difference.
    pub(super) fn excludes_one(&self) -> bool {
        self.low > 1.0 || self.high < 1.0
    }
}

#[cfg(test)]
mod tests {
    use super::super::Turn;
    use super::*;

    #[test]
    fn a_difference_is_beyond_half_a_percent_with_its_whole_interval() {
        use Verdict::{Better, NoDifference, Worse};
        let cases = [
            ((1.0, 0.9, 1.1), NoDifference, NoDifference),
            ((1.02, 1.001, 1.04), NoDifference, NoDifference),
            ((1.005, 1.002, 1.008), NoDifference, NoDifference),
            ((0.985, 0.973, 0.997), NoDifference, NoDifference),
            ((1.03, 1.006, 1.05), Better, Worse),
            ((0.97, 0.95, 0.994), Worse, Better),
        ];
        for ((value, low, high), rate, cpu) in cases {
            let ratio = Ratio { value, low, high };
            assert_eq!(ratio.verdict(Metric::RequestsPerS), rate, "{ratio:?}");
            assert_eq!(ratio.verdict(Metric::ServerCpuUs), cpu, "{ratio:?}");
        }
    }

    #[test]
    fn several_comparisons_share_what_may_be_wrong() {
        for (servers, expected) in [(0, 0.95), (2, 0.95), (3, 0.975), (6, 0.99)] {
            assert!((level(servers) - expected).abs() < 1e-12, "{servers}");
        }
    }

    #[test]
    fn only_rounds_in_which_both_have_a_value_count() {
        let turn = |rate: Option<f64>| Turn { requests_per_s: rate, ..Turn::default() };
        let round = |at: usize| {
            let other = (!at.is_multiple_of(3)).then_some(110.0 + (at % 5) as f64);
            Round { order: vec![0, 1], turns: vec![turn(Some(100.0)), turn(other)] }
        };
        let rounds: Vec<Round> = (0..30).map(round).collect();
        let judged = |rounds: &[Round], metric| judge(rounds, 1, metric, 0.95, 1);
        let all = judged(&rounds, Metric::RequestsPerS);
        assert_eq!((all.verdict, all.rounds), (Verdict::Better, 20));
        let ratio = all.ratio.expect("enough rounds");
        assert!(1.10 < ratio.low && ratio.low < ratio.value && ratio.high < 1.14, "{ratio:?}");
        let few = judged(&rounds[..14], Metric::RequestsPerS);
        assert_eq!((few.verdict, few.ratio, few.rounds), (Verdict::TooFewRounds, None, 9));
        assert_eq!(judged(&rounds, Metric::P99Us).verdict, Verdict::Unknown);
        assert_eq!(judge(&rounds, 2, Metric::P99Us, 0.95, 1).verdict, Verdict::Unknown);
    }
}
