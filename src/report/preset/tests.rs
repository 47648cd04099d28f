//! Tests of the presets: the table is sound, and a difference is never passed over.

use std::collections::BTreeSet;

use super::super::{Answers, LatencyUs, StatusReport};
use super::*;
use crate::load::{RequestParts, Schedule, Url};

fn preset(name: &str) -> &'static Preset {
    name.parse().unwrap()
}

/// A plan of the preset's own shape.
fn plan(preset: &Preset) -> LoadPlan {
    let url: Url = format!("http://10.0.0.5{}", preset.shape.path).parse().unwrap();
    let parts = RequestParts { keep_alive: true, ..RequestParts::default() };
    LoadPlan {
        request: parts.render(&url).unwrap(),
        url,
        connections: preset.shape.connections,
        threads: preset.shape.threads,
        duration: preset.shape.duration(),
        requests: preset.shape.requests,
        warmup: Duration::ZERO,
        timeout: Duration::from_secs(2),
        pipeline: 1,
        retry: true,
        schedule: None,
    }
}

/// A run of `plan` from another machine, and what it found: answers of so many bytes, all of them good.
fn run(plan: &LoadPlan, body: u64) -> (Outcome, RunReport) {
    let mut outcome = Outcome::empty(plan, plan.threads);
    outcome.address = Some(([10, 0, 0, 5], 80).into());
    let all = StatusReport { count: 1000, after_end: 0, latency_us: LatencyUs::default() };
    let report = RunReport {
        url: plan.url.to_string(),
        requests: 1000,
        requests_per_s: 100.0,
        latency_us: LatencyUs { mean: Some(1910.0), max: Some(33_100.0), ..LatencyUs::default() },
        classes: [("2xx".to_owned(), all)].into(),
        answers: Answers {
            shortest_body_bytes: Some(body),
            longest_body_bytes: Some(body),
            ..Answers::default()
        },
        ..RunReport::default()
    };
    (outcome, report)
}

#[test]
fn the_table_is_sound() {
    let names: BTreeSet<_> = Preset::all().iter().map(|preset| preset.name).collect();
    let wanted = ["nxweb-c400", "orange-pi-c100", "orange-pi-c500", "techempower-json", "zinc-16k"];
    assert_eq!(names.into_iter().collect::<Vec<_>>(), wanted);
    for preset in Preset::all() {
        assert!(!preset.published.is_empty() && preset.summary.len() <= 80, "{}", preset.name);
        assert!(preset.shape.threads <= preset.shape.connections, "{}", preset.name);
        for figure in preset.published {
            assert!(figure.requests_per_s > 0.0 && (2000..2030).contains(&figure.year), "{figure:?}");
            assert!(!figure.hardware.is_empty() && !figure.tool.is_empty() && figure.server.len() <= 40);
            assert!(figure.mean_ms < figure.max_ms || figure.mean_ms.is_none(), "{figure:?}");
        }
    }
    let error = "bogus".parse::<&'static Preset>().unwrap_err();
    assert!(wanted.iter().all(|name| error.contains(name)), "{error}");
}

#[test]
fn the_published_shape_differs_in_nothing() {
    for preset in Preset::all() {
        let plan = plan(preset);
        let (outcome, report) = run(&plan, preset.shape.body.0);
        assert_eq!(preset.report(&plan, &outcome, &report).differences, [""; 0], "{}", preset.name);
    }
}

#[test]
fn each_difference_is_named() {
    let preset = preset("orange-pi-c100");
    type Change = fn(&mut LoadPlan, &mut Outcome, &mut RunReport);
    let cases: [(Change, &str); 14] = [
        (|plan, _, _| plan.requests = Some(500), "500 requests instead of 10s"),
        (|plan, _, _| plan.connections = 1, "1 connection instead of 100"),
        (|_, outcome, _| outcome.threads = 2, "2 threads instead of 10"),
        (|plan, _, _| plan.duration = Duration::from_secs(3), "3s instead of 10s"),
        (|_, outcome, _| outcome.partial = true, "stopped after 0.0 s"),
        (|plan, _, _| plan.warmup = Duration::from_secs(3), "a warm-up of 3s, where there was none"),
        (
            |plan, _, _| {
                let parts = RequestParts { keep_alive: true, ..RequestParts::default() };
                plan.url = plan.url.at("/").unwrap();
                plan.request = parts.render(&plan.url).unwrap();
            },
            "the path /, given by hand, instead of /bytes/18",
        ),
        (
            |plan, _, _| plan.request = RequestParts::default().render(&plan.url).unwrap(),
            "a connection for each request instead of kept ones",
        ),
        (
            |plan, _, _| {
                let method = "POST".to_owned();
                let parts = RequestParts { method, keep_alive: true, ..RequestParts::default() };
                plan.request = parts.render(&plan.url).unwrap();
            },
            "another request than a plain GET",
        ),
        (|plan, _, _| plan.pipeline = 8, "8 requests at once on each connection instead of one"),
        (
            |plan, _, _| plan.schedule = Schedule::constant(5.0).ok(),
            "an open loop (--rate) instead of a closed one",
        ),
        (
            |_, outcome, _| outcome.address = Some(([127, 0, 0, 1], 80).into()),
            "server and load tester on one machine, where they were on two",
        ),
        (
            |_, _, report| report.answers.longest_body_bytes = Some(20),
            "answers of 18 to 20 bytes instead of 18",
        ),
        (|_, _, report| report.requests = 1001, "1 of 1001 answers have a status other than 2xx"),
    ];
    for (change, said) in cases {
        let mut plan = plan(preset);
        let (mut outcome, mut report) = run(&plan, 18);
        change(&mut plan, &mut outcome, &mut report);
        assert_eq!(preset.report(&plan, &outcome, &report).differences, [said]);
    }
    let json = super::tests::preset("techempower-json");
    let plan = super::tests::plan(json);
    let (outcome, report) = run(&plan, 13);
    let differences = json.report(&plan, &outcome, &report).differences;
    assert_eq!(differences, ["answers of 13 bytes instead of 27 to 28"]);
}

#[test]
fn published_figures_cannot_be_taken_for_ours() {
    let preset = preset("techempower-json");
    let plan = plan(preset);
    let (outcome, mut report) = run(&plan, 27);
    let text = preset.report(&plan, &outcome, &report).render(&report);
    let expected = "
Preset techempower-json
                                             requests/s    mean ms     max ms  time-outs
  Measured now, by this machine:
    http://10.0.0.5/json                            100       1.91      33.10          0
  Published in 2018, on OTHER hardware, with wrk -t4 -c100 -d10s:
  (Intel i7-6700, Debian 9)
    Guile's web server                             1669          -          -          -
    Fibers                                         1630          -          -          -
    Ragnarok, one instance                         1543          -          -          -
    Ragnarok, four instances                       4469          -          -          -
  Published in 2018, on OTHER hardware, with wrk -t4 -c1000 -d10s:
  (Intel i7-6700, Debian 9)
    Guile's web server                             1698          -    1900.00         39
    Fibers                                         1567          -     670.00          0
    Ragnarok, one instance                         1574          -    1970.00       1556
    Ragnarok, four instances                       4684          -     560.00          0
  The run has the shape that the preset names; the hardware is another.
";
    assert_eq!(text, expected);
    report.requests = 0;
    report.latency_us = LatencyUs::default();
    let text = preset.report(&plan, &outcome, &report).render(&report);
    assert!(text.contains(
        "    http://10.0.0.5/json                              -          -          -          0\n"
    ));
}
