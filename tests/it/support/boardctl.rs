//! The real `boardctl`, run as a user would.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::process::{Pid, Resource, Rlimit, Signal, kill_process, prlimit};
use serde_json::Value;

use super::scripted::Server;

pub(crate) const BOARDCTL: &str = env!("CARGO_BIN_EXE_boardctl");

/// A file name of this test's own, removed when it goes out of scope.
pub(crate) struct TempFile(pub(crate) PathBuf);

impl TempFile {
    pub(crate) fn new(name: &str) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Self(std::env::temp_dir().join(format!("boardkit-{}-{number}-{name}", std::process::id())))
    }

    /// The JSON in the file.
    pub(crate) fn json(&self) -> Value {
        let text = fs::read(&self.0).expect("the report was written");
        serde_json::from_slice(&text).expect("the report is JSON")
    }
}

impl Drop for TempFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// What a run left behind.
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// The JSON report; `null` when none was written.
    pub(crate) report: Value,
}

impl Run {
    pub(crate) fn new(output: &Output, report: Value) -> Self {
        Self {
            code: output.status.code().expect("ended by itself, not by a signal"),
            stdout: String::from_utf8(output.stdout.clone()).expect("text"),
            stderr: String::from_utf8(output.stderr.clone()).expect("text"),
            report,
        }
    }

    /// A count in the report, by its path: `errors/timeout`.
    pub(crate) fn count(&self, path: &str) -> u64 {
        let value = self.report.pointer(&format!("/{path}"));
        value.and_then(Value::as_u64).unwrap_or_else(|| panic!("no count {path} in {:#}", self.report))
    }

    /// Fails the test unless something finished and not one error was counted.
    pub(crate) fn expect_clean(&self) -> &Self {
        assert_eq!(self.code, 0, "{}{}", self.stdout, self.stderr);
        assert!(self.count("requests") > 0, "{}", self.stdout);
        for kind in ["connect", "read", "write", "timeout", "status"] {
            assert_eq!(self.count(&format!("errors/{kind}")), 0, "{kind}: {}", self.stdout);
        }
        assert_eq!(self.count("failed"), 0, "{}", self.stdout);
        self
    }
}

/// `boardctl` with these arguments, all streams piped.
pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(BOARDCTL);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs `boardctl` without a JSON report.
pub(crate) fn boardctl(arguments: &[&str]) -> Run {
    Run::new(&command(arguments).output().expect("boardctl starts"), Value::Null)
}

/// Fails the test unless each of these command lines is wrong usage, told in one line that has the words beside it.
pub(crate) fn expect_usage_errors(cases: &[(&[&str], &str)]) {
    for (arguments, said) in cases {
        let run = boardctl(arguments);
        assert_eq!(run.code, 2, "{arguments:?}: {}", run.stderr);
        assert_eq!(run.stderr.lines().count(), 1, "{arguments:?}: {}", run.stderr);
        let named = run.stderr.starts_with("error: ") && run.stderr.contains(said);
        assert!(named, "{arguments:?}: {}", run.stderr);
    }
}

/// Runs `boardctl load` with a JSON report, to the end that `arguments` set.
pub(crate) fn load(url: &str, arguments: &[&str]) -> Run {
    let file = TempFile::new("report.json");
    let mut command = command(&["load", url, "--json"]);
    let output = command.arg(&file.0).args(arguments).output().expect("boardctl starts");
    let report = if file.0.exists() { file.json() } else { Value::Null };
    Run::new(&output, report)
}

/// Loads `server` until it has read `requests`, and stops the run with Ctrl-C then: however slow the machine is, that
/// much has happened.
pub(crate) fn load_until(server: &Server, requests: u64, arguments: &[&str]) -> Run {
    load_url_until(&format!("http://{server}/"), server, requests, arguments)
}

/// The same by another name for the server.
pub(crate) fn load_url_until(url: &str, server: &Server, requests: u64, arguments: &[&str]) -> Run {
    let file = TempFile::new("report.json");
    let mut command = command(&["load", url, "-d", "1h", "--json"]);
    let child = command.arg(&file.0).args(arguments).spawn().expect("boardctl starts");
    server.wait_for(server.requests() + requests);
    interrupt(&child);
    let output = child.wait_with_output().expect("it ends");
    Run::new(&output, file.json())
}

/// Ctrl-C.
pub(crate) fn interrupt(child: &Child) {
    kill_process(Pid::from_child(child), Signal::INT).expect("it runs");
}

/// From now on the child may have no more open files than that.
pub(crate) fn limit_open_files(child: &Child, most: u64) {
    let limit = Rlimit { current: Some(most), maximum: Some(most) };
    prlimit(Some(Pid::from_child(child)), Resource::Nofile, limit).expect("ours, and lower than before");
}
