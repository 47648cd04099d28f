//! What is in the pictures, read from their SVG.

use boardkit::report::RunReport;
use boardkit::report::chart::{Named, Picture, Scheme, Size};
use boardkit::report::page::page;

use super::{sample, variants};

/// Parts of a pixel that the pictures count in.
const PARTS: f64 = 6.0;

/// Left and right end of the plots of a wide picture, in pixels.
const ENDS: (f64, f64) = (70.0, 930.0);

fn named(run: &RunReport) -> Named<'_> {
    Named { name: "run", run }
}

fn time(run: &RunReport) -> String {
    Picture::time(&[named(run)]).expect("it has seconds").svg(Size::Wide)
}

/// The elements of that name: what is between their brackets.
fn elements<'a>(svg: &'a str, name: &str) -> Vec<&'a str> {
    let starts =
        svg.split('<').filter(move |part| part.strip_prefix(name).is_some_and(|rest| rest.starts_with(' ')));
    starts.filter_map(|part| part.split('>').next()).collect()
}

fn attribute<'a>(element: &'a str, name: &str) -> &'a str {
    let start = element.find(&format!(" {name}=\"")).unwrap_or_else(|| panic!("no {name} in {element}"));
    element[start + name.len() + 3..].split('"').next().unwrap_or_default()
}

/// A measure in pixels.
fn px(element: &str, name: &str) -> f64 {
    attribute(element, name).parse::<f64>().expect("a number") / PARTS
}

/// The texts of a picture, with plain spaces.
fn texts(svg: &str) -> Vec<String> {
    let inside = |part: &str| part.split_once('>').map(|(_, rest)| rest.trim().replace('\u{a0}', " "));
    svg.split("<text").skip(1).filter_map(|part| inside(part.split("</text>").next()?)).collect()
}

/// Fills of areas in which something was slowed down, and their ends.
fn shades(svg: &str) -> Vec<(f64, f64)> {
    let shaded = elements(svg, "rect").into_iter().filter(|rect| rect.contains("\"#FBECD0\""));
    shaded.map(|rect| (px(rect, "x"), px(rect, "x") + px(rect, "width"))).collect()
}

#[test]
fn axes_are_labelled_and_lines_named() {
    let svg = time(&sample::hot(60, 1.0));
    let texts = texts(&svg);
    for expected in [
        "Requests per second",
        "15k",
        "10k",
        "0",
        "Latency",
        "p50",
        "p99",
        "1 ms",
        "100 ms",
        "60 s",
        "errors",
    ] {
        assert!(texts.iter().any(|text| text == expected), "no {expected:?} in {texts:?}");
    }
    let percentiles = Picture::percentiles(&[named(&sample::hot(60, 1.0))]).expect("sound").expect("some");
    let texts = self::texts(&percentiles.svg(Size::Wide));
    for expected in ["50 %", "90 %", "99 %", "99.9 %", "99.99 %"] {
        assert!(texts.iter().any(|text| text == expected), "no {expected:?} in {texts:?}");
    }
}

#[test]
fn the_stretch_with_a_capped_clock_is_shaded_and_labelled() {
    let run = sample::hot(60, 1.0);
    let svg = time(&run);
    let half = f64::midpoint(ENDS.0, ENDS.1);
    let found = shades(&svg);
    assert_eq!(found.len(), 2, "one in each panel: {found:?}");
    assert!(
        found.iter().all(|(from, to)| (from - half).abs() < 1.0 && (to - ENDS.1).abs() < 1.0),
        "{found:?}"
    );
    assert!(texts(&svg).contains(&"clock 1.2 of 1.8 GHz".to_owned()), "{:?}", texts(&svg));
    let cool = time(&variants::unwatched(60, 1.0));
    assert_eq!((shades(&cool), texts(&cool).contains(&"slowed".to_owned())), (Vec::new(), false));
}

#[test]
fn a_second_without_answers_breaks_the_lines_of_latency_and_not_that_of_the_rate() {
    let svg = time(&sample::hot(60, 1.0));
    let of = |colour: &str| {
        let lines = elements(&svg, "polyline").into_iter();
        let coloured = lines
            .filter(|line| attribute(line, "stroke") == colour && attribute(line, "stroke-width") == "12");
        coloured.map(|line| attribute(line, "points").split_whitespace().count()).collect::<Vec<_>>()
    };
    // The rate and p50 have the first colour, p99 the second.
    assert_eq!(of("#0072B2"), [60, sample::SILENT as usize, 59 - sample::SILENT as usize]);
    assert_eq!(of("#D55E00"), [sample::SILENT as usize, 59 - sample::SILENT as usize]);
}

