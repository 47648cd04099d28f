//! In what a run differs from the published test.

use std::time::Duration;

use super::super::RunReport;
use super::Shape;
use crate::load::{LoadPlan, Outcome, RequestParts};
use crate::units::Span;

pub(super) fn of(shape: &Shape, plan: &LoadPlan, outcome: &Outcome, report: &RunReport) -> Vec<String> {
    let mut found = Vec::new();
    let mut differs = |yes: bool, what: String| found.extend(yes.then_some(what));
    let count = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    differs(
        plan.connections != shape.connections,
        format!("{} instead of {}", count(plan.connections, "connection"), shape.connections),
    );
    differs(
        outcome.threads != shape.threads,
        format!("{} instead of {}", count(outcome.threads, "thread"), shape.threads),
    );
    let (length, published) =
        (length(plan.requests, plan.duration), length(shape.requests, shape.duration()));
    differs(length != published, format!("{length} instead of {published}"));
    differs(outcome.partial, format!("stopped after {:.1} s", outcome.measured.as_secs_f64()));
    differs(!plan.warmup.is_zero(), format!("a warm-up of {}, where there was none", Span(plan.warmup)));
    let path = plan.url.path();
    differs(path != shape.path, format!("the path {path}, given by hand, instead of {}", shape.path));
    differs(!plan.request.keep_alive, "a connection for each request instead of kept ones".to_owned());
    differs(!is_plain(plan), "another request than a plain GET".to_owned());
    differs(
        plan.pipeline > 1,
        format!("{} requests at once on each connection instead of one", plan.pipeline),
    );
    differs(plan.schedule.is_some(), "an open loop (--rate) instead of a closed one".to_owned());
    let near = outcome.address.is_some_and(|address| address.ip().is_loopback());
    differs(
        near && shape.apart == Some(true),
        "server and load tester on one machine, where they were on two".to_owned(),
    );
    found.extend(answers(shape, report));
    found
}

/// `10000 requests`, or where no number was asked for the time, `10s`.
fn length(requests: Option<usize>, duration: Duration) -> String {
    requests.map_or_else(|| Span(duration).to_string(), |count| format!("{count} requests"))
}

/// Whether the request is what this program sends without being told more, apart from keep-alive.
fn is_plain(plan: &LoadPlan) -> bool {
    let plain = RequestParts { keep_alive: plan.request.keep_alive, ..RequestParts::default() };
    plain.render(&plan.url).is_ok_and(|plain| plain.bytes == plan.request.bytes)
}

/// Whether the answers are of the published size, and were good at all.
fn answers(shape: &Shape, report: &RunReport) -> Vec<String> {
    let mut found = Vec::new();
    let (from, to) = shape.body;
    let published = if from == to { format!("{from}") } else { format!("{from} to {to}") };
    let sizes = (report.answers.shortest_body_bytes, report.answers.longest_body_bytes);
    if let (Some(least), Some(most)) = sizes
        && (least < from || most > to)
    {
        let ours = if least == most { format!("{least}") } else { format!("{least} to {most}") };
        found.push(format!("answers of {ours} bytes instead of {published}"));
    }
    let good = report.classes.get("2xx").map_or(0, |class| class.count);
    if good < report.requests {
        let bad = report.requests - good;
        found.push(format!("{bad} of {} answers have a status other than 2xx", report.requests));
    }
    found
}
