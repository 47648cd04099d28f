//! What the machine allows: open files, and how connections are spread over threads.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::error::LoadError;

/// Descriptors beside the connections and those of the threads: standard streams, the report, signals, the probe.
const RESERVE: u64 = 24;

/// An epoll and a timer.
const PER_THREAD: u64 = 2;

/// How many of `total` connections thread `index` of `threads` gets: the first ones take what does not divide.
#[must_use]
pub fn share(total: usize, threads: usize, index: usize) -> usize {
    total / threads + usize::from(index < total % threads)
}

/// Makes room for `connections` sockets: raises the soft limit on open files if need be, up to the hard one.
///
/// # Errors
/// [`LoadError::Descriptors`] with the number that fits when the hard limit is too low.
pub fn allow_descriptors(connections: usize, threads: usize) -> Result<(), LoadError> {
    let own = PER_THREAD.saturating_mul(threads as u64).saturating_add(RESERVE);
    let needed = own.saturating_add(connections as u64);
    let limit = getrlimit(Resource::Nofile);
    // `None` is "no limit".
    let Some(soft) = limit.current else { return Ok(()) };
    if soft >= needed {
        return Ok(());
    }
    match limit.maximum {
        Some(hard) if hard < needed => Err(LoadError::Descriptors {
            asked: connections,
            needed,
            limit: hard,
            fits: fitting(hard, threads),
        }),
        maximum => setrlimit(Resource::Nofile, Rlimit { current: Some(needed), maximum })
            .map_err(LoadError::system("raise the limit on open files")),
    }
}

/// How many connections fit, for which no more threads are used than there are connections.
fn fitting(limit: u64, threads: usize) -> u64 {
    let (room, threads) = (limit.saturating_sub(RESERVE), threads as u64);
    let with_a_thread_each = room / (PER_THREAD + 1);
    with_a_thread_each.max(room.saturating_sub(PER_THREAD.saturating_mul(threads))).min(room)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_needs_no_more_than_the_limit() {
        for limit in [0, 24, 30, 40, 64, 1024] {
            for threads in [1, 2, 8, 1000] {
                let fits = fitting(limit, threads);
                let needs =
                    |connections: u64| RESERVE + connections + PER_THREAD * connections.min(threads as u64);
                assert!(fits == 0 || needs(fits) <= limit, "{limit}, {threads}: {fits}");
                assert!(needs(fits + 1) > limit, "{limit}, {threads}: {fits}");
            }
        }
    }

    #[test]
    fn what_no_limit_can_hold_is_refused() {
        for (connections, threads) in [(usize::MAX, 1), (usize::MAX, usize::MAX), (1, usize::MAX)] {
            let refused = allow_descriptors(connections, threads);
            assert!(matches!(refused, Err(LoadError::Descriptors { .. })), "{refused:?}");
        }
    }

    #[test]
    fn connections_are_spread_exactly() {
        let spread = |total, threads| (0..threads).map(|i| share(total, threads, i)).collect::<Vec<_>>();
        assert_eq!(spread(15, 8), [2, 2, 2, 2, 2, 2, 2, 1]);
        assert_eq!(spread(2, 2), [1, 1]);
        assert_eq!(spread(10, 3), [4, 3, 3]);
        for total in 1..50 {
            for threads in 1..=total {
                assert_eq!(spread(total, threads).iter().sum::<usize>(), total);
            }
        }
    }
}