#[test]
fn the_cells_of_each_core_fill_its_row() {
    let svg = Picture::cores(named(&sample::hot(60, 1.0))).expect("watched").svg(Size::Wide);
    let heat = Picture::cores(named(&sample::hot(60, 1.0))).expect("watched");
    assert!(heat.description.contains("core 0") && heat.description.contains("network interrupts"));
    // Top, and where the last cell ended: each one begins there.
    let mut rows: Vec<(f64, f64)> = Vec::new();
    for rect in elements(&svg, "rect").into_iter().filter(|rect| rect.contains(" x=\"")) {
        let (top, from, width) = (px(rect, "y"), px(rect, "x"), px(rect, "width"));
        match rows.iter_mut().find(|row| (row.0 - top).abs() < 0.01 && (row.1 - from).abs() < 0.01) {
            Some(row) => row.1 += width,
            None if (from - ENDS.0).abs() < 0.01 => rows.push((top, from + width)),
            None => {}
        }
    }
    let full = rows.iter().filter(|row| (row.1 - ENDS.1).abs() < 0.01).count();
    // Two rows for each core, and below them the shades of clock and temperature begin elsewhere.
    assert_eq!(full, 16, "all of the load and the network's part of eight cores: {rows:?}");
}

#[test]
fn a_long_run_makes_a_small_page_with_its_extremes() {
    let mut run = sample::hot(20_000, 1.0);
    run.series[15_000].requests_per_s = 19_999.0;
    let page = page(&[named(&run)]).expect("sound");
    assert!(page.len() < 600_000, "{} bytes", page.len());
    let picture = Picture::time(&[named(&run)]).expect("it has seconds");
    assert!(picture.description.contains("highest 19,999 at 4.17"), "{}", picture.description);
    assert!(
        texts(&picture.svg(Size::Wide)).contains(&"20k".to_owned()),
        "the axis reaches the highest second"
    );
}

#[test]
fn a_clock_that_goes_up_and_down_all_day_makes_a_small_page() {
    let capped = |row: &mut boardkit::report::SeriesRow, cap| {
        let board = row.board.as_mut().expect("watched");
        board.cpu_temp_c = Some(60.0);
        board.clocks.iter_mut().for_each(|clock| clock.cap_khz = Some(cap));
    };
    // On and off for so many seconds: too short to be told apart, and as many of those that can be as there is room for.
    for (seconds, each) in [(86_400, 1), (720, 3), (420, 3)] {
        let mut run = sample::hot(seconds, 1.0);
        for (second, row) in run.series.iter_mut().enumerate() {
            capped(row, if second / each % 2 == 1 { 600_000 } else { 1_800_000 });
        }
        let page = page(&[named(&run)]).expect("sound");
        assert!(page.len() < 1_000_000, "{} bytes of {seconds} s, {each} s each", page.len());
        assert!(page.contains("#FBECD0"), "it is shaded");
    }
}

/// From where to where each of the cores' rows is hatched, as it is where nothing is known; the ends of the hatching are a few
/// pixels further inside.
fn unknown(svg: &str) -> Vec<(f64, f64)> {
    // The colour of what is blank.
    let blank = elements(svg, "rect").into_iter().filter(|rect| rect.contains("\"#EEF0F2\""));
    blank.map(|rect| (px(rect, "x"), px(rect, "x") + px(rect, "width"))).collect()
}

#[test]
fn no_load_is_drawn_where_rows_are_missing() {
    let mut run = sample::hot(60, 1.0);
    run.series.retain(|row| !(20.0..40.0).contains(&row.begin_s));
    let svg = Picture::cores(named(&run)).expect("watched").svg(Size::Wide);
    let at = |s: f64| ENDS.0 + (ENDS.1 - ENDS.0) * s / 60.0;
    let found = unknown(&svg);
    assert_eq!(found.len(), 16, "two rows for each core: {found:?}");
    let right = |(from, to): &(f64, f64)| (from - at(20.0)).abs() < 0.2 && (to - at(40.0)).abs() < 0.2;
    assert!(found.iter().all(right), "{found:?}");
    // What is a little late is no gap.
    run.series.iter_mut().for_each(|row| row.length_s = 0.9);
    run.series.truncate(20);
    assert_eq!(unknown(&Picture::cores(named(&run)).expect("watched").svg(Size::Wide)), []);
}

