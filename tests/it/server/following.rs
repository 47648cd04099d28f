//! A board that changes under a running server: a recorded one is played, and connections go where there are cores.

use std::fs;
use std::path::Path;

use crate::board::{boards, replayed};
use crate::scratch::Scratch;
use crate::support::boardd::{Boardd, until};
use crate::support::client::Client;

const ONLINE: &str = "sys/devices/system/cpu/online";

/// A board of four cores that a test may change.
fn board() -> Scratch {
    let board = boards().into_iter().find(|path| path.ends_with("orange-pi-one")).expect("orange-pi-one");
    replayed(&board).0
}

fn start(board: &Path, flags: &[&str]) -> Boardd {
    let sysfs = board.to_string_lossy();
    Boardd::start(&[&["--sysfs", sysfs.as_ref()], flags].concat())
}

/// Connections of each worker, those with the most first.
fn hands(server: &Boardd) -> Vec<usize> {
    let mut hands: Vec<usize> = server.deal().iter().map(Vec::len).collect();
    hands.sort_unstable_by(|a, b| b.cmp(a));
    hands
}

#[test]
fn connections_leave_workers_whose_cores_are_gone_and_come_back_with_them() {
    let board = board();
    let (follows, stays) = (start(&board.0, &[]), start(&board.0, &["--no-follow"]));
    let connect = |server: &Boardd| -> Vec<Client> { (0..8).map(|_| server.connect()).collect() };
    let (mut clients, mut others) = (connect(&follows), connect(&stays));
    let greet = |clients: &mut Vec<Client>| clients.iter_mut().for_each(Client::expect_greeting);
    greet(&mut clients);
    greet(&mut others);
    until("two for each of four", || hands(&follows) == [2, 2, 2, 2] && hands(&stays) == [2, 2, 2, 2]);
    board.write(ONLINE, b"0-1\n");
    until("four for each of two", || hands(&follows) == [4, 4, 0, 0]);
    assert_eq!(hands(&stays), [2, 2, 2, 2], "it was told not to follow");
    greet(&mut clients);
    let mut late = follows.connect();
    late.expect_greeting();
    drop(late);
    board.write(ONLINE, b"0-3\n");
    until("two for each of four again", || hands(&follows) == [2, 2, 2, 2]);
    greet(&mut clients);
    greet(&mut others);
    drop((clients, others));
    for (server, expected) in [(follows, 2), (stays, 0)] {
        server.terminate();
        let (status, said) = server.wait();
        assert!(status.success(), "{said}");
        let told: Vec<_> = said.lines().filter(|line| line.contains("the board changed")).collect();
        assert_eq!(told.len(), expected, "{said}");
        if expected > 0 {
            assert!(told[0].contains("cores 2-3 went off: 2 of 4 workers take connections"), "{said}");
            assert!(told[1].contains("cores 2-3 came back: 4 of 4 workers take connections"), "{said}");
        }
    }
}

#[test]
fn a_folder_that_vanishes_changes_nothing() {
    let board = board();
    let server = start(&board.0, &[]);
    let mut clients: Vec<Client> = (0..4).map(|_| server.connect()).collect();
    clients.iter_mut().for_each(Client::expect_greeting);
    until("one for each of four", || hands(&server) == [1, 1, 1, 1]);
    fs::remove_dir_all(board.0.join("sys")).expect("ours");
    clients.iter_mut().for_each(Client::expect_greeting);
    server.terminate();
    let (status, said) = server.wait();
    assert!(status.success() && !said.contains("panicked"), "{said}");
}
