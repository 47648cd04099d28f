//! `boardctl load`: flags → plan → run → report.

use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::available_parallelism;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use boardkit::load::{self, LatencyHistogram, LoadPlan, Outcome, RequestParts, Schedule, Url};
use boardkit::report::{RunReport, SloReport, hgrm, json};
use boardkit::units::Span;

use crate::args::{LoadArgs, LoadFlags, Rate};
use crate::layout::Layout;
use crate::machines::Machines;
use crate::recorder::{Recorder, Watcher};
use crate::{EXIT_MEASURED_FAILURE, files, highest, signals};

/// Connections when none are said; wrk's default.
const DEFAULT_CONNECTIONS: usize = 10;

/// How long a run is when nothing is said; wrk's default.
const DEFAULT_DURATION: Duration = Duration::from_secs(10);

/// How long a run of so many requests may take when nothing is said: a server that is gone must not hold it up for ever.
const LONGEST_WITH_REQUESTS: Duration = Duration::from_secs(300);

/// Steps of a ramp when none are said: of a run of that length each has a second.
const DEFAULT_STEPS: usize = 10;

/// Runs the verb. The exit code says whether anything finished.
pub(crate) fn run(args: &LoadArgs) -> Result<ExitCode> {
    if args.flags.rate == Some(Rate::Max) {
        return highest::run(args);
    }
    let search = &args.search;
    ensure!(search.probe_duration.is_none(), "--probe-duration is for --rate max");
    ensure!(search.limit.is_none(), "--search-limit is for --rate max");
    let Shaped { url, flags, requests } = shaped(args)?;
    let plan = LoadPlan { requests, ..plan(url, &flags)? };
    let (json_path, hgrm_path) = (flags.json.as_deref(), args.hgrm.as_deref());
    files::check_two(("--json", json_path), ("--hgrm", hgrm_path))?;
    let stop = signals::stop_flag().context("can't listen for Ctrl-C")?;
    let mut machines = Machines::start(&plan, &args.watch)?;
    let layout = Layout::begin(&plan, &flags, args.like)?;
    let (mut report, outcome) = measure(&plan, stop, json_path, &mut machines)?;
    report.slo = search.slo.as_ref().map(|slo| SloReport::of(slo, &report)).transpose()?;
    report.preset = args.preset.map(|preset| preset.report(&plan, &outcome, &report));
    let saved = files::save("--json", json_path, |path| json::write(&report, path));
    let drawn = files::save("--hgrm", hgrm_path, |path| hgrm::write(&waits(&outcome), path));
    // Printed also when a file could not be written: the minutes of a run are not to be lost.
    layout.print(&report)?;
    saved.and(drawn)?;
    if let Some(why) = report.why_nothing() {
        crate::complain(&format!("no request to {} finished: {why}", plan.url));
        return Ok(ExitCode::from(EXIT_MEASURED_FAILURE));
    }
    if let Some(slo) = report.slo.as_ref().filter(|slo| !slo.met) {
        let found: Vec<_> = slo.broken().map(ToString::to_string).collect();
        crate::complain(&format!("--slo {} is broken: {}", slo.asked, found.join(", ")));
        return Ok(ExitCode::from(EXIT_MEASURED_FAILURE));
    }
    Ok(ExitCode::SUCCESS)
}

/// The latencies that are reported: none where nothing finished, as everywhere.
fn waits(outcome: &Outcome) -> LatencyHistogram {
    if outcome.tally.requests > 0 { outcome.tally.latency() } else { LatencyHistogram::new() }
}

/// What was typed, with what the preset has for the rest.
struct Shaped {
    url: Url,
    flags: LoadFlags,
    requests: Option<usize>,
}

