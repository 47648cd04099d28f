//! Follows a run: shows how far it is, keeps its seconds, and writes the report as it grows.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use boardkit::load::{LoadPlan, Observer, Outcome, Progress, Second};
use boardkit::report::{Environment, RunReport, SeriesRow, SoakReport, TelemetryReport, json};
use indicatif::ProgressBar;
use rustix::time::{ClockId, clock_gettime};

use crate::progress;

/// The file is written anew this soon, and no sooner than [`WRITE_SHARE`] allows.
const WRITE_EVERY: Duration = Duration::from_secs(1);

/// One in so many parts of a core's time goes into writing the file, however long the run and its file become.
const WRITE_SHARE: u32 = 100;

/// What else is looked at while a run goes on.
pub(crate) trait Watcher {
    /// Several times a second; says what else the progress bar shows.
    fn look(&mut self, progress: Progress) -> String {
        let _ = progress;
        String::new()
    }

    /// Once a second: adds to the row of the second that is past.
    fn second(&mut self, row: &mut SeriesRow) {
        let _ = row;
    }

    /// What a soak has found by now.
    fn soak(&mut self) -> Option<SoakReport> {
        None
    }

    /// Who is watched, as far as is known by now.
    fn telemetry(&mut self) -> Option<TelemetryReport> {
        None
    }
}

/// Nobody watches.
impl Watcher for () {}

/// The observer of a run.
pub(crate) struct Recorder<'a> {
    plan: &'a LoadPlan,
    watcher: &'a mut dyn Watcher,
    bar: ProgressBar,
    environment: Environment,
    started_unix_s: f64,
    series: Vec<SeriesRow>,
    file: Option<Growing>,
}

/// A file that is replaced by a longer one again and again.
struct Growing {
    path: PathBuf,
    next: Instant,
}

impl<'a> Recorder<'a> {
    /// Follows a run of `plan`, and writes its report to `json`, if that is wanted.
    pub(crate) fn new(plan: &'a LoadPlan, json_path: Option<&Path>, watcher: &'a mut dyn Watcher) -> Self {
        let growing = json_path.filter(|path| json::is_replaceable(path));
        let file = growing.map(|path| Growing { path: path.to_owned(), next: Instant::now() });
        Self {
            plan,
            watcher,
            bar: progress::bar(plan),
            environment: Environment::of_this_machine(progress::command_line()),
            started_unix_s: unix_now(),
            series: Vec::new(),
            file,
        }
    }

    /// The report of what has come out, with the seconds that were kept. The run is over.
    pub(crate) fn finish(mut self, outcome: &Outcome) -> RunReport {
        self.bar.finish_and_clear();
        self.report(outcome)
    }

    fn report(&mut self, outcome: &Outcome) -> RunReport {
        let mut report = RunReport::new(self.plan, outcome, self.environment.clone());
        report.started_unix_s = self.started_unix_s;
        report.series.clone_from(&self.series);
        report.telemetry = self.watcher.telemetry();
        report.soak = self.watcher.soak();
        report.judge();
        report
    }

    /// Whoever reads the file meanwhile, or after a crash, finds all seconds but the last ones.
    fn save(&mut self, outcome: &Outcome) {
        if self.file.as_ref().is_none_or(|file| Instant::now() < file.next) {
            return;
        }
        let (begun, cpu) = (Instant::now(), thread_cpu());
        let mut report = self.report(outcome);
        report.partial = true;
        if let Some(file) = &mut self.file {
            // Whether the file can be written shows at the end, where the report is printed whatever comes of it.
            let _ = json::write_unsynced(&report, &file.path);
            file.next = begun + WRITE_EVERY.max((thread_cpu() - cpu) * WRITE_SHARE);
        }
    }
}

impl Observer for Recorder<'_> {
    fn progress(&mut self, progress: Progress) {
        let more = self.watcher.look(progress);
        progress::show(&self.bar, self.plan, progress, &more);
    }

    fn second(&mut self, second: &Second, so_far: &Outcome) {
        if second.number == 0 {
            // The only second of a short open loop comes after the wait for its last answers.
            self.started_unix_s = unix_now() - second.began.elapsed().as_secs_f64();
        }
        let mut row = SeriesRow::new(second);
        self.watcher.second(&mut row);
        self.series.push(row);
        self.save(so_far);
    }
}

/// Processor time of this thread.
fn thread_cpu() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

/// Seconds since 1970 by this machine's clock.
pub(crate) fn unix_now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64()
}
