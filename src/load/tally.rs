//! What is counted while a run goes on.

use rustix::io::Errno;

use super::fault::{ErrorCounts, FailureCounts, Fault};
use super::histogram::LatencyHistogram;

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
    pub failed: FailureCounts,
    /// Requests still waiting for their answer when the run ended.
    pub unfinished: u64,
    /// Connections that the server closed, or reset, although its last answer on them, if any, had not said so.
    pub closed_without_notice: u64,
    /// Connection attempts that were refused; also counted in `errors.connect`. No request was lost by them.
    pub refused: u64,
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
        self.failed.add(&other.failed);
        self.unfinished += other.unfinished;
        self.closed_without_notice += other.closed_without_notice;
        self.refused += other.refused;
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
            Fault::Connect(error) => {
                self.errors.connect += 1;
                self.refused += u64::from(error == Errno::CONNREFUSED);
                self.out_of_ports += u64::from(error == Errno::ADDRNOTAVAIL);
            }
            Fault::Write(_) => self.errors.write += 1,
            Fault::Read(_) | Fault::Closed | Fault::Answer(_) => self.errors.read += 1,
        }
        self.first_fault = self.first_fault.or(Some(fault));
    }
}
