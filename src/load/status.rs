//! Latency by status: what was served and what was turned away are two questions.

use super::histogram::LatencyHistogram;

/// Statuses kept apart; a server that makes up more of them has the rest counted together.
const MOST_STATUSES: usize = 16;

/// Answers with one status.
#[derive(Debug, Clone)]
pub struct StatusLatency {
    /// The status; `None` stands for all those beyond the first fifteen.
    pub status: Option<u16>,
    /// How long they took.
    pub latency: LatencyHistogram,
    /// How many of them came after the last arrival of an open loop was due; 0 in a closed loop.
    pub after_end: u64,
}

impl StatusLatency {
    /// The status in words: its number, or `other`.
    #[must_use]
    pub fn name(&self) -> String {
        self.status.map_or_else(|| "other".to_owned(), |status| status.to_string())
    }
}

/// The answers of a run by status, in the order in which the statuses were first seen.
#[derive(Debug, Clone, Default)]
pub struct Statuses(Vec<StatusLatency>);

impl Statuses {
    /// Records one answer that took `ns` nanoseconds.
    #[inline]
    pub(super) fn record(&mut self, status: u16, ns: u64, after_end: bool) {
        let entry = self.entry(Some(status));
        entry.latency.record(ns);
        entry.after_end += u64::from(after_end);
    }

    /// Those with at least one answer.
    pub fn iter(&self) -> impl Iterator<Item = &StatusLatency> {
        self.0.iter().filter(|entry| entry.latency.count() > 0)
    }

    /// The longest wait of all, in nanoseconds; 0 when there is none.
    pub(super) fn longest_ns(&self) -> u64 {
        self.0.iter().map(|entry| entry.latency.longest_ns()).max().unwrap_or_default()
    }

    /// Adds what another thread saw.
    pub(super) fn add(&mut self, other: &Self) {
        for theirs in &other.0 {
            let entry = self.entry(theirs.status);
            entry.latency.add(&theirs.latency);
            entry.after_end += theirs.after_end;
        }
    }

    /// Forgets all answers, keeping the memory.
    pub(super) fn clear(&mut self) {
        for entry in &mut self.0 {
            entry.latency.clear();
            entry.after_end = 0;
        }
    }

    #[inline]
    fn entry(&mut self, status: Option<u16>) -> &mut StatusLatency {
        match self.0.iter().position(|entry| entry.status == status) {
            Some(at) => &mut self.0[at],
            None => self.new_entry(status),
        }
    }

    #[cold]
    fn new_entry(&mut self, status: Option<u16>) -> &mut StatusLatency {
        let status = if self.0.len() < MOST_STATUSES - 1 { status } else { None };
        let known = self.0.iter().position(|entry| entry.status == status);
        let at = known.unwrap_or_else(|| {
            self.0.push(StatusLatency { status, latency: LatencyHistogram::new(), after_end: 0 });
            self.0.len() - 1
        });
        &mut self.0[at]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_status_has_its_own_figures_and_too_many_share_one() {
        let mut statuses = Statuses::default();
        for status in 200..240 {
            statuses.record(status, 1_000, status % 2 == 1);
        }
        statuses.record(200, 5_000, false);
        assert_eq!(statuses.iter().count(), MOST_STATUSES);
        let first = statuses.iter().next().unwrap();
        assert_eq!((first.status, first.latency.count(), first.after_end), (Some(200), 2, 0));
        let rest = statuses.iter().last().unwrap();
        assert_eq!((rest.status, rest.latency.count()), (None, 25));
        let mut both = Statuses::default();
        both.add(&statuses);
        both.add(&statuses);
        assert_eq!(both.iter().map(|entry| entry.latency.count()).sum::<u64>(), 82);
        both.clear();
        assert_eq!(both.iter().count(), 0);
    }
}
