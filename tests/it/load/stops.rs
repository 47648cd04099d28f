//! What a run says of a server that ends its connections, so that a graceful stop can be told from a rude one.

use std::thread;

use crate::support::boardctl::{load, load_until};
use crate::support::scripted::{Peer, dead_port, listen_beside, serve};

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
const LAST: &str = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok";

#[test]
fn a_close_that_nobody_announced_is_counted_even_when_nothing_is_lost() {
    let server = serve(|peer| {
        for _ in 0..5 {
            if peer.request().is_none() {
                return;
            }
            peer.send(OK);
        }
        // The next request is read and dropped; without --no-retry it is sent again elsewhere.
        peer.request();
    });
    let run = load_until(&server, 60, &["-c", "2"]);
    let silent = run.expect_clean().count("connections/closed_without_notice");
    assert!(silent > 0 && silent <= run.count("reconnects"), "{}", run.stdout);
    assert!(run.stdout.contains(&format!(", {silent} closed without notice")), "{}", run.stdout);
}

#[test]
fn a_server_that_announces_its_end_and_is_gone_loses_nothing() {
    let (_kept, address) = dead_port();
    let listener = listen_beside(address);
    let server = thread::spawn(move || {
        drop(listener.accept().expect("the probe"));
        let (stream, _) = listener.accept().expect("the load");
        drop(listener);
        let mut peer = Peer::new(stream);
        for answer in [OK, LAST] {
            peer.request();
            peer.send(answer);
        }
    });
    let run = load(&format!("http://{address}/"), &["-c", "1", "-d", "1s", "--no-retry"]);
    server.join().expect("the script ran to its end");
    assert_eq!((run.count("requests"), run.count("failed")), (2, 0), "{}", run.stdout);
    assert_eq!(run.count("connections/closed_without_notice"), 0, "{}", run.stdout);
    let refused = run.count("connections/refused");
    assert!(refused > 0 && refused == run.count("errors/connect"), "{}", run.stdout);
    assert!(run.stdout.contains(&format!(", {refused} refused\n")), "{}", run.stdout);
}

#[test]
fn what_was_asked_of_a_server_that_ends_in_silence_has_failed() {
    let (_kept, address) = dead_port();
    let listener = listen_beside(address);
    let server = thread::spawn(move || {
        drop(listener.accept().expect("the probe"));
        let (stream, _) = listener.accept().expect("the load");
        drop(listener);
        let mut peer = Peer::new(stream);
        peer.request();
        peer.send(OK);
        peer.request();
    });
    let run = load(&format!("http://{address}/"), &["-c", "1", "-d", "1s", "--no-retry"]);
    server.join().expect("the script ran to its end");
    assert_eq!((run.count("requests"), run.count("failed")), (1, 1), "{}", run.stdout);
    assert_eq!(run.count("failed_by/closed"), 1);
    assert_eq!(run.count("connections/closed_without_notice"), 1);
}
