//! How the report of a run is printed: in our own layout, or in another tool's.

use std::io::{self, Write};
use std::time::Duration;

use anyhow::Result;
use boardkit::load::{self, LoadPlan, ProbeAnswer};
use boardkit::report::like::{Conditions, Like};
use boardkit::report::{RunReport, text};
use boardkit::units::Span;

use crate::args::LoadFlags;
use crate::load::print;

/// The longest wait for the one answer that a layout wants to know: nothing hears Ctrl-C meanwhile.
const PATIENCE: Duration = Duration::from_secs(5);

/// What is known before the run.
pub(crate) struct Layout<'a> {
    plan: &'a LoadPlan,
    like: Option<Like>,
    sent_body: bool,
    first: Option<ProbeAnswer>,
}

impl<'a> Layout<'a> {
    /// Prints what stands above the report, and asks the server for what the layout says of it.
    ///
    /// # Errors
    /// When nothing can be printed.
    pub(crate) fn begin(plan: &'a LoadPlan, flags: &LoadFlags, like: Option<Like>) -> Result<Self> {
        let headline = match (like, plan.requests) {
            (Some(like), _) => like.headline(plan.duration, &plan.url),
            (None, Some(requests)) => Some(text::headline(format!("{requests} requests"), &plan.url)),
            (None, None) => Some(text::headline(format!("{} test", Span(plan.duration)), &plan.url)),
        };
        if let Some(headline) = headline {
            print(&(headline + "\n"))?;
        }
        // A server that does not answer is the run's to report; the layout has dashes for it.
        let ask = || load::probe(&plan.url, &plan.request, plan.timeout.min(PATIENCE)).ok();
        let first = like.filter(|like| like.needs_first()).and_then(|_| ask());
        Ok(Self { plan, like, sent_body: flags.body.is_some(), first })
    }

    /// Prints the report. In another tool's layout the warnings go to the error output, where they disturb no script.
    ///
    /// # Errors
    /// When nothing can be printed.
    pub(crate) fn print(&self, report: &RunReport) -> Result<()> {
        let published = report.preset.as_ref().map(|preset| preset.render(report)).unwrap_or_default();
        let Some(like) = self.like else { return print(&(text::render(report) + &published)) };
        let conditions = Conditions {
            url: &self.plan.url,
            keep_alive: self.plan.request.keep_alive,
            sent_body: self.sent_body,
            first: self.first.as_ref(),
        };
        print(&like.render(report, &conditions))?;
        // Nobody to read it is no reason to fail.
        let _ = io::stderr().write_all((text::warnings(report) + &published).as_bytes());
        Ok(())
    }
}
