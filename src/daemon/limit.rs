//! How many connections there are descriptors for.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::DaemonError;

/// Raises the limit of descriptors as far as it goes, and returns it; `None` is no limit. Each connection is a descriptor:
/// the soft limit of 1024 is an old courtesy to select(2), which is not used here.
pub(super) fn raise() -> Option<u64> {
    let most = getrlimit(Resource::Nofile).maximum;
    // Refused leaves it as it is, which is what is read then.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: most, maximum: most });
    getrlimit(Resource::Nofile).current
}

/// Connections at once under a limit of descriptors of which the server itself needs `own`: what was asked for, or else
/// what was planned or as much of it as there is room for.
///
/// # Errors
/// [`DaemonError::Limit`] when more was asked for than there is room for.
pub(super) fn connections(
    asked: Option<u32>,
    planned: usize,
    limit: Option<u64>,
    own: u64,
) -> Result<u32, DaemonError> {
    let room = limit.map_or(u32::MAX, |limit| u32::try_from(limit.saturating_sub(own)).unwrap_or(u32::MAX));
    let planned = u32::try_from(planned).unwrap_or(u32::MAX);
    match (asked, limit) {
        (Some(asked), Some(limit)) if asked > room => {
            let needed = u64::from(asked) + own;
            Err(DaemonError::Limit(format!(
                "--max-connections {asked} needs {needed} descriptors, and this process may have {limit}: raise that with \
                 `ulimit -n {needed}`, or in the unit with LimitNOFILE={needed}, or ask for at most {room} connections"
            )))
        }
        (Some(asked), _) => Ok(asked),
        (None, _) => Ok(planned.min(room.max(1))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_planned_gives_way_and_what_is_asked_for_is_refused() {
        // Asked, planned, limit, own; the connections, or the numbers that the error names.
        let cases: [(_, _, _, _, Result<u32, &[&str]>); 8] = [
            (None, 984, Some(1024), 40, Ok(984)),
            (None, 2000, Some(1024), 40, Ok(984)),
            (None, 5, Some(20), 40, Ok(1)),
            (None, 7, None, 40, Ok(7)),
            (Some(984), 984, Some(1024), 40, Ok(984)),
            (Some(2000), 984, None, 40, Ok(2000)),
            (Some(985), 984, Some(1024), 40, Err(&["985", "1025", "1024", "984", "LimitNOFILE=1025"])),
            (Some(1), 1, Some(30), 40, Err(&["needs 41", "have 30", "ulimit -n 41"])),
        ];
        for (asked, planned, limit, own, expected) in cases {
            match (connections(asked, planned, limit, own), expected) {
                (Ok(connections), Ok(expected)) => assert_eq!(connections, expected),
                (Err(error), Err(named)) => {
                    let line = error.to_string();
                    assert!(!line.contains('\n') && named.iter().all(|text| line.contains(text)), "{line}");
                }
                (got, _) => panic!("{asked:?} of {limit:?}: {got:?}"),
            }
        }
    }
}
