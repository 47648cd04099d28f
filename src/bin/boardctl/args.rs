//! Flags as they are typed. What they mean is worked out in one place per verb.

use std::path::PathBuf;

use boardkit::load::{Schedule, Url};
use boardkit::units::Span;
use clap::{Args, Parser, Subcommand};

/// The laptop's half of boardkit.
#[derive(Debug, Parser)]
#[command(
    name = "boardctl",
    version,
    about = "Load-test, deploy to and watch ARM boards",
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
    Load(LoadArgs),
    /// Try it out here: start the server on this machine, load it, and say what it did
    #[command(after_help = TRY_EXAMPLES)]
    Try(LoadFlags),
    /// What `try` runs as its second process
    #[command(hide = true)]
    Serve(ServeArgs),
}

const TRY_EXAMPLES: &str = "\
Examples:
  boardctl try
  boardctl try --duration 3s --json try.json

The server listens on a free port of 127.0.0.1 and ends with the trial. -c is 100 unless said otherwise.
Exit codes: 0 measured; 1 nothing finished; 2 wrong usage, or the server could not start.";

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

const LOAD_EXAMPLES: &str = "\
Examples:
  boardctl load http://board.local:8080/
  boardctl load -c 100 -d 30s --warmup 3s --json run.json http://10.0.0.5:8080/json
  boardctl load --rate 2000 -c 200 http://10.0.0.5:8080/
  boardctl load -m PUT --body @photo.jpg -H 'Content-Type: image/jpeg' http://10.0.0.5:8080/photo

Exit codes: 0 measured; 1 nothing finished; 2 wrong usage, or the run could not start.";

/// `boardctl load`.
#[derive(Debug, Args)]
#[command(after_help = LOAD_EXAMPLES)]
pub(crate) struct LoadArgs {
    /// What to load: an http URL
    pub(crate) url: Url,
    #[command(flatten)]
    pub(crate) flags: LoadFlags,
}

/// Every flag of `load` but the URL, for other verbs that load something.
#[derive(Debug, Clone, Args)]
pub(crate) struct LoadFlags {
    /// Connections, spread exactly over the threads [default: 10]
    #[arg(short, long, value_name = "N", value_parser = at_least_one)]
    pub(crate) connections: Option<usize>,
    /// Threads; at most one per connection is used [default: one per core]
    #[arg(short, long, value_name = "N", value_parser = at_least_one)]
    pub(crate) threads: Option<usize>,
    /// How long to measure, such as 500ms, 30s, 2m; a bare number is seconds
    #[arg(short, long, value_name = "TIME", default_value = "10s", value_parser = positive_span)]
    pub(crate) duration: Span,
    /// Give a request up after this long; its wait still counts in the latencies, as the least it took
    #[arg(long, value_name = "TIME", default_value = "2s", value_parser = positive_span)]
    pub(crate) timeout: Span,
    /// Load this long before measuring
    #[arg(long, value_name = "TIME", default_value = "0s")]
    pub(crate) warmup: Span,
    /// A header field to send, 'Name: value'; may be repeated
    #[arg(short = 'H', long = "header", value_name = "FIELD")]
    pub(crate) headers: Vec<String>,
    /// The method [default: GET, or POST with --body]
    #[arg(short, long, value_name = "METHOD", default_value = "", hide_default_value = true)]
    pub(crate) method: String,
    /// A body to send: the text itself, or @FILE
    #[arg(long, value_name = "TEXT|@FILE")]
    pub(crate) body: Option<String>,
    /// Open loop: start N requests a second, on time whatever the server does, and count from when they were due
    #[arg(short, long, value_name = "N", value_parser = rate, conflicts_with = "pipeline")]
    pub(crate) rate: Option<Schedule>,
    /// A new connection for each request
    #[arg(long, conflicts_with = "pipeline")]
    pub(crate) no_keepalive: bool,
    /// Send this many requests at once on each connection
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = at_least_one)]
    pub(crate) pipeline: usize,
    /// Never send a request twice: each one sent that got no complete answer counts as failed
    #[arg(long)]
    pub(crate) no_retry: bool,
    /// Also write the result to FILE as JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
}

fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("must be at least 1".to_owned()),
        Ok(number) => Ok(number),
        Err(_) => Err("must be a whole number, at least 1".to_owned()),
    }
}

fn rate(text: &str) -> Result<Schedule, String> {
    let wanted = "must be requests per second, from 0.001 to 10000000";
    text.parse().ok().and_then(Schedule::constant).ok_or_else(|| wanted.to_owned())
}

fn positive_span(text: &str) -> Result<Span, String> {
    match text.parse::<Span>() {
        Ok(span) if span.0.is_zero() => Err("must be longer than nothing, such as 2s".to_owned()),
        Ok(span) => Ok(span),
        Err(error) => Err(error.to_string()),
    }
}

/// clap's message without its label, its usage and its blank lines: what was typed, what is wrong, what to try.
pub(crate) fn in_one_line(error: &clap::Error) -> String {
    let text = error.to_string();
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let said: Vec<_> =
        lines.take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more")).collect();
    said.join(" ").trim_start_matches("error: ").to_owned()
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_declaration_is_sound() {
        super::Cli::command().debug_assert();
    }
}
