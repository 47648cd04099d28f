//! What goes wrong during a run, by kind: faults of connections, and what they meant for requests.

use super::response::ResponseError;

/// Errors by kind. All zero when all is well.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
pub struct ErrorCounts {
    /// Connections that could not be opened, each attempt one.
    pub connect: u64,
    /// Connections lost, or answers not understood, while waiting for an answer.
    pub read: u64,
    /// Connections lost while sending.
    pub write: u64,
    /// Requests without a complete answer within the time-out.
    pub timeout: u64,
    /// Answers with a status above 399. They also count as finished requests.
    pub status: u64,
}

impl ErrorCounts {
    /// Errors of the socket kinds: all but `status`.
    #[must_use]
    pub fn socket(&self) -> u64 {
        self.connect + self.read + self.write + self.timeout
    }

    /// Adds those of `other`.
    pub fn add(&mut self, other: &Self) {
        self.connect += other.connect;
        self.read += other.read;
        self.write += other.write;
        self.timeout += other.timeout;
        self.status += other.status;
    }
}

/// One thing that went wrong, kept as an example for the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// A connection could not be opened.
    #[error("connect: {}", std::io::Error::from(*.0))]
    Connect(rustix::io::Errno),
    /// A connection broke while waiting for an answer.
    #[error("read: {}", std::io::Error::from(*.0))]
    Read(rustix::io::Errno),
    /// The server closed where an answer was due.
    #[error("read: the server closed the connection before its answer was complete")]
    Closed,
    /// A connection broke while sending.
    #[error("write: {}", std::io::Error::from(*.0))]
    Write(rustix::io::Errno),
    /// An answer was not understood.
    #[error("read: {0}")]
    Answer(#[from] ResponseError),
}

/// What became of a request that was sent and got no complete answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Failure {
    Closed,
    BrokenOff,
    NotUnderstood,
    TimedOut,
    NotRepeated,
}

/// Failed requests by what became of them: each was sent, at least its first byte, and got no complete answer.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
pub struct FailureCounts {
    /// The connection ended before a byte of the answer came. Without `--no-retry` such a request is first sent again,
    /// once, if its connection was a reused one.
    pub closed: u64,
    /// The connection ended in the middle of the answer.
    pub broken_off: u64,
    /// The answer was not HTTP.
    pub not_understood: u64,
    /// No complete answer within the time-out.
    pub timed_out: u64,
    /// It was to be sent again, and no new connection could be opened for it.
    pub not_repeated: u64,
}

impl FailureCounts {
    /// All of them.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.closed + self.broken_off + self.not_understood + self.timed_out + self.not_repeated
    }

    pub(super) fn count(&mut self, failure: Failure, requests: u64) {
        let kind = match failure {
            Failure::Closed => &mut self.closed,
            Failure::BrokenOff => &mut self.broken_off,
            Failure::NotUnderstood => &mut self.not_understood,
            Failure::TimedOut => &mut self.timed_out,
            Failure::NotRepeated => &mut self.not_repeated,
        };
        *kind += requests;
    }

    /// Adds those of `other`.
    pub fn add(&mut self, other: &Self) {
        self.closed += other.closed;
        self.broken_off += other.broken_off;
        self.not_understood += other.not_understood;
        self.timed_out += other.timed_out;
        self.not_repeated += other.not_repeated;
    }
}
