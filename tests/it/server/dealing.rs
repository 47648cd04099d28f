//! Each worker has its share of the connections, within one, and no request is lost when they move.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crate::support::boardd::{Boardd, until};
use crate::support::client::Client;

const CONNECTIONS: usize = 100;

fn connect(server: &Boardd) -> Vec<Client> {
    (0..CONNECTIONS).map(|_| server.connect()).collect()
}

fn ports(clients: &[Client]) -> Vec<u16> {
    clients.iter().map(Client::port).collect()
}

fn until_even(server: &Boardd, clients: &[Client], workers: usize) {
    let ports = ports(clients);
    until("every worker has its share", || server.is_even(&ports, workers));
}

#[test]
fn connections_are_dealt_evenly_whatever_the_number_of_workers() {
    for workers in 1..=4 {
        let server = Boardd::start(&["--workers", &workers.to_string()]);
        let mut clients = connect(&server);
        until_even(&server, &clients, workers);
        clients.iter_mut().for_each(Client::expect_greeting);
    }
}

/// Closes half of the connections, those that `chosen` names, while others ask without a pause: afterwards each worker
/// has its share again, and every answer came.
fn close_half(workers: usize, chosen: impl Fn(&Boardd, &[Client]) -> Vec<u16>) {
    let server = Boardd::start(&["--workers", &workers.to_string()]);
    let clients = connect(&server);
    until_even(&server, &clients, workers);
    let chosen = chosen(&server, &clients);
    assert_eq!(chosen.len(), CONNECTIONS / 2);
    let (closing, mut staying): (Vec<_>, Vec<_>) =
        clients.into_iter().partition(|client| chosen.contains(&client.port()));
    let ports = ports(&staying);
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        for part in staying.chunks_mut(13) {
            let done = &done;
            scope.spawn(move || {
                while !done.load(Ordering::Relaxed) {
                    part.iter_mut().for_each(ask_in_pieces);
                }
            });
        }
        drop(closing);
        // A test that fails in here still has to let the others go.
        let even = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            until("every worker has its share again", || server.is_even(&ports, workers));
        }));
        done.store(true, Ordering::Relaxed);
        if let Err(panic) = even {
            std::panic::resume_unwind(panic);
        }
    });
    staying.iter_mut().for_each(Client::expect_greeting);
    assert!(server.is_even(&ports, workers));
}

/// Requests in whole, cut in the head, and glued: a move may come between any two pieces.
fn ask_in_pieces(client: &mut Client) {
    client.expect_greeting();
    client.send("HEAD /json HTTP/1.1\r\nHost: a\r\n\r\nGET /bytes/5000 HTT");
    assert_eq!(client.answer_to_head().status, 200);
    client.send("P/1.1\r\nHost: a\r\n\r\n");
    assert_eq!(client.answer().body.len(), 5000);
}

#[test]
fn closing_half_of_the_connections_leaves_the_rest_even_and_loses_no_request() {
    for workers in [2, 4] {
        close_half(workers, |_, clients| ports(clients).into_iter().step_by(2).collect());
        // The same scatter each time, so that a failure can be had again.
        close_half(workers, |_, clients| {
            let mut ports = ports(clients);
            ports.sort_by_key(|port| u32::from(*port).wrapping_mul(2_654_435_761));
            ports[..CONNECTIONS / 2].to_vec()
        });
    }
}

#[test]
fn closing_all_of_one_worker_is_made_good_by_the_others() {
    for workers in [2, 3, 4] {
        close_half(workers, |server, _| {
            let deal = server.deal();
            deal.into_iter().flatten().take(CONNECTIONS / 2).collect()
        });
    }
}

#[test]
fn idle_connections_move_as_well_and_are_answered_afterwards() {
    let server = Boardd::start(&["--workers", "2"]);
    let mut clients = connect(&server);
    until_even(&server, &clients, 2);
    let closing = server.deal().swap_remove(0);
    // Half of those that stay have begun a request; it goes with them.
    for (number, client) in clients.iter_mut().enumerate() {
        if number % 4 < 2 {
            client.send("GET / HTTP/1.1\r\nHo");
        }
    }
    let mut number = 0;
    let mut begun = Vec::new();
    clients.retain(|client| {
        number += 1;
        let stays = !closing.contains(&client.port());
        if stays {
            begun.push((number - 1) % 4 < 2);
        }
        stays
    });
    until_even(&server, &clients, 2);
    for (client, begun) in clients.iter_mut().zip(begun) {
        if begun {
            client.send("st: a\r\n\r\n");
            assert_eq!(client.answer().text(), "Hello, World!");
        }
        client.expect_greeting();
    }
}
