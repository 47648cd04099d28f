//! curl: reads and writes at the same time, waits for `100 Continue`, and shows everything that it saw.

mod bodies;
mod files;
mod requests;

use std::process::Command;

use super::{Client, Row, Servers, run, run_rows, text};

const CURL: Client = Client { cannot: &[("pipelined", "curl has not pipelined since 7.62")], pending: &[] };

#[test]
fn every_case_through_curl() {
    let rows: Vec<Row> = [requests::ROWS, bodies::ROWS, files::ROWS].concat();
    CURL.check(&run_rows(&rows, &Servers::start()));
}

/// A run of curl.
#[derive(Debug)]
struct Ran {
    code: i32,
    stdout: Vec<u8>,
    stderr: String,
}

impl Ran {
    /// The output as text, of a run that went well.
    fn text(&self) -> &str {
        text(self.bytes())
    }

    /// The output of a run that went well.
    fn bytes(&self) -> &[u8] {
        assert_eq!((self.code, &*self.stderr), (0, ""), "curl's exit code and complaints");
        &self.stdout
    }
}

/// curl with these arguments, whoever may have set it up otherwise.
fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new("curl");
    // Half a minute without a byte is a hang. With a limit on the whole time curl would wait for its own input.
    command.args(["-q", "--noproxy", "*", "-sS", "-Y", "1", "-y", "30"]).args(arguments);
    command
}

fn curl_with(arguments: &[&str], input: &[u8]) -> Ran {
    let output = run(&mut command(arguments), "curl", input);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    Ran { code: output.status.code().expect("it ends by itself"), stdout: output.stdout, stderr }
}

/// Runs curl to its end.
fn curl(arguments: &[&str]) -> Ran {
    curl_with(arguments, b"")
}

/// `-w`: after each answer its status and how many connections were opened for it.
const COUNTS: &str = "|%{http_code} %{num_connects}\n";
