//! Progress bars, and the command line as it was typed.

use std::io::{self, IsTerminal};
use std::time::Duration;

use boardkit::load::{LoadPlan, Progress};
use boardkit::units::WrkMetric;
use indicatif::{ProgressBar, ProgressStyle};

/// A bar over the time of a run, or over its requests where so many were asked for; hidden when nobody looks.
pub(crate) fn bar(plan: &LoadPlan) -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let time = || millis(plan.warmup + plan.duration);
    let bar = ProgressBar::new(plan.requests.map_or_else(time, |requests| requests as u64));
    let style = ProgressStyle::with_template("  {wide_bar} {percent:>3}%  {msg}");
    bar.with_style(style.expect("a constant template is valid"))
}

/// A bar over so many rounds, with the time that is left; hidden when nobody looks.
pub(crate) fn rounds(total: usize) -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(total as u64);
    let style = ProgressStyle::with_template("  {wide_bar} {pos}/{len} rounds, {eta} left  {msg}");
    bar.with_style(style.expect("a constant template is valid"))
}

/// Shows how far a run is.
pub(crate) fn show(bar: &ProgressBar, plan: &LoadPlan, progress: Progress, more: &str) {
    let time = || millis(progress.elapsed.min(progress.total));
    bar.set_position(plan.requests.map_or_else(time, |_| progress.requests));
    let phase = if progress.elapsed < plan.warmup { "warm-up, " } else { "" };
    let requests = WrkMetric(progress.requests as f64);
    let comma = if more.is_empty() { "" } else { ", " };
    bar.set_message(format!("{phase}{requests} requests, {} errors{comma}{more}", progress.errors));
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// What stands where something was left out.
const LEFT_OUT: &str = "…";

/// The command line that started this program, as a shell would take it, without what header fields and bodies held: it goes
/// into results, which are shown to others, and those often hold tokens.
pub(crate) fn command_line() -> String {
    let arguments = std::env::args_os().map(|argument| argument.to_string_lossy().into_owned());
    without_secrets(arguments).into_iter().map(quoted).collect::<Vec<_>>().join(" ")
}

/// The arguments with the values of header fields and the texts of bodies left out, in each form in which they can be typed.
fn without_secrets(arguments: impl Iterator<Item = String>) -> Vec<String> {
    type Hide = fn(&str) -> String;
    let mut next: Option<Hide> = None;
    let shown = |argument: String| {
        if let Some(hide) = next.take() {
            return hide(&argument);
        }
        for (flag, hide) in [("-H", field as Hide), ("--header", field), ("--body", body)] {
            let Some(value) = argument.strip_prefix(flag) else { continue };
            match value.strip_prefix('=') {
                Some(value) => return format!("{flag}={}", hide(value)),
                None if value.is_empty() => next = Some(hide),
                // `-Hvalue`; other flags may begin with the name of a long one.
                None if flag == "-H" => return format!("{flag}{}", hide(value)),
                None => {}
            }
        }
        argument
    };
    arguments.map(shown).collect()
}

/// A header field: its name only.
fn field(text: &str) -> String {
    text.split_once(':').map_or(LEFT_OUT.to_owned(), |(name, _)| format!("{name}: {LEFT_OUT}"))
}

/// A body: the file that it is in, or nothing of it.
fn body(text: &str) -> String {
    if text.starts_with('@') { text.to_owned() } else { LEFT_OUT.to_owned() }
}

/// An argument as a shell would take it.
fn quoted(argument: String) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@%+,".contains(c);
    if !argument.is_empty() && argument.chars().all(plain) {
        return argument;
    }
    format!("'{}'", argument.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_quoted_only_when_a_shell_needs_it() {
        assert_eq!(quoted("--json=a.json".to_owned()), "--json=a.json");
        assert_eq!(quoted("http://b:1/x?y=1".to_owned()), "'http://b:1/x?y=1'");
        assert_eq!(quoted("it's".to_owned()), r"'it'\''s'");
    }

    #[test]
    fn what_headers_and_bodies_hold_is_left_out() {
        for (typed, expected) in [
            ("load|-H|A: SECRET|http://b/", "load|-H|A: …|http://b/"),
            ("-HA:SECRET|-H=A:SECRET", "-HA: …|-H=A: …"),
            ("--header|A: SECRET|--header=B:SECRET:SECRET", "--header|A: …|--header=B: …"),
            ("--header|SECRET|-c|9", "--header|…|-c|9"),
            ("--body|{\"SECRET\":1}|--body=SECRET|--body|-H", "--body|…|--body=…|--body|…"),
            ("--body|@photo.jpg|--body=@photo.jpg", "--body|@photo.jpg|--body=@photo.jpg"),
            ("--headers|--bodyless|-h", "--headers|--bodyless|-h"),
        ] {
            let shown = without_secrets(typed.split('|').map(str::to_owned));
            assert_eq!(shown.join("|"), expected);
        }
    }
}