#[test]
fn what_is_shorter_than_a_second_is_as_long_as_it_is() {
    let mut run = sample::hot(1, 1.0);
    run.series[0].length_s = 0.5;
    let svg = Picture::cores(named(&run)).expect("watched").svg(Size::Wide);
    let cells = elements(&svg, "rect").into_iter().filter(|rect| rect.contains(" x=\"420\""));
    let widths: Vec<f64> = cells.map(|rect| px(rect, "width")).filter(|width| *width > 40.0).collect();
    let half = (ENDS.1 - ENDS.0) / 2.0;
    assert!(widths.len() >= 16 && widths.iter().all(|width| (width - half).abs() < 0.2), "{widths:?}");
}

#[test]
fn a_share_of_a_core_is_told_as_one() {
    let picture = Picture::cores(named(&sample::hot(60, 1.0))).expect("watched");
    let words = picture.description.replace('\u{a0}', " ");
    assert!(words.starts_with("Mean load: core 0 ") && words.contains(" %, network interrupts "), "{words}");
    assert!(!words.contains("of it"), "a share of a core is none of its load: {words}");
}

#[test]
fn several_runs_have_one_line_each_and_a_legend() {
    let (one, two, three) = (sample::hot(60, 1.0), variants::unwatched(58, 0.8), sample::hot(45, 0.6));
    let runs = [("fast", &one), ("slow", &two), ("short", &three)].map(|(name, run)| Named { name, run });
    let svg = Picture::time(&runs).expect("they have seconds").svg(Size::Wide);
    let texts = texts(&svg);
    for name in ["fast", "slow", "short", "Latency, p50", "Latency, p99", "Slowed down", "Errors"] {
        assert!(texts.iter().any(|text| text == name), "no {name:?} in {texts:?}");
    }
    let page = page(&runs).expect("sound").replace('\u{a0}', " ");
    let row = page.split("<tr>").find(|row| row.contains("Requests/s</th>")).expect("the row of rates");
    assert_eq!(row.matches("<td>").count(), 3, "{row}");
    // What is not known of the run that nobody watched is a dash.
    let hottest = page.split("<tr>").find(|row| row.contains(">Hottest<")).expect("the row of temperatures");
    assert!(hottest.contains("<td>84.7 °C</td><td>–</td>"), "{hottest}");
}

#[test]
fn what_came_with_a_file_is_text_and_never_markup() {
    let run = variants::hostile();
    let runs = [Named { name: variants::HOSTILE, run: &run }, Named { name: "other", run: &run }];
    let cores = Picture::cores(runs[0]).expect("watched");
    let svgs = [Picture::time(&runs).expect("seconds"), cores].map(|picture| picture.svg(Size::Narrow));
    for text in [page(&runs).expect("sound"), page(&runs[..1]).expect("sound")].iter().chain(&svgs) {
        for markup in ["<script", "</script", "<svg onload", "<img", "<title></svg>"] {
            assert!(
                !text.contains(markup),
                "{markup} in {}",
                text.split(markup).next().unwrap_or_default().len()
            );
        }
        assert_eq!(text.matches("<svg").count(), text.matches("</svg>").count());
    }
}

#[test]
fn a_png_is_twice_as_fine_as_the_page_and_light_or_dark() {
    let run = sample::hot(60, 1.0);
    let picture = Picture::time(&[named(&run)]).expect("seconds");
    let (light, dark) = (picture.png(Size::Narrow, Scheme::Light), picture.png(Size::Narrow, Scheme::Dark));
    for png in [&light, &dark] {
        assert!(png.starts_with(b"\x89PNG\r\n\x1a\n"), "the signature of a PNG");
        assert_eq!(png[16..20], 720u32.to_be_bytes(), "its width");
        assert!(png.len() > 10_000, "{} bytes are no picture", png.len());
    }
    assert_ne!(light, dark);
}
