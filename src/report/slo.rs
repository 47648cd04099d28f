//! What is asked of a server, and whether a run kept to it.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::histograms::is_served;
use super::{EncodedStatus, RunReport};
use crate::load::{HistogramError, LatencyHistogram};
use crate::units::Span;

/// The share of errors that is allowed when nothing is said of them, in percent.
const ERRORS_PERCENT: f64 = 0.1;

/// What is asked of a server: latencies, and few errors.
///
/// ```
/// use boardkit::report::Slo;
/// let slo: Slo = "p99<50ms,max<1s".parse().unwrap();
/// assert_eq!(slo.to_string(), "p99<50ms,max<1s,errors<0.1%");
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Slo(Vec<Bound>);

#[derive(Debug, Clone, Copy, PartialEq)]
enum Bound {
    /// So many percent of the requests take less; 100 is the longest.
    Latency { percent: f64, below: Span },
    /// Less than this share of the requests fail, in percent.
    Errors { percent: f64 },
}

/// A text that is no SLO.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a bound: must be such as p99<50ms, p99.9<200ms, max<1s or errors<0.1%, several with commas"
)]
pub struct SloError(String);

/// Whether a run kept to what was asked.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SloReport {
    /// What was asked.
    pub asked: String,
    /// Whether all of it was kept to.
    pub met: bool,
    /// Each bound.
    pub bounds: Vec<BoundReport>,
}

/// One bound of an SLO.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct BoundReport {
    /// The bound, such as `p99<50ms`.
    pub bound: String,
    /// Whether it was kept to.
    pub met: bool,
    /// The latency that is asked for, in microseconds; `null` for errors.
    pub limit_us: Option<f64>,
    /// The latency that was found, in microseconds; `null` for errors, and where too few requests were answered to have one.
    pub found_us: Option<f64>,
    /// The share of errors that was found, in percent; `null` for latencies, and when nothing was asked of the server.
    pub found_percent: Option<f64>,
    /// How late, in microseconds, the load tester itself started the requests at this percentile; `null` in a closed loop.
    pub late_us: Option<f64>,
}

impl FromStr for Slo {
    type Err = SloError;

    fn from_str(text: &str) -> Result<Self, SloError> {
        let bounds = text.split(',').map(|part| bound(part).ok_or_else(|| SloError(part.trim().to_owned())));
        let mut bounds: Vec<_> = bounds.collect::<Result<_, _>>()?;
        if !bounds.iter().any(|bound| matches!(bound, Bound::Errors { .. })) {
            bounds.push(Bound::Errors { percent: ERRORS_PERCENT });
        }
        Ok(Self(bounds))
    }
}

fn bound(text: &str) -> Option<Bound> {
    let (name, value) = text.split_once('<')?;
    let (name, value) = (name.trim(), value.trim());
    if name == "errors" {
        let percent = value.strip_suffix('%')?.trim_end().parse().ok()?;
        return (percent > 0.0 && percent <= 100.0).then_some(Bound::Errors { percent });
    }
    let percent = match name.strip_prefix('p') {
        Some(digits) => digits.parse().ok().filter(|percent| *percent > 0.0 && *percent < 100.0)?,
        None if name == "max" => 100.0,
        None => return None,
    };
    // A bare number would be seconds, which nobody means here.
    let below: Span = value.parse().ok().filter(|_| value.ends_with(char::is_alphabetic))?;
    (!below.0.is_zero()).then_some(Bound::Latency { percent, below })
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Latency { percent: 100.0, below } => write!(f, "max<{below}"),
            Self::Latency { percent, below } => write!(f, "p{percent}<{below}"),
            Self::Errors { percent } => write!(f, "errors<{percent}%"),
        }
    }
}

impl fmt::Display for Slo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, bound) in self.0.iter().enumerate() {
            write!(f, "{}{bound}", if index == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}

/// What a run has of each kind of request.
struct Judged {
    /// Latencies of what was served, and of what timed out the least it took.
    latency: LatencyHistogram,
    /// Requests of which `latency` knows nothing, since their answers never came.
    without_end: u64,
    start_delay: LatencyHistogram,
    errors_percent: Option<f64>,
}

impl SloReport {
    /// Judges a run by its own report.
    ///
    /// Latencies are those of answers with a status below 400 and of requests that timed out; what an open loop has
    /// waited for in vain took longer than any bound. Errors are answers with another status, and requests without one.
    ///
    /// # Errors
    /// When a histogram in the report is none.
    pub fn of(slo: &Slo, run: &RunReport) -> Result<Self, HistogramError> {
        let judged = Judged::of(run)?;
        let bounds: Vec<_> = slo.0.iter().map(|bound| judged.bound(bound)).collect();
        Ok(Self { asked: slo.to_string(), met: bounds.iter().all(|bound| bound.met), bounds })
    }

    /// The bounds that were not kept to.
    pub fn broken(&self) -> impl Iterator<Item = &BoundReport> {
        self.bounds.iter().filter(|bound| !bound.met)
    }
}

impl Judged {
    fn of(run: &RunReport) -> Result<Self, HistogramError> {
        let mut latency = run.histograms.timed_out.decode()?;
        for (_, EncodedStatus { latency: served, .. }) in
            run.histograms.statuses.iter().filter(|(status, _)| is_served(status))
        {
            latency.add(&served.decode()?);
        }
        // In a closed loop what is under way at the end has not failed; late it is if it has waited longest of all.
        let (unanswered, asked) = match &run.open_loop {
            Some(open) => (open.unanswered, open.arrivals),
            None => {
                latency.add(&run.histograms.waiting.decode()?);
                (0, run.requests + run.failed)
            }
        };
        let errors = run.errors.status + run.failed + unanswered;
        Ok(Self {
            latency,
            without_end: unanswered,
            start_delay: run.histograms.start_delay.decode()?,
            errors_percent: (asked > 0).then(|| errors as f64 * 100.0 / asked as f64),
        })
    }

    fn bound(&self, bound: &Bound) -> BoundReport {
        let name = bound.to_string();
        match bound {
            Bound::Latency { percent, below } => {
                let found_us = self.latency_us(*percent);
                let limit_us = below.0.as_secs_f64() * 1e6;
                let met = found_us.is_some_and(|us| us < limit_us);
                let late_us = self.start_delay.percentile_us(*percent);
                let limit_us = Some(limit_us);
                BoundReport { bound: name, met, limit_us, found_us, late_us, found_percent: None }
            }
            Bound::Errors { percent } => {
                let found_percent = self.errors_percent;
                let met = found_percent.is_some_and(|found| found < *percent);
                BoundReport { bound: name, met, found_percent, ..BoundReport::default() }
            }
        }
    }

    /// The latency that so many percent do not exceed; `None` when the answer at that place never came.
    fn latency_us(&self, percent: f64) -> Option<f64> {
        let known = self.latency.count();
        let share = percent * (known + self.without_end) as f64 / known as f64;
        // Of nothing, the share is no number.
        if share <= 100.0 { self.latency.percentile_us(share) } else { None }
    }
}

impl fmt::Display for BoundReport {
    /// What was found, such as `p99 61.2ms`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.bound.split('<').next().unwrap_or_default();
        match (self.found_us, self.found_percent) {
            (Some(us), _) => write!(f, "{name} {}", crate::units::WrkTime(us)),
            (None, Some(percent)) => write!(f, "{name} {percent:.3}%"),
            (None, None) if name == "errors" => f.write_str("nothing was asked"),
            (None, None) => write!(f, "{name} never answered"),
        }
    }
}

#[cfg(test)]
#[path = "slo_tests.rs"]
mod tests;
