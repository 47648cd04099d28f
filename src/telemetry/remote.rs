//! A board's telemetry, read over HTTP.

use std::time::Instant;

use serde_json::Value;

use super::Sample;

/// Why a board's telemetry cannot be had; one line that says what was tried and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct RemoteError(String);

/// A sample of a board.
#[derive(Debug, Clone, PartialEq)]
pub struct RemoteSample {
    /// When it was here.
    pub at: Instant,
    /// What the board said.
    pub sample: Sample,
}

/// What a board's telemetry did since the last look.
#[derive(Debug, Clone, PartialEq)]
pub enum News {
    /// A new sample.
    Sample(RemoteSample),
    /// The board does not answer any more, and why; said once.
    Lost(RemoteError),
    /// The board answers again; said once.
    Back,
}

/// Asks a board for its telemetry once a second, in a thread of its own.
#[derive(Debug)]
pub struct Remote {
    facts: Value,
}

impl Remote {
    /// Asks the board for its facts, and starts to ask for its samples. `base` is like `http://board:9100`; `token` is sent
    /// as a bearer token.
    ///
    /// # Errors
    /// When the base is no such address, or what answers there is not a board's telemetry.
    pub fn start(_base: &str, _token: Option<&str>) -> Result<Self, RemoteError> {
        Ok(Self { facts: Value::Null })
    }

    /// The board's facts, as it served them.
    #[must_use]
    pub fn facts(&self) -> &Value {
        &self.facts
    }

    /// What is new since the last call, the oldest first. Never waits.
    pub fn news(&self) -> Vec<News> {
        Vec::new()
    }
}