fn shaped(args: &LoadArgs) -> Result<Shaped> {
    let (mut url, mut flags, mut requests) = (args.url.clone(), args.flags.clone(), args.requests);
    if let Some(shape) = args.preset.map(|preset| preset.shape) {
        let counts = flags.rate.is_none() && flags.pipeline == 1 && flags.warmup().is_zero();
        if requests.is_none() && flags.duration.is_none() && counts {
            requests = shape.requests;
        }
        flags.connections = flags.connections.or(Some(shape.connections));
        flags.threads = flags.threads.or(Some(shape.threads));
        if requests.is_none() {
            flags.duration = flags.duration.or(Some(Span(shape.duration())));
        }
        url = if url.is_bare() { url.at(shape.path)? } else { url };
    }
    if requests.is_some() {
        flags.duration = flags.duration.or(Some(Span(LONGEST_WITH_REQUESTS)));
    }
    Ok(Shaped { url, flags, requests })
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
        requests: None,
        warmup: flags.warmup(),
        timeout: flags.timeout.0,
        pipeline: flags.pipeline,
        retry: !flags.no_retry,
        schedule: schedule(flags)?,
    })
}

/// The URL with the address in place of the name, so that many runs look the name up only once; the name where that address
/// can't be written into a URL.
pub(crate) fn pinned(url: &Url, address: SocketAddr) -> Url {
    let pinned = format!("http://{address}{}", url.path()).parse::<Url>();
    let is_there = |url: &Url| url.resolve().is_ok_and(|addresses| addresses == [address]);
    pinned.ok().filter(is_there).unwrap_or_else(|| url.clone())
}

/// The arrivals of an open loop.
fn schedule(flags: &LoadFlags) -> Result<Option<Schedule>> {
    let ramp = matches!(flags.rate, Some(Rate::Ramp(..)));
    ensure!(ramp || flags.steps.is_none(), "--steps is for a ramp, such as --rate 100..5000");
    let steps = flags.steps.unwrap_or(DEFAULT_STEPS);
    let schedule =
        |rate: Rate| rate.schedule(steps).context("--rate and --steps")?.context("--rate max is for load");
    flags.rate.map(schedule).transpose()
}

/// The text itself, or with `@` the content of a file.
fn body(typed: &str) -> Result<Vec<u8>> {
    match typed.strip_prefix('@') {
        Some(path) => std::fs::read(path).with_context(|| format!("--body: can't read the file {path}")),
        None => Ok(typed.as_bytes().to_vec()),
    }
}

/// Runs the load, with a progress bar if somebody is there to see it, and with what `watcher` sees. Where the report is
/// to be saved, it is written as the run goes.
pub(crate) fn measure(
    plan: &LoadPlan,
    stop: &AtomicBool,
    json: Option<&Path>,
    watcher: &mut dyn Watcher,
) -> Result<(RunReport, Outcome)> {
    let mut recorder = Recorder::new(plan, json, watcher);
    let outcome = load::run(plan, stop, &mut recorder)?;
    Ok((recorder.finish(&outcome), outcome))
}

/// Whether standard output is a report's.
static BESIDE: AtomicBool = AtomicBool::new(false);

/// From here on text is printed to the error output, as standard output is a report's.
pub(crate) fn print_beside() {
    BESIDE.store(true, Ordering::Relaxed);
}

/// Writes to standard output. A reader that has gone away (`| head`) is no error of ours.
pub(crate) fn print(text: &str) -> Result<()> {
    let mut out: Box<dyn Write> =
        if BESIDE.load(Ordering::Relaxed) { Box::new(io::stderr()) } else { Box::new(io::stdout().lock()) };
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other.context("can't write the report"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pinned_url_has_one_address_and_the_same_path() {
        for (typed, address) in [("http://board:81/x?y", "127.0.0.1:81"), ("http://board/", "[::1]:80")] {
            let (url, address): (Url, SocketAddr) = (typed.parse().unwrap(), address.parse().unwrap());
            let pinned = pinned(&url, address);
            assert_eq!((pinned.path(), pinned.resolve().unwrap()), (url.path(), vec![address]));
        }
    }
}
