//! Who gets which connection: each worker its share by capacity, within one connection.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

/// How many connections each worker holds or has been promised.
///
/// Counts are changed under a lock when connections come, so that two workers accepting at once never both
/// pick the same emptiest one; a request never touches them.
pub(super) struct Dealer {
    /// One entry per worker, each on its own cache line: a closing connection should not slow a neighbour.
    hands: Box<[Hand]>,
    deal: Mutex<()>,
    /// Connections in all hands, and those that workers are about to accept.
    open: AtomicU32,
    most: u32,
}

#[repr(align(64))]
struct Hand {
    held: AtomicU32,
    /// Capacity relative to the other workers; 0 for one that is to have none.
    share: AtomicU32,
}

/// The table is full: no connection can be taken until one ends.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Full;

impl Dealer {
    /// A dealer for workers with these capacities, at most `most` connections together.
    pub(super) fn new(shares: &[u32], most: u32) -> Self {
        let hands = shares
            .iter()
            .map(|&share| Hand { held: AtomicU32::new(0), share: AtomicU32::new(share.max(1)) })
            .collect();
        Self { hands, deal: Mutex::new(()), open: AtomicU32::new(0), most }
    }

    /// Gives the workers other shares, of which 0 means no connection at all. Those that are dealt already are counted over when
    /// somebody asks for them. Without any share but 0 nothing is changed: somebody has to serve.
    pub(super) fn reshare(&self, shares: &[u32]) {
        if shares.iter().take(self.hands.len()).any(|share| *share > 0) {
            let _one_at_a_time = self.lock();
            for (hand, share) in self.hands.iter().zip(shares) {
                hand.share.store(*share, Ordering::Relaxed);
            }
        }
    }

