//! The server as a second process: this very program, run again with the hidden verb `serve`.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::thread::JoinHandle;

use anyhow::{Context, Result, bail};
use boardkit::load::Url;
use rustix::process::{Pid, Signal, getppid, kill_process, set_parent_process_death_signal};

use crate::args::ServeArgs;

/// A running server that ends with this value, and with this process however that ends.
pub(crate) struct Server {
    child: Child,
    /// Reads what the server says beside its address, so that it never waits for a reader.
    said: Option<JoinHandle<String>>,
    /// Where it answers.
    pub(crate) url: Url,
}

impl Server {
    /// Starts the server on a free loopback port and waits until it listens.
    pub(crate) fn start() -> Result<Self> {
        let mut child = Command::new("/proc/self/exe")
            .args(["serve", "--parent", &std::process::id().to_string(), "--", "--listen", "127.0.0.1:0"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .context("can't start the server as a second process")?;
        let said = child.stderr.take().map(collect);
        let mut line = String::new();
        if let Some(out) = child.stdout.take() {
            BufReader::new(out).read_line(&mut line).context("can't read what the server says")?;
        }
        let Some(address) = line.trim().strip_prefix("listening on ") else {
            let _ = child.kill();
            let _ = child.wait();
            bail!("the server did not start: {}", last_line(&said.map(finish).unwrap_or_default()));
        };
        let url = format!("http://{address}/").parse().context("the server's address makes no URL")?;
        Ok(Self { child, said, url })
    }

    /// The server's process.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Asks the server to end, waits for it, and returns what it said beside its address.
    pub(crate) fn stop(mut self) -> Result<String> {
        self.ask_to_end();
        let status = self.child.wait().context("can't wait for the server")?;
        let said = self.said.take().map(finish).unwrap_or_default();
        if !status.success() {
            // What kills it does not let it say why.
            let why = if status.code().is_some() { last_line(&said) } else { "something else ended it" };
            bail!("the server ended with {status}: {why}");
        }
        Ok(said)
    }

    fn ask_to_end(&self) {
        if let Some(pid) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) {
            // Fails only when it has ended already, which the wait will tell.
            let _ = kill_process(pid, Signal::TERM);
        }
    }
}

impl Drop for Server {
    /// On the way out after a failure: nobody is left to read what it says.
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

fn collect(mut from: ChildStderr) -> JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        // What was read before a failure is still worth showing.
        let _ = from.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

fn finish(reader: JoinHandle<String>) -> String {
    reader.join().unwrap_or_default()
}

/// Errors come last, after what the server says of its plan.
fn last_line(said: &str) -> &str {
    said.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("it did not say why").trim()
}

/// The hidden verb `serve`: what boardd does, and no longer than the parent lives.
pub(crate) fn serve(args: &ServeArgs) -> Result<()> {
    set_parent_process_death_signal(Some(Signal::KILL)).context("can't bind the server to its parent")?;
    // The parent may have ended before that took hold.
    if getppid().map(Pid::as_raw_pid) != Some(args.parent) {
        bail!("serve is what `try` runs, and `try` has ended; for a server of your own run boardd serve");
    }
    let verb = std::iter::once(OsString::from("serve"));
    Ok(boardkit::daemon::run(verb.chain(args.rest.iter().cloned()))?)
}
