//! Results: what a run found, as a value that is printed for people ([`text`]) and written for programs ([`json`]).

pub mod chart;
mod environment;
mod figures;
mod histograms;
pub mod json;
mod latency;
mod limit;
mod open_loop;
pub mod page;
mod run;
pub mod schema;
mod series;
mod settings;
mod spread;
mod telemetry;
pub mod text;
mod trial;
mod validity;
mod verdict;

pub use crate::load::{ErrorCounts, FailureCounts};
pub use environment::Environment;
pub use histograms::{EncodedHistogram, EncodedStatus, Histograms};
pub use latency::{LatencyUs, StatusReport};
pub use limit::{Limit, Usage};
pub use open_loop::{OpenLoop, StartDelayUs};
pub use run::{ClientCpu, Connections, Fairness, RunReport};
pub use series::{RowLatencyUs, SeriesRow};
pub use settings::Settings;
pub use spread::Spread;
pub use telemetry::{LinkReport, ServerProcess, TelemetryReport};
pub use trial::{ServerSide, TrialReport};
pub use validity::{Mark, MarkKind, Validity};
pub use verdict::{Candidate, LimitedBy, State, Verdict};
