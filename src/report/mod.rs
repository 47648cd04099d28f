//! Results: what a run found, as a value that is printed for people ([`text`]) and written for programs ([`json`]).

mod answers;
mod clock;
mod environment;
#[cfg(test)]
mod hand;
pub mod hgrm;
mod histograms;
pub mod json;
mod latency;
pub mod like;
mod nothing;
mod open_loop;
pub mod preset;
mod run;
pub mod schema;
mod search;
mod seen;
mod series;
mod settings;
mod slo;
mod spans;
mod spread;
mod steps;
mod telemetry;
pub mod text;
mod trial;
mod validity;
mod verdict;

pub use crate::load::{ErrorCounts, FailureCounts};
pub use answers::{Answers, TimesUs};
pub use environment::Environment;
pub use histograms::{EncodedHistogram, EncodedStatus, Histograms};
pub use latency::{LatencyUs, StatusReport};
pub use open_loop::{OpenLoop, StartDelayUs};
pub use preset::PresetReport;
pub use run::{ClientCpu, Connections, Fairness, RunReport};
pub use search::{ProbeReport, SearchReport, probe_titles};
pub use series::{RowLatencyUs, SeriesRow};
pub use settings::Settings;
pub use slo::{BoundReport, Slo, SloError, SloReport};
pub use spread::Spread;
pub use steps::{Knee, StepReport};
pub use telemetry::{LinkReport, ServerProcess, TelemetryReport};
pub use trial::{ServerSide, TrialReport};
pub use validity::{Mark, MarkKind, Validity};
pub use verdict::{Candidate, LimitedBy, State, Verdict};
