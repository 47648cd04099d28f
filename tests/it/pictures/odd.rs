//! Reports as nobody writes them: any of them gives a page, and none a hang or a panic.

use std::collections::BTreeMap;

use boardkit::board::CoreLoad;
use boardkit::report::chart::{Named, Picture, Size};
use boardkit::report::page::page;
use boardkit::report::{ErrorCounts, RowLatencyUs, RunReport, SeriesRow};
use boardkit::telemetry::{ClockSample, Sample};

use super::{sample, variants};

/// The page and every picture.
fn everything(run: &RunReport) -> String {
    let named = Named { name: "odd", run };
    let percentiles = Picture::percentiles(&[named]).expect("sound histograms");
    for picture in [Picture::time(&[named]), percentiles, Picture::cores(named)].into_iter().flatten() {
        for size in [Size::Wide, Size::Narrow] {
            let svg = picture.svg(size);
            assert!(!svg.contains("NaN") && !svg.contains("inf "), "{svg}");
        }
    }
    page(&[named]).expect("sound histograms")
}

/// Values that a JSON file can hold.
const ODD: [f64; 7] = [0.0, -1.0, 1e-300, 1e300, f64::MAX, f64::MIN, 0.1];

fn odd_row(begin_s: f64, value: f64) -> SeriesRow {
    let load = CoreLoad { user: value, softirq: -value, ..CoreLoad::default() };
    let clock = ClockSample {
        cpus: vec![u32::MAX, 3],
        cur_khz: Some(u64::MAX),
        cap_khz: Some(0),
        max_khz: Some(u64::MAX),
    };
    let latency_us = RowLatencyUs { p50: Some(value), p99: Some(-value), ..RowLatencyUs::default() };
    SeriesRow {
        begin_s,
        length_s: value,
        requests: u64::MAX,
        requests_per_s: value,
        latency_us,
        errors: ErrorCounts { connect: u64::MAX, read: u64::MAX, ..ErrorCounts::default() },
        failed: u64::MAX,
        board: Some(Sample {
            interval_s: value,
            cores: (0..300).map(|core| (u32::MAX - core * 7, load)).collect(),
            clocks: vec![clock.clone(), clock],
            cpu_temp_c: Some(value),
            throttle_trip_c: Some(-value),
            ..Sample::default()
        }),
        ..SeriesRow::default()
    }
}

#[test]
fn odd_numbers_are_drawn_somehow() {
    for value in ODD {
        let series = ODD.iter().map(|begin_s| odd_row(*begin_s, value)).collect();
        let run = RunReport {
            duration_s: value,
            requests: 1,
            requests_per_s: value,
            bytes_per_s: value,
            series,
            ..variants::nothing()
        };
        assert!(everything(&run).contains("</html>"), "{value}");
    }
}

#[test]
fn unordered_rows_and_one_second_and_a_core_that_comes_and_goes() {
    let mut run = sample::hot(60, 1.0);
    run.series.reverse();
    let board = run.series[20].board.as_mut().expect("watched");
    board.cores = BTreeMap::from([(99, CoreLoad::default())]);
    run.series[40].board = None;
    assert!(everything(&run).contains("core 99"));
    run.series.truncate(1);
    assert!(everything(&run).contains("</html>"));
    run.series.clear();
    assert!(everything(&run).contains("</html>"));
}

#[test]
fn where_nothing_finished_no_axes_are_drawn_and_it_is_said() {
    let run = variants::nothing();
    let page = everything(&run);
    assert!(!page.contains("<svg"), "there is nothing to draw");
    for words in ["Partial:", "Nothing finished:", "are not known"] {
        assert!(page.contains(words), "no {words:?}");
    }
    // The rate of nothing is not 0.
    assert!(page.contains("<dt>Requests/s</dt><dd>–</dd>"), "{page}");
    let named = Named { name: "nothing", run: &run };
    assert!(Picture::time(&[named]).is_none() && Picture::cores(named).is_none());
}

#[test]
fn many_runs_and_long_names_still_make_pictures() {
    let run = variants::unwatched(5, 1.0);
    let names: Vec<String> = (0..15).map(|number| format!("{}-{number}", "long".repeat(40))).collect();
    let runs: Vec<Named<'_>> = names.iter().map(|name| Named { name, run: &run }).collect();
    let page = page(&runs).expect("sound histograms");
    assert!(page.contains("the first 12 of these 15 runs"), "it says what it leaves out");
    assert!(
        Picture::time(&runs).expect("seconds").svg(Size::Narrow).contains("…"),
        "names are cut to what fits"
    );
}
