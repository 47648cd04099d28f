//! The numbers of a run, as tables and tiles.

use super::html::Html;
use crate::report::figures::{self, UNKNOWN, latency, maybe_latency};
use crate::report::{RunReport, SeriesRow};

/// Rows of the table of seconds, at most; of a longer run each row is several seconds.
const MOST_ROWS: usize = 120;

/// What is looked for first.
pub(super) fn tiles(html: &mut Html, run: &RunReport) {
    let finished = run.requests > 0;
    let rate = if finished { figures::rate(run.requests_per_s) } else { UNKNOWN.to_owned() };
    html.markup("<dl class=\"tiles\">\n")
        .term("Requests/s", &rate)
        .term("p50", &maybe_latency(run.latency_us.p50))
        .term("p99", &maybe_latency(run.latency_us.p99))
        .term("Longest", &maybe_latency(run.latency_us.max))
        .term("Errors", &figures::count(figures::errors(&run.errors)))
        .term("Failed", &figures::count(run.failed))
        .markup("</dl>\n");
}

/// Latency, answers, errors, and second by second.
pub(super) fn tables(html: &mut Html, run: &RunReport) {
    html.markup("<div class=\"tables\">\n");
    if run.requests > 0 {
        let us = &run.latency_us;
        let percentiles = [
            ("50 %", us.p50),
            ("75 %", us.p75),
            ("90 %", us.p90),
            ("95 %", us.p95),
            ("99 %", us.p99),
            ("99.9 %", us.p999),
            ("longest", us.max),
            ("mean", us.mean),
        ];
        let rows: Vec<_> =
            percentiles.iter().map(|(name, us)| vec![(*name).to_owned(), maybe_latency(*us)]).collect();
        html.table("Latency", &["Percentile", "Within"], &rows);
    }
    let status = |(name, status): (&String, &crate::report::StatusReport)| {
        vec![
            name.clone(),
            figures::count(status.count),
            maybe_latency(status.latency_us.p50),
            maybe_latency(status.latency_us.p99),
        ]
    };
    let rows: Vec<_> = run.statuses.iter().map(status).collect();
    if !rows.is_empty() {
        html.table("Answers", &["Status", "Count", "p50", "p99"], &rows);
    }
    let kinds = [
        ("Connect", run.errors.connect),
        ("Read", run.errors.read),
        ("Write", run.errors.write),
        ("Time-out", run.errors.timeout),
        ("Status above 399", run.errors.status),
    ];
    let rows: Vec<_> =
        kinds.iter().map(|(kind, count)| vec![(*kind).to_owned(), figures::count(*count)]).collect();
    html.table("Errors", &["Kind", "Count"], &rows);
    html.markup("</div>\n");
    seconds(html, &run.series);
}

/// Every second, or in a long run some seconds together with the worst of them.
fn seconds(html: &mut Html, series: &[SeriesRow]) {
    if series.is_empty() {
        return;
    }
    let each = series.len().div_ceil(MOST_ROWS);
    let row = |rows: &[SeriesRow]| {
        let length: f64 = rows.iter().map(|row| row.length_s).sum();
        let requests: f64 = rows.iter().map(|row| row.requests as f64).sum();
        let worst = |of: fn(&SeriesRow) -> Option<f64>| rows.iter().filter_map(of).reduce(f64::max);
        let wrong = rows.iter().fold(0, |sum: u64, row| sum.saturating_add(figures::errors(&row.errors)));
        let rate = if length > 0.0 { figures::rate(requests / length) } else { UNKNOWN.to_owned() };
        vec![
            figures::moment(rows[0].begin_s),
            rate,
            maybe_latency(worst(|row| row.latency_us.p50)),
            maybe_latency(worst(|row| row.latency_us.p99)),
            maybe_latency(worst(|row| row.latency_us.max)),
            figures::count(wrong),
        ]
    };
    let rows: Vec<_> = series.chunks(each).map(row).collect();
    let (summary, caption) = if each == 1 {
        ("Second by second".to_owned(), "What ended in each second".to_owned())
    } else {
        let span = figures::moment(each as f64);
        (format!("Every {span}"), format!("Mean rate, and latencies of the worst second, of every {span}"))
    };
    html.element("<details><summary>", &summary, "</summary>\n");
    html.table(&caption, &["From", "Requests/s", "p50", "p99", "Longest", "Errors"], &rows)
        .markup("</details>\n");
}

/// What was asked for and under which conditions.
pub(super) fn conditions(html: &mut Html, run: &RunReport) {
    let settings = &run.settings;
    let keep_alive = match (settings.keep_alive, settings.pipeline) {
        (false, _) => "one request each".to_owned(),
        (true, 2..) => format!("kept, {} requests at once on each", settings.pipeline),
        (true, _) => "kept".to_owned(),
    };
    let opened = format!("{} asked, {} opened, {keep_alive}", run.connections.asked, run.connections.opened);
    let asked = settings.requests.map_or_else(
        || figures::moment(settings.duration_s),
        |count| format!("{} requests", figures::count(count as u64)),
    );
    let length = format!(
        "{} measured, {asked} asked, after {} of warm-up",
        figures::moment(run.duration_s),
        figures::moment(settings.warmup_s)
    );
    let known = |text: &str| if text.is_empty() { UNKNOWN.to_owned() } else { text.to_owned() };
    let versions = run.environment.versions.iter().map(|(program, version)| format!("{program} {version}"));
    let client =
        run.client_cpu.per_request_us.map_or(UNKNOWN.to_owned(), |us| format!("{} per request", latency(us)));
    html.markup("<dl class=\"terms\">\n")
        .term("URL", &known(&run.url))
        .term("Request", &known(&settings.request))
        .term("Started", &figures::date(run.started_unix_s))
        .term("Length", &length)
        .term("Requests", &figures::count(run.requests))
        .term("Connections", &opened)
        .term("Threads", &run.threads.to_string())
        .term("Load", &offered(run))
        .term("Time-out", &figures::moment(settings.timeout_s))
        .term(
            "Read",
            &format!("{}, {} a second", figures::bytes(run.bytes as f64), figures::bytes(run.bytes_per_s)),
        )
        .term("Processor time of the load tester", &client)
        .term("Load tester on", &known(&run.environment.machine))
        .term("Kernel", &known(&run.environment.kernel))
        .term("Programs", &known(&versions.collect::<Vec<_>>().join(", ")))
        .markup("</dl>\n");
    html.markup("<p class=\"command\"><span>Command</span> <code>").text(&known(&run.environment.command));
    html.markup("</code></p>\n");
}

/// Closed loop, or the rate of an open one with what became of it.
fn offered(run: &RunReport) -> String {
    let Some(open) = &run.open_loop else {
        return "closed loop: the next request when the answer is there".to_owned();
    };
    let asked = run.settings.rate.as_deref().unwrap_or(UNKNOWN);
    format!(
        "open loop of {asked} requests a second: {} due, {} answered, {} failed, {} unanswered; {} started late by the \
         load tester's own fault",
        figures::count(open.arrivals),
        figures::count(open.answered),
        figures::count(open.failed),
        figures::count(open.unanswered),
        figures::count(open.late)
    )
}
