//! Published tests whose shape can be run again, with the figures that were published.
//!
//! A published figure is of other hardware, another network and another year. It stands beside what is measured here to
//! show what people found, and says all of that with every number, so that nobody takes the one for the other.

mod differences;
mod table;
mod text;

use std::borrow::Cow;
use std::str::FromStr;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::RunReport;
use crate::load::{LoadPlan, Outcome};

/// A published test.
#[derive(Debug, PartialEq)]
pub struct Preset {
    /// The name by which it is asked for.
    pub name: &'static str,
    /// What it is, in one line.
    pub summary: &'static str,
    /// How it is run.
    pub shape: Shape,
    published: &'static [Published],
}

/// The shape of a published test. Connections are kept alive in all of them, and nothing is warmed up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shape {
    /// Threads.
    pub threads: usize,
    /// Connections.
    pub connections: usize,
    /// How many requests were made, where it was so many and not so long; then `seconds` is for who asks for no number.
    pub requests: Option<usize>,
    seconds: u64,
    /// The path under which boardd gives an answer of the published size.
    pub path: &'static str,
    /// The size of the published answer's content in bytes, from and to.
    body: (u64, u64),
    /// Whether server and load tester were on different machines; `None` where the publication does not say.
    apart: Option<bool>,
}

impl Shape {
    /// How long was measured.
    #[must_use]
    pub fn duration(&self) -> Duration {
        Duration::from_secs(self.seconds)
    }
}

/// One published figure, on other hardware.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Published {
    /// What was measured.
    pub server: Cow<'static, str>,
    /// Requests per second.
    pub requests_per_s: f64,
    /// Mean latency in milliseconds; `null` where it was not published, as with the fields below.
    pub mean_ms: Option<f64>,
    /// The longest latency in milliseconds.
    pub max_ms: Option<f64>,
    /// Requests that timed out.
    pub timeouts: Option<u64>,
    /// The load tester and its flags.
    pub tool: Cow<'static, str>,
    /// The hardware.
    pub hardware: Cow<'static, str>,
    /// The year of the publication.
    pub year: u16,
}

/// What a report says of the preset it was run with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PresetReport {
    /// The preset's name.
    pub name: Cow<'static, str>,
    /// The published figures, all on other hardware.
    pub published: Vec<Published>,
    /// In what the run differs from the published test, one sentence each; empty when in nothing that is known.
    pub differences: Vec<String>,
}

impl Preset {
    /// All presets.
    #[must_use]
    pub fn all() -> &'static [Self] {
        &table::PRESETS
    }

    /// What the report of a run with this preset says of it.
    #[must_use]
    pub fn report(&self, plan: &LoadPlan, outcome: &Outcome, report: &RunReport) -> PresetReport {
        PresetReport {
            name: Cow::Borrowed(self.name),
            published: self.published.to_vec(),
            differences: differences::of(&self.shape, plan, outcome, report),
        }
    }
}

impl FromStr for &'static Preset {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let names = || Preset::all().iter().map(|preset| preset.name).collect::<Vec<_>>().join(", ");
        let known = Preset::all().iter().find(|preset| preset.name == text);
        known.ok_or_else(|| format!("must be one of {}; --help says what each is", names()))
    }
}

#[cfg(test)]
mod tests;
