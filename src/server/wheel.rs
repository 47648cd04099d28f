//! A coarse timer wheel: one deadline per connection, moved lazily.
//!
//! A request does not touch the wheel: it only notes the tick on its connection. When a slot comes round, the
//! worker asks each connection in it for its real deadline and puts back those that have moved on.

/// Length of a tick in milliseconds. Deadlines are seconds; a tenth of one is as exact as anybody can tell.
pub(super) const TICK_MS: u64 = 100;

/// Slots in the wheel; a power of two. Deadlines further away (102 s) are looked at once a turn.
const SLOTS: usize = 1024;

/// "No entry" in the lists.
const NIL: u32 = u32::MAX;

/// One key's place in its slot's list.
#[derive(Clone, Copy)]
struct Link {
    previous: u32,
    next: u32,
    slot: u32,
}

const UNLINKED: Link = Link { previous: NIL, next: NIL, slot: NIL };

/// The wheel. Keys are slab keys, ticks count from the server's start.
pub(super) struct Wheel {
    heads: Box<[u32; SLOTS]>,
    links: Vec<Link>,
    /// The last tick whose slot was emptied.
    now: u64,
    /// No entry is due before this tick; `None` when the wheel is empty.
    next: Option<u64>,
    entries: usize,
}

impl Wheel {
    pub(super) fn new() -> Self {
        Self { heads: Box::new([NIL; SLOTS]), links: Vec::new(), now: 0, next: None, entries: 0 }
    }

    /// The earliest tick at which [`Wheel::advance`] may have something to say.
    pub(super) const fn next_due(&self) -> Option<u64> {
        self.next
    }

    /// Puts `key` on the wheel to come up at tick `due`, or earlier when that is more than a turn away.
    pub(super) fn schedule(&mut self, key: u32, due: u64) {
        self.cancel(key);
        let due = due.clamp(self.now + 1, self.now + SLOTS as u64 - 1);
        let slot = slot_of(due);
        let index = key as usize;
        if index >= self.links.len() {
            self.links.resize(index + 1, UNLINKED);
        }
        let old = self.heads[slot as usize];
        self.links[index] = Link { previous: NIL, next: old, slot };
        if let Some(old) = self.links.get_mut(old as usize) {
            old.previous = key;
        }
        self.heads[slot as usize] = key;
        self.entries += 1;
        self.next = Some(self.next.map_or(due, |next| next.min(due)));
    }

    /// Takes `key` off the wheel, if it is on it.
    pub(super) fn cancel(&mut self, key: u32) {
        let Some(link) = self.links.get_mut(key as usize) else {
            return;
        };
        let Link { previous, next, slot } = std::mem::replace(link, UNLINKED);
        if slot == NIL {
            return;
        }
        match self.links.get_mut(previous as usize) {
            Some(before) => before.next = next,
            None => self.heads[slot as usize] = next,
        }
        if let Some(after) = self.links.get_mut(next as usize) {
            after.previous = previous;
        }
        self.entries -= 1;
        if self.entries == 0 {
            self.next = None;
        }
    }

    /// Moves on to tick `now` and appends every key that came up to `due`; they are off the wheel then.
    pub(super) fn advance(&mut self, now: u64, due: &mut Vec<u32>) {
        if now <= self.now {
            return;
        }
        let turns = (now - self.now).min(SLOTS as u64);
        for tick in now - turns + 1..=now {
            let slot = slot_of(tick);
            let mut key = std::mem::replace(&mut self.heads[slot as usize], NIL);
            while key != NIL {
                due.push(key);
                key = std::mem::replace(&mut self.links[key as usize], UNLINKED).next;
                self.entries -= 1;
            }
        }
        self.now = now;
        self.next = (self.entries > 0).then(|| self.first_after(now));
    }

    /// The tick of the first slot after `now` that holds an entry.
    fn first_after(&self, now: u64) -> u64 {
        let ticks = now + 1..=now + SLOTS as u64;
        ticks.clone().find(|&tick| self.heads[slot_of(tick) as usize] != NIL).unwrap_or(*ticks.end())
    }
}

#[expect(clippy::cast_possible_truncation, reason = "less than SLOTS")]
const fn slot_of(tick: u64) -> u32 {
    (tick % SLOTS as u64) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    #[test]
    fn far_deadlines_come_up_once_a_turn() {
        let (mut wheel, mut due) = (Wheel::new(), Vec::new());
        wheel.schedule(3, 10_000);
        assert_eq!(wheel.next_due(), Some(SLOTS as u64 - 1));
        wheel.advance(SLOTS as u64, &mut due);
        assert_eq!((due, wheel.next_due()), (vec![3], None));
    }

    #[test]
    fn a_long_sleep_brings_up_everything() {
        let (mut wheel, mut due) = (Wheel::new(), Vec::new());
        for key in 0..5 {
            wheel.schedule(key, u64::from(key) * 100 + 1);
        }
        wheel.advance(1_000_000, &mut due);
        due.sort_unstable();
        assert_eq!(due, [0, 1, 2, 3, 4]);
    }

    proptest! {
        /// Against a map from key to due tick: the same keys come up, never early, never late by more than a step.
        #[test]
        fn agrees_with_a_plain_map(steps in prop::collection::vec((0_u32..20, 1_u64..900, 0_u64..40, any::<bool>()), 1..200)) {
            let (mut wheel, mut model, mut now) = (Wheel::new(), BTreeMap::new(), 0_u64);
            for (key, delay, pass, cancel) in steps {
                if cancel {
                    wheel.cancel(key);
                    model.remove(&key);
                } else {
                    wheel.schedule(key, now + delay);
                    model.insert(key, now + delay);
                }
                now += pass;
                let mut due = Vec::new();
                wheel.advance(now, &mut due);
                due.sort_unstable();
                let expected: Vec<u32> = model.iter().filter(|(_, d)| **d <= now).map(|(k, _)| *k).collect();
                model.retain(|_, d| *d > now);
                prop_assert_eq!(due, expected);
                prop_assert_eq!(wheel.next_due().is_some(), !model.is_empty());
                if let (Some(next), Some(first)) = (wheel.next_due(), model.values().min()) {
                    prop_assert!(next <= *first, "{} sleeps past {}", next, first);
                }
            }
        }
    }
}
