//! Whether this process could run when it wanted to.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// How long each sleep is. A stop of less than this may be missed; cpulimit and the control groups stop for tens of
/// milliseconds. A sleep costs some 20 µs of processor time: a hundred a second are a fifth of a percent of a core, and two
/// hundred would be too much.
const BEAT: Duration = Duration::from_millis(10);

/// A sleep that ends this much late is no hold: timers and a wait for a core in use take that.
const TOLERANCE: Duration = Duration::from_millis(1);

/// How this process was held back since the last look.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Hold {
    /// Share of the time in which it could not run, from 0 to 1.
    pub share: f64,
    /// The longest time at a stretch, in microseconds; one that lasts over several looks counts in each with what it has
    /// lasted until then.
    pub longest_us: u64,
}

/// A thread that sleeps a few milliseconds at a time and notes by how much it woke late.
///
/// What makes it late holds back the whole process: a stop by a signal (which is how cpulimit works), a control group out of
/// its quota, cores with too much to do, the host of a virtual machine. Time in which the machine sleeps does not count.
#[derive(Debug)]
pub struct Heartbeat {
    state: Arc<Mutex<State>>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct State {
    /// When the present sleep began.
    asleep_since: Instant,
    /// How much of the hold in it is counted already: by a look while it was late.
    counted: Duration,
    /// When the last look was.
    looked: Instant,
    held: Duration,
    longest: Duration,
    ends: bool,
}

impl Heartbeat {
    /// Starts the thread; dropping the value ends it.
    ///
    /// # Errors
    /// When the system has no thread left.
    pub fn start() -> io::Result<Self> {
        let state = Arc::new(Mutex::new(State::new(Instant::now())));
        let shared = Arc::clone(&state);
        let thread = thread::Builder::new().name("heartbeat".to_owned()).spawn(move || beat(&shared))?;
        Ok(Self { state, thread: Some(thread) })
    }

    /// What was noted since the last call, or since the start.
    pub fn take(&self) -> Hold {
        lock(&self.state).take(Instant::now())
    }
}

impl Drop for Heartbeat {
    fn drop(&mut self) {
        lock(&self.state).ends = true;
        // Takes one beat; it has nothing to say for itself.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

fn beat(state: &Mutex<State>) {
    loop {
        thread::sleep(BEAT);
        let mut state = lock(state);
        if state.ends {
            return;
        }
        state.woke(Instant::now());
    }
}

/// The figures are whole after every statement: a panic elsewhere does not spoil them.
fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl State {
    fn new(now: Instant) -> Self {
        let none = Duration::ZERO;
        Self { asleep_since: now, counted: none, looked: now, held: none, longest: none, ends: false }
    }

    /// The present sleep is over, and the next begins.
    fn woke(&mut self, now: Instant) {
        self.count(now);
        (self.asleep_since, self.counted) = (now, Duration::ZERO);
    }

    /// Counts by how much the present sleep is late. A look may come while it is: when a stop ends, the thread that looks
    /// may run before this one.
    fn count(&mut self, now: Instant) {
        let late = now.duration_since(self.asleep_since).saturating_sub(BEAT);
        // What is longer than a sleep began at any time in it, so half a sleep before its end on average.
        let held = if late > BEAT { late + BEAT / 2 } else { late };
        if late > TOLERANCE {
            self.held += held.saturating_sub(self.counted);
            self.counted = held;
            self.longest = self.longest.max(held);
        }
    }

    fn take(&mut self, now: Instant) -> Hold {
        self.count(now);
        let since = now.duration_since(self.looked).as_secs_f64();
        let share = if since > 0.0 { (self.held.as_secs_f64() / since).min(1.0) } else { 0.0 };
        let longest_us = u64::try_from(self.longest.as_micros()).unwrap_or(u64::MAX);
        (self.looked, self.held, self.longest) = (now, Duration::ZERO, Duration::ZERO);
        Hold { share, longest_us }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wakes and looks at milliseconds from the start; the looks' answers.
    fn replay(events: &[(char, u64)]) -> Vec<(f64, u64)> {
        let begin = Instant::now();
        let mut state = State::new(begin);
        let mut looks = Vec::new();
        for (event, ms) in events {
            let now = begin + Duration::from_millis(*ms);
            match event {
                'w' => state.woke(now),
                _ => {
                    let hold = state.take(now);
                    looks.push(((hold.share * 1e6).round() / 1e6, hold.longest_us));
                }
            }
        }
        looks
    }

    #[test]
    fn lateness_is_what_counts_and_each_bit_of_it_once() {
        for (events, expected, why) in [
            (&[('w', 10), ('w', 21), ('t', 22)][..], vec![(0.0, 0)], "a millisecond is no hold"),
            (&[('w', 10), ('w', 30), ('t', 40)], vec![(0.25, 10_000)], "10 ms of 40"),
            (&[('w', 10), ('w', 70), ('t', 100)], vec![(0.8, 55_000)], "55 ms, and 25 of a sleep under way"),
            (&[('w', 10), ('w', 65), ('w', 75), ('t', 80)], vec![(0.625, 50_000)], "50 of 80 ms"),
            (
                &[('t', 50), ('t', 100), ('w', 105), ('t', 105)],
                vec![(0.9, 45_000), (1.0, 95_000), (1.0, 100_000)],
                "a look in the middle of a stop takes its part of it",
            ),
            (&[('t', 0)], vec![(0.0, 0)], "no time went by"),
        ] {
            assert_eq!(replay(events), expected, "{why}");
        }
    }

    #[test]
    fn a_stop_over_two_looks_is_counted_in_parts() {
        let wakes = |from: u64, to: u64| (from..=to).step_by(10).map(|ms| ('w', ms));
        let events: Vec<(char, u64)> = wakes(10, 50).chain([('t', 100)]).chain(wakes(110, 200)).collect();
        assert_eq!(replay(&[&events[..], &[('t', 200)]].concat()), [(0.45, 45_000), (0.1, 55_000)]);
    }

    #[test]
    fn the_thread_ends_with_its_owner() {
        let heartbeat = Heartbeat::start().expect("a thread");
        let shared = Arc::downgrade(&heartbeat.state);
        let hold = heartbeat.take();
        assert!((0.0..=1.0).contains(&hold.share), "{hold:?}");
        drop(heartbeat);
        assert!(shared.upgrade().is_none());
    }
}
