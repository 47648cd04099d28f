//! The tool that runs on the laptop: parse, run one verb, exit.

mod args;
mod child;
mod compare;
mod files;
mod highest;
mod layout;
mod load;
mod machines;
mod merge;
mod progress;
mod recorder;
mod report;
mod results;
mod signals;
mod soak;
mod trial;

use std::fmt;
use std::io::{self, IsTerminal};
use std::process::ExitCode;

use boardkit::report::schema;
use clap::Parser;
use clap::error::ErrorKind;

use crate::args::{Cli, Reported, Verb};

/// What was measured says no.
const EXIT_MEASURED_FAILURE: u8 = 1;
/// Wrong usage, or an environment in which nothing can be measured; clap uses the same.
const EXIT_USAGE: u8 = 2;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => error.exit(),
        Err(error) if error.use_stderr() => {
            complain(&args::in_one_line(&error));
            return ExitCode::from(EXIT_USAGE);
        }
        // Help and version are no errors; clap prints them to standard output and ends.
        Err(help) => help.exit(),
    };
    let result = match &cli.verb {
        Verb::Load(args) => load::run(args),
        Verb::Compare(args) => compare::run(args),
        Verb::Merge(args) => merge::run(args),
        Verb::Soak(args) => soak::run(args),
        Verb::Try(flags) => trial::run(flags),
        Verb::Schema { verb: Reported::Load } => load::print(&schema::run()).map(|()| ExitCode::SUCCESS),
        Verb::Schema { verb: Reported::Compare } => {
            load::print(&schema::compare()).map(|()| ExitCode::SUCCESS)
        }
        Verb::Report(args) => report::run(args),
        Verb::Serve(args) => child::serve(args).map(|()| ExitCode::SUCCESS),
    };
    result.unwrap_or_else(|error| {
        complain(&format!("{error:#}"));
        ExitCode::from(if error.is::<Nothing>() { EXIT_MEASURED_FAILURE } else { EXIT_USAGE })
    })
}

/// A server finished nothing: what was measured says no, and it is no wrong usage.
#[derive(Debug)]
struct Nothing(String);

impl fmt::Display for Nothing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Nothing {}

/// One line on standard error, its first word red when somebody looks at a terminal.
fn complain(text: &str) {
    let coloured = io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let (red, plain) = if coloured { ("\x1b[31m", "\x1b[0m") } else { ("", "") };
    eprintln!("{red}error:{plain} {text}");
}
