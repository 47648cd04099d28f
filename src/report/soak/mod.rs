//! A load until heat and rate settle: what a board does at first, what it does for good, and when the one became the other.

mod text;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::SeriesRow;
use super::clock::ClockSeen;
use super::histograms::is_served;

/// The burst is the best of the blocks of this length ...
const BLOCK: usize = 10;
/// ... that begin in the first minute: boards that heat up in less have shown their best by then.
const BURST_BLOCKS: usize = 6;
/// A rate is down when it is lower than the burst by this share; the best of some blocks is above the mean by chance alone.
const DROP: f64 = 0.05;
/// And by so many deviations of a block's mean.
const DROP_DEVIATIONS: f64 = 2.0;
/// A rate is settled when it changes by less than this share over the window.
const RATE_DRIFT: f64 = 0.01;
/// Or when no change can be told from the noise, and one of this share could be.
const RATE_DRIFT_KNOWN: f64 = 0.015;
/// A temperature is settled when it changes by less than so many degrees over the window.
const TEMP_DRIFT_C: f64 = 1.0;
/// The window is the last half of the run; with less in it nothing is said.
const FEWEST: usize = 4;
/// Parts of a window that are compared, to see what its noise may hide.
const PARTS: usize = 10;
/// A shorter row is the rest of a run, and its rate says little.
const WHOLE_S: f64 = 0.5;

/// What a load found that went on until the board had settled.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SoakReport {
    /// Answers per second with a status below 400 in the best ten seconds of the first minute, or of a shorter run the mean;
    /// `null` when there are none.
    pub burst_per_s: Option<f64>,
    /// What the board does for good, or by the end; `null` when the run was too short to say.
    pub sustained: Option<Sustained>,
    /// That as a share of the burst, in percent.
    pub kept_percent: Option<f64>,
    /// When the board began to do less: the earlier of the two below. In seconds after measuring began; `null` when it did not.
    pub throttled_after_s: Option<f64>,
    /// When its clock was first held down; `null` when it was not, or is not known.
    pub clock_held_after_s: Option<f64>,
    /// Whether its clock is known.
    pub clock_known: bool,
    /// When the rate went down for good, by a twentieth of the burst at least.
    pub rate_down_after_s: Option<f64>,
    /// Its highest temperature in degrees Celsius.
    pub hottest_c: Option<f64>,
    /// Whether rate and temperature, as far as it is known, had settled.
    pub settled: bool,
    /// Why it had not, one sentence each.
    pub unsettled: Vec<String>,
}

/// The last half of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Sustained {
    /// When it began, in seconds after measuring began.
    pub from_s: f64,
    /// When it ended.
    pub to_s: f64,
    /// Answers per second with a status below 400.
    pub per_s: f64,
    /// Standard deviation of that from second to second.
    pub stdev_per_s: f64,
    /// The lowest mean of ten seconds.
    pub lowest_per_s: f64,
    /// The highest mean of ten seconds.
    pub highest_per_s: f64,
    /// By how much the rate changed from one end to the other, in percent of it: the slope of a line through it; `null` when
    /// nothing was served.
    pub drift_percent: Option<f64>,
    /// Temperature, in degrees Celsius; `null` when it is not known.
    pub temp_c: Option<f64>,
    /// By how much it changed, in degrees.
    pub temp_drift_c: Option<f64>,
}

/// A second of a soak.
struct Point {
    begin_s: f64,
    per_s: f64,
    temp_c: Option<f64>,
}

impl SoakReport {
    /// What the seconds so far show; `least_s` is how long the run has to be before it may count as settled.
    #[must_use]
    pub fn of(series: &[SeriesRow], least_s: f64) -> Self {
        let points: Vec<_> = series.iter().filter(|row| row.length_s >= WHOLE_S).map(Point::new).collect();
        let clock = ClockSeen::of(series);
        let rates: Vec<f64> = points.iter().map(|point| point.per_s).collect();
        let burst = burst(&rates);
        let window = &points[points.len() / 2..];
        let sustained = (window.len() >= FEWEST).then(|| Sustained::of(window));
        let clock_held_after_s = clock.held.first().map(|span| span.from_s);
        let down = burst.and_then(|burst| down_for_good(&rates, burst)).map(|at| points[at].begin_s);
        let mut report = Self {
            burst_per_s: burst,
            sustained,
            kept_percent: sustained.zip(burst).map(|(sustained, burst)| sustained.per_s / burst * 100.0),
            throttled_after_s: clock_held_after_s.into_iter().chain(down).reduce(f64::min),
            clock_held_after_s,
            clock_known: clock.known,
            rate_down_after_s: down,
            hottest_c: clock.hottest_c,
            settled: false,
            unsettled: Vec::new(),
        };
        report.unsettled = report.judge(window, least_s);
        report.settled = report.unsettled.is_empty();
        report
    }

