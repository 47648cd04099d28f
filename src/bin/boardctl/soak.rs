//! `boardctl soak`: as much load as there is room for, until heat and rate have settled.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result, ensure};
use boardkit::load::{LoadPlan, Progress};
use boardkit::report::{EncodedHistogram, SeriesRow, SoakReport, TelemetryReport, json, text};

use crate::args::{LoadFlags, SoakArgs};
use crate::load::{measure, plan, print};
use crate::machines::Machines;
use crate::recorder::Watcher;
use crate::{EXIT_MEASURED_FAILURE, files, signals};

/// Connections when none are said: what the published comparisons used, and enough to keep four cores busy.
const CONNECTIONS: usize = 100;

/// Runs the verb.
pub(crate) fn run(args: &SoakArgs) -> Result<ExitCode> {
    let plan = soak_plan(args)?;
    let json_path = args.flags.json.as_deref();
    files::check("--json", json_path)?;
    let stop = signals::stop_flag().context("can't listen for Ctrl-C")?;
    let end = Arc::new(AtomicBool::new(false));
    signals::set_too(&end).context("can't listen for Ctrl-C")?;
    print(&format!("Soaking {} for {} to {}\n", plan.url, args.min_duration, args.max_duration))?;
    let mut watch = Watch {
        machines: Machines::start(&plan, &args.watch)?,
        least_s: args.min_duration.0.as_secs_f64(),
        series: Vec::new(),
        found: SoakReport::of(&[], 0.0),
        end: &end,
    };
    let (mut report, _) = measure(&plan, &end, json_path, &mut watch)?;
    // That it has settled is an end as it should be.
    report.partial = stop.load(Ordering::Relaxed);
    let saved = files::save("--json", json_path, |path| json::write(&report, path));
    let soak = report.soak.as_ref().map(SoakReport::render).unwrap_or_default();
    print(&(text::figures(&report) + &soak + &text::judgement(&report)))?;
    saved?;
    if let Some(why) = report.why_nothing() {
        crate::complain(&format!("no request to {} finished: {why}", plan.url));
        return Ok(ExitCode::from(EXIT_MEASURED_FAILURE));
    }
    Ok(ExitCode::SUCCESS)
}

fn soak_plan(args: &SoakArgs) -> Result<LoadPlan> {
    let flags = &args.flags;
    ensure!(flags.duration.is_none(), "--duration is for load; soak has --min-duration and --max-duration");
    ensure!(flags.rate.is_none(), "--rate is for load; soak loads as much as there is room for");
    ensure!(
        args.min_duration <= args.max_duration,
        "--min-duration {} is longer than --max-duration {}",
        args.min_duration,
        args.max_duration
    );
    let flags = LoadFlags {
        connections: flags.connections.or(Some(CONNECTIONS)),
        duration: Some(args.max_duration),
        ..flags.clone()
    };
    plan(args.url.clone(), &flags)
}

/// Watches the machines, and ends the run when it has settled.
struct Watch<'a> {
    machines: Machines,
    least_s: f64,
    series: Vec<SeriesRow>,
    found: SoakReport,
    /// What the run listens to: set by Ctrl-C, too.
    end: &'a AtomicBool,
}

impl Watcher for Watch<'_> {
    fn look(&mut self, progress: Progress) -> String {
        self.machines.look(progress);
        self.found.unsettled.first().cloned().unwrap_or_default()
    }

    fn second(&mut self, row: &mut SeriesRow) {
        self.machines.second(row);
        // The seconds are kept a second time; a histogram in each would be the most of it.
        self.series.push(SeriesRow { histogram: EncodedHistogram::default(), ..row.clone() });
        self.found = SoakReport::of(&self.series, self.least_s);
        if self.found.settled {
            self.end.store(true, Ordering::Relaxed);
        }
    }

    fn telemetry(&mut self) -> Option<TelemetryReport> {
        self.machines.telemetry()
    }

    fn soak(&mut self) -> Option<SoakReport> {
        Some(self.found.clone())
    }
}
