//! Ten thousand connections come and go, and boardd is as it was.

use crate::support::boardd::Boardd;
use crate::support::client::{Client, raise_descriptor_limit};

const CONNECTIONS: usize = 10_000;

/// What memory may grow by from one round to the next, in KiB: a stray page of the allocator's, not a leak, which would
/// be at least a hundred bytes for each connection.
const SLACK_KIB: u64 = 256;

/// Opens and drops [`CONNECTIONS`], as many at once as fit: a third after a request, a third in the middle of one, a
/// third without a word; half of each by a reset.
fn round(server: &Boardd, at_once: usize) {
    for batch in 0..CONNECTIONS.div_ceil(at_once) {
        let mut clients: Vec<Client> = Vec::with_capacity(at_once);
        for number in 0..at_once {
            let mut client = server.connect();
            match number % 3 {
                0 => client.expect_greeting(),
                1 => client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\nX: y"),
                _ => {}
            }
            clients.push(client);
        }
        for (number, client) in clients.into_iter().enumerate() {
            if (number + batch) % 2 == 0 {
                client.reset();
            }
        }
    }
}

#[test]
fn ten_thousand_connections_leave_no_descriptor_and_no_memory_behind() {
    let at_once = raise_descriptor_limit().min(5000) / 5;
    let server = Boardd::start(&["--workers", "2"]);
    let descriptors = server.base_descriptors();
    // The first round grows tables to the size that they keep.
    round(&server, at_once);
    server.until_descriptors(descriptors);
    let resident = server.resident_kib();
    round(&server, at_once);
    server.until_descriptors(descriptors);
    let after = server.resident_kib();
    assert!(after <= resident + SLACK_KIB, "{resident} KiB, and {after} KiB after another round");
    server.expect_alive();
}
