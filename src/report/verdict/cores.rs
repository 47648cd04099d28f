//! The cores of the board: one of them, or all.

use super::super::seen::{BUSY, OTHERS, STEAL, ServerSeen, interrupts, occupied};
use super::case::{Case, FILLS, WAITED, percent};
use super::{Candidate, LimitedBy, State};

/// From this share of a core's busy time on, it is the network's interrupts that fill it.
const MOSTLY: f64 = 0.50;

/// With less than this times its work in all threads, one thread has most of it.
const ALONE: f64 = 1.50;

/// One core, or threads that use no more than some of them.
pub(super) fn one(case: &Case<'_>) -> Candidate {
    let (state, evidence) = match (threads(case), busiest(case)) {
        (Some((true, line)), _) => (State::Limits, line),
        (thread, Some((limits, line))) => {
            let state = if limits { State::Limits } else { State::Clear };
            (state, thread.map_or(line.clone(), |(_, thread)| format!("{line}; {thread}")))
        }
        (Some((false, line)), None) => (State::Clear, line),
        (None, None) => (State::Unknown, UNSEEN.to_owned()),
    };
    Candidate { name: LimitedBy::OneCore, state, evidence }
}

/// All of them.
pub(super) fn all(case: &Case<'_>) -> Candidate {
    let Some(mean) = case.board.occupied() else {
        return Candidate { name: LimitedBy::AllCores, state: State::Unknown, evidence: UNSEEN.to_owned() };
    };
    let full = case.board_full();
    let busy = percent(mean);
    let mut lines = vec![match case.core_count() {
        1 => format!("the only core was {busy} busy"),
        count => format!("the {count} cores were {busy} busy on average"),
    }];
    if full && !case.is_ours() {
        lines.push(
            "mostly with other programs, so that the server would get more of them for more load".to_owned(),
        );
    }
    lines.extend(shares(case));
    let state = if full && case.is_ours() { State::Limits } else { State::Clear };
    Candidate { name: LimitedBy::AllCores, state, evidence: lines.join("; ") }
}

const UNSEEN: &str = "the load of the board's cores is not known";

/// Whether the server's threads did all they could while they don't use all cores: some of them had a core each and left
/// others idle, or one that has all the work had always some, though it did not always have a core.
fn threads(case: &Case<'_>) -> Option<(bool, String)> {
    let ServerSeen { cores, busiest_thread, wanted, neediest_thread } = case.board.server?;
    let count = case.core_count();
    let of = match count {
        0 => "cores".to_owned(),
        1 => "of it".to_owned(),
        _ => format!("of {count} cores"),
    };
    let waited = match neediest_thread - busiest_thread {
        waited if waited >= WAITED => format!(" and waited for one for {} of the time", percent(waited)),
        _ => String::new(),
    };
    // What the network's interrupts take of a core is the server's loss there, and no sign that it can't use the core.
    let interrupts: f64 = case.board.cores.values().map(interrupts).sum();
    let takes_all = |used: f64| count > 0 && used >= BUSY * count as f64;
    let spreads = takes_all(cores) || (case.board_full() && takes_all(cores + interrupts));
    let is_alone = count != 1 && neediest_thread >= BUSY && wanted < ALONE * neediest_thread;
    let line = format!(
        "the server's busiest thread used {} of a core{waited}, all its threads {cores:.2} {of}",
        percent(busiest_thread)
    );
    Some(((busiest_thread >= BUSY && !spreads) || is_alone, line))
}

/// Whether one core had no time left, others had, and it was the server's or the network's doing.
fn busiest(case: &Case<'_>) -> Option<(bool, String)> {
    let (core, load) = case.board.busiest_core()?;
    let busy = occupied(&load);
    let mut line = format!("core {core}, the busiest, was {} busy", percent(busy));
    if busy < BUSY || case.board_full() {
        return Some((false, line));
    }
    let network = interrupts(&load);
    if network > 0.0 {
        line += &format!(", {} with the network's interrupts", percent(network));
    }
    if network < MOSTLY * busy
        && let Some((name, used)) = case.board.others.first().filter(|(_, used)| *used >= FILLS)
    {
        return Some((false, format!("{line}; but {name} used {used:.2} cores, and it is not the server")));
    }
    Some((true, line))
}

/// Who used the cores. On one machine the load tester's share is the server's loss.
fn shares(case: &Case<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    match case.board.server {
        Some(server) if case.local => lines.push(format!(
            "the server used {:.2} of them and the load tester {:.2}",
            server.cores, case.client_cores
        )),
        Some(server) => lines.push(format!("the server used {:.2} of them", server.cores)),
        None if case.local => lines.push(format!("the load tester used {:.2} of them", case.client_cores)),
        None => {}
    }
    let others = case.board.others_cores();
    if others >= OTHERS {
        lines.push(format!("other programs {others:.2}: the figures are lower for it"));
    }
    let steal = case.board.steal();
    if steal >= STEAL {
        lines.push(format!("the host of this virtual machine took {} of its time", percent(steal)));
    }
    lines
}
