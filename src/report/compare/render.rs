//! A comparison for people: as text, or as Markdown.

use super::table::Table;
use super::{Comparison, Server, words};
use crate::load::ErrorCounts;

/// What stands for a number that does not exist.
const DASH: &str = "-";
/// Lines are no longer than this, as far as the names of the servers allow.
const COLUMNS: usize = 100;
/// Microseconds in a millisecond.
const MILLI_US: f64 = 1000.0;
/// Bytes in a megabyte, as links and disks are sold.
const MEGA: f64 = 1e6;

/// The whole comparison as lines for a terminal.
#[must_use]
pub fn text(comparison: &Comparison) -> String {
    let mut parts = vec![wrapped(&conditions(comparison)), figures(comparison).text()];
    parts.extend(ratios(comparison).map(|ratios| ratios.text()));
    let labelled = |label: &'static str| move |line: &String| wrapped(&format!("{label}: {line}"));
    let warnings = comparison.warnings.iter().map(labelled("Warning"));
    parts.push(warnings.chain(comparison.notes.iter().map(labelled("Note"))).collect());
    parts.push(comparison.pairs.iter().map(|pair| wrapped(&pair.conclusion)).collect());
    parts.retain(|part| !part.is_empty());
    parts.join("\n")
}

/// A line, or several that fit into a terminal, those after the first moved in.
fn wrapped(text: &str) -> String {
    let (mut lines, mut length) = (String::new(), 0);
    for word in text.split(' ') {
        let added = word.chars().count() + 1;
        if length > 0 && length + added > COLUMNS + 1 {
            lines.push_str("\n  ");
            length = 2;
        } else if length > 0 {
            lines.push(' ');
        }
        lines.push_str(word);
        length += added;
    }
    lines + "\n"
}

/// The same in Markdown.
#[must_use]
pub fn markdown(comparison: &Comparison) -> String {
    let mut out = String::new();
    for pair in &comparison.pairs {
        out += &format!("**{}**\n\n", pair.conclusion);
    }
    out += &figures(comparison).markdown();
    if let Some(ratios) = ratios(comparison) {
        out += &format!("\n{}", ratios.markdown());
    }
    out.push('\n');
    let listed = |label: &str, lines: &[String]| -> String {
        lines.iter().map(|line| format!("- {label}{line}\n")).collect()
    };
    out += &listed("", &[conditions(comparison)]);
    out += &listed("Warning: ", &comparison.warnings);
    out + &listed("", &comparison.notes)
}

/// `60 rounds of 350ms for each server, in random order (seed 7); 10 connections, 2 threads`.
fn conditions(comparison: &Comparison) -> String {
    let Comparison { rounds, rounds_asked, turn_s, seed, settings, .. } = comparison;
    let turn = crate::units::Span(std::time::Duration::from_secs_f64(*turn_s));
    let mut said = match rounds.len() {
        all if all == *rounds_asked => format!("{all} rounds"),
        done => format!("Partial: {done} of {rounds_asked} rounds"),
    };
    said += &format!(", in each {turn} for each server, in random order (--seed {seed})");
    said += &format!("; {} connections, {} threads", settings.connections, settings.threads);
    if let Some(rate) = &settings.rate {
        said += &format!(", {rate} requests/s");
    }
    said
}

