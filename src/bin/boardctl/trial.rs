//! `boardctl try`: server and load tester on this machine, as the first thing a newcomer runs.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use boardkit::board::{BoardFacts, CoreLoad, ProcessUsage, StatSample, SysRoot};
use boardkit::load::Progress;
use boardkit::report::{Limit, RunReport, ServerSide, TrialReport, Usage, json, text};
use boardkit::tune::{Plan, Wanted};
use boardkit::units::Span;

use crate::args::LoadFlags;
use crate::child::Server;
use crate::load::{check_folder, measure, plan, print};
use crate::recorder::Watcher;
use crate::{EXIT_MEASURED_FAILURE, signals};

/// Connections when none are said: what the published comparisons used, and enough to keep four cores busy.
const CONNECTIONS: usize = 100;

/// How often the load per core is shown anew.
const REFRESH: Duration = Duration::from_millis(500);

/// Runs the verb.
pub(crate) fn run(flags: &LoadFlags) -> Result<ExitCode> {
    check_folder(flags.json.as_deref())?;
    let stop = signals::stop_flag().context("can't listen for Ctrl-C")?;
    let root = SysRoot::live();
    let board = BoardFacts::read(&root);
    // A plan follows from the facts alone, so this is the server's as well.
    let tuning = boardkit::tune::plan(&board, &Wanted::default());
    print(&format!("{board}\n{tuning}\n"))?;
    let server = Server::start()?;
    let flags = LoadFlags { connections: flags.connections.or(Some(CONNECTIONS)), ..flags.clone() };
    let plan = plan(server.url.clone(), &flags)?;
    print(&format!("{}\n", text::headline(Span(plan.duration), &plan.url)))?;
    let idle = ProcessUsage::read(&root, server.pid());
    let mut watch = Watch::new(&root, server.pid(), plan.warmup);
    let run = measure(&plan, stop, flags.json.as_deref(), &mut watch)?;
    let seen = watch.finish();
    let said = server.stop()?;
    let trial = put_together(run, board, tuning, &seen, idle, &said);
    print(&text::render(&trial.run))?;
    print(&trial.render())?;
    if let Some(path) = &flags.json {
        json::write(&trial, path)
            .with_context(|| format!("can't write the JSON report to {}", path.display()))?;
    }
    Ok(if trial.run.requests == 0 { ExitCode::from(EXIT_MEASURED_FAILURE) } else { ExitCode::SUCCESS })
}

/// Watches cores and server while the load runs; the warm-up is not in its figures.
struct Watch<'a> {
    root: &'a SysRoot,
    pid: u32,
    warmup: Duration,
    state: Watched,
}

#[derive(Default)]
struct Watched {
    begin: Option<Reading>,
    shown: Option<(Instant, StatSample)>,
    line: String,
}

/// One look at the machine.
struct Reading {
    at: Instant,
    cores: Option<StatSample>,
    server: Option<ProcessUsage>,
}

/// What was seen between the first and the last look.
struct Seen {
    seconds: f64,
    cores: BTreeMap<u32, CoreLoad>,
    server_cpu_s: Option<f64>,
    server_rss_bytes: Option<u64>,
}

impl Watcher for Watch<'_> {
    /// The load per core since the last refresh, for the progress line.
    fn look(&mut self, progress: Progress) -> String {
        if self.state.begin.is_none() && progress.elapsed >= self.warmup {
            self.state.begin = Some(self.read());
        }
        let state = &mut self.state;
        let due = state.shown.as_ref().is_none_or(|(at, _)| at.elapsed() >= REFRESH);
        if let Some(now) = due.then(|| StatSample::read(self.root)).flatten() {
            if let Some((_, before)) = &state.shown {
                let loads = now.load_since(before);
                let cells = loads.iter().map(|(core, load)| format!("{core}:{:.0}%", load.busy() * 100.0));
                state.line = format!("cores {}", cells.collect::<Vec<_>>().join(" "));
            }
            state.shown = Some((Instant::now(), now));
        }
        state.line.clone()
    }
}

impl<'a> Watch<'a> {
    fn new(root: &'a SysRoot, pid: u32, warmup: Duration) -> Self {
        Self { root, pid, warmup, state: Watched::default() }
    }

    fn read(&self) -> Reading {
        let (cores, server) = (StatSample::read(self.root), ProcessUsage::read(self.root, self.pid));
        Reading { at: Instant::now(), cores, server }
    }

    fn finish(self) -> Seen {
        let end = self.read();
        let begin = self.state.begin;
        let cores = begin
            .as_ref()
            .zip(end.cores.as_ref())
            .and_then(|(b, end)| Some(end.load_since(b.cores.as_ref()?)));
        let cpu = |begin: &Reading| Some(end.server?.cpu_s() - begin.server?.cpu_s());
        Seen {
            seconds: begin.as_ref().map_or(0.0, |begin| (end.at - begin.at).as_secs_f64()),
            cores: cores.unwrap_or_default(),
            server_cpu_s: begin.as_ref().and_then(cpu),
            server_rss_bytes: end.server.and_then(|server| server.rss_bytes),
        }
    }
}

fn put_together(
    run: RunReport,
    board: BoardFacts,
    plan: Plan,
    seen: &Seen,
    idle: Option<ProcessUsage>,
    said: &str,
) -> TrialReport {
    let per_second = |cpu_s: f64| if seen.seconds > 0.0 { cpu_s / seen.seconds } else { 0.0 };
    let limit = Limit::of(&Usage {
        cores: Some(&seen.cores),
        server_cores: seen.server_cpu_s.map(per_second),
        client_cores: per_second(run.client_cpu.total_s),
        workers: plan.workers.len(),
    });
    let server = ServerSide {
        cpu_s: seen.server_cpu_s,
        cpu_per_request_us: seen
            .server_cpu_s
            .filter(|_| run.requests > 0)
            .map(|s| s * 1e6 / run.requests as f64),
        rss_idle_bytes: idle.and_then(|usage| usage.rss_bytes),
        rss_loaded_bytes: seen.server_rss_bytes,
        summary: said.lines().rfind(|line| line.starts_with("boardd:")).map(str::to_owned),
    };
    TrialReport { run, board, plan, cores: seen.cores.clone(), server, limit }
}
