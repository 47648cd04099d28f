//! `boardctl load --rate max`: probes at rate after rate, until it is known which of them the server still keeps up with.

use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use boardkit::load::{LoadPlan, Schedule, Search, Tried};
use boardkit::report::{ProbeReport, RunReport, SearchReport, Slo, SloReport, Validity, json, probe_titles};
use boardkit::units::Span;

use crate::args::{LoadArgs, LoadFlags};
use crate::load::{measure, pinned, plan, print};
use crate::machines::{Machines, reachable};
use crate::{Nothing, files, signals};

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
    let ended = hunt.search_until(Instant::now() + limit, stop);
    let (report, found) = hunt.report(ended.is_err() || stop.load(Ordering::Relaxed));
    if found.probes.is_empty() {
        ended?;
        bail!(Nothing("stopped before the first probe was over".to_owned()));
    }
    let saved = files::save("--json", args.flags.json.as_deref(), |path| json::write(&report, path));
    print(&format!("\n{}", found.render()))?;
    let invalid = report.validity.iter().filter(|validity| validity.valid == Some(false));
    invalid.map(Validity::render).try_for_each(|lines| print(&format!("\n{lines}")))?;
    if report.partial {
        print("Partial: stopped before its time\n")?;
    } else if !found.finished {
        let limit = Span(limit);
        print(&format!("Not finished: no more probes fit into its {limit}; --search-limit gives it more\n"))?;
    }
    saved?;
    ended?;
    if found.highest_held().is_none() {
        let lowest = found.probes.iter().map(|probe| probe.rate).fold(f64::INFINITY, f64::min);
        bail!(Nothing(format!("not even {lowest}/s holds {}", found.slo)));
    }
    Ok(ExitCode::SUCCESS)
}

/// A search under way.
struct Hunt<'a> {
    args: &'a LoadArgs,
    /// What each probe does, but for its rate: at the address that took a connection, so that none has to look its name up.
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
        plan.warmup = args.flags.warmup.map_or(WARMUP, |span| span.0);
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

    /// Probes until enough is known, there is no time for another probe, or somebody says stop.
    ///
    /// # Errors
    /// [`Nothing`] when the server takes no connection, which tells nothing of the rate; and what keeps a probe from
    /// starting. What was known before stays.
    fn search_until(&mut self, until: Instant, stop: &AtomicBool) -> Result<()> {
        self.pin()?;
        // What was due at the end may take as long as any answer.
        let longest = self.plan.warmup + self.plan.duration + self.plan.timeout;
        let mut rest = Duration::ZERO;
        while let Some(rate) = self.search.next() {
            if Instant::now() + rest + longest > until && !self.probes.is_empty() {
                break;
            }
            thread::sleep(rest);
            let run = self.run_at(rate, stop)?;
            // What was cut short is not what was asked for.
            if stop.load(Ordering::Relaxed) {
                break;
            }
            if let Some(why) = run.why_nothing().filter(|_| run.connections.opened == 0) {
                let url = &self.args.url;
                bail!(Nothing(format!("no request to {url} finished at {rate}/s: {why}")));
            }
            rest = if self.take(rate, run)? == Tried::Held { Duration::ZERO } else { REST };
        }
        Ok(())
    }

    /// Looks the name up, once for all probes.
    fn pin(&mut self) -> Result<()> {
        // Where none takes a connection, the first probe says why.
        if let Some(address) = reachable(&self.plan.url.resolve()?, self.plan.timeout) {
            self.plan.url = pinned(&self.args.url, address);
        }
        Ok(())
    }

    /// One probe. Its connections are new: what an overload has left in old ones would be in the next probe's figures, and
    /// they are opened before its clock starts.
    fn run_at(&self, rate: f64, stop: &AtomicBool) -> Result<RunReport> {
        let plan = LoadPlan { schedule: Some(Schedule::constant(rate)?), ..self.plan.clone() };
        let mut machines = Machines::start(&plan, &self.args.watch)?;
        let (run, _) = measure(&plan, stop, None, &mut machines)?;
        Ok(RunReport { url: self.args.url.to_string(), ..run })
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
            let _ = json::write_unsynced(&self.report(true).0, path);
        }
        Ok(result)
    }

    /// The run at the highest rate that held with the search in it, and the search.
    fn report(&self, partial: bool) -> (RunReport, SearchReport) {
        let search = SearchReport::new(self.slo.to_string(), &self.search, &self.probes);
        (RunReport { search: Some(search.clone()), partial, ..self.best.clone() }, search)
    }
}
