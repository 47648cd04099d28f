//! Real clients, against the boardd that ships and against a server built from the library as a user would.
//!
//! Each client has a table of the cases that it can express, and says of the others why it cannot: together they are all
//! of [`CASES`], and a test holds that. A row that fails because the server is wrong stands in the client's `PENDING`,
//! which is asserted too: whoever mends the server takes the row out.

mod ab;
mod curl;
mod library;
mod scripts;
mod wrk;

use std::any::Any;
use std::collections::BTreeSet;
use std::io::{ErrorKind, Write};
use std::net::SocketAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use crate::support::boardd::Boardd;
use library::Library;

/// What is sent through every client. Rows are called so, or so and what is special about them: `bytes`, `bytes/0`.
const CASES: [&str; 26] = [
    // Several requests on one connection.
    "kept",
    // HEAD.
    "head",
    // 400, 404, 405 and 501, after which the connection goes on where it can.
    "errors",
    // A query with escapes, decoded once.
    "query",
    // Answers of 0, 1, 4096, 65537 and 1,000,000 bytes.
    "bytes",
    // JSON.
    "json",
    // A body with Content-Length.
    "echo-length",
    // A chunked body.
    "echo-chunked",
    // A body in pieces, each sent when the one before has come back.
    "echo-slow",
    // Expect: 100-continue.
    "continue",
    // A body that is refused while the client still sends it.
    "large-body",
    // 431.
    "large-head",
    // 414.
    "long-target",
    // Connection: close.
    "close",
    // HTTP/1.0, which ends after an answer.
    "http-1.0",
    // HTTP/1.0 with Connection: keep-alive.
    "http-1.0-kept",
    // Requests that do not wait for the answers before them.
    "pipelined",
    // Handlers that wait and that compute, several at once.
    "parallel",
    // Server-sent events, each received before the next is made.
    "events",
    // An answer in chunks.
    "chunked",
    // A file, and 304 for who has it.
    "file",
    // Parts of a file.
    "range",
    // Compressed files beside the plain one.
    "precompressed",
    // Ten megabytes of a file.
    "large-file",
    // An upload that stops in the middle.
    "stalled",
    // The server stops while the client has a connection.
    "drain",
];

/// A client: what it cannot express and why, and which of its rows fail through a fault of the server.
struct Client {
    cannot: &'static [(&'static str, &'static str)],
    pending: &'static [&'static str],
}

/// What came of a row.
struct Outcome {
    name: String,
    /// What was wrong.
    failure: Option<String>,
}

