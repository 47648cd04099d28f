//! The flags of `boardctl merge`.

use std::path::PathBuf;

use clap::Args;

const EXAMPLES: &str = "\
Examples:
  boardctl merge laptop-a.json laptop-b.json
  boardctl merge monday.json tuesday.json --sequential --json both.json

Where one laptop can't load a server enough, run the same `boardctl load
--json` on several at the same time and add their results here: requests and
errors are summed, histograms are added, so that the percentiles are those of
all requests, and seconds are put together by the laptops' clocks, which
should agree (NTP). Steps of ramps are added where the runs began within a
quarter of a step of each other, or each when another was over. For more
machines than one starts by hand, the Ansible playbook ansible/load.yml starts
boardctl on a group of hosts at the same second and merges its results.
Exit codes: 0 added; 2 wrong usage, results that can't be added, or a file
that is none.";

/// `boardctl merge`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct MergeArgs {
    /// What `--json` of `load` has written, or `merge` itself, or - for standard input; two or more
    #[arg(required = true, num_args = 2.., value_name = "RUN.JSON")]
    pub(crate) files: Vec<PathBuf>,
    /// Also write the sum to FILE as JSON; - is standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Also add runs that were made one after the other: rates leave out the time in between
    #[arg(long)]
    pub(crate) sequential: bool,
    /// Also add runs that were not asked for the same: another URL, request, time-out or kind of loop, or other
    /// steps, which are left out then
    #[arg(long)]
    pub(crate) force: bool,
}
