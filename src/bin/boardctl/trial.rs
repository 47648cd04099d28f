//! `boardctl try`: server and load tester on this machine, as the first thing a newcomer runs.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use boardkit::board::{BoardFacts, ProcessUsage, StatSample, SysRoot};
use boardkit::load::Progress;
use boardkit::report::{SeriesRow, TelemetryReport, TrialReport, json, text};
use boardkit::tune::Wanted;
use boardkit::units::Span;

use crate::args::{LoadFlags, WatchFlags};
use crate::child::Server;
use crate::load::{measure, plan, print};
use crate::machines::Machines;
use crate::recorder::Watcher;
use crate::{EXIT_MEASURED_FAILURE, files, signals};

/// Connections when none are said: what the published comparisons used, and enough to keep four cores busy.
const CONNECTIONS: usize = 100;

/// How often the load per core is shown anew.
const REFRESH: Duration = Duration::from_millis(500);

/// Runs the verb.
pub(crate) fn run(flags: &LoadFlags) -> Result<ExitCode> {
    files::check("--json", flags.json.as_deref())?;
    let stop = signals::stop_flag().context("can't listen for Ctrl-C")?;
    let root = SysRoot::live();
    let board = BoardFacts::read(&root);
    // A plan follows from the facts alone, so this is the server's as well.
    let tuning = boardkit::tune::plan(&board, &Wanted::default());
    print(&format!("{board}\n{tuning}\n"))?;
    let server = Server::start()?;
    let flags = LoadFlags { connections: flags.connections.or(Some(CONNECTIONS)), ..flags.clone() };
    let plan = plan(server.url.clone(), &flags)?;
    print(&format!("{}\n", text::headline(format!("{} test", Span(plan.duration)), &plan.url)))?;
    let idle = ProcessUsage::read(&root, server.pid()).and_then(|usage| usage.rss_bytes);
    let machines = Machines::start(&plan, &WatchFlags::default())?;
    let mut watch = Watch { machines, root: &root, shown: None, line: String::new() };
    let (run, _) = measure(&plan, stop, flags.json.as_deref(), &mut watch)?;
    let said = server.stop();
    let summary = |said: &String| said.lines().rfind(|line| line.starts_with("boardd:")).map(str::to_owned);
    let summary = said.as_ref().ok().and_then(summary);
    let trial = TrialReport::new(run, board, tuning, idle, summary);
    let saved = files::save("--json", flags.json.as_deref(), |path| json::write(&trial, path));
    // Printed also when the file could not be written or the server has died: what was measured is not to be lost.
    print(&(text::figures(&trial.run) + &trial.render() + &text::judgement(&trial.run)))?;
    saved?;
    said?;
    Ok(if trial.run.requests == 0 { ExitCode::from(EXIT_MEASURED_FAILURE) } else { ExitCode::SUCCESS })
}

/// Watches the machine, and shows the load per core while it does.
struct Watch<'a> {
    machines: Machines,
    root: &'a SysRoot,
    shown: Option<(Instant, StatSample)>,
    line: String,
}

impl Watcher for Watch<'_> {
    /// The load per core since the last refresh, for the progress line.
    fn look(&mut self, progress: Progress) -> String {
        self.machines.look(progress);
        let due = self.shown.as_ref().is_none_or(|(at, _)| at.elapsed() >= REFRESH);
        if let Some(now) = due.then(|| StatSample::read(self.root)).flatten() {
            if let Some((_, before)) = &self.shown {
                let loads = now.load_since(before);
                let cells = loads.iter().map(|(core, load)| format!("{core}:{:.0}%", load.busy() * 100.0));
                self.line = format!("cores {}", cells.collect::<Vec<_>>().join(" "));
            }
            self.shown = Some((Instant::now(), now));
        }
        self.line.clone()
    }

    fn second(&mut self, row: &mut SeriesRow) {
        self.machines.second(row);
    }

    fn telemetry(&mut self) -> Option<TelemetryReport> {
        self.machines.telemetry()
    }
}
