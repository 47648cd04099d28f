//! `boardctl load`: flags → plan → run → report.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::thread::available_parallelism;
use std::time::Duration;

use anyhow::{Context, Result};
use boardkit::load::{self, LoadPlan, Outcome, Progress, RequestParts, Url};
use boardkit::report::{Environment, RunReport, hgrm, json};
use boardkit::units::{Span, WrkMetric};
use indicatif::{ProgressBar, ProgressStyle};

use crate::args::{LoadArgs, LoadFlags};
use crate::layout::Layout;
use crate::{EXIT_MEASURED_FAILURE, files, signals};

/// Connections when none are said; wrk's default.
const DEFAULT_CONNECTIONS: usize = 10;

/// How long a run is when nothing is said; wrk's default.
const DEFAULT_DURATION: Duration = Duration::from_secs(10);

/// Runs the verb. The exit code says whether anything finished.
pub(crate) fn run(args: &LoadArgs) -> Result<ExitCode> {
    let (url, flags) = shaped(args)?;
    let plan = plan(url, &flags)?;
    files::check("--json", flags.json.as_deref())?;
    files::check("--hgrm", args.hgrm.as_deref())?;
    let stop = signals::stop_flag().context("can't listen for Ctrl-C")?;
    let layout = Layout::begin(&plan, &flags, args.like)?;
    let (mut report, outcome) = measure(&plan, stop, &|_| String::new())?;
    report.preset = args.preset.map(|preset| preset.report(&plan, &outcome, &report));
    let saved = files::save("--json", flags.json.as_deref(), |path| json::write(&report, path));
    let histogram = || outcome.tally.latency();
    let drawn = files::save("--hgrm", args.hgrm.as_deref(), |path| hgrm::write(&histogram(), path));
    // Printed also when a file could not be written: the minutes of a run are not to be lost.
    layout.print(&report)?;
    saved.and(drawn)?;
    if let Some(why) = report.why_nothing() {
        crate::complain(&format!("no request to {} finished: {why}", plan.url));
        return Ok(ExitCode::from(EXIT_MEASURED_FAILURE));
    }
    Ok(ExitCode::SUCCESS)
}

/// URL and flags with what the preset has for what was not typed.
fn shaped(args: &LoadArgs) -> Result<(Url, LoadFlags)> {
    let (url, mut flags) = (args.url.clone(), args.flags.clone());
    let Some(shape) = args.preset.map(|preset| preset.shape) else { return Ok((url, flags)) };
    flags.connections = flags.connections.or(Some(shape.connections));
    flags.threads = flags.threads.or(Some(shape.threads));
    flags.duration = flags.duration.or(Some(Span(shape.duration())));
    Ok((if url.is_bare() { url.at(shape.path)? } else { url }, flags))
}

/// Turns what was typed into what is meant.
pub(crate) fn plan(url: Url, flags: &LoadFlags) -> Result<LoadPlan> {
    let cores = || available_parallelism().map_or(1, usize::from);
    let parts = RequestParts {
        method: flags.method.clone(),
        headers: flags.headers.clone(),
        body: flags.body.as_deref().map(body).transpose()?,
        keep_alive: !flags.no_keepalive,
    };
    Ok(LoadPlan {
        request: parts.render(&url)?,
        url,
        connections: flags.connections.unwrap_or(DEFAULT_CONNECTIONS),
        threads: flags.threads.unwrap_or_else(cores),
        duration: flags.duration.map_or(DEFAULT_DURATION, |span| span.0),
        warmup: flags.warmup.0,
        timeout: flags.timeout.0,
        pipeline: flags.pipeline,
        retry: !flags.no_retry,
        schedule: flags.rate,
    })
}

/// The text itself, or with `@` the content of a file.
fn body(typed: &str) -> Result<Vec<u8>> {
    match typed.strip_prefix('@') {
        Some(path) => std::fs::read(path).with_context(|| format!("--body: can't read the file {path}")),
        None => Ok(typed.as_bytes().to_vec()),
    }
}

/// Runs the load with a progress bar, if somebody is there to see it. `look` is called several times a second, with or
/// without a bar, and says what else the bar shows.
pub(crate) fn measure(
    plan: &LoadPlan,
    stop: &AtomicBool,
    look: &dyn Fn(Progress) -> String,
) -> Result<(RunReport, Outcome)> {
    let total = plan.warmup + plan.duration;
    let bar = progress_bar(total);
    let outcome = load::run(plan, stop, &|progress| show(&bar, plan, progress, &look(progress)))?;
    bar.finish_and_clear();
    let command = std::env::args().map(quoted).collect::<Vec<_>>().join(" ");
    let report = RunReport::new(plan, &outcome, Environment::of_this_machine(command));
    Ok((report, outcome))
}

fn progress_bar(total: Duration) -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(millis(total));
    let style = ProgressStyle::with_template("  {wide_bar} {percent:>3}%  {msg}");
    bar.with_style(style.expect("a constant template is valid"))
}

fn show(bar: &ProgressBar, plan: &LoadPlan, progress: Progress, more: &str) {
    bar.set_position(millis(progress.elapsed.min(progress.total)));
    let phase = if progress.elapsed < plan.warmup { "warm-up, " } else { "" };
    let requests = WrkMetric(progress.requests as f64);
    let comma = if more.is_empty() { "" } else { ", " };
    bar.set_message(format!("{phase}{requests} requests, {} errors{comma}{more}", progress.errors));
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// An argument as a shell would take it.
fn quoted(argument: String) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@%+,".contains(c);
    if !argument.is_empty() && argument.chars().all(plain) {
        return argument;
    }
    format!("'{}'", argument.replace('\'', r"'\''"))
}

/// Writes to standard output. A reader that has gone away (`| head`) is no error of ours.
pub(crate) fn print(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other.context("can't write the report"),
    }
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