    /// Makes room for a connection before it is accepted. No worker is chosen yet: nobody may be at the door, and
    /// a choice taken back would leave the others a wrong picture to choose by.
    pub(super) fn reserve(&self) -> Result<(), Full> {
        let one_more = |open| (open < self.most).then_some(open + 1);
        self.open.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more).map(drop).map_err(|_| Full)
    }

    /// Gives up what was reserved: nobody came.
    pub(super) fn release(&self) {
        self.open.fetch_sub(1, Ordering::Relaxed);
    }

    /// Chooses the worker for an accepted connection, for which room was reserved, and counts it there.
    pub(super) fn deal(&self) -> usize {
        let _one_at_a_time = self.lock();
        let emptiest = (0..self.hands.len()).min_by(|&a, &b| {
            let (a, b) = (&self.hands[a], &self.hands[b]);
            cross(a.held() + 1, b.share()).cmp(&cross(b.held() + 1, a.share()))
        });
        // There is always a first worker.
        let worker = emptiest.unwrap_or(0);
        self.hands[worker].held.fetch_add(1, Ordering::Relaxed);
        worker
    }

    /// Counts an accepted connection, for which room was reserved, to a worker that must take it, whoever is emptier.
    pub(super) fn keep(&self, worker: usize) {
        self.hands[worker].held.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a connection of `worker` out.
    pub(super) fn ended(&self, worker: usize) {
        self.hands[worker].held.fetch_sub(1, Ordering::Relaxed);
        self.release();
    }

    /// Counts one connection over from one worker to another, if that brings them closer to their shares.
    pub(super) fn hand_over(&self, from: usize, to: usize) -> bool {
        let _one_at_a_time = self.lock();
        let better = self.would_help(from, to);
        if better {
            self.take_back(from, to);
        }
        better
    }

    /// Counts one connection over, come what may: the worker it was meant for could not take it.
    pub(super) fn take_back(&self, from: usize, to: usize) {
        self.hands[from].held.fetch_sub(1, Ordering::Relaxed);
        self.hands[to].held.fetch_add(1, Ordering::Relaxed);
    }

    /// The worker that should give `to` a connection, if one is too far above its share.
    pub(super) fn giver_for(&self, to: usize) -> Option<usize> {
        let fullest = (0..self.hands.len()).filter(|&from| from != to).max_by(|&a, &b| {
            let (a, b) = (&self.hands[a], &self.hands[b]);
            // Of two that are to have none, the one that has some.
            cross(a.held(), b.share()).cmp(&cross(b.held(), a.share())).then(a.held().cmp(&b.held()))
        })?;
        self.would_help(fullest, to).then_some(fullest)
    }

    /// Whether one connection less on `from` and one more on `to` leaves the fuller of the two less full.
    fn would_help(&self, from: usize, to: usize) -> bool {
        let (from, to) = (&self.hands[from], &self.hands[to]);
        cross(to.held() + 1, from.share()) < cross(from.held(), to.share())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, ()> {
        // The lock guards no data of its own: a panic elsewhere leaves nothing half-done in it.
        self.deal.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl Hand {
    fn held(&self) -> u32 {
        self.held.load(Ordering::Relaxed)
    }

    fn share(&self) -> u32 {
        self.share.load(Ordering::Relaxed)
    }
}

/// `a / b` against `c / d` without dividing: compare `a * d` with `c * b`.
const fn cross(held: u32, other_share: u32) -> u64 {
    held as u64 * other_share as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn held(dealer: &Dealer) -> Vec<u32> {
        dealer.hands.iter().map(Hand::held).collect()
    }

    #[test]
    fn equal_workers_stay_within_one() {
        let dealer = Dealer::new(&[1, 1, 1, 1], 1000);
        for _ in 0..102 {
            dealer.deal();
        }
        assert_eq!(held(&dealer), [26, 26, 25, 25]);
    }

    #[test]
    fn a_fast_core_gets_three_times_as_many() {
        let dealer = Dealer::new(&[100, 300], 1000);
        for _ in 0..100 {
            dealer.deal();
        }
        assert_eq!(held(&dealer), [25, 75]);
    }

    #[test]
    fn a_worker_without_a_share_gets_none_and_gives_all_it_has() {
        let dealer = Dealer::new(&[1, 1, 1], 1000);
        for _ in 0..30 {
            dealer.deal();
        }
        dealer.reshare(&[0, 0, 0]);
        assert_eq!(dealer.giver_for(0), None, "somebody has to serve");
        dealer.reshare(&[0, 1, 1]);
        for _ in 0..4 {
            dealer.deal();
        }
        assert_eq!(held(&dealer), [10, 12, 12]);
        while let Some((from, to)) = (0..3).find_map(|to| Some((dealer.giver_for(to)?, to))) {
            assert!(dealer.hand_over(from, to));
        }
        assert_eq!(held(&dealer), [0, 17, 17]);
        dealer.reshare(&[2, 1, 1]);
        while let Some((from, to)) = (0..3).find_map(|to| Some((dealer.giver_for(to)?, to))) {
            assert!(dealer.hand_over(from, to));
        }
        assert_eq!(held(&dealer), [17, 9, 8]);
    }

    #[test]
    fn a_full_table_says_so() {
        let dealer = Dealer::new(&[1], 1);
        assert_eq!(dealer.reserve(), Ok(()));
        assert_eq!(dealer.reserve(), Err(Full));
        dealer.release();
        assert_eq!(dealer.reserve(), Ok(()));
        assert_eq!(dealer.deal(), 0);
        assert_eq!(dealer.reserve(), Err(Full));
        dealer.ended(0);
        assert_eq!(dealer.reserve(), Ok(()));
    }

    proptest! {
        /// After any closes, handing over until nobody gains leaves every worker within one of its share.
        #[test]
        fn handing_over_ends_within_one(counts in prop::collection::vec(0_u32..60, 2..6)) {
            let dealer = Dealer::new(&vec![1; counts.len()], 10_000);
            for (hand, &count) in dealer.hands.iter().zip(&counts) {
                hand.held.store(count, Ordering::Relaxed);
            }
            // Each move brings the sum of the squares down by two at least.
            let most_moves = counts.iter().sum::<u32>().pow(2) / 2;
            let mut moves = 0;
            while let Some((from, to)) = (0..counts.len()).find_map(|to| Some((dealer.giver_for(to)?, to))) {
                prop_assert!(dealer.hand_over(from, to));
                moves += 1;
                prop_assert!(moves <= most_moves, "moves for ever");
            }
            let after = held(&dealer);
            prop_assert!(after.iter().max().expect("some") - after.iter().min().expect("some") <= 1, "{:?}", after);
            prop_assert_eq!(after.iter().sum::<u32>(), counts.iter().sum::<u32>());
        }
    }
}
