//! How many rounds, and how long a turn is, where nobody says so.

use std::time::Duration;

use boardkit::report::compare::MIN_ROUNDS;

use super::candidate::Candidate;
use crate::args::CompareArgs;

/// All turns of one server together. Two servers then take three quarters of a minute with all that comes with it.
const ALL_TURNS: Duration = Duration::from_secs(21);
/// Many short turns tell more than a few long ones: what disturbs a machine often lasts longer than a turn, and each turn is
/// then a sample of it. On a machine with others at work, intervals from turns of 70 ms were half as wide as from turns of
/// a second that took as long in all. Much shorter, and connecting would be a part of the turn that counts.
const TURN: Duration = Duration::from_millis(175);
/// A turn has time for so many answers one after the other, so that those under way at its end do not matter.
const ANSWERS: u32 = 4;
/// Each turn opens all connections anew, and each of them keeps its port for a minute: what is left of 28,000 is for others.
const PORTS: usize = 15_000;
/// Connecting, and looking at the server's processes, in each turn.
const BESIDE: Duration = Duration::from_millis(15);

/// The shape of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) rounds: usize,
    pub(super) turn: Duration,
}

impl Shape {
    pub(super) fn of(args: &CompareArgs, candidates: &[Candidate]) -> Self {
        let slowest = candidates.iter().map(Candidate::answer_time).max().unwrap_or_default();
        let connections = candidates.iter().map(|candidate| candidate.plan.connections).max().unwrap_or(1);
        Self::new(args.rounds, args.flags.duration.map(|span| span.0), slowest, connections)
    }

    fn new(rounds: Option<usize>, turn: Option<Duration>, slowest: Duration, connections: usize) -> Self {
        let most = (PORTS / connections).max(MIN_ROUNDS);
        let share = ALL_TURNS / u32::try_from(most).unwrap_or(u32::MAX);
        let turn = turn.unwrap_or_else(|| whole_ms(share.max(slowest * ANSWERS)).max(TURN));
        let fit = usize::try_from(ALL_TURNS.as_nanos() / turn.as_nanos().max(1)).unwrap_or(usize::MAX);
        Self { rounds: rounds.unwrap_or_else(|| fit.clamp(MIN_ROUNDS, most)), turn }
    }

    /// How long it takes in all.
    pub(super) fn length(&self, servers: usize, warmup: Duration) -> Duration {
        let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        (warmup + (self.turn + BESIDE) * count(self.rounds)) * count(servers)
    }
}

/// A time that is told in milliseconds.
fn whole_ms(time: Duration) -> Duration {
    Duration::from_millis(u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_said_follows_from_what_is() {
        let ms = Duration::from_millis;
        let cases = [
            // Rounds and turn as typed, the slowest answer, connections.
            ((None, None, ms(1), 10), (120, ms(175))),
            ((None, None, ms(1), 100), (120, ms(175))),
            ((None, None, ms(1), 500), (30, ms(700))),
            ((None, None, ms(1), 100_000), (10, ms(2100))),
            ((None, None, ms(500), 10), (10, ms(2000))),
            ((None, Some(ms(1000)), ms(1), 10), (21, ms(1000))),
            ((None, Some(ms(100)), ms(1), 10), (210, ms(100))),
            ((None, Some(ms(100)), ms(1), 1000), (15, ms(100))),
            ((Some(200), None, ms(1), 10), (200, ms(175))),
            ((Some(12), Some(ms(5000)), ms(1), 10), (12, ms(5000))),
        ];
        for ((rounds, turn, slowest, connections), expected) in cases {
            let shape = Shape::new(rounds, turn, slowest, connections);
            assert_eq!((shape.rounds, shape.turn), expected, "{rounds:?} {turn:?} {slowest:?} {connections}");
        }
    }

    #[test]
    fn two_servers_take_less_than_a_minute() {
        for connections in [1, 10, 100, 1000] {
            let shape = Shape::new(None, None, Duration::from_millis(100), connections);
            assert!(shape.length(2, Duration::from_secs(1)) < Duration::from_secs(55), "{shape:?}");
        }
    }
}
