//! What was asked of the server besides load, and how it did: an SLO, a search for the highest rate, a ramp, a soak,
//! a published test.

use super::html::Html;
use crate::load::Tried;
use crate::report::figures::{self, UNKNOWN, maybe_latency};
use crate::report::{PresetReport, RunReport, SearchReport, SloReport, SoakReport, StepReport};

/// All of it, as far as it is there.
pub(super) fn asked(html: &mut Html, run: &RunReport) {
    run.slo.as_ref().into_iter().for_each(|report| slo(html, report));
    run.search.as_ref().into_iter().for_each(|report| search(html, report));
    if let Some(open) = run.open_loop.as_ref().filter(|open| !open.steps.is_empty()) {
        steps(html, &open.steps);
    }
    run.soak.as_ref().into_iter().for_each(|report| soak(html, report));
    run.preset.as_ref().into_iter().for_each(|report| preset(html, report));
}

fn slo(html: &mut Html, slo: &SloReport) {
    html.markup("<h3>What was asked of the server</h3>\n");
    let kept = if slo.met { "kept" } else { "not kept" };
    html.element("<p>", &format!("{}: {kept}", slo.asked), "</p>\n");
    let broken: Vec<String> =
        slo.broken().map(|bound| format!("{} was asked, and it was {bound}", bound.bound)).collect();
    html.sentences(broken.iter().map(String::as_str));
}

fn search(html: &mut Html, search: &SearchReport) {
    html.markup("<h3>Search for the highest rate</h3>\n").sentences(search.render().lines());
    let row = |probe: &crate::report::ProbeReport| {
        let result = match probe.result {
            Tried::Held => "held",
            Tried::Broke => "broke",
            Tried::Late => "load tester late",
        };
        vec![
            figures::rate(probe.rate),
            result.to_owned(),
            figures::rate(probe.achieved_per_s),
            maybe_latency(probe.latency_us.p50),
            maybe_latency(probe.latency_us.p99),
            figures::count(probe.errors),
        ]
    };
    let rows: Vec<_> = search.probes.iter().map(row).collect();
    html.markup("<details><summary>All tries</summary>\n");
    html.table("Tries in their order", &["Rate", "Result", "Achieved", "p50", "p99", "Errors"], &rows);
    html.markup("</details>\n");
}

fn steps(html: &mut Html, steps: &[StepReport]) {
    let row = |step: &StepReport| {
        vec![
            figures::rate(step.rate),
            step.achieved_per_s.map_or(UNKNOWN.to_owned(), figures::rate),
            maybe_latency(step.latency_us.p50),
            maybe_latency(step.latency_us.p99),
            figures::count(step.errors),
            figures::count(step.late),
            if step.kept_up { "yes" } else { "no" }.to_owned(),
        ]
    };
    let rows: Vec<_> = steps.iter().map(row).collect();
    html.markup("<h3>Steps</h3>\n");
    let heads = ["Rate", "Achieved", "p50", "p99", "Errors", "Started late", "Kept up"];
    html.table("Requests per second that were asked for, step by step", &heads, &rows);
}

fn soak(html: &mut Html, soak: &SoakReport) {
    let unknown = || UNKNOWN.to_owned();
    let rate = |per_s: f64| format!("{} requests a second", figures::rate(per_s));
    let sustained = soak.sustained.map_or_else(unknown, |found| {
        let kept = soak.kept_percent.map_or_else(unknown, |percent| figures::percent(percent / 100.0));
        let (from, to) = (figures::moment(found.from_s), figures::moment(found.to_s));
        format!("{} from {from} to {to}, {kept} of the burst", rate(found.per_s))
    });
    let throttled = match (soak.throttled_after_s, soak.clock_known) {
        (Some(s), _) => format!("after {}", figures::moment(s)),
        (None, true) => "not within this time".to_owned(),
        (None, false) => "not within this time by the rate; the clock is not known".to_owned(),
    };
    let settled = match (soak.settled, soak.unsettled.as_slice()) {
        (true, _) => "yes".to_owned(),
        (false, []) => "no".to_owned(),
        (false, reasons) => format!("no: {}", reasons.join(", ")),
    };
    html.markup("<h3>Soak</h3>\n<dl class=\"terms\">\n")
        .term("Burst", &soak.burst_per_s.map_or_else(unknown, rate))
        .term("Sustained", &sustained)
        .term("Slowed down", &throttled)
        .term("Settled", &settled)
        .term("Hottest", &soak.hottest_c.map_or_else(unknown, figures::degrees))
        .markup("</dl>\n");
}

fn preset(html: &mut Html, preset: &PresetReport) {
    html.element("<h3>The published test ", &preset.name, "</h3>\n");
    html.markup(
        "<p>The published figures are from other hardware, and not to be mistaken for this run's.</p>\n",
    );
    let row = |one: &crate::report::preset::Published| {
        vec![
            one.server.to_string(),
            figures::rate(one.requests_per_s),
            maybe_latency(one.mean_ms.map(|ms| ms * 1e3)),
            maybe_latency(one.max_ms.map(|ms| ms * 1e3)),
            one.timeouts.map_or(UNKNOWN.to_owned(), figures::count),
            one.tool.to_string(),
            format!("{}, {}", one.hardware, one.year),
        ]
    };
    let rows: Vec<_> = preset.published.iter().map(row).collect();
    let heads = ["Server", "Requests/s", "Mean", "Longest", "Time-outs", "Load tester", "Hardware"];
    html.table("Published figures", &heads, &rows);
    if !preset.differences.is_empty() {
        html.markup("<p>This run differs from that test:</p>\n");
        html.sentences(preset.differences.iter().map(String::as_str));
    }
}
