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

/// The command line that started this program, as a shell would take it.
pub(crate) fn command_line() -> String {
    std::env::args().map(quoted).collect::<Vec<_>>().join(" ")
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
}
