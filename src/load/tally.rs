//! What is counted while a run goes on.

use super::histogram::LatencyHistogram;
use super::response::ResponseError;

/// Errors by kind. All zero when all is well.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
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

    fn add(&mut self, other: &Self) {
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

/// Everything one thread, or in the end the whole run, has counted.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    /// Waits of finished requests, and of those that timed out the least they took.
    pub latency: LatencyHistogram,
    /// Requests with a complete answer.
    pub requests: u64,
    /// Bytes read from the wire.
    pub bytes: u64,
    /// Errors by kind.
    pub errors: ErrorCounts,
    /// Connections opened anew after the server closed one, announced or while no answer had begun.
    pub reconnects: u64,
    /// Requests whose first byte was sent and that got no complete answer, after the one repetition if that is allowed.
    pub failed: u64,
    /// Requests still waiting for their answer when the run ended.
    pub unfinished: u64,
    /// Connection attempts that found no free local port; also counted in `errors.connect`.
    pub out_of_ports: u64,
    /// The first fault seen.
    pub first_fault: Option<Fault>,
}

impl Tally {
    /// Adds what another thread counted.
    pub fn add(&mut self, other: &Self) {
        self.latency.add(&other.latency);
        self.requests += other.requests;
        self.bytes += other.bytes;
        self.errors.add(&other.errors);
        self.reconnects += other.reconnects;
        self.failed += other.failed;
        self.unfinished += other.unfinished;
        self.out_of_ports += other.out_of_ports;
        self.first_fault = self.first_fault.or(other.first_fault);
    }

    /// Starts from zero, keeping the memory: the warm-up is over.
    pub(super) fn clear(&mut self) {
        let mut latency = std::mem::take(&mut self.latency);
        latency.clear();
        *self = Self { latency, ..Self::default() };
    }

    /// Counts a fault under its kind.
    pub(super) fn fault(&mut self, fault: Fault) {
        match fault {
            Fault::Connect(_) => self.errors.connect += 1,
            Fault::Write(_) => self.errors.write += 1,
            Fault::Read(_) | Fault::Closed | Fault::Answer(_) => self.errors.read += 1,
        }
        self.first_fault = self.first_fault.or(Some(fault));
    }
}
