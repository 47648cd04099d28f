//! boardd as a program: settings → facts → plan → listener → serve.
//!
//! Both boardd and boardctl's hidden verb `serve` call [`run`], so what a newcomer tries is what a board runs.

mod args;
mod routes;

use std::ffi::OsString;
use std::io::Write;
use std::net::SocketAddr;
use std::num::NonZeroUsize;

use async_signal::{Signal, Signals};
use smol::stream::StreamExt;

pub use args::{Command, HELP, ServeArgs, UsageError, parse};
pub use routes::{MAX_ECHO_BYTES, MAX_FILL_BYTES, MAX_SLOW_MILLIS, MAX_WORK_MICROS, routes};

use crate::board::{BoardFacts, SysRoot};
use crate::server::{Config, Server, Snapshot};
use crate::tune::{Plan, plan};

/// Why boardd did not serve, or stopped serving.
#[derive(Debug, thiserror::Error)]
pub enum DaemonError {
    /// The command line means nothing.
    #[error(transparent)]
    Usage(#[from] UsageError),
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {}", why_not(.error))]
    Listen {
        /// The address that was asked for.
        address: SocketAddr,
        /// What the kernel said.
        error: std::io::Error,
    },
    /// Anything else that the kernel refused.
    #[error("{what}: {error}")]
    System {
        /// What was attempted.
        what: &'static str,
        /// What the kernel said.
        error: std::io::Error,
    },
}

/// A listening error with the way out of it.
fn why_not(error: &std::io::Error) -> String {
    let advice = match error.kind() {
        std::io::ErrorKind::AddrInUse => {
            "another program has this port; choose one with --listen, or 0 for a free one"
        }
        std::io::ErrorKind::PermissionDenied => {
            "ports below 1024 need privileges; choose a higher one with --listen"
        }
        std::io::ErrorKind::AddrNotAvailable => {
            "this machine does not have that address; 0.0.0.0 means all it has"
        }
        _ => return error.to_string(),
    };
    format!("{error}; {advice}")
}

/// Runs boardd with the arguments after the program's name, until it is told to stop.
///
/// # Errors
/// [`DaemonError`], one line each; the caller prints it and ends with 2.
pub fn run(args: impl IntoIterator<Item = OsString>) -> Result<(), DaemonError> {
    match parse(args)? {
        Command::Help => print(HELP),
        Command::Version => print(concat!("boardd ", env!("CARGO_PKG_VERSION"), "\n")),
        Command::Serve(serve) => self::serve(&serve),
    }
}

fn print(text: &str) -> Result<(), DaemonError> {
    let written = std::io::stdout().write_all(text.as_bytes()).and_then(|()| std::io::stdout().flush());
    match written {
        // A reader that has seen enough is no failure.
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(DaemonError::System { what: "cannot write to the output", error })
        }
        _ => Ok(()),
    }
}

/// The configuration that a plan and what was typed come to.
fn configure(args: &ServeArgs, plan: &Plan) -> Config {
    let workers = NonZeroUsize::new(plan.workers.len()).unwrap_or(NonZeroUsize::MIN);
    let planned = u32::try_from(plan.max_connections).unwrap_or(u32::MAX);
    let cores: Option<Vec<usize>> =
        plan.workers.iter().map(|worker| worker.core.and_then(|core| usize::try_from(core).ok())).collect();
    Config {
        pin: cores.unwrap_or_default(),
        shares: plan.workers.iter().map(|worker| worker.share_ppm).collect(),
        backlog: i32::try_from(plan.backlog).unwrap_or(i32::MAX),
        max_connections: args.max_connections.map_or(planned, |typed| typed.min(planned)),
        deadlines: args.deadlines,
        ..Config::new(args.listen, workers)
    }
}

fn serve(args: &ServeArgs) -> Result<(), DaemonError> {
    let system = |what| move |error| DaemonError::System { what, error };
    let mut signals =
        Signals::new([Signal::Term, Signal::Int]).map_err(system("cannot listen for signals"))?;
    raise_descriptor_limit();
    let facts = BoardFacts::read(&SysRoot::live());
    let plan = plan(&facts, &args.wanted);
    let server = Server::bind(configure(args, &plan), routes())
        .map_err(|error| DaemonError::Listen { address: args.listen, error })?;
    note(&plan.to_string());
    let handle = server.start().map_err(system("cannot start the workers"))?;
    print(&format!("listening on {}\n", handle.address()))?;
    smol::block_on(signals.next());
    handle.stop();
    let served = handle.join().map_err(system("a worker failed"))?;
    note(&summary(&served));
    Ok(())
}

/// Text for the error output, which may have no reader any more: no reason to end, and `eprint` panics.
fn note(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// Each connection is a descriptor: the soft limit of 1024 is an old courtesy to select(2), which is not used here.
fn raise_descriptor_limit() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    // Refused means that the plan's figure, made from the hard limit, is not reached: accepting pauses then.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
}

/// What was served, in one line.
fn summary(served: &Snapshot) -> String {
    let micros = |permille| match served.server_time_nanos(permille) {
        Some(nanos) => format!("{} µs", nanos / 1000),
        None => "-".to_owned(),
    };
    let c = &served.counters;
    format!(
        "boardd: served {} requests on {} connections; server time p50 {}, p99 {}; {} errors 4xx, {} errors 5xx, \
         {} timed out, {} reset\n",
        c.requests,
        c.accepted,
        micros(500),
        micros(990),
        c.client_errors,
        c.server_errors,
        c.timed_out,
        c.reset
    )
}
