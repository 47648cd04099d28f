//! The flags of `boardctl soak`.

use boardkit::load::Url;
use boardkit::units::Span;
use clap::Args;

use super::values::positive_span;
use super::{LoadFlags, WatchFlags};

const EXAMPLES: &str = "\
Examples:
  boardctl soak http://board:8080/plaintext
  boardctl soak --max-duration 1h --json soak.json http://board:8080/
  boardctl soak --telemetry http://board:9100 http://board:8080/plaintext

A board does more while it is cold than it does for good. The load goes on
until rate and temperature have stayed as they are for as long as it took to
get there. With the board's telemetry it is also known when its clock was held
down. Ctrl-C reports what there is.
Exit codes: 0 measured, settled or not; 1 nothing finished; 2 wrong usage, or
it could not start.";

/// `boardctl soak`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
#[command(mut_arg("duration", |arg| arg.hide(true)), mut_arg("rate", |arg| arg.hide(true)))]
#[command(mut_arg("steps", |arg| arg.hide(true)))]
#[command(mut_arg("connections", |arg| arg.help("Connections, spread exactly over the threads [default: 100]")))]
pub(crate) struct SoakArgs {
    /// What to load: an http URL
    pub(crate) url: Url,
    /// Load at least this long
    #[arg(long, value_name = "TIME", default_value = "5m", value_parser = positive_span)]
    pub(crate) min_duration: Span,
    /// Load at most this long, settled or not
    #[arg(long, value_name = "TIME", default_value = "30m", value_parser = positive_span)]
    pub(crate) max_duration: Span,
    #[command(flatten)]
    pub(crate) flags: LoadFlags,
    #[command(flatten)]
    pub(crate) watch: WatchFlags,
}
