//! boardd's command line: what was typed, checked, and turned into what is meant.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use lexopt::{Arg, Parser, ValueExt};

use super::style::{LogLevel, Style};
use crate::server::Deadlines;
use crate::tune::Wanted;

/// How long connections may take to end: longer than any answer of a healthy client, and far less than the 90 s after
/// which systemd kills.
const DEFAULT_DRAIN: Duration = Duration::from_secs(5);

/// What boardd was asked to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// Print the help.
    Help,
    /// Print the version.
    Version,
    /// Serve.
    Serve(ServeArgs),
    /// Say something about the board.
    Told(Told, BoardArgs),
}

/// What is said about the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Told {
    /// What it is.
    Facts,
    /// How boardd would be set up on it.
    Plan,
    /// Which clock its cores really have.
    Clock,
    /// What makes it slow.
    Doctor,
}

/// The settings of what says something about the board.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BoardArgs {
    /// A recorded board, by the folder that has its `proc` and `sys`; this machine without it.
    pub root: Option<PathBuf>,
    /// Whether to print JSON.
    pub json: bool,
}

/// The settings of `serve`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServeArgs {
    /// Where to listen; empty for every address at the usual port.
    pub listen: Vec<SocketAddr>,
    /// The folder whose files are served.
    pub root: Option<PathBuf>,
    /// A folder that is read in the place of this machine's /proc and /sys.
    pub sysfs: Option<PathBuf>,
    /// Whether the board is not looked at while serving.
    pub no_follow: bool,
    /// Workers and pinning, as far as they were typed.
    pub wanted: Wanted,
    /// Connections at once, if it was typed.
    pub max_connections: Option<u32>,
    /// Deadlines.
    pub deadlines: Deadlines,
    /// How long connections may take to end.
    pub drain: Duration,
    /// Where a line for each request goes; `-` is the output.
    pub access_log: Option<PathBuf>,
    /// The form of messages, if it was typed.
    pub log: Option<Style>,
    /// Which messages are shown.
    pub log_level: LogLevel,
}

impl Default for ServeArgs {
    fn default() -> Self {
        Self {
            listen: Vec::new(),
            root: None,
            sysfs: None,
            no_follow: false,
            wanted: Wanted::default(),
            max_connections: None,
            deadlines: Deadlines::default(),
            drain: DEFAULT_DRAIN,
            access_log: None,
            log: None,
            log_level: LogLevel::default(),
        }
    }
}

/// A command line that means nothing; one line that says why.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}; {name} --help lists what there is", name = super::name())]
pub struct UsageError(String);

impl From<lexopt::Error> for UsageError {
    fn from(error: lexopt::Error) -> Self {
        Self(error.to_string())
    }
}

/// Parses the arguments after the program's name.
///
/// # Errors
/// [`UsageError`] for an unknown word or flag, or a value that does not fit.
pub fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Command, UsageError> {
    let mut parser = Parser::from_args(args);
    let mut command = None;
    while let Some(arg) = parser.next()? {
        match arg {
            Arg::Short('h') | Arg::Long("help") => return Ok(Command::Help),
            Arg::Short('V') | Arg::Long("version") => return Ok(Command::Version),
            Arg::Value(word) if command.is_none() => command = Some(verb(word)?),
            Arg::Long(flag) if command.is_some() => {
                let flag = flag.to_owned();
                if let Some(command) = &mut command {
                    set(command, &flag, &mut parser)?;
                }
            }
            other => return Err(other.unexpected().into()),
        }
    }
    command.ok_or_else(|| UsageError(format!("nothing to do: say `{} serve`", super::name())))
}

fn verb(word: OsString) -> Result<Command, UsageError> {
    let told = match word.to_str() {
        Some("serve") => return Ok(Command::Serve(ServeArgs::default())),
        Some("facts") => Told::Facts,
        Some("plan") => Told::Plan,
        Some("clock") => Told::Clock,
        Some("doctor") => Told::Doctor,
        _ => return Err(Arg::Value(word).unexpected().into()),
    };
    Ok(Command::Told(told, BoardArgs::default()))
}

/// Takes one flag and its value.
fn set(command: &mut Command, flag: &str, parser: &mut Parser) -> Result<(), UsageError> {
    match (command, flag) {
        (Command::Serve(serve), _) => return set_serve(serve, flag, parser),
        (Command::Told(_, args), "json") => args.json = true,
        // A clock is measured, and no folder has one.
        (Command::Told(told, args), "root") if *told != Told::Clock => {
            args.root = Some(parser.value()?.into());
        }
        _ => return Err(invalid(flag)),
    }
    Ok(())
}

fn invalid(flag: &str) -> UsageError {
    UsageError(format!("invalid option '--{flag}'"))
}

/// Takes one flag of `serve` and its value.
fn set_serve(serve: &mut ServeArgs, flag: &str, parser: &mut Parser) -> Result<(), UsageError> {
    match flag {
        "listen" => serve.listen.push(value(parser, flag, "an address and a port, like 127.0.0.1:8080")?),
        "root" => serve.root = Some(parser.value()?.into()),
        "sysfs" => serve.sysfs = Some(parser.value()?.into()),
        "no-follow" => serve.no_follow = true,
        "workers" => {
            serve.wanted.workers =
                Some(value::<NonZeroUsize>(parser, flag, "a number of threads from 1 up")?);
        }
        "pin" => serve.wanted.pin = true,
        "max-connections" => {
            let most = value::<std::num::NonZeroU32>(parser, flag, "a number of connections from 1 up")?;
            serve.max_connections = Some(most.get());
        }
        "idle-timeout" => serve.deadlines.idle = seconds(parser, flag)?,
        "head-timeout" => serve.deadlines.head = seconds(parser, flag)?,
        "write-timeout" => serve.deadlines.write = seconds(parser, flag)?,
        "drain" => serve.drain = seconds(parser, flag)?.unwrap_or_default(),
        "access-log" => serve.access_log = Some(parser.value()?.into()),
        "log" => serve.log = Some(value(parser, flag, "plain or journal")?),
        "log-level" => serve.log_level = value(parser, flag, "err, warning, notice, info or debug")?,
        _ => return Err(invalid(flag)),
    }
    Ok(())
}

fn value<T: std::str::FromStr>(parser: &mut Parser, flag: &str, wanted: &str) -> Result<T, UsageError> {
    let text = parser.value()?.string()?;
    text.parse().map_err(|_| UsageError(format!("--{flag} {text}: expected {wanted}")))
}

/// Seconds with an optional fraction; 0 switches the deadline off.
fn seconds(parser: &mut Parser, flag: &str) -> Result<Option<Duration>, UsageError> {
    /// A day: longer waits are what 0 is for.
    const MOST: Duration = Duration::from_secs(86_400);
    let text = parser.value()?.string()?;
    match parse_seconds(&text).filter(|time| *time <= MOST) {
        Some(time) => Ok((!time.is_zero()).then_some(time)),
        None => Err(UsageError(format!("--{flag} {text}: expected seconds from 0 to 86400, like 60 or 0.5"))),
    }
}

/// `digits` or `digits.digits`, to the millisecond; not through a float, whose tables are 15 KiB.
fn parse_seconds(text: &str) -> Option<Duration> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    if !digits(whole) || !digits(fraction) {
        return None;
    }
    let thousandths =
        fraction.bytes().chain(*b"000").take(3).fold(0, |sum, b| sum * 10 + u64::from(b - b'0'));
    Some(Duration::from_secs(whole.parse().ok()?) + Duration::from_millis(thousandths))
}

#[cfg(test)]
mod tests;
