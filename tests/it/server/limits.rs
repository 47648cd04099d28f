//! Out of descriptors, or full: who comes now waits, nothing spins, and it passes.

use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Resource, Rlimit, prlimit};

use crate::support::boardd::{Boardd, program};
use crate::support::client::{Client, GET};

/// Clock ticks of /proc in a second, fixed by the kernel's interface.
const TICKS_PER_SECOND: f64 = 100.0;

/// How long to look; long enough for a few of those ticks to mean something.
const LOOK: Duration = Duration::from_millis(1500);

/// Fails the test if boardd, with nothing to do, uses more than a fifth of one core.
fn expect_calm(server: &Boardd) {
    let (start, before) = (Instant::now(), server.cpu_ticks());
    thread::sleep(LOOK);
    let seconds = (server.cpu_ticks() - before) as f64 / TICKS_PER_SECOND;
    let share = seconds / start.elapsed().as_secs_f64();
    assert!(share < 0.2, "{share:.2} of a core for nothing");
}

/// Connects without waiting for anything but the kernel's queue.
fn crowd(server: &Boardd, count: usize) -> Vec<Client> {
    (0..count).map(|_| server.connect()).collect()
}

#[test]
fn a_crowd_beyond_the_descriptor_limit_waits_and_boardd_recovers() {
    let mut command = Command::new("sh");
    let line = "ulimit -n 64; exec \"$0\" serve --listen 127.0.0.1:0 --workers 2";
    command.args(["-c", line]).arg(program());
    let server = Boardd::spawn(command);
    let base = server.base_descriptors();
    let clients = crowd(&server, 200);
    expect_calm(&server);
    assert!(server.descriptors() > base);
    drop(clients);
    server.expect_alive();
    server.until_descriptors(base);
}

#[test]
fn a_limit_that_sinks_below_what_is_planned_is_survived() {
    let server = Boardd::start(&["--workers", "2"]);
    let base = server.base_descriptors();
    let most = Some(server.limit_for(5));
    prlimit(Some(server.pid()), Resource::Nofile, Rlimit { current: most, maximum: most })
        .expect("our child");
    let mut clients = crowd(&server, 50);
    server.until_descriptors(base + 5);
    expect_calm(&server);
    // All get their turn: five are served, and each that goes makes room for the next.
    while let Some(mut client) = (!clients.is_empty()).then(|| clients.remove(0)) {
        client.expect_greeting();
    }
    server.until_descriptors(base);
    server.terminate();
    let (status, said) = server.wait();
    assert!(status.success(), "{said}");
    assert!(said.contains("new connections wait"), "{said}");
    assert!(said.lines().count() < 100, "a line for each failure: {said}");
}

#[test]
fn one_more_than_allowed_waits_until_another_ends() {
    let server = Boardd::start(&["--max-connections", "3", "--workers", "2"]);
    let mut clients = crowd(&server, 3);
    clients.iter_mut().for_each(Client::expect_greeting);
    let mut fourth = server.connect();
    fourth.send(GET);
    let short = Some(Duration::from_millis(500));
    fourth.stream.set_read_timeout(short).expect("a socket takes options");
    fourth.stream.peek(&mut [0]).expect_err("it is not served yet");
    fourth.stream.set_read_timeout(Some(crate::support::client::HANG)).expect("a socket takes options");
    clients.iter_mut().for_each(Client::expect_greeting);
    expect_calm(&server);
    drop(clients.pop());
    assert_eq!(fourth.answer().text(), "Hello, World!");
    clients.push(fourth);
    clients.iter_mut().for_each(Client::expect_greeting);
}

#[test]
fn a_full_house_at_whose_door_nobody_waits_is_no_complaint() {
    let server = Boardd::start(&["--max-connections", "2", "--workers", "2"]);
    let mut clients = crowd(&server, 2);
    for _ in 0..50 {
        clients.iter_mut().for_each(Client::expect_greeting);
        thread::sleep(Duration::from_millis(5));
    }
    drop(clients);
    server.terminate();
    let (status, said) = server.wait();
    assert!(status.success() && !said.contains("wait"), "{said}");
}

#[test]
fn nobody_reading_the_complaints_does_not_end_the_server() {
    let mut server = Boardd::start(&["--max-connections", "1", "--workers", "1"]);
    server.close_stderr();
    let mut first = server.connect();
    first.expect_greeting();
    let mut second = server.connect();
    second.send(GET);
    expect_calm(&server);
    first.expect_greeting();
    drop(first);
    assert_eq!(second.answer().status, 200);
    drop(second);
    server.terminate();
    assert!(server.wait().0.success());
}
