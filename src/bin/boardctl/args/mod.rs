//! Flags as they are typed. What they mean is worked out in one place per verb.

mod compare;
mod load;
mod merge;
mod report;
mod soak;
mod values;

pub(crate) use compare::{CompareArgs, NamedUrl};
pub(crate) use load::{LoadArgs, LoadFlags, WatchFlags};
pub(crate) use merge::MergeArgs;
pub(crate) use report::ReportArgs;
pub(crate) use soak::SoakArgs;
pub(crate) use values::Rate;

use clap::error::{ContextKind, ErrorKind};
use clap::{Args, Parser, Subcommand, ValueEnum};

/// The laptop's half of boardkit.
#[derive(Debug, Parser)]
#[command(
    name = "boardctl",
    version,
    about = "Load-test web servers on small boards, and say what limited them",
    max_term_width = 100
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Load an HTTP server and report what it served
    Load(Box<LoadArgs>),
    /// Load several servers in turn and say which is faster, cheaper, and how sure that is
    Compare(Box<CompareArgs>),
    /// Try it out here: start the server on this machine, load it, and say what it did
    #[command(
        after_help = TRY_EXAMPLES,
        mut_arg("connections", |arg| arg.help("Connections, spread exactly over the threads [default: 100]"))
    )]
    Try(Box<LoadFlags>),
    /// Load a server until heat and rate settle: what a board does at first, what it does for good, and when that began
    Soak(Box<SoakArgs>),
    /// Add results of several laptops, exactly
    Merge(MergeArgs),
    /// Print the JSON Schema of the report that `load --json` or `compare --json` writes
    Schema {
        /// Whose report
        #[arg(value_enum, default_value_t = Reported::Load)]
        verb: Reported,
    },
    /// Make a page and pictures of results
    Report(ReportArgs),
    /// What `try` runs as its second process
    #[command(hide = true)]
    Serve(ServeArgs),
}

/// A verb whose report has a schema.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Reported {
    Load,
    Compare,
}

const TRY_EXAMPLES: &str = "\
Examples:
  boardctl try
  boardctl try --duration 3s --json try.json

The server listens on a free port of 127.0.0.1 and ends with the trial.
Exit codes: 0 measured; 1 nothing finished; 2 wrong usage, or the server could
not start.";

/// `boardctl serve`, which nobody types.
#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// The process whose end is this one's end
    #[arg(long)]
    pub(crate) parent: i32,
    /// What boardd would be told after `serve`
    #[arg(last = true)]
    pub(crate) rest: Vec<std::ffi::OsString>,
}

/// clap's message without its label, its usage and its blank lines: what was typed, what is wrong, what to try.
pub(crate) fn in_one_line(error: &clap::Error) -> String {
    let text = error.to_string();
    // How a value is typed that begins with a dash: no flag here takes one.
    let of_use = |line: &&str| !line.is_empty() && !line.starts_with("tip: to pass ");
    let lines = text.lines().map(str::trim).filter(of_use);
    let said: Vec<_> =
        lines.take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more")).collect();
    let said = said.join(" ").trim_start_matches("error: ").to_owned();
    let typed = error.get(ContextKind::InvalidArg).map(ToString::to_string).unwrap_or_default();
    match HABITS.iter().find(|(flag, _)| error.kind() == ErrorKind::UnknownArgument && *flag == typed) {
        Some((flag, instead)) => format!("unexpected argument '{flag}' found: {instead}"),
        None => said,
    }
}

/// Flags of wrk, wrk2 and ab that fingers know, and what to type here.
const HABITS: [(&str, &str); 6] = [
    ("--latency", "the latencies are printed without it"),
    ("-k", "connections are kept alive without it; --no-keepalive opens one for each request"),
    ("-R", "the rate of an open loop is -r or --rate"),
    ("-s", "there are no scripts; -m, -H and --body say what is sent, the same each time"),
    ("-v", "all that is known is printed without it"),
    ("-l", "answers of several lengths are no failures, and are told without it"),
];

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    /// The width of a usual terminal.
    const TERMINAL: usize = 80;

    /// What the lines of a closing text may have of it: clap breaks a longer one and leaves a stub.
    const CLOSING: usize = 78;

    #[test]
    fn no_line_of_a_help_is_longer_than_a_terminal_is_wide() {
        let longer = |most: usize, text: String| {
            let lines = text.lines().filter(|line| line.chars().count() > most);
            lines.map(str::to_owned).collect::<Vec<_>>()
        };
        for verb in super::Cli::command().get_subcommands() {
            let closing = verb.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert_eq!(longer(CLOSING, closing), [""; 0], "the closing text of {}", verb.get_name());
            let mut narrow = verb.clone().term_width(TERMINAL);
            assert_eq!(
                longer(TERMINAL, narrow.render_help().to_string()),
                [""; 0],
                "the help of {}",
                verb.get_name()
            );
        }
    }

    #[test]
    fn the_declaration_is_sound() {
        super::Cli::command().debug_assert();
    }
}
