//! The flags of `boardctl load`, and of all that loads something.

use std::path::PathBuf;
use std::time::Duration;

use boardkit::load::Url;
use boardkit::report::Slo;
use boardkit::report::like::Like;
use boardkit::report::preset::Preset;
use boardkit::units::{BitRate, Span};
use clap::Args;

use super::values::{Rate, at_least_one, connections, link_speed, positive_span, span, threads};

const LOAD_EXAMPLES: &str = "\
Examples:
  boardctl load http://board.local:8080/
  boardctl load -c 100 -d 30s --warmup 3s --json run.json http://10.0.0.5/json
  boardctl load --rate 2000 -c 200 http://10.0.0.5:8080/
  boardctl load --rate 100..5000 --steps 20 -d 1m -c 200 http://10.0.0.5:8080/
  boardctl load --rate max --slo 'p99<50ms' http://10.0.0.5:8080/
  boardctl load --telemetry http://board:9100 -c 100 http://board:8080/
  boardctl load --preset techempower-json http://10.0.0.5:8080
  boardctl load --like ab -n 10000 -c 50 http://10.0.0.5:8080/json
  boardctl load -m PUT --body @cat.jpg -H 'Content-Type: image/jpeg' http://b/

Exit codes: 0 measured; 1 nothing finished, or --slo was broken; 2 wrong
usage, or the run could not start.";

/// The examples, and the presets as the table has them.
fn after_help() -> String {
    let presets = Preset::all().iter().map(|preset| format!("  {}\n      {}\n", preset.name, preset.summary));
    format!("Presets:\n{}\n{LOAD_EXAMPLES}", presets.collect::<String>())
}

/// `boardctl load`.
#[derive(Debug, Args)]
#[command(
    after_help = after_help(),
    mut_arg("connections", |flag| {
        flag.help("Connections, spread exactly over the threads [default: 10; with --rate max 100]")
    }),
    mut_arg("warmup", |flag| flag.help("Load this long before measuring [default: 0s; with --rate max 300ms]")),
)]
pub(crate) struct LoadArgs {
    /// What to load: an http URL
    pub(crate) url: Url,
    #[command(flatten)]
    pub(crate) flags: LoadFlags,
    /// End after so many requests, each answered or failed, as ab does; --duration then is the longest time [default: 5m]
    #[arg(short = 'n', long, value_name = "N", value_parser = at_least_one,
        conflicts_with_all = ["rate", "pipeline", "warmup"])]
    pub(crate) requests: Option<usize>,
    /// Run a published test's shape and print its figures, from other hardware, beside ours; flags given by hand win, and
    /// so does a path in the URL
    #[arg(long, value_name = "NAME")]
    pub(crate) preset: Option<&'static Preset>,
    /// Print the result as this tool prints its own; warnings go to the error output then
    #[arg(long, value_name = "wrk|ab|httpress")]
    pub(crate) like: Option<Like>,
    /// Also write the percentile distribution to FILE, as HdrHistogram's plotter reads it
    #[arg(long, value_name = "FILE")]
    pub(crate) hgrm: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) search: SearchFlags,
    #[command(flatten)]
    pub(crate) watch: WatchFlags,
}

/// What is asked of the server, and how the highest rate that keeps to it is searched.
#[derive(Debug, Clone, Args)]
pub(crate) struct SearchFlags {
    /// What the server is to keep to, such as 'p99<50ms' or 'p99.9<200ms,max<1s,errors<1%'; a run that breaks it ends with 1.
    /// Errors are to be below 0.1 % unless said otherwise
    #[arg(long, value_name = "SLO")]
    pub(crate) slo: Option<Slo>,
    /// With --rate max, how long to measure at each rate [default: 3s]
    #[arg(long, value_name = "TIME", value_parser = positive_span)]
    pub(crate) probe_duration: Option<Span>,
    /// With --rate max, how long to search; what is known by then is the result [default: 5m]. A rate is tried when there
    /// is time for its last answers, too, as long as --timeout lets them take
    #[arg(long = "search-limit", value_name = "TIME", value_parser = positive_span)]
    pub(crate) limit: Option<Span>,
}

/// Where to look for what limits a run.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct WatchFlags {
    /// Read load, clock and heat of the board from its telemetry, an http URL with its port
    #[arg(long, value_name = "URL")]
    pub(crate) telemetry: Option<String>,
    /// A file with the token that the board's telemetry wants to see
    #[arg(long, value_name = "FILE", requires = "telemetry")]
    pub(crate) telemetry_token: Option<PathBuf>,
    /// The speed of the link to the board, such as 100M, where the network device does not say it or says more
    #[arg(long, value_name = "RATE", value_parser = link_speed)]
    pub(crate) link_speed: Option<BitRate>,
}

/// Every flag of `load` but the URL, for other verbs that load something.
#[derive(Debug, Clone, Args)]
pub(crate) struct LoadFlags {
    /// Connections, spread exactly over the threads [default: 10]
    #[arg(short, long, value_name = "N", value_parser = connections)]
    pub(crate) connections: Option<usize>,
    /// Threads; at most one per connection is used [default: one per core]
    #[arg(short, long, value_name = "N", value_parser = threads)]
    pub(crate) threads: Option<usize>,
    /// How long to measure, such as 500ms, 30s, 2m; a bare number is seconds [default: 10s]
    #[arg(short, long, value_name = "TIME", value_parser = positive_span)]
    pub(crate) duration: Option<Span>,
    /// Give a request up after this long; its wait still counts in the latencies, as the least it took
    #[arg(long, value_name = "TIME", default_value = "2s", value_parser = positive_span)]
    pub(crate) timeout: Span,
    /// Load this long before measuring [default: 0s]
    #[arg(long, value_name = "TIME", value_parser = span)]
    pub(crate) warmup: Option<Span>,
    /// A header field to send, 'Name: value'; may be repeated
    #[arg(short = 'H', long = "header", value_name = "FIELD")]
    pub(crate) headers: Vec<String>,
    /// The method [default: GET, or POST with --body]
    #[arg(short, long, value_name = "METHOD", default_value = "", hide_default_value = true)]
    pub(crate) method: String,
    /// A body to send: the text itself, or @FILE
    #[arg(long, value_name = "TEXT|@FILE")]
    pub(crate) body: Option<String>,
    /// Open loop: start N requests a second, on time whatever the server does, and count from when they were due;
    /// FROM..TO raises, or lowers, the rate in steps; `load --rate max` finds the highest that keeps --slo
    #[arg(short, long, value_name = "N|FROM..TO|max", conflicts_with = "pipeline")]
    pub(crate) rate: Option<Rate>,
    /// Steps of a ramp, of equal length and equally far apart [default: 10]
    #[arg(long, value_name = "N", value_parser = at_least_one, requires = "rate")]
    pub(crate) steps: Option<usize>,
    /// A new connection for each request
    #[arg(long, conflicts_with = "pipeline")]
    pub(crate) no_keepalive: bool,
    /// Send this many requests at once on each connection
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = at_least_one)]
    pub(crate) pipeline: usize,
    /// Never send a request twice: each one sent that got no complete answer counts as failed
    #[arg(long)]
    pub(crate) no_retry: bool,
    /// Also write the result to FILE as JSON; - is standard output, and the text then goes to the error output
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
}

impl LoadFlags {
    /// How long to load before measuring, as typed; nothing otherwise.
    pub(crate) fn warmup(&self) -> Duration {
        self.warmup.map_or(Duration::ZERO, |span| span.0)
    }
}
