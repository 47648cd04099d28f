//! What was found, in words: of one metric for the table, of two servers in one sentence.

use super::interval::MIN_ROUNDS;
use super::judge::{Judgement, Pair, Ratio, Verdict};
use super::metric::Metric;

/// Where a ratio within these bounds can't be told from none, people are content.
const FINE: std::ops::RangeInclusive<f64> = 0.95..=1.05;

/// `slower by 9.6 %`.
pub(super) fn verdict(metric: Metric, judgement: &Judgement) -> String {
    match (judgement.verdict, &judgement.ratio) {
        (Verdict::Better | Verdict::Worse, Some(ratio)) => {
            format!("{} by {} %", comparative(metric, ratio), percent(ratio.value))
        }
        (Verdict::NoDifference, _) => "no difference".to_owned(),
        (Verdict::TooFewRounds, _) => "too few rounds to tell".to_owned(),
        _ => "-".to_owned(),
    }
}

/// What a person should conclude. `metrics` are those that decide, the more important one first.
pub(super) fn conclusion(pair: &Pair, metrics: [Metric; 2]) -> String {
    let Pair { server, against, .. } = pair;
    let known = metrics.into_iter().filter_map(|metric| {
        let judgement = pair.metrics.get(&metric)?;
        Some((metric, judgement, judgement.ratio.as_ref()?))
    });
    let known: Vec<(Metric, &Judgement, &Ratio)> = known.collect();
    let (same, different): (Vec<_>, Vec<_>) =
        known.iter().partition(|(_, judgement, _)| judgement.verdict == Verdict::NoDifference);
    match &different[..] {
        [] if known.is_empty() => nothing_known(pair, metrics),
        [] => {
            let limits =
                same.iter().map(|(metric, _, ratio)| format!("{} % in {}", limit(ratio), name(*metric)));
            let limits = limits.collect::<Vec<_>>().join(", ").replacen(" % in", " % either way in", 1);
            let wide =
                same.iter().any(|(_, _, ratio)| !FINE.contains(&ratio.low) || !FINE.contains(&ratio.high));
            let more = if wide { "; more rounds would show smaller ones" } else { "" };
            format!("no difference found between {server} and {against}: at most {limits}{more}")
        }
        [first, more @ ..] => {
            let mut said = format!("{server} {}", differs(first.0, first.2, &format!(" than {against}")));
            for (metric, _, ratio) in more {
                said.push_str(&format!(" and {}", differs(*metric, ratio, "")));
            }
            for (metric, _, ratio) in same {
                let (name, limit) = (name(metric), limit(ratio));
                said.push_str(&format!("; no difference found in {name}: at most {limit} % either way"));
            }
            said
        }
    }
}

fn nothing_known(pair: &Pair, metrics: [Metric; 2]) -> String {
    let Pair { server, against, .. } = pair;
    let rounds =
        metrics.iter().filter_map(|metric| pair.metrics.get(metric)).map(|judgement| judgement.rounds);
    match rounds.max() {
        Some(rounds @ 1..) => format!(
            "too few rounds to tell {server} from {against}: {rounds} are complete, and it takes {MIN_ROUNDS}"
        ),
        _ => format!(
            "nothing can be said of {server} against {against}: there is no round in which both answered"
        ),
    }
}

/// `is slower than a by 9.6 % (8.4 to 10.8)`.
fn differs(metric: Metric, ratio: &Ratio, than: &str) -> String {
    let (near, far) = if ratio.value > 1.0 { (ratio.low, ratio.high) } else { (ratio.high, ratio.low) };
    let (value, near, far) = (percent(ratio.value), percent(near), percent(far));
    let more = if ratio.value > 1.0 { "more" } else { "less" };
    let by = comparative(metric, ratio);
    match metric {
        Metric::RequestsPerS => format!("is {by}{than} by {value} % ({near} to {far})"),
        Metric::ServerCpuUs => format!("needs {value} % {more} {}{than} ({near} to {far})", name(metric)),
        Metric::P50Us | Metric::P99Us => {
            format!("takes {value} % {by}{than} by {} ({near} to {far})", name(metric))
        }
    }
}

