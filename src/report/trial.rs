//! The result of `try`: a run against a server on the same machine, with that machine as the board.

use crate::units::SECOND_US;
use std::collections::BTreeMap;
use std::fmt::{self, Display, Write as _};

use serde::Serialize;

use super::RunReport;
use super::seen::Seen;
use crate::board::{BoardFacts, CoreLoad};
use crate::tune::Plan;
use crate::units::WrkBinary;

/// The server's side of a trial.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ServerSide {
    /// Processor time while the load ran, in seconds; `null` when it could not be read.
    pub cpu_s: Option<f64>,
    /// That per finished request, in microseconds.
    pub cpu_per_request_us: Option<f64>,
    /// Resident memory before the load, in bytes.
    pub rss_idle_bytes: Option<u64>,
    /// Resident memory at the end of the load, in bytes.
    pub rss_loaded_bytes: Option<u64>,
    /// What it said when it stopped.
    pub summary: Option<String>,
}

/// Everything that `try` found out.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TrialReport {
    /// The run.
    #[serde(flatten)]
    pub run: RunReport,
    /// The machine.
    pub board: BoardFacts,
    /// What the server decides on such a machine, and why.
    pub plan: Plan,
    /// Load of each core while the load ran, by its number; empty when it could not be read.
    pub cores: BTreeMap<u32, CoreLoad>,
    /// The server.
    pub server: ServerSide,
}

impl TrialReport {
    /// Puts a run together with what is known of its machine. `idle_bytes` is the server's memory before the load, and
    /// `summary` what it said when it stopped.
    #[must_use]
    pub fn new(
        run: RunReport,
        board: BoardFacts,
        plan: Plan,
        idle_bytes: Option<u64>,
        summary: Option<String>,
    ) -> Self {
        let seen = Seen::board(&run.series);
        let cpu_s = seen.server.map(|server| server.cores * run.duration_s);
        let last = run.series.iter().rev().find_map(|row| row.board.as_ref()?.server.as_ref());
        let server = ServerSide {
            cpu_s,
            cpu_per_request_us: cpu_s
                .filter(|_| run.requests > 0)
                .map(|cpu_s| cpu_s * SECOND_US / run.requests as f64),
            rss_idle_bytes: idle_bytes,
            rss_loaded_bytes: last.and_then(|server| server.rss_bytes),
            summary,
        };
        Self { run, board, plan, cores: seen.cores, server }
    }

    /// What is printed under the figures of the run, before it is judged.
    #[must_use]
    pub fn render(&self) -> String {
        let mut out = String::new();
        // Writing to a string can't fail.
        let _ = self.cores(&mut out);
        let _ = self.server(&mut out);
        out
    }

    fn cores(&self, out: &mut String) -> fmt::Result {
        writeln!(out, "\nLoad per core (%)\n  {}", row("core", TITLES))?;
        for (core, load) in &self.cores {
            let columns =
                [load.busy(), load.user + load.nice, load.system, load.irq + load.softirq, load.steal];
            writeln!(out, "  {}  {}", row(core, columns.map(percent)), bar(load.busy()))?;
        }
        if self.cores.is_empty() {
            writeln!(out, "  {}", row("-", ["-"; TITLES.len()]))?;
        }
        Ok(())
    }

    fn server(&self, out: &mut String) -> fmt::Result {
        let memory =
            |bytes: Option<u64>| bytes.map_or("-".to_owned(), |bytes| WrkBinary(bytes as f64).to_string());
        let (idle, loaded) = (memory(self.server.rss_idle_bytes), memory(self.server.rss_loaded_bytes));
        writeln!(out, "\nServer memory: {idle} idle, {loaded} at the end of the load")?;
        let cpu = self.server.cpu_s.zip(self.server.cpu_per_request_us);
        let cpu = cpu.map_or("-".to_owned(), |(all, each)| format!("{all:.2}s, {each:.2}us per request"));
        writeln!(out, "Server CPU: {cpu}")?;
        if let Some(summary) = &self.server.summary {
            writeln!(out, "{summary}")?;
        }
        Ok(())
    }
}

/// The columns of the table of cores; network interrupts are in the fourth.
const TITLES: [&str; 5] = ["busy", "user", "system", "irq", "steal"];

fn row(name: impl Display, cells: [impl Display; TITLES.len()]) -> String {
    let mut line = format!("{name:>4}");
    for cell in cells {
        let _ = write!(line, " {cell:>6}");
    }
    line
}

fn percent(fraction: f64) -> String {
    format!("{:.0}", fraction * 100.0)
}

/// A fraction as twenty characters.
fn bar(fraction: f64) -> String {
    (0..20).map(|step| if fraction * 20.0 > f64::from(step) + 0.5 { '#' } else { '.' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_have_one_width() {
        for fraction in [0.0, 0.02, 0.5, 1.0, 1.2] {
            assert_eq!(bar(fraction).len(), 20);
        }
        assert_eq!(bar(0.5), "##########..........");
    }
}
