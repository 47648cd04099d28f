//! `boardctl load --rate max`: probes at rate after rate, until it is known which of them the server still keeps up with.

use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use boardkit::load::{LoadPlan, Schedule, Search, Tried};
use boardkit::report::{ProbeReport, RunReport, SearchReport, Slo, SloReport, Validity, json, probe_titles};
use boardkit::units::Span;

use crate::args::{LoadArgs, LoadFlags};
use crate::load::{measure, plan, print};
use crate::machines::Machines;
use crate::{EXIT_MEASURED_FAILURE, files, signals};

/// How long a probe measures: long enough for a thousandth of its requests to be some, short enough for many of them.
const PROBE: Duration = Duration::from_secs(3);
/// How long the whole search may take: some sixty probes.
const LIMIT: Duration = Duration::from_secs(300);
/// Each probe loads at least this long before it measures: a clock that was turned down meanwhile is up again by then.
const WARMUP: Duration = Duration::from_millis(300);
/// After a probe that broke, the server gets this long to be rid of what nobody waits for any more.
const REST: Duration = Duration::from_millis(500);
/// Connections when none are said. Few of them would be what limits an open loop.
const CONNECTIONS: usize = 100;

/// Runs the search. The exit code says whether any rate held.
pub(crate) fn run(args: &LoadArgs) -> Result<ExitCode> {
    let mut hunt = Hunt::new(args)?;
    files::check("--json", args.flags.json.as_deref())?;
    let stop = signals::stop_flag().context("can't listen for Ctrl-C")?;
    let limit = args.search.limit.map_or(LIMIT, |span| span.0);
    print(&hunt.headline(limit))?;
    let until = Instant::now() + limit;
    let why_nothing = hunt.search_until(until, stop)?;
    let report = hunt.report(stop.load(Ordering::Relaxed));
    let saved = files::save("--json", args.flags.json.as_deref(), |path| json::write(&report, path));
    let found = report.search.as_ref().context("a search was made")?;
    print(&format!("\n{}", found.render()))?;
    let invalid = report.validity.iter().filter(|validity| validity.valid == Some(false));
    invalid.map(Validity::render).try_for_each(|lines| print(&format!("\n{lines}")))?;
    if report.partial {
        print("Partial: stopped before its time\n")?;
    } else if !found.finished && why_nothing.is_none() {
        print(&format!("Not finished: its {} were over; --search-limit gives it more\n", Span(limit)))?;
    }
    saved?;
    if found.highest_held().is_some() {
        return Ok(ExitCode::SUCCESS);
    }
    let lowest = found.probes.iter().map(|probe| probe.rate).reduce(f64::min);
    crate::complain(&match (why_nothing, lowest) {
        (Some(why), _) => format!("no request to {} finished: {why}", report.url),
        (None, Some(rate)) => format!("not even {rate}/s holds {}", found.slo),
        (None, None) => "stopped before the first probe was over".to_owned(),
    });
    Ok(ExitCode::from(EXIT_MEASURED_FAILURE))
}

/// A search under way.
struct Hunt<'a> {
    args: &'a LoadArgs,
    /// What each probe does, but for its rate.
    plan: LoadPlan,
    slo: Slo,
    search: Search,
    probes: Vec<ProbeReport>,
    /// The run at the highest rate that held; as long as none has, the last one.
    best: RunReport,
    best_rate: Option<f64>,
}

impl<'a> Hunt<'a> {
    fn new(args: &'a LoadArgs) -> Result<Self> {
        let slo = args.search.slo.clone();
        let slo = slo.context("--rate max needs --slo, such as --slo 'p99<50ms': what is to be kept to")?;
        let one_run = [
            ("--like", args.like.is_some()),
            ("--preset", args.preset.is_some()),
            ("--hgrm", args.hgrm.is_some()),
        ];
        for (flag, said) in one_run {
            ensure!(!said, "{flag} is for one run, and --rate max makes many");
        }
        ensure!(
            args.flags.duration.is_none(),
            "--duration is for one run; with --rate max it is --probe-duration"
        );
        ensure!(args.flags.steps.is_none(), "--steps is for a ramp, such as --rate 100..5000");
        let connections = args.flags.connections.or(Some(CONNECTIONS));
        let flags = LoadFlags { rate: None, connections, ..args.flags.clone() };
        let mut plan = plan(args.url.clone(), &flags)?;
        plan.duration = args.search.probe_duration.map_or(PROBE, |span| span.0);
        plan.warmup = plan.warmup.max(WARMUP);
        let best = RunReport { url: plan.url.to_string(), ..RunReport::default() };
        Ok(Self { args, plan, slo, search: Search::new(), probes: Vec::new(), best, best_rate: None })
    }

    fn headline(&self, limit: Duration) -> String {
        let LoadPlan { url, duration, connections, .. } = &self.plan;
        format!(
            "Searching the highest rate with {} @ {url}\n  probes of {}, each on {connections} new connections, for at most \
             {}\n\n{}\n",
            self.slo,
            Span(*duration),
            Span(limit),
            probe_titles()
        )
    }

    /// Probes until enough is known, the time is over, or somebody says stop. Gives the reason where nothing can be known
    /// since the server answers nothing at all.
    fn search_until(&mut self, until: Instant, stop: &AtomicBool) -> Result<Option<String>> {
        while let Some(rate) = self.search.next() {
            if Instant::now() + self.plan.warmup + self.plan.duration > until && !self.probes.is_empty() {
                break;
            }
            let run = self.run_at(rate, stop)?;
            // What was cut short is not what was asked for.
            if stop.load(Ordering::Relaxed) {
                break;
            }
            let why_nothing = run.why_nothing().filter(|_| run.connections.opened == 0);
            let result = self.take(rate, run)?;
            if why_nothing.is_some() {
                return Ok(why_nothing);
            }
            if result != Tried::Held {
                thread::sleep(REST);
            }
        }
        Ok(None)
    }

    /// One probe. Its connections are new: what an overload has left in old ones would be in the next probe's figures, and
    /// they are opened before its clock starts.
    fn run_at(&self, rate: f64, stop: &AtomicBool) -> Result<RunReport> {
        let plan = LoadPlan { schedule: Some(Schedule::constant(rate)?), ..self.plan.clone() };
        let mut machines = Machines::start(&plan, &self.args.watch)?;
        Ok(measure(&plan, stop, None, &mut machines)?.0)
    }

    /// Takes the result of a probe: into the search, onto the screen, into the file.
    fn take(&mut self, rate: f64, mut run: RunReport) -> Result<Tried> {
        let judged = SloReport::of(&self.slo, &run)?;
        let probe = ProbeReport::new(rate, &run, &judged);
        let result = probe.result;
        self.search.add(rate, result);
        print(&format!("{}\n", probe.to_string().trim_end()))?;
        self.probes.push(probe);
        run.slo = Some(judged);
        let held = result == Tried::Held;
        if self.best_rate.is_none_or(|best| held && rate >= best) {
            self.best = run;
            self.best_rate = held.then_some(rate);
        }
        if let Some(path) = self.args.flags.json.as_deref().filter(|path| json::is_replaceable(path)) {
            // Whether the file can be written shows at the end, where the result is printed whatever comes of it.
            let _ = json::write_unsynced(&self.report(true), path);
        }
        Ok(result)
    }

    /// The run at the highest rate that held, and the search beside it.
    fn report(&self, partial: bool) -> RunReport {
        let search = SearchReport::new(self.slo.to_string(), &self.search, &self.probes);
        RunReport { search: Some(search), partial, ..self.best.clone() }
    }
}
