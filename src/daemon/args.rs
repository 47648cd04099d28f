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
}

/// The settings of `serve`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServeArgs {
    /// Where to listen; empty for every address at the usual port.
    pub listen: Vec<SocketAddr>,
    /// The folder whose files are served.
    pub root: Option<PathBuf>,
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
    let mut serve = None;
    while let Some(arg) = parser.next()? {
        match arg {
            Arg::Short('h') | Arg::Long("help") => return Ok(Command::Help),
            Arg::Short('V') | Arg::Long("version") => return Ok(Command::Version),
            Arg::Value(word) if serve.is_none() && word == "serve" => serve = Some(ServeArgs::default()),
            Arg::Long(flag) if serve.is_some() => {
                let flag = flag.to_owned();
                if let Some(serve) = &mut serve {
                    set(serve, &flag, &mut parser)?;
                }
            }
            other => return Err(other.unexpected().into()),
        }
    }
    serve
        .map(Command::Serve)
        .ok_or_else(|| UsageError(format!("nothing to do: say `{} serve`", super::name())))
}

/// Takes one flag of `serve` and its value.
fn set(serve: &mut ServeArgs, flag: &str, parser: &mut Parser) -> Result<(), UsageError> {
    match flag {
        "listen" => serve.listen.push(value(parser, flag, "an address and a port, like 127.0.0.1:8080")?),
        "root" => serve.root = Some(parser.value()?.into()),
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
        _ => return Err(UsageError(format!("invalid option '--{flag}'"))),
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
mod tests {
    use super::*;
    use crate::daemon::HELP;
    use crate::server::Level;

    fn words(line: &str) -> Result<Command, UsageError> {
        parse(line.split_whitespace().map(OsString::from))
    }

    #[test]
    fn all_flags() {
        let line = "serve --listen [::1]:0 --workers 3 --pin --max-connections 9 --idle-timeout 0.5 \
                    --head-timeout 0 --write-timeout=7 --listen=1.2.3.4:80 --drain 2.5 --access-log - \
                    --log journal --log-level err --root /srv/www";
        let Ok(Command::Serve(serve)) = words(line) else { panic!("a valid line") };
        let addresses = ["[::1]:0", "1.2.3.4:80"].map(|text| text.parse().expect("address"));
        assert_eq!((serve.listen, serve.root), (addresses.to_vec(), Some("/srv/www".into())));
        assert_eq!((serve.drain, serve.access_log), (Duration::from_millis(2500), Some("-".into())));
        assert_eq!((serve.log, serve.log_level), (Some(Style::Journal), LogLevel(Level::Error)));
        assert_eq!(serve.wanted, Wanted { workers: NonZeroUsize::new(3), pin: true });
        assert_eq!(serve.max_connections, Some(9));
        let (half, seven) = (Duration::from_millis(500), Duration::from_secs(7));
        assert_eq!(serve.deadlines, Deadlines { idle: Some(half), head: None, write: Some(seven) });
    }

    #[test]
    fn every_flag_is_in_the_help() {
        let is_name = |c: char| c.is_ascii_lowercase() || c == '-';
        for flag in HELP.split_whitespace().filter_map(|word| word.strip_prefix("--")) {
            let flag = flag.trim_end_matches(|c| !is_name(c));
            if flag == "help" || flag == "version" {
                continue;
            }
            let line = format!("serve --{flag} x");
            let error = words(&line).err().map(|error| error.to_string()).unwrap_or_default();
            assert!(!error.contains("invalid option"), "--{flag} is in the help only");
        }
    }

    #[test]
    fn every_example_of_the_help_is_a_valid_line() {
        let examples: Vec<_> =
            HELP.lines().filter_map(|line| line.strip_prefix("  boardd serve")).map(str::trim).collect();
        assert!(examples.len() > 2);
        for example in examples {
            let parsed = words(&format!("serve {example}"));
            assert!(matches!(parsed, Ok(Command::Serve(_))), "{example}: {parsed:?}");
        }
    }

    #[test]
    fn seconds_to_the_millisecond() {
        let cases = [("60", 60_000), ("0.5", 500), ("1.05", 1050), ("0.0019", 1), ("007", 7000)];
        for (text, millis) in cases {
            assert_eq!(parse_seconds(text), Some(Duration::from_millis(millis)), "{text}");
        }
        for text in ["", ".5", "5.", "1e3", "+1", "1.2.3", "99999999999999999999"] {
            assert_eq!(parse_seconds(text), None, "{text}");
        }
    }

    #[test]
    fn mistakes_are_named() {
        let cases = [
            ("", "say `boardd serve`"),
            ("fly", "fly"),
            ("serve --workers 0", "--workers 0: expected a number of threads"),
            ("serve --listen 8080", "--listen 8080: expected an address and a port"),
            ("serve --idle-timeout -1", "--idle-timeout -1: expected seconds"),
            ("serve --idle-timeout nan", "expected seconds"),
            ("serve --drain never", "--drain never: expected seconds"),
            ("serve --log syslog", "--log syslog: expected plain or journal"),
            ("serve --log-level loud", "--log-level loud: expected err"),
            ("serve --access-log", "--access-log"),
            ("serve --speed 9", "--speed"),
            ("serve extra", "extra"),
            ("--listen 1.2.3.4:5", "--listen"),
        ];
        for (line, expected) in cases {
            let error = words(line).expect_err(line).to_string();
            assert!(error.contains(expected) && !error.contains('\n'), "{line}: {error}");
        }
        assert_eq!(words("serve --help"), Ok(Command::Help));
    }
}
