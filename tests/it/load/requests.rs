//! `-n`: a run that ends after so many requests.

use crate::support::boardctl::{boardctl, load};
use crate::support::scripted::{Peer, answering, serve};

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
const LAST: &str = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok";

#[test]
fn so_many_requests_are_made_and_not_one_more() {
    for (asked, flags) in [
        (1, &["-c", "1"][..]),
        (1000, &["-c", "10", "-t", "2"]),
        // Threads and connections that get nothing to do.
        (3, &["-c", "20", "-t", "8"]),
        (101, &["-c", "7", "-t", "3", "--no-keepalive"]),
    ] {
        let server = answering(OK);
        let run = load(&format!("http://{server}/"), &[&["-n", &asked.to_string()], flags].concat());
        run.expect_clean();
        assert_eq!((run.count("requests"), server.requests()), (asked, asked), "{flags:?}");
        assert_eq!((run.report["partial"].clone(), run.count("settings/requests")), (false.into(), asked));
        let rows = run.report["series"].as_array().expect("rows");
        let seconds: u64 = rows.iter().map(|row| row["requests"].as_u64().expect("a count")).sum();
        assert_eq!(seconds, asked, "{flags:?}");
        assert!(run.stdout.starts_with(&format!("Running {asked} requests @ ")), "{}", run.stdout);
    }
}

#[test]
fn a_server_that_closes_each_connection_gets_as_many() {
    let server = serve(|peer| {
        if peer.request().is_some() {
            peer.send(LAST);
        }
    });
    let run = load(&format!("http://{server}/"), &["-n", "50", "-c", "4", "-t", "2"]);
    run.expect_clean();
    assert_eq!((run.count("requests"), server.requests()), (50, 50), "{}", run.stdout);
}

#[test]
fn what_fails_counts_as_made() {
    let server = serve(|peer| {
        if peer.request().is_some() {
            peer.send("nonsense\r\n\r\n");
        }
    });
    let run = load(&format!("http://{server}/"), &["-n", "12", "-c", "3", "-t", "1"]);
    assert_eq!((run.code, run.count("failed"), run.count("requests")), (1, 12, 0), "{}", run.stdout);
}

#[test]
fn time_that_is_over_first_is_said() {
    let server = serve(Peer::ignore);
    let run = load(&format!("http://{server}/"), &["-n", "12", "-c", "3", "-d", "200ms"]);
    assert_eq!(run.code, 1, "{}", run.stdout);
    assert!(run.stdout.contains("the time (200ms) was over after 0 of 12 requests"), "{}", run.stdout);
}

#[test]
fn a_published_number_of_requests_is_kept() {
    let server = answering(OK);
    let run = load(&format!("http://{server}"), &["--preset", "zinc-16k"]);
    assert_eq!((run.code, run.count("requests")), (0, 10_000), "{}", run.stderr);
    let differences = run.report["preset"]["differences"].as_array().expect("a list");
    assert!(
        !differences.iter().any(|one| one.as_str().is_some_and(|one| one.contains("10s"))),
        "{differences:?}"
    );
    let run = boardctl(&["load", &format!("http://{server}"), "-n", "10", "--rate", "5"]);
    assert_eq!((run.code, run.stderr.lines().count()), (2, 1), "{}", run.stderr);
}
