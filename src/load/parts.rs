//! Where the time of requests went: connecting, waiting for the first byte, all together.
//!
//! Most requests are made on a connection that is open, and their answer comes in one read: for those the latency says it
//! all, and nothing is recorded here. Of the others their own share is kept beside what they have in the latency, so that
//! one can be put in place of the other.

use super::histogram::LatencyHistogram;

/// Parts of the time of finished requests.
#[derive(Debug, Clone, Default)]
pub struct TimeParts {
    /// Requests whose answer came in more than one read.
    split: Option<Box<Split>>,
    /// Requests that were the first on their connection.
    fresh: Option<Box<Fresh>>,
}

#[derive(Debug, Clone, Default)]
struct Split {
    whole: LatencyHistogram,
    first_byte: LatencyHistogram,
}

#[derive(Debug, Clone, Default)]
struct Fresh {
    whole: LatencyHistogram,
    connect: LatencyHistogram,
    with_connect: LatencyHistogram,
}

impl TimeParts {
    /// An answer in pieces: until the first of them was there, and until the last, in nanoseconds.
    pub(super) fn record_split(&mut self, first_byte: u64, whole: u64) {
        let split = self.split.get_or_insert_default();
        split.whole.record(whole);
        split.first_byte.record(first_byte);
    }

    /// The first answer on a connection: what the connect took before, and the latency itself, in nanoseconds.
    pub(super) fn record_fresh(&mut self, connect: u64, whole: u64) {
        let fresh = self.fresh.get_or_insert_default();
        fresh.whole.record(whole);
        fresh.connect.record(connect);
        fresh.with_connect.record(connect + whole);
    }

    pub(super) fn add(&mut self, other: &Self) {
        if let Some(theirs) = &other.split {
            let split = self.split.get_or_insert_default();
            split.whole.add(&theirs.whole);
            split.first_byte.add(&theirs.first_byte);
        }
        if let Some(theirs) = &other.fresh {
            let fresh = self.fresh.get_or_insert_default();
            fresh.whole.add(&theirs.whole);
            fresh.connect.add(&theirs.connect);
            fresh.with_connect.add(&theirs.with_connect);
        }
    }

    /// From the start of the send to the first byte of the answer, for the requests whose latencies are `all`; `None` where
    /// that is the latency of each.
    #[must_use]
    pub fn first_byte(&self, all: &LatencyHistogram) -> Option<LatencyHistogram> {
        self.split.as_ref().map(|split| all.with_replaced(&split.whole, &split.first_byte))
    }

    /// From the start of the connect, where there was one for the request, to the last byte of the answer; `None` where
    /// there was none for any.
    #[must_use]
    pub fn with_connect(&self, all: &LatencyHistogram) -> Option<LatencyHistogram> {
        self.fresh.as_ref().map(|fresh| all.with_replaced(&fresh.whole, &fresh.with_connect))
    }

    /// What connecting took for each of `requests` requests: nothing where the connection was open already.
    #[must_use]
    pub fn connect(&self, requests: u64) -> LatencyHistogram {
        let mut connects = self.fresh.as_ref().map(|fresh| fresh.connect.clone()).unwrap_or_default();
        connects.record_n(0, requests.saturating_sub(connects.count()));
        connects
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_stands_in_for_the_whole_it_belongs_to() {
        let mut all = LatencyHistogram::new();
        let mut parts = TimeParts::default();
        for ns in [1_000, 2_000, 900_000] {
            all.record(ns);
        }
        parts.record_split(5_000, 900_000);
        parts.record_fresh(30_000, 2_000);
        let mut both = TimeParts::default();
        both.add(&parts);
        let longest = |histogram: &LatencyHistogram| histogram.summary().unwrap().max.round();
        let waits = both.first_byte(&all).unwrap();
        assert_eq!((waits.count(), longest(&waits)), (3, 5.0));
        let totals = both.with_connect(&all).unwrap();
        assert_eq!((totals.count(), totals.percentile_us(60.0).unwrap().round()), (3, 32.0));
        let connects = both.connect(3);
        assert_eq!(
            (connects.count(), longest(&connects), connects.percentile_us(50.0)),
            (3, 30.0, Some(0.0))
        );
        let none = TimeParts::default();
        assert_eq!((none.first_byte(&all), none.with_connect(&all)), (None, None));
    }
}
