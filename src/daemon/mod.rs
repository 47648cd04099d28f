//! boardd as a program: settings → facts → plan → listeners → serve.
//!
//! Both boardd and boardctl's hidden verb `serve` call [`run`], so what a newcomer tries is what a board runs.

mod access;
mod args;
mod control;
mod error;
mod follow;
mod help;
mod limit;
mod listen;
mod log;
mod notify;
mod routes;
mod serve;
mod signals;
mod style;
#[cfg(feature = "ctl")]
mod told;

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;
use std::sync::OnceLock;

pub use args::{BoardArgs, Command, ServeArgs, Told, UsageError, parse};
pub use error::DaemonError;
pub use help::HELP;
pub use routes::{MAX_ECHO_BYTES, MAX_FILL_BYTES, MAX_SLOW_MILLIS, MAX_WORK_MICROS, routes};
pub use style::{LogLevel, Style};

use crate::server::{Files, Level, Routes};

/// What a program serves, and under which name.
struct Program {
    name: &'static str,
    /// What it says about its version. Of a program that is not ours, only what it is built on is known here.
    version: &'static str,
    /// What its help says behind the flags.
    answers: &'static str,
    /// Its routes, which may depend on whether there are files.
    routes: Box<dyn FnOnce(Option<Files>) -> Routes>,
}

impl Program {
    fn boardd() -> Self {
        let version = env!("CARGO_PKG_VERSION");
        Self { name: "boardd", version, answers: help::ANSWERS, routes: Box::new(routes) }
    }
}

/// The name of the program, once it is known.
static NAME: OnceLock<&str> = OnceLock::new();

fn name() -> &'static str {
    NAME.get().copied().unwrap_or("boardd")
}

/// A server of one's own, as a whole program: the routes, with boardd's flags, plan, messages, signals and end.
///
/// The arguments are those of the process; `name` is what the program calls itself. What it answers is up to the routes
/// alone: boardd is made in the same way.
///
/// ```no_run
/// use std::process::ExitCode;
/// use boardkit::server::Routes;
///
/// fn main() -> ExitCode {
///     boardkit::daemon::main("greeter", Routes::new().get("/", |_, reply| reply.text("Hello!\n")))
/// }
/// ```
pub fn main(name: &'static str, routes: Routes) -> ExitCode {
    let with_files = |files| match files {
        Some(files) => routes.files(files),
        None => routes,
    };
    let version = concat!("on boardkit ", env!("CARGO_PKG_VERSION"));
    let program = Program { name, version, answers: "", routes: Box::new(with_files) };
    end(program, std::env::args_os().skip(1))
}

/// boardd, with the arguments after the program's name: runs it until it is told to stop, and says on the error output
/// why it did not, in one line.
pub fn boardd(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    end(Program::boardd(), args)
}

fn end(program: Program, args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let _ = NAME.set(program.name);
    let command = parse(args);
    let typed = match &command {
        Ok(Command::Serve(serve)) => serve.log,
        _ => None,
    };
    let Err(error) = command.map_err(DaemonError::from).and_then(|command| act(program, &command)) else {
        return ExitCode::SUCCESS;
    };
    let mut line = Vec::new();
    typed.unwrap_or_else(Style::detect).line(Level::Error, "", &error.to_string(), &mut line);
    // `eprintln` panics when nobody reads.
    let _ = std::io::stderr().write_all(&line);
    ExitCode::from(error.exit_code())
}

/// boardd for a program that says itself what went wrong.
///
/// # Errors
/// [`DaemonError`], one line each.
pub fn run(args: impl IntoIterator<Item = OsString>) -> Result<(), DaemonError> {
    act(Program::boardd(), &parse(args)?)
}

fn act(program: Program, command: &Command) -> Result<(), DaemonError> {
    match command {
        Command::Help => print(&(help::shown().replace("boardd", program.name) + program.answers)),
        Command::Version => print(&format!("{} {}\n", program.name, program.version)),
        Command::Serve(args) => serve::serve(args, program.routes),
        #[cfg(feature = "ctl")]
        Command::Told(what, args) => told::tell(*what, args),
        // Their texts are a fifth of the program.
        #[cfg(not(feature = "ctl"))]
        Command::Told(..) => Err(DaemonError::Small),
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