    fn judge(&self, window: &[Point], least_s: f64) -> Vec<String> {
        let Some(sustained) = &self.sustained else { return vec!["the run was too short to say".to_owned()] };
        let mut unsettled = Vec::new();
        if sustained.to_s < least_s {
            unsettled.push(format!("the run was shorter than {least_s:.0} s"));
        }
        let length = sustained.to_s - sustained.from_s;
        let Some(percent) = sustained.drift_percent else {
            unsettled.push(format!("nothing was served over the last {length:.0} s"));
            return unsettled;
        };
        let drift = percent.abs() / 100.0;
        let hidden = hidden_drift(window) / sustained.per_s;
        let told_from_noise = drift > 2.0 * hidden || hidden > RATE_DRIFT_KNOWN;
        if drift > RATE_DRIFT && told_from_noise {
            unsettled.push(format!("the rate changed by {percent:+.1} % over the last {length:.0} s"));
        }
        if let Some(drift) = sustained.temp_drift_c.filter(|drift| drift.abs() > TEMP_DRIFT_C) {
            unsettled
                .push(format!("the temperature changed by {drift:+.1} degrees over the last {length:.0} s"));
        }
        unsettled
    }
}

impl Point {
    fn new(row: &SeriesRow) -> Self {
        let served: u64 =
            row.statuses.iter().filter(|(status, _)| is_served(status)).map(|(_, count)| count).sum();
        let temp_c = row.board.as_ref().and_then(|board| board.cpu_temp_c);
        Self { begin_s: row.begin_s, per_s: served as f64 / row.length_s, temp_c }
    }
}

impl Sustained {
    fn of(window: &[Point]) -> Self {
        let rates: Vec<f64> = window.iter().map(|point| point.per_s).collect();
        let temps: Vec<f64> = window.iter().filter_map(|point| point.temp_c).collect();
        // Of a sensor that is seldom read a line would be drawn through too little.
        let temps_known = temps.len() * 2 >= window.len();
        let per_s = mean(&rates);
        let squares: f64 = rates.iter().map(|rate| (rate - per_s).powi(2)).sum();
        let blocks = || rates.chunks_exact(BLOCK.min(rates.len())).map(mean);
        Self {
            from_s: window.first().map_or(0.0, |point| point.begin_s),
            to_s: window.last().map_or(0.0, |point| point.begin_s + 1.0),
            per_s,
            stdev_per_s: (squares / (rates.len() - 1).max(1) as f64).sqrt(),
            lowest_per_s: blocks().fold(f64::INFINITY, f64::min),
            highest_per_s: blocks().fold(0.0, f64::max),
            drift_percent: (per_s > 0.0).then(|| change(&rates) / per_s * 100.0),
            temp_c: temps_known.then(|| mean(&temps)),
            temp_drift_c: temps_known.then(|| change(&temps)),
        }
    }
}

/// The best of the first blocks; of a shorter run the mean.
fn burst(rates: &[f64]) -> Option<f64> {
    let blocks = rates.chunks_exact(BLOCK).take(BURST_BLOCKS).map(mean);
    blocks.reduce(f64::max).or_else(|| (!rates.is_empty()).then(|| mean(rates))).filter(|rate| *rate > 0.0)
}

/// The first second from which on the rate is down: in itself, for ten seconds, and on average over all that is left.
fn down_for_good(rates: &[f64], burst: f64) -> Option<usize> {
    // From each second to the next, so that a drop is no noise.
    let steps: Vec<f64> = rates.windows(2).map(|two| (two[1] - two[0]).powi(2)).collect();
    let noise = (mean(&steps) / 2.0 / BLOCK as f64).sqrt();
    let down = burst - (burst * DROP).max(noise * DROP_DEVIATIONS);
    let mut rest = rates.iter().sum::<f64>();
    for (at, rate) in rates.iter().enumerate() {
        let left = &rates[at..];
        if left.len() < BLOCK {
            return None;
        }
        if *rate < down && mean(&left[..BLOCK]) < down && rest / (left.len() as f64) < down {
            return Some(at);
        }
        rest -= rate;
    }
    None
}

/// What the noise of a window may hide: the deviation of its change from one end to the other, in requests per second.
fn hidden_drift(window: &[Point]) -> f64 {
    let rates: Vec<f64> = window.iter().map(|point| point.per_s).collect();
    let parts: Vec<f64> = rates.chunks_exact((rates.len() / PARTS).max(1)).take(PARTS).map(mean).collect();
    let (middle, slope) = (mean(&parts), change(&parts) / parts.len() as f64);
    let center = (parts.len() - 1) as f64 / 2.0;
    let left = |(at, part): (usize, &f64)| (part - middle - slope * (at as f64 - center)).powi(2);
    let squares: f64 = parts.iter().enumerate().map(left).sum();
    // The variance of a slope through n points is 12 / (n³ - n) times theirs; over n of them that is about 12 / n.
    (squares / (parts.len() - 2).max(1) as f64 * 12.0 / parts.len() as f64).sqrt()
}

fn mean(values: &[f64]) -> f64 {
    if values.is_empty() { 0.0 } else { values.iter().sum::<f64>() / values.len() as f64 }
}

/// By how much values change from one end to the other: the slope of the line through them, by least squares.
fn change(values: &[f64]) -> f64 {
    let (middle, center) = (mean(values), (values.len() as f64 - 1.0) / 2.0);
    let from_center = |at: usize| at as f64 - center;
    let covariance: f64 =
        values.iter().enumerate().map(|(at, value)| from_center(at) * (value - middle)).sum();
    let variance: f64 = (0..values.len()).map(|at| from_center(at).powi(2)).sum();
    if variance > 0.0 { covariance / variance * values.len() as f64 } else { 0.0 }
}

#[cfg(test)]
mod tests;
