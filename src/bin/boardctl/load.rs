//! `boardctl load`: flags → plan → run → report.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::thread::available_parallelism;

use anyhow::{Context, Result, ensure};
use boardkit::load::{self, LoadPlan, RequestParts, Url};
use boardkit::report::{RunReport, json, text};
use boardkit::units::Span;

use crate::args::{LoadArgs, LoadFlags};
use crate::recorder::{Recorder, Watcher};
use crate::{EXIT_MEASURED_FAILURE, signals};

/// Connections when none are said; wrk's default.
const DEFAULT_CONNECTIONS: usize = 10;

/// Runs the verb. The exit code says whether anything finished.
pub(crate) fn run(args: &LoadArgs) -> Result<ExitCode> {
    let plan = plan(args.url.clone(), &args.flags)?;
    check_folder(args.flags.json.as_deref())?;
    let stop = signals::stop_flag().context("can't listen for Ctrl-C")?;
    print(&(text::headline(Span(plan.duration), &plan.url) + "\n"))?;
    let report = measure(&plan, stop, args.flags.json.as_deref(), &mut ())?;
    let saved = args.flags.json.as_deref().map_or(Ok(()), |path| json::write(&report, path));
    // Printed also when the file could not be written: the minutes of a run are not to be lost.
    print(&text::render(&report))?;
    saved.with_context(|| format!("can't write the JSON report to {}", shown(args.flags.json.as_deref())))?;
    if report.requests == 0 {
        crate::complain(&format!("no request to {} finished: {}", plan.url, why_nothing(&report)));
        return Ok(ExitCode::from(EXIT_MEASURED_FAILURE));
    }
    Ok(ExitCode::SUCCESS)
}

/// Before the run and not after it: a report that can't be saved.
pub(crate) fn check_folder(json: Option<&Path>) -> Result<()> {
    let folder = json.and_then(Path::parent).filter(|folder| !folder.as_os_str().is_empty());
    let missing = folder.filter(|folder| !folder.is_dir());
    ensure!(missing.is_none(), "--json: there is no folder {}; create it first", shown(missing));
    Ok(())
}

fn shown(path: Option<&Path>) -> String {
    path.map(|path| path.display().to_string()).unwrap_or_default()
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
        duration: flags.duration.0,
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

/// Runs the load, with a progress bar if somebody is there to see it, and with what `watcher` sees. Where the report is
/// to be saved, it is written as the run goes.
pub(crate) fn measure(
    plan: &LoadPlan,
    stop: &AtomicBool,
    json: Option<&Path>,
    watcher: &mut dyn Watcher,
) -> Result<RunReport> {
    let mut recorder = Recorder::new(plan, json, watcher);
    let outcome = load::run(plan, stop, &mut recorder)?;
    recorder.finish(&outcome)
}

fn why_nothing(report: &RunReport) -> String {
    let errors = &report.errors;
    let advice = if errors.connect > 0 && report.connections.opened == 0 {
        "is the server running, on that address and port?"
    } else if errors.timeout > 0 || report.unfinished > 0 {
        "it takes connections and does not answer; a longer --timeout or --duration may help"
    } else {
        "it closes without an answer, or does not speak HTTP"
    };
    format!(
        "connect {}, read {}, write {}, timeout {}; {advice}",
        errors.connect, errors.read, errors.write, errors.timeout
    )
}

/// Writes to standard output. A reader that has gone away (`| head`) is no error of ours.
pub(crate) fn print(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other.context("can't write the report"),
    }
}
