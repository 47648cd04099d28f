//! Runs that differ from the usual one: unwatched, without a result, asked for much, or from somebody who wishes ill.

use boardkit::load::Tried;
use boardkit::report::preset::Published;
use boardkit::report::{
    BoundReport, ErrorCounts, PresetReport, ProbeReport, RunReport, SearchReport, SeriesRow, SloReport,
    SoakReport,
};

use super::sample::hot;

/// A run of which nobody watched the machines.
pub(crate) fn unwatched(seconds: u32, speed: f64) -> RunReport {
    let mut run = hot(seconds, speed);
    run.series.iter_mut().for_each(|row| row.board = None);
    RunReport { verdict: None, validity: None, ..run }
}

/// A run that was broken off before anything finished.
pub(crate) fn nothing() -> RunReport {
    RunReport {
        form: RunReport::FORM.to_owned(),
        url: "http://10.0.0.9/".to_owned(),
        partial: true,
        errors: ErrorCounts { connect: 40, ..ErrorCounts::default() },
        series: vec![SeriesRow { length_s: 1.0, ..SeriesRow::default() }],
        ..RunReport::default()
    }
}

/// A run of which much was asked: an SLO, a search for the highest rate, a ramp, a soak, a published test.
pub(crate) fn asked() -> RunReport {
    let mut run = hot(60, 1.0);
    let bound = BoundReport {
        bound: "p99<20ms".to_owned(),
        limit_us: Some(20_000.0),
        found_us: Some(25_200.0),
        ..BoundReport::default()
    };
    let probe = |rate, result| ProbeReport {
        rate,
        result,
        achieved_per_s: rate * 0.99,
        latency_us: run.latency_us,
        errors: 3,
        late: 1,
        waited: 20,
        arrivals: 30_000,
        bounds: vec![bound.clone()],
    };
    run.search = Some(SearchReport {
        slo: "p99<20ms".to_owned(),
        holds: Some(9_000.0),
        breaks: Some(9_400.0),
        edge: Some(9_200.0),
        finished: true,
        probes: vec![probe(9_000.0, Tried::Held), probe(9_400.0, Tried::Broke), probe(20_000.0, Tried::Late)],
        ..SearchReport::default()
    });
    run.slo = Some(SloReport { asked: "p99<20ms".to_owned(), met: false, bounds: vec![bound] });
    run.soak = Some(SoakReport { burst_per_s: Some(13_500.0), clock_known: true, ..SoakReport::default() });
    run.preset = Some(PresetReport {
        name: "orange-pi-c100".into(),
        published: vec![Published {
            server: "a server of the time".into(),
            requests_per_s: 4_000.5,
            mean_ms: Some(25.3),
            max_ms: None,
            timeouts: None,
            tool: "wrk -t2 -c100".into(),
            hardware: "Orange Pi One".into(),
            year: 2017,
        }],
        differences: vec!["it loaded for 60 s, the published test for 30 s".to_owned()],
    });
    run
}

/// Text that would be markup where it is not escaped.
pub(crate) const HOSTILE: &str =
    "http://x/</script></title></svg><svg onload=alert(1)>\"'&amp;<img src=//evil.example/x>";

/// A run from somebody who wishes the reader ill.
pub(crate) fn hostile() -> RunReport {
    let mut run = hot(60, 1.0);
    let bad = || HOSTILE.to_owned();
    run.url = bad();
    run.notes.push(bad());
    run.settings.request = bad();
    run.environment.command = bad();
    run.environment.versions.insert(bad(), bad());
    if let Some(verdict) = &mut run.verdict {
        verdict.headline = bad();
        verdict.candidates[0].evidence = bad();
    }
    if let Some(validity) = &mut run.validity {
        validity.marks[0].text = bad();
    }
    let status = *run.statuses.values().next().expect("one status");
    run.statuses.insert(bad(), status);
    run
}
