//! boardd as a program: settings → facts → plan → listeners → serve.
//!
//! Both boardd and boardctl's hidden verb `serve` call [`run`], so what a newcomer tries is what a board runs.

mod access;
mod args;
mod control;
mod error;
mod help;
mod limit;
mod listen;
mod log;
mod notify;
mod routes;
mod serve;
mod signals;

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

pub use args::{Command, ServeArgs, UsageError, parse};
pub use error::DaemonError;
pub use help::HELP;
pub use log::{LogLevel, Style};
pub use routes::{MAX_ECHO_BYTES, MAX_FILL_BYTES, MAX_SLOW_MILLIS, MAX_WORK_MICROS, routes};

use crate::server::Level;

/// boardd, with the arguments after the program's name: runs it until it is told to stop, and says on the error output
/// why it did not, in one line.
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let command = parse(args);
    let typed = match &command {
        Ok(Command::Serve(serve)) => serve.log,
        _ => None,
    };
    let Err(error) = command.map_err(DaemonError::from).and_then(|command| act(&command)) else {
        return ExitCode::SUCCESS;
    };
    let mut line = String::new();
    typed.unwrap_or_else(Style::detect).line(Level::Error, "", &error.to_string(), &mut line);
    // `eprintln` panics when nobody reads.
    let _ = std::io::stderr().write_all(line.as_bytes());
    ExitCode::from(error.exit_code())
}

/// The same for a program that says itself what went wrong.
///
/// # Errors
/// [`DaemonError`], one line each.
pub fn run(args: impl IntoIterator<Item = OsString>) -> Result<(), DaemonError> {
    act(&parse(args)?)
}

fn act(command: &Command) -> Result<(), DaemonError> {
    match command {
        Command::Help => print(HELP),
        Command::Version => print(concat!("boardd ", env!("CARGO_PKG_VERSION"), "\n")),
        Command::Serve(args) => serve::serve(args),
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
