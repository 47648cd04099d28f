//! Clients that are libraries of a language: Python's http.client and Node's undici, each in a script that has its table.

use std::process::Command;

use serde_json::json;

use super::{Client, Servers, outcomes_of, run, script};

const HTTP_CLIENT: Client =
    Client { cannot: &[("pipelined", "it refuses a request before the last answer is read")], pending: &[] };

/// Where Debian keeps the modules of nodejs. Its own nodejs looks there; one from elsewhere has to be told.
const DEBIAN_MODULES: &str = "/usr/share/nodejs";

const UNDICI: Client = Client {
    cannot: &[
        ("continue", "Debian's refuses the header: \"expect header not supported\""),
        ("http-1.0", "it speaks HTTP/1.1"),
        ("http-1.0-kept", "it speaks HTTP/1.1"),
    ],
    pending: &[],
};

/// The servers, as scripts are told of them.
fn addresses(servers: &Servers) -> String {
    let addresses = json!({
        "boardd": servers.boardd.address.to_string(),
        "library": servers.library.address().to_string(),
        "hasty": servers.hasty.address.to_string(),
        "hasty_library": servers.hasty_library.address().to_string(),
        "draining": servers.draining.address.to_string(),
        "draining_pid": servers.draining.pid().as_raw_nonzero().get(),
        "folder": servers.library.file(""),
    });
    addresses.to_string()
}

/// Runs a script, which tells of every row.
fn check(client: &Client, program: &str, name: &str, package: &str) {
    let servers = Servers::start();
    let mut command = Command::new(program);
    command.arg(script(name)).arg(addresses(&servers));
    // Python would leave its bytecode beside the scripts.
    command.env("NODE_PATH", DEBIAN_MODULES).env("PYTHONDONTWRITEBYTECODE", "1");
    let output = run(&mut command, package, b"");
    let (outcomes, rest) = outcomes_of(&String::from_utf8_lossy(&output.stdout));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name}: {rest}{said}");
    client.check(&outcomes);
}

#[test]
fn every_case_through_python_s_http_client() {
    check(&HTTP_CLIENT, "python3", "http_client", "python3");
}

#[test]
fn every_case_through_undici() {
    check(&UNDICI, "node", "undici/main.mjs", "nodejs and node-undici");
}
