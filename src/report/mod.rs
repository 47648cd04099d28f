//! Results: what a run found, as a value that is printed for people ([`text`]) and written for programs ([`json`]).

mod environment;
mod histograms;
pub mod json;
mod latency;
mod limit;
mod open_loop;
mod run;
mod search;
mod series;
mod settings;
mod slo;
mod spread;
mod steps;
pub mod text;
mod trial;

pub use crate::load::{ErrorCounts, FailureCounts};
pub use environment::Environment;
pub use histograms::{EncodedHistogram, EncodedStatus, Histograms};
pub use latency::{LatencyUs, StatusReport};
pub use limit::{Limit, LimitedBy, Usage};
pub use open_loop::{OpenLoop, StartDelayUs};
pub use run::{ClientCpu, Connections, Fairness, RunReport};
pub use search::{ProbeReport, SearchReport, probe_titles};
pub use series::{RowLatencyUs, SeriesRow};
pub use settings::Settings;
pub use slo::{BoundReport, Slo, SloError, SloReport};
pub use spread::Spread;
pub use steps::{Knee, StepReport};
pub use trial::{ServerSide, TrialReport};
