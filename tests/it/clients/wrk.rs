//! wrk: sends any bytes at once and many times over, from a script that looks at every answer.

use std::process::Command;

use crate::support::boardd::until;

use super::{Client, Outcome, Servers, hold, outcomes_of, run, script, spawn, text, url};

const WRK: Client = Client {
    cannot: &[
        ("head", "it waits for the body that Content-Length announces"),
        ("continue", "it takes the interim answer for the answer"),
        ("echo-slow", "it sends a request as fast as it is taken"),
        ("events", "its script sees an answer when it is whole"),
    ],
    pending: &[],
};

#[test]
fn every_case_through_wrk() {
    let servers = Servers::start();
    let large = servers.library.file("large.bin");
    let runs: [(&str, &str, String); 5] = [
        ("boardd", "1", servers.boardd("/")),
        ("library", "1", servers.library("/")),
        ("hasty", "1", servers.hasty_library("/")),
        ("pipelined", "1", servers.boardd("/")),
        ("parallel", "20", servers.boardd("/")),
    ];
    let mut outcomes = Vec::new();
    for (table, connections, url) in runs {
        let output = run(wrk(table, connections, "20s", &url).arg(&large), "wrk", b"");
        let (of_rows, rest) = outcomes_of(text(&output.stdout));
        outcomes.extend(of_rows);
        assert!(output.status.success(), "{rest}");
        assert!(rest.contains("left 0; errors: connect 0, read 0, write 0, timeout 0"), "{table}: {rest}");
    }
    outcomes.push(drain(&servers));
    WRK.check(&outcomes);
}

/// wrk, to run for `time` at most.
fn wrk(table: &str, connections: &str, time: &str, url: &str) -> Command {
    let mut command = Command::new("wrk");
    command.args(["-t", "1", "-c", connections, "-d", time, "-s"]).arg(script("wrk.lua"));
    command.args([url, "--", table]);
    command
}

/// Connections that are in use all the time when the server stops: what is asked is answered, and then nobody is there.
fn drain(servers: &Servers) -> Outcome {
    let boardd = &servers.draining;
    let mut held = hold(boardd);
    let before = boardd.descriptors();
    let mut command = wrk("drain", "4", "2s", &url(boardd.address, "/"));
    command.stdout(std::process::Stdio::piped());
    let child = spawn(&mut command, "wrk");
    until("the client has come", || boardd.descriptors() == before + 4);
    boardd.terminate();
    let output = child.wait_with_output().expect("our child");
    assert_eq!(held.answer().header("Connection"), Some("close"));
    let (mut outcomes, rest) = outcomes_of(text(&output.stdout));
    let mut outcome = outcomes.pop().expect("its row");
    let counts = rest.lines().last().unwrap_or_default();
    // Attempts after the end are errors of connect, or of write if they were under way; there may be none in the time.
    let lost = !counts.contains(", read 0, ") || !counts.ends_with(", timeout 0");
    if counts.contains("Socket errors: ") && lost {
        outcome.failure.get_or_insert(rest);
    }
    outcome
}
