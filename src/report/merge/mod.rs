//! Runs added up, exactly: counts are summed and histograms added, so that the percentiles are those of all requests.
//!
//! A sum remembers its runs, and all that is not a sum of counts is worked out from them anew. So it does not matter in which
//! order runs are added, nor whether some of them are sums already.

mod different;
mod error;
mod finish;
mod notes;
mod ramps;
mod series;
mod sum;
mod time;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{EncodedHistogram, RunReport, Settings};
use ramps::Ramps;

pub use error::MergeError;

/// A report and what it is called.
#[derive(Debug, Clone, Copy)]
pub struct Part<'a> {
    /// Such as the name of its file.
    pub name: &'a str,
    /// The report, of one run or of a sum.
    pub run: &'a RunReport,
}

/// What may be added.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Allow {
    /// Runs that were not asked for the same.
    pub different: bool,
    /// Runs that were not measured at the same time.
    pub sequential: bool,
}

/// Of what a report is the sum.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Merged {
    /// The runs, in the order in which they began.
    pub runs: Vec<MergedRun>,
    /// Whether there were times in which none of them measured; the rates leave those out.
    pub sequential: bool,
    /// The time in which all of them measured; `null` when there is no whole second of it.
    pub together: Option<Together>,
}

/// The time in which all runs of a sum measured, in whole seconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Together {
    /// When it began, in seconds since 1970.
    pub started_unix_s: f64,
    /// How long it was, in seconds.
    pub length_s: f64,
    /// Requests with a complete answer, per second of it.
    pub requests_per_s: f64,
    /// Arrivals of open loops that were due, per second of it; `null` in closed ones.
    pub arrivals_per_s: Option<f64>,
}

/// One run of a sum.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct MergedRun {
    /// What it is called, such as the name of its file.
    pub name: String,
    /// The URL that it loaded.
    pub url: String,
    /// What it was asked for.
    pub settings: Settings,
    /// When measuring began, in seconds since 1970 by the clock of its machine.
    pub started_unix_s: f64,
    /// How long was measured, in seconds.
    pub duration_s: f64,
    /// Requests with a complete answer.
    pub requests: u64,
    /// Processor time of its load threads, in seconds.
    pub client_cpu_s: f64,
    /// Whether it was not carried out to its end.
    pub partial: bool,
    /// The machine that ran it.
    pub machine: String,
    /// That machine's kernel.
    pub kernel: String,
    /// Versions of the programs involved, by name.
    pub versions: BTreeMap<String, String>,
    /// Its command line.
    pub command: String,
    /// What the reader should know of it, one sentence each, what speaks against its validity included.
    pub notes: Vec<String>,
    /// Of its histograms, by which it is known again.
    pub digest: String,
}

impl RunReport {
    /// The sum of several reports; `command` is the command line that asked for it.
    ///
    /// Rates are over the time in which any of the runs measured. Seconds are put together by the clocks of the machines:
    /// each goes whole into the second of that clock that most of it is in. Steps of ramps are added where the runs went through
    /// them together, or one run after the other. What is of one run, or of the one machine that ran it, is left out: times,
    /// verdict, validity, telemetry, SLO, search, soak and preset. The settings are what was asked for at a time, at most.
    ///
    /// # Errors
    /// When the reports can't be added, or not without more being allowed.
    pub fn merged(parts: &[Part<'_>], allow: Allow, command: &str) -> Result<Self, MergeError> {
        let [first, _, ..] = parts else { return Err(MergeError::TooFew) };
        let mut runs: Vec<MergedRun> = parts.iter().flat_map(Part::runs).collect();
        runs.sort_by(|one, other| {
            let same = || (&one.digest, &one.command).cmp(&(&other.digest, &other.command));
            one.started_unix_s.total_cmp(&other.started_unix_s).then_with(same)
        });
        error::check_runs(&runs)?;
        let gaps = error::check_times(&runs, allow)?;
        let mut differences = different::differences(&runs, gaps);
        if !allow.different {
            differences.drain(..).next().map_or(Ok(()), |difference| Err(difference.error()))?;
            ramps::check(&runs)?;
        }
        let (mut sum, zero) = (first.run.clone(), runs[0].started_unix_s.round());
        let same_board = runs.iter().all(|run| host(&run.url) == host(&runs[0].url));
        sum.series = series::merged(parts, zero, same_board)?;
        let ramps = Ramps::of(&runs);
        for part in &parts[1..] {
            sum::add(&mut sum, part, ramps)?;
        }
        sum.merged = Some(Merged { sequential: gaps, together: None, runs });
        finish::finish(&mut sum, zero, command).map_err(MergeError::histogram(first.name))?;
        sum.notes = notes::notes(&sum, &differences);
        Ok(sum)
    }
}

impl Part<'_> {
    /// The runs in it: itself, or those that it is the sum of.
    fn runs(&self) -> Vec<MergedRun> {
        let run = self.run;
        if let Some(merged) = &run.merged {
            return merged.runs.clone();
        }
        let invalid = run.validity.iter().flat_map(|validity| &validity.marks).filter(|mark| mark.invalid);
        let invalid = invalid.map(|mark| format!("not valid: {}", mark.text));
        vec![MergedRun {
            name: self.name.to_owned(),
            url: run.url.clone(),
            settings: run.settings.clone(),
            started_unix_s: run.started_unix_s,
            duration_s: run.duration_s,
            requests: run.requests,
            client_cpu_s: run.client_cpu.total_s,
            partial: run.partial,
            machine: run.environment.machine.clone(),
            kernel: run.environment.kernel.clone(),
            versions: run.environment.versions.clone(),
            command: run.environment.command.clone(),
            notes: run.notes.iter().cloned().chain(invalid).collect(),
            digest: digest(run),
        }]
    }
}

/// Host and port of a URL.
fn host(url: &str) -> Option<&str> {
    url.split('/').nth(2)
}

/// FNV-1a, of 64 bits, over all histograms: two runs do not have the same latencies to the last request.
fn digest(run: &RunReport) -> String {
    let histograms = &run.histograms;
    let statuses =
        histograms.statuses.iter().flat_map(|(name, status)| [name.as_str(), status.latency.text()]);
    let texts = statuses.chain(
        [&histograms.timed_out, &histograms.waiting, &histograms.start_delay].map(EncodedHistogram::text),
    );
    let hash = texts.flat_map(str::bytes).fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    format!("{hash:016x}")
}

#[cfg(test)]
mod tests;
