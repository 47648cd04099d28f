//! All that is a sum of counts.

use super::super::{Connections, EncodedHistogram, EncodedStatus, Fairness, Histograms, OpenLoop, RunReport};
use super::ramps::{self, Ramps};
use super::{MergeError, Part};
use crate::load::HistogramError;

/// Adds `part` to `sum`; what follows from the counts is left for the end.
pub(super) fn add(sum: &mut RunReport, part: &Part<'_>, ramps: Option<Ramps>) -> Result<(), MergeError> {
    let (run, error) = (part.run, MergeError::histogram(part.name));
    sum.requests += run.requests;
    sum.bytes += run.bytes;
    sum.head_bytes += run.head_bytes;
    sum.sent_bytes += run.sent_bytes;
    sum.answers.body_bytes += run.answers.body_bytes;
    sum.answers.other_length += run.answers.other_length;
    sum.answers.kept_alive += run.answers.kept_alive;
    sum.answers.shortest_body_bytes =
        known([sum.answers.shortest_body_bytes, run.answers.shortest_body_bytes], u64::min);
    sum.answers.longest_body_bytes =
        known([sum.answers.longest_body_bytes, run.answers.longest_body_bytes], u64::max);
    sum.threads += run.threads;
    connections(&mut sum.connections, &run.connections);
    sum.errors.add(&run.errors);
    sum.reconnects += run.reconnects;
    sum.failed += run.failed;
    sum.failed_by.add(&run.failed_by);
    sum.unfinished += run.unfinished;
    sum.fairness = known([sum.fairness, run.fairness], |one, other| Fairness {
        slowest: one.slowest.min(other.slowest),
        fastest: one.fastest.max(other.fastest),
        worst_gap_ms: one.worst_gap_ms.max(other.worst_gap_ms),
    });
    match (&mut sum.open_loop, &run.open_loop) {
        (Some(sum), Some(open)) => open_loop(sum, open, ramps).map_err(&error)?,
        // Arrivals of some of the runs are nothing that the requests of all could be held against.
        (sum, _) => *sum = None,
    }
    histograms(&mut sum.histograms, &run.histograms).map_err(&error)?;
    sum.partial |= run.partial;
    Ok(())
}

/// Of two values the one that is known, or what both make.
fn known<V>(values: [Option<V>; 2], both: impl Fn(V, V) -> V) -> Option<V> {
    values.into_iter().flatten().reduce(both)
}

fn connections(sum: &mut Connections, other: &Connections) {
    sum.asked += other.asked;
    sum.opened += other.opened;
    sum.connects += other.connects;
    sum.served += other.served;
    sum.served_fairly += other.served_fairly;
    sum.closed_without_notice += other.closed_without_notice;
    sum.refused += other.refused;
    sum.out_of_ports += other.out_of_ports;
}

fn open_loop(sum: &mut OpenLoop, other: &OpenLoop, ramps: Option<Ramps>) -> Result<(), HistogramError> {
    sum.arrivals += other.arrivals;
    sum.answered += other.answered;
    sum.failed += other.failed;
    sum.unanswered += other.unanswered;
    sum.unsent += other.unsent;
    sum.answered_after_end += other.answered_after_end;
    sum.bytes_after_end += other.bytes_after_end;
    sum.waited += other.waited;
    sum.late += other.late;
    ramps::add(&mut sum.steps, &other.steps, ramps)
}

fn histograms(sum: &mut Histograms, other: &Histograms) -> Result<(), HistogramError> {
    for (status, EncodedStatus { latency, after_end }) in &other.statuses {
        let ours = sum.statuses.entry(status.clone()).or_default();
        histogram(&mut ours.latency, latency)?;
        ours.after_end += after_end;
    }
    histogram(&mut sum.timed_out, &other.timed_out)?;
    histogram(&mut sum.waiting, &other.waiting)?;
    histogram(&mut sum.start_delay, &other.start_delay)
}

pub(super) fn histogram(sum: &mut EncodedHistogram, other: &EncodedHistogram) -> Result<(), HistogramError> {
    let mut both = sum.decode()?;
    both.add(&other.decode()?);
    *sum = EncodedHistogram::of(&both);
    Ok(())
}