/// A figure of each server by row.
fn figures(comparison: &Comparison) -> Table {
    let mut rows = Vec::new();
    let mut row = |title: &str, value: &dyn Fn(&Server) -> String| {
        let cells = comparison.servers.iter().map(value);
        rows.push(std::iter::once(title.to_owned()).chain(cells).collect());
    };
    row("Requests per second", &|server| digits(server.typical.requests_per_s));
    row("Server CPU per request, us", &|server| digits(server.typical.server_cpu_us));
    if comparison.servers.iter().any(|server| server.process.is_some()) {
        row("  in the process", &|server| text_of(server.process.as_ref()));
    }
    row("Latency 50 %, ms", &|server| digits(server.typical.p50_us.map(|us| us / MILLI_US)));
    row("Latency 99 %, ms", &|server| digits(server.typical.p99_us.map(|us| us / MILLI_US)));
    row("Answer: status", &|server| text_of(server.answer.as_ref().map(|answer| answer.status)));
    row("Answer: bytes of content", &|server| decimals(server.typical.body_bytes, 0));
    row("Answer: bytes of head", &|server| decimals(server.typical.head_bytes, 0));
    row("Answer: bytes on the wire", &|server| decimals(server.typical.wire_bytes, 0));
    row("Content per second, MB", &|server| {
        digits(server.typical.body_bytes_per_s.map(|bytes| bytes / MEGA))
    });
    row("Wire per second, MB", &|server| digits(server.typical.wire_bytes_per_s.map(|bytes| bytes / MEGA)));
    row("Slowest connection / fastest", &|server| decimals(server.typical.slowest_by_fastest, 2));
    row("Longest gap of a connection, ms", &|server| digits(server.typical.worst_gap_ms));
    let mut sum = ErrorCounts::default();
    comparison.servers.iter().for_each(|server| sum.add(&server.typical.errors));
    // Without a round nothing was counted, which is not the same as no errors.
    let count = |count: u64| if comparison.rounds.is_empty() { DASH.to_owned() } else { count.to_string() };
    let failed: u64 = comparison.servers.iter().map(|server| server.typical.failed).sum();
    if sum == ErrorCounts::default() {
        row("Errors", &|_| count(0));
    }
    for (kind, get) in KINDS {
        if get(&sum) > 0 {
            row(&format!("Errors: {kind}"), &|server| count(get(&server.typical.errors)));
        }
    }
    if failed > 0 {
        row("Failed requests", &|server| count(server.typical.failed));
    }
    let names = comparison.servers.iter().map(|server| server.name.clone());
    Table { head: std::iter::once(String::new()).chain(names).collect(), rows, words: vec![0] }
}

/// The kinds of errors, as a run's report names them.
type Kind = (&'static str, fn(&ErrorCounts) -> u64);
const KINDS: [Kind; 5] = [
    ("connect", |errors| errors.connect),
    ("read", |errors| errors.read),
    ("write", |errors| errors.write),
    ("timeout", |errors| errors.timeout),
    ("status above 399", |errors| errors.status),
];

/// Each server against the first one; `None` when nothing is known of any.
fn ratios(comparison: &Comparison) -> Option<Table> {
    let mut rows = Vec::new();
    for pair in &comparison.pairs {
        for (metric, judgement) in &pair.metrics {
            let ratio = judgement.ratio.as_ref();
            let interval = ratio.map(|ratio| format!("{:.3} to {:.3}", ratio.low, ratio.high));
            rows.push(vec![
                pair.server.clone(),
                metric.title().to_owned(),
                decimals(ratio.map(|ratio| ratio.value), 3),
                text_of(interval),
                words::verdict(*metric, judgement),
            ]);
        }
    }
    let against = &comparison.pairs.first()?.against;
    let level = format!("{} % interval", percent_of(comparison.level));
    let head = [&format!("Against {against}"), "", "ratio", &level, "verdict"].map(str::to_owned).to_vec();
    Some(Table { head, rows, words: vec![0, 1, 4] })
}

/// `95`, `97.5`, `98.33`.
pub(super) fn percent_of(share: f64) -> String {
    let text = format!("{:.2}", share * 100.0);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn text_of(value: Option<impl ToString>) -> String {
    value.map_or_else(|| DASH.to_owned(), |value| value.to_string())
}

/// A number to about four digits.
fn digits(value: Option<f64>) -> String {
    let places = match value.map(f64::abs) {
        Some(1000.0..) => 0,
        Some(100.0..) => 1,
        Some(10.0..) => 2,
        _ => 3,
    };
    decimals(value, places)
}

fn decimals(value: Option<f64>, places: usize) -> String {
    text_of(value.map(|value| format!("{value:.places$}")))
}

#[cfg(test)]
#[path = "render_tests.rs"]
mod tests;
