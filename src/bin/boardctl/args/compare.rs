//! The flags of `boardctl compare`.

use std::path::PathBuf;
use std::str::FromStr;

use boardkit::load::Url;
use boardkit::report::compare::MIN_ROUNDS;
use clap::Args;

use super::load::LoadFlags;
use super::values::at_least_one;

const EXAMPLES: &str = "\
Examples:
  boardctl compare old=http://127.0.0.1:8080/ new=http://127.0.0.1:8081/
  boardctl compare -c 100 --json c.json nginx=http://b/ boardd=http://b:8080/
  boardctl compare --markdown - a=http://b/ b=http://c/ c=http://d/

In each round every server is loaded for a moment, in random order; the others
are compared with the first one, by the ratios within rounds. Two servers take
about 45 seconds. The first Ctrl-C ends, and reports the rounds that are
complete. The processor time of servers on this machine is compared too.
Exit codes: 0 measured; 1 a server finished nothing; 2 wrong usage, or it
could not start.";

/// A name is a column of a table.
const LONGEST_NAME: usize = 24;

/// At the shortest turns this is hours, and all of them are in the report.
const MOST_ROUNDS: usize = 100_000;

/// `boardctl compare`.
#[derive(Debug, Args)]
// A turn is too short for a ramp, and a search for the highest rate is `load`'s.
#[command(
    mut_arg("rate", |flag| flag.value_name("N").help("Open loop: start N requests a second at each server")),
    mut_arg("steps", |flag| flag.hide(true)),
    after_help = EXAMPLES,
    mut_arg("duration", |flag| flag.help("How long to load each server in a round, such as 500ms [default: 175ms]")),
    mut_arg("warmup", |flag| flag.help("Load each server this long before the first round").default_value("1s")),
)]
pub(crate) struct CompareArgs {
    /// The servers, two or more: a name for each, and what to load
    #[arg(value_name = "NAME=URL", required = true)]
    pub(crate) servers: Vec<NamedUrl>,
    /// Rounds, in each of which every server has one turn [default: 120, fewer where turns are longer]
    #[arg(long, value_name = "N", value_parser = rounds)]
    pub(crate) rounds: Option<usize>,
    /// Draw the orders from this number, which a report names, to get the same ones again
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Also write the result to FILE in Markdown; - prints it in place of the text
    #[arg(long, value_name = "FILE|-")]
    pub(crate) markdown: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) flags: LoadFlags,
}

/// A server as it is typed: `NAME=URL`.
#[derive(Debug, Clone)]
pub(crate) struct NamedUrl {
    pub(crate) name: String,
    pub(crate) url: Url,
}

impl FromStr for NamedUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wanted = || "must be NAME=URL, such as old=http://10.0.0.5:8080/".to_owned();
        // A URL without a name may have an equals sign of its own.
        let (name, url) = text.split_once('=').filter(|(name, _)| !name.contains('/')).ok_or_else(wanted)?;
        let name = name.trim();
        if name.is_empty() || name.chars().any(|c| c.is_control() || c == '|') {
            return Err(wanted());
        }
        if name.chars().count() > LONGEST_NAME {
            return Err(format!("the name must not be longer than {LONGEST_NAME} letters"));
        }
        let url = url.parse().map_err(|error| format!("{error}"))?;
        Ok(Self { name: name.to_owned(), url })
    }
}

fn rounds(text: &str) -> Result<usize, String> {
    match at_least_one(text) {
        Ok(rounds) if rounds < MIN_ROUNDS => {
            Err(format!("must be at least {MIN_ROUNDS}: fewer say nothing that can be relied on"))
        }
        Ok(rounds) if rounds <= MOST_ROUNDS => Ok(rounds),
        _ => Err(format!("must be a whole number from {MIN_ROUNDS} to {MOST_ROUNDS}")),
    }
}