impl Outcome {
    fn is_of(&self, case: &str) -> bool {
        self.name.strip_prefix(case).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

impl Client {
    /// Fails the test unless every row came out as it should and every case was tried or cannot be.
    fn check(&self, outcomes: &[Outcome]) {
        let mut wrong = Vec::new();
        for Outcome { name, failure } in outcomes {
            match (failure, self.pending.contains(&&**name)) {
                (Some(why), false) => wrong.push(format!("{name}: {why}")),
                (None, true) => wrong.push(format!("{name} is in PENDING and works: take it out")),
                (Some(why), true) => eprintln!("pending: {name}: {why}"),
                (None, false) => {}
            }
        }
        let names: BTreeSet<_> = outcomes.iter().map(|outcome| &*outcome.name).collect();
        let gone = self.pending.iter().filter(|name| !names.contains(*name));
        wrong.extend(gone.map(|name| format!("{name} is in PENDING and not in the table")));
        if names.len() < outcomes.len() {
            wrong.push(format!("two rows of one name among {names:?}"));
        }
        for case in CASES {
            let tried = outcomes.iter().any(|outcome| outcome.is_of(case));
            if tried == self.cannot.iter().any(|(known, _)| *known == case) {
                wrong.push(format!("{case} must be either in the table or among what the client cannot do"));
            }
        }
        let is_known = |outcome: &&Outcome| CASES.iter().any(|case| outcome.is_of(case));
        let strangers = outcomes.iter().filter(|outcome| !is_known(outcome));
        wrong.extend(strangers.map(|outcome| format!("{} is not in CASES", outcome.name)));
        assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
    }
}

/// One row of a table in Rust: it panics when something is wrong.
type Row = (&'static str, fn(&Servers));

/// Runs every row.
fn run_rows(rows: &[Row], servers: &Servers) -> Vec<Outcome> {
    let run = |(name, row): &Row| {
        let caught = catch_unwind(AssertUnwindSafe(|| row(servers))).err();
        let said = |panic: &Box<dyn Any + Send>| panic.downcast_ref::<String>().cloned();
        Outcome {
            name: (*name).into(),
            failure: caught.map(|panic| said(&panic).unwrap_or("see above".into())),
        }
    };
    rows.iter().map(run).collect()
}

/// The servers of one client.
struct Servers {
    boardd: Boardd,
    library: Library,
    /// Soon tired of a body that does not go on.
    hasty: Boardd,
    hasty_library: Library,
    /// To be stopped.
    draining: Boardd,
}

impl Servers {
    fn start() -> Self {
        Self {
            boardd: Boardd::start(&[]),
            library: Library::start(),
            hasty: Boardd::start(&["--head-timeout", "0.5"]),
            hasty_library: Library::hasty(),
            draining: Boardd::start(&[]),
        }
    }

    /// The URL of a path of boardd's.
    fn boardd(&self, path: &str) -> String {
        url(self.boardd.address, path)
    }

    fn hasty(&self, path: &str) -> String {
        url(self.hasty.address, path)
    }

    fn library(&self, path: &str) -> String {
        url(self.library.address(), path)
    }

    fn hasty_library(&self, path: &str) -> String {
        url(self.hasty_library.address(), path)
    }
}

/// Keeps boardd from ending at once when it is told to stop: what it does with newcomers meanwhile can be seen.
fn hold(boardd: &Boardd) -> crate::support::client::Client {
    let mut held = boardd.connect();
    held.expect_greeting();
    held.send("GET /slow?ms=800 HTTP/1.1\r\nHost: a\r\n\r\n");
    held
}

fn url(address: SocketAddr, path: &str) -> String {
    format!("http://{address}{path}")
}

/// What a program wrote, as text.
fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("text")
}

/// A script that lies beside this file.
fn script(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/clients").join(name)
}

/// What a script printed about its rows, `ok NAME` or `FAILED NAME: why` for each, and all else that it printed.
fn outcomes_of(printed: &str) -> (Vec<Outcome>, String) {
    let (mut outcomes, mut rest) = (Vec::new(), String::new());
    for line in printed.lines() {
        if let Some(name) = line.strip_prefix("ok ") {
            outcomes.push(Outcome { name: name.into(), failure: None });
        } else if let Some((name, why)) = line.strip_prefix("FAILED ").and_then(|line| line.split_once(": "))
        {
            outcomes.push(Outcome { name: name.into(), failure: Some(why.into()) });
        } else {
            rest.push_str(line);
            rest.push('\n');
        }
    }
    (outcomes, rest)
}

/// Runs a client to its end with `input` to read. One that is not there fails the test: ./test installs all of them.
fn run(command: &mut Command, package: &str, input: &[u8]) -> Output {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = spawn(command, package);
    let mut stdin = child.stdin.take().expect("piped");
    std::thread::scope(|scope| {
        scope.spawn(move || {
            if let Err(error) = stdin.write_all(input) {
                // Whoever was refused need not read on.
                assert_eq!(error.kind(), ErrorKind::BrokenPipe);
            }
        });
        child.wait_with_output().expect("our child")
    })
}

fn spawn(command: &mut Command, package: &str) -> std::process::Child {
    let program = command.get_program().to_owned();
    match command.spawn() {
        Ok(child) => child,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            panic!("{program:?} is missing: ./test installs it, Debian's package is {package}")
        }
        Err(error) => panic!("{program:?}: {error}"),
    }
}
