//! boardd as a program: what it says, how it ends.

use std::net::TcpListener;
use std::process::{Command, Output};
use std::thread;
use std::time::Duration;

use crate::support::boardd::{Boardd, program, until};
use crate::support::client::{Client, GET};

fn run(arguments: &[&str]) -> Output {
    Command::new(program()).args(arguments).output().expect("boardd starts")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("text")
}

/// Fails the test unless boardd refuses with 2 and one line; returns the line.
fn refusal(arguments: &[&str]) -> String {
    let output = run(arguments);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
    assert_eq!((said.lines().count(), text(&output.stdout)), (1, ""), "{arguments:?}: {said}");
    assert!(said.starts_with("boardd: "), "{said}");
    said.to_owned()
}

#[test]
fn a_port_that_is_taken_is_named_with_the_way_out() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("bound").to_string();
    let line = refusal(&["serve", "--listen", &address]);
    assert!(line.contains(&address) && line.contains("--listen"), "{line}");
}

#[test]
fn an_address_of_another_machine_is_named_with_the_way_out() {
    // From the block that is set aside for documents: no machine has it.
    let line = refusal(&["serve", "--listen", "192.0.2.1:0"]);
    assert!(line.contains("192.0.2.1:0") && line.contains("0.0.0.0"), "{line}");
}

#[test]
fn bad_flags_are_refused_in_one_line_that_names_them() {
    let cases: [(&[&str], &str); 9] = [
        (&[], "boardd serve"),
        (&["fly"], "fly"),
        (&["serve", "--speed", "9"], "--speed"),
        (&["serve", "--listen"], "--listen"),
        (&["serve", "--listen", "8080"], "8080"),
        (&["serve", "--workers", "0"], "--workers"),
        (&["serve", "--max-connections", "-1"], "--max-connections"),
        (&["serve", "--idle-timeout", "soon"], "soon"),
        (&["serve", "-x"], "-x"),
    ];
    for (arguments, named) in cases {
        let line = refusal(arguments);
        assert!(line.contains(named), "{arguments:?}: {line}");
    }
}

#[test]
fn help_and_version_go_to_the_output() {
    for flag in ["--help", "-h", "--version", "-V"] {
        let output = run(&[flag]);
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""), "{flag}");
        assert!(text(&output.stdout).contains("boardd"), "{flag}");
    }
    assert!(text(&run(&["serve", "--help"]).stdout).contains("--listen"));
}

#[test]
fn sigterm_answers_what_is_in_flight_and_closes_the_rest() {
    let server = Boardd::start(&["--workers", "2"]);
    let mut kept = server.connect();
    kept.expect_greeting();
    let mut silent = server.connect();
    let mut begun = server.connect();
    begun.send(&GET[..GET.len() - 2]);
    let mut large = server.connect();
    large.send("GET /bytes/16777216 HTTP/1.1\r\nHost: a\r\n\r\n");
    // So that all of them are known to boardd when it stops.
    server.expect_alive();
    until("all four are dealt", || server.deal().iter().flatten().count() == 4);
    server.terminate();
    let address = server.address;
    begun.send(&GET[GET.len() - 2..]);
    assert_eq!(begun.answer().text(), "Hello, World!");
    begun.expect_end();
    assert_eq!(large.answer().body.len(), 16 * 1024 * 1024);
    large.expect_end();
    kept.expect_end();
    silent.expect_end();
    let (status, said) = server.wait();
    assert_eq!(status.code(), Some(0), "{said}");
    assert!(said.contains("boardd: served 4 requests on 5 connections"), "{said}");
    std::net::TcpStream::connect(address).expect_err("nobody listens any more");
}

#[test]
fn a_request_on_a_kept_connection_right_after_sigterm_is_the_last_one() {
    let server = Boardd::start(&["--workers", "1"]);
    let mut other = server.connect();
    other.expect_greeting();
    let mut client = server.connect();
    client.expect_greeting();
    server.terminate();
    // It begins to stop at a time of its own; until then answers are like any other.
    loop {
        client.send(GET);
        let answer = client.answer();
        assert_eq!(answer.status, 200);
        if answer.header("Connection") == Some("close") {
            break;
        }
    }
    // This one was on its way before the client knew.
    client.send(GET);
    client.finish();
    client.expect_end();
    other.expect_end();
    assert!(server.wait().0.success());
}

#[test]
fn clients_that_go_on_asking_see_a_clean_end() {
    for _ in 0..3 {
        let server = Boardd::start(&["--workers", "3"]);
        let mut clients: Vec<_> = (0..40).map(|_| server.connect()).collect();
        clients.iter_mut().for_each(Client::expect_greeting);
        // All of some workers' connections end, so that others are about to move when the signal comes.
        let closing: Vec<_> = server.deal().into_iter().flatten().take(20).collect();
        clients.retain(|client| !closing.contains(&client.port()));
        thread::scope(|scope| {
            for client in &mut clients {
                scope.spawn(|| ask_until_the_last(client));
            }
            // Somewhere in the middle of that.
            server.expect_alive();
            thread::sleep(Duration::from_millis(190));
            server.terminate();
        });
        drop(clients);
        let (status, said) = server.wait();
        assert!(status.success(), "{said}");
    }
}

/// Keeps several requests on their way until an answer says that it is the last; then the stream must end cleanly.
fn ask_until_the_last(client: &mut Client) {
    let ahead = 8;
    let mut asked = 0;
    loop {
        while asked < ahead {
            client.send(GET);
            asked += 1;
        }
        let answer = client.answer();
        asked -= 1;
        assert_eq!(answer.status, 200);
        if answer.header("Connection") == Some("close") {
            return client.expect_end();
        }
    }
}

#[test]
fn a_client_that_never_reads_cannot_keep_it_from_stopping() {
    let server = Boardd::start(&["--workers", "1"]);
    let mut client = Client::connect_narrow(server.address, 2048);
    client.send("GET /bytes/16777216 HTTP/1.1\r\nHost: a\r\n\r\n");
    server.expect_alive();
    server.terminate();
    let (status, said) = server.wait();
    assert!(status.success(), "{said}");
    drop(client);
}

#[test]
fn sigint_ends_it_as_well() {
    let server = Boardd::start(&[]);
    rustix::process::kill_process(server.pid(), rustix::process::Signal::INT).expect("it runs");
    assert!(server.wait().0.success());
}