/// By how many percent two servers may differ at most.
fn limit(ratio: &Ratio) -> String {
    percent(if ratio.high - 1.0 > 1.0 - ratio.low { ratio.high } else { ratio.low })
}

fn name(metric: Metric) -> &'static str {
    match metric {
        Metric::RequestsPerS => "requests per second",
        Metric::ServerCpuUs => "CPU per request",
        Metric::P50Us => "the latency at 50 %",
        Metric::P99Us => "the latency at 99 %",
    }
}

fn comparative(metric: Metric, ratio: &Ratio) -> &'static str {
    let (more, less) = metric.more_and_less();
    if ratio.value > 1.0 { more } else { less }
}

/// How far a ratio is from 1: `9.6`.
fn percent(ratio: f64) -> String {
    let percent = (ratio - 1.0).abs() * 100.0;
    if percent < 100.0 { format!("{percent:.1}") } else { format!("{percent:.0}") }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn judgement(verdict: Verdict, ratio: Option<(f64, f64, f64)>) -> Judgement {
        let ratio = ratio.map(|(value, low, high)| Ratio { value, low, high });
        Judgement { verdict, ratio, rounds: if ratio.is_some() { 20 } else { 4 } }
    }

    fn said(rate: Judgement, cpu: Judgement) -> String {
        let metrics = BTreeMap::from([(Metric::RequestsPerS, rate), (Metric::ServerCpuUs, cpu)]);
        let pair = Pair { server: "b".into(), against: "a".into(), metrics, conclusion: String::new() };
        conclusion(&pair, [Metric::RequestsPerS, Metric::ServerCpuUs])
    }

    #[test]
    fn a_pair_is_one_plain_sentence() {
        let slower = judgement(Verdict::Worse, Some((0.904, 0.892, 0.916)));
        let much_faster = judgement(Verdict::Better, Some((3.2, 3.05, 3.4)));
        let dearer = judgement(Verdict::Worse, Some((1.052, 1.043, 1.061)));
        let same = judgement(Verdict::NoDifference, Some((0.998, 0.987, 1.009)));
        let unknown = Judgement { verdict: Verdict::Unknown, ratio: None, rounds: 0 };
        let few = judgement(Verdict::TooFewRounds, None);
        let cases = [
            (&slower, &unknown, "b is slower than a by 9.6 % (8.4 to 10.8)"),
            (&much_faster, &unknown, "b is faster than a by 220 % (205 to 240)"),
            (
                &slower,
                &dearer,
                "b is slower than a by 9.6 % (8.4 to 10.8) and needs 5.2 % more CPU per request (4.3 to 6.1)",
            ),
            (
                &same,
                &dearer,
                "b needs 5.2 % more CPU per request than a (4.3 to 6.1); no difference found in requests per second: at \
                 most 1.3 % either way",
            ),
            (
                &same,
                &same,
                "no difference found between b and a: at most 1.3 % either way in requests per second, 1.3 % in CPU per \
                 request",
            ),
            (
                &judgement(Verdict::NoDifference, Some((0.97, 0.91, 1.034))),
                &unknown,
                "no difference found between b and a: at most 9.0 % either way in requests per second; more rounds \
                 would show smaller ones",
            ),
            (&few, &unknown, "too few rounds to tell b from a: 4 are complete, and it takes 10"),
            (
                &unknown,
                &unknown,
                "nothing can be said of b against a: there is no round in which both answered",
            ),
        ];
        for (rate, cpu, expected) in cases {
            assert_eq!(said(rate.clone(), cpu.clone()), expected);
        }
    }

    #[test]
    fn verdicts_are_short() {
        let shorter = judgement(Verdict::Better, Some((0.5, 0.4, 0.6)));
        assert_eq!(verdict(Metric::P99Us, &shorter), "shorter by 50.0 %");
        assert_eq!(verdict(Metric::ServerCpuUs, &shorter), "cheaper by 50.0 %");
        assert_eq!(verdict(Metric::P50Us, &judgement(Verdict::TooFewRounds, None)), "too few rounds to tell");
        assert_eq!(verdict(Metric::P50Us, &judgement(Verdict::Unknown, None)), "-");
    }
}
