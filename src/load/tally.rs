//! What is counted while a run goes on.

use rustix::io::Errno;

use super::answers::AnswerCounts;
use super::fault::{ErrorCounts, FailureCounts, Fault};
use super::histogram::LatencyHistogram;
use super::parts::TimeParts;
use super::status::Statuses;
use super::steps::Steps;

/// Everything one thread, or in the end the whole run, has counted.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    /// Waits of finished requests, by the status of their answers.
    pub statuses: Statuses,
    /// The least that requests took which timed out.
    pub timed_out: LatencyHistogram,
    /// The least that requests took which were still waiting when the run ended: in an open loop all of them, in a closed
    /// one those that had waited longer than any that was answered. The others there would only have been cut short.
    pub waiting: LatencyHistogram,
    /// What only an open loop has.
    pub open: OpenCounts,
    /// A ramp step by step.
    pub steps: Steps,
    /// Requests with a complete answer.
    pub requests: u64,
    /// Bytes read: heads, bodies and their framing.
    pub bytes: u64,
    /// Those of them that were the heads of finished requests.
    pub head_bytes: u64,
    /// Those of them that came after the last arrival of an open loop was due; 0 in a closed loop.
    pub bytes_after_end: u64,
    /// Bytes sent.
    pub sent_bytes: u64,
    /// What the answers of finished requests were made of.
    pub answers: AnswerCounts,
    /// Where the time of finished requests went.
    pub parts: TimeParts,
    /// Errors by kind.
    pub errors: ErrorCounts,
    /// Connects begun, the ones before the first request among them.
    pub connects: u64,
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

/// What is counted of the arrivals of an open loop; all zero in a closed one.
#[derive(Debug, Clone, Default)]
pub struct OpenCounts {
    /// Arrivals that were due. Each was answered, has failed, or is in `unfinished`.
    pub arrivals: u64,
    /// Arrivals that were never sent, as no connection came free for them; also in `unfinished`.
    pub unsent: u64,
    /// Arrivals that found all connections busy and had to wait for one.
    pub waited: u64,
    /// Arrivals that started more than a millisecond late although a connection was free: this program's fault.
    pub late: u64,
    /// By how much the arrivals that did not have to wait started late.
    pub start_delay: LatencyHistogram,
}

impl Tally {
    /// Answers that came after the last arrival of an open loop was due; 0 in a closed loop.
    #[must_use]
    pub fn after_end(&self) -> u64 {
        self.statuses.iter().map(|entry| entry.after_end).sum()
    }

    /// The least that requests took which got no answer.
    #[must_use]
    pub fn unanswered(&self) -> LatencyHistogram {
        let mut all = self.timed_out.clone();
        all.add(&self.waiting);
        all
    }

    /// Waits of all finished requests, and of those that got no answer the least they took.
    #[must_use]
    pub fn latency(&self) -> LatencyHistogram {
        let mut all = self.unanswered();
        for entry in self.statuses.iter() {
            all.add(&entry.latency);
        }
        all
    }

    /// Adds what another thread counted.
    pub fn add(&mut self, other: &Self) {
        self.statuses.add(&other.statuses);
        self.timed_out.add(&other.timed_out);
        self.waiting.add(&other.waiting);
        self.open.add(&other.open);
        self.steps.add(&other.steps);
        self.requests += other.requests;
        self.bytes += other.bytes;
        self.bytes_after_end += other.bytes_after_end;
        self.head_bytes += other.head_bytes;
        self.sent_bytes += other.sent_bytes;
        self.answers.add(&other.answers);
        self.parts.add(&other.parts);
        self.errors.add(&other.errors);
        self.connects += other.connects;
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
        let mut statuses = std::mem::take(&mut self.statuses);
        statuses.clear();
        *self = Self { statuses, ..Self::default() };
    }

    /// Forgets what happened to connections, and keeps what became of requests.
    pub(super) fn clear_connections(&mut self) {
        let ErrorCounts { timeout, status, .. } = self.errors;
        *self = Self {
            errors: ErrorCounts { timeout, status, ..ErrorCounts::default() },
            bytes: 0,
            sent_bytes: 0,
            connects: 0,
            reconnects: 0,
            closed_without_notice: 0,
            refused: 0,
            out_of_ports: 0,
            first_fault: None,
            ..std::mem::take(self)
        };
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

impl OpenCounts {
    fn add(&mut self, other: &Self) {
        self.arrivals += other.arrivals;
        self.unsent += other.unsent;
        self.waited += other.waited;
        self.late += other.late;
        self.start_delay.add(&other.start_delay);
    }
}
