//! The published figures as text, beside the measured one.

use std::fmt::{self, Display, Write as _};

use super::super::RunReport;
use super::{PresetReport, Published};

/// Microseconds in a millisecond.
const MILLI_US: f64 = 1000.0;
/// What stands for a number that is not known.
const DASH: &str = "-";

impl PresetReport {
    /// What is printed below the run, whose report is `run`.
    #[must_use]
    pub fn render(&self, run: &RunReport) -> String {
        let mut out = String::new();
        // Writing to a string can't fail.
        let _ = self.figures(&mut out, run);
        let _ = self.deviations(&mut out);
        out
    }

    fn figures(&self, out: &mut String, run: &RunReport) -> fmt::Result {
        writeln!(out, "\nPreset {}", self.name)?;
        row(out, "", &["requests/s", "mean ms", "max ms", "time-outs"])?;
        let latency = &run.latency_us;
        let rate = (run.requests > 0).then_some(run.requests_per_s);
        let [mean, max] = [latency.mean, latency.max].map(|us| number(us.map(|us| us / MILLI_US), 2));
        writeln!(out, "  Measured now, by this machine:")?;
        row(out, &run.url, &[number(rate, 0), mean, max, run.errors.timeout.to_string()])?;
        let mut setting = None;
        for figure in &self.published {
            let Published { year, hardware, tool, .. } = figure;
            if setting.replace((year, hardware, tool)) != Some((year, hardware, tool)) {
                writeln!(out, "  Published in {year}, on OTHER hardware, with {tool}:\n  ({hardware})")?;
            }
            let timeouts = figure.timeouts.map_or_else(|| DASH.to_owned(), |count| count.to_string());
            let rate = number(Some(figure.requests_per_s), 0);
            let [mean, max] = [figure.mean_ms, figure.max_ms].map(|ms| number(ms, 2));
            row(out, &figure.server, &[rate, mean, max, timeouts])?;
        }
        Ok(())
    }

    fn deviations(&self, out: &mut String) -> fmt::Result {
        if self.differences.is_empty() {
            return writeln!(out, "  The run has the shape that the preset names; the hardware is another.");
        }
        writeln!(out, "  Besides the hardware, this run differs from the published test:")?;
        self.differences.iter().try_for_each(|difference| writeln!(out, "    {difference}"))
    }
}

fn number(value: Option<f64>, digits: usize) -> String {
    value.map_or_else(|| DASH.to_owned(), |value| format!("{value:.digits$}"))
}

fn row(out: &mut String, name: &str, cells: &[impl Display; 4]) -> fmt::Result {
    let [rate, mean, max, timeouts] = cells;
    writeln!(out, "    {name:<40} {rate:>10} {mean:>10} {max:>10} {timeouts:>10}")
}
