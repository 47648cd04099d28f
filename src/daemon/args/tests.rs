//! Command lines: what is taken, and how mistakes are named.

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
        let is_known = |verb: &&str| {
            let error = words(&format!("{verb} --{flag} x")).err().map(|error| error.to_string());
            !error.unwrap_or_default().contains("invalid option")
        };
        assert!(["serve", "facts"].iter().any(is_known), "--{flag} is in the help only");
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
        ("facts --speed", "--speed"),
        ("clock --root x", "--root"),
        ("facts plan", "plan"),
        ("serve extra", "extra"),
        ("--listen 1.2.3.4:5", "--listen"),
    ];
    for (line, expected) in cases {
        let error = words(line).expect_err(line).to_string();
        assert!(error.contains(expected) && !error.contains('\n'), "{line}: {error}");
    }
    assert_eq!(words("serve --help"), Ok(Command::Help));
    let recorded = BoardArgs { root: Some("/tmp/x".into()), json: true };
    assert_eq!(words("facts --root /tmp/x --json"), Ok(Command::Told(Told::Facts, recorded)));
    assert_eq!(words("clock"), Ok(Command::Told(Told::Clock, BoardArgs::default())));
}
