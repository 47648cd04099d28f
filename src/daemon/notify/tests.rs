use std::num::NonZeroUsize;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};

use super::*;
use crate::server::{Config, Routes, Server};

/// A server with a handler that keeps its worker until it is told to let go.
fn blocking(workers: usize) -> (Handle, Arc<Mutex<Vec<Sender<()>>>>) {
    let held = Arc::new(Mutex::new(Vec::new()));
    let holders = Arc::clone(&held);
    let routes = Routes::new().get("/block", move |_, reply| {
        let (let_go, wait) = channel();
        holders.lock().expect("no panic").push(let_go);
        // Also over when the test has failed.
        let _ = wait.recv();
        reply.text("done")
    });
    let workers = NonZeroUsize::new(workers).expect("at least one");
    let server = Server::bind(Config::new(([127, 0, 0, 1], 0).into(), workers), routes).expect("loopback");
    (server.start().expect("threads"), held)
}

/// Looks until `holds` is true of what is stuck; a worker that was woken needs a moment to turn.
fn look_until(watchdog: &mut Watchdog, handle: &Handle, holds: impl Fn(&[usize]) -> bool) -> Vec<usize> {
    for _ in 0..2000 {
        std::thread::sleep(Duration::from_millis(5));
        let stuck = watchdog.stuck(handle);
        if holds(&stuck) {
            return stuck;
        }
    }
    panic!("never came about");
}

#[test]
fn a_worker_that_a_handler_keeps_is_stuck_until_it_goes_on_and_idle_ones_are_not() {
    let (handle, held) = blocking(2);
    let mut watchdog = Watchdog::every(Duration::from_secs(1));
    assert!(watchdog.stuck(&handle).is_empty(), "nothing is known yet");
    look_until(&mut watchdog, &handle, <[usize]>::is_empty);
    let mut client = std::net::TcpStream::connect(handle.address()).expect("it listens");
    io::Write::write_all(&mut client, b"GET /block HTTP/1.0\r\n\r\n").expect("it reads");
    while held.lock().expect("no panic").is_empty() {
        std::thread::yield_now();
    }
    let stuck = look_until(&mut watchdog, &handle, |stuck| stuck.len() == 1);
    // However often one looks, and however long that takes.
    for _ in 0..20 {
        std::thread::sleep(Duration::from_millis(5));
        assert!(watchdog.stuck(&handle).contains(&stuck[0]));
    }
    held.lock().expect("no panic").clear();
    look_until(&mut watchdog, &handle, <[usize]>::is_empty);
    handle.stop();
    handle.join().expect("no worker failed");
}

#[test]
fn workers_that_have_ended_are_not_stuck() {
    let (handle, _) = blocking(3);
    let mut watchdog = Watchdog::every(Duration::from_secs(1));
    handle.stop();
    while handle.stage() != crate::server::Stage::Ended {
        std::thread::yield_now();
    }
    for _ in 0..3 {
        assert!(watchdog.stuck(&handle).is_empty());
    }
}
