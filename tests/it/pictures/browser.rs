//! The page in a real Chromium: light and dark, on a phone and on a desk.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use boardkit::report::chart::Named;
use boardkit::report::page::page;
use serde_json::Value;

use super::{sample, variants};

/// Where Debian and others put it.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

fn chromium() -> &'static str {
    let starts = |name: &&&str| {
        let probe = Command::new(name).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        probe.is_ok_and(|status| status.success())
    };
    let found = NAMES.iter().find(starts).copied();
    found.expect("a Chromium: Debian's chromium, which ./test installs")
}

/// What a browser says of a page, light and dark, on a phone and on a desk. What it looks like is left in
/// `target/tmp/pictures`.
fn look(name: &str, html: &str) -> Vec<Value> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("pictures").join(name);
    fs::create_dir_all(&folder).expect("the target folder is writable");
    let file = folder.join("page.html");
    fs::write(&file, html).expect("the target folder is writable");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/pictures/browser.mjs");
    let mut command = Command::new("node");
    let output = command.arg(script).arg(chromium()).arg(&file).arg(&folder).output();
    let output = output.expect("node: Debian's nodejs, which ./test installs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name}: {said}");
    let text = String::from_utf8(output.stdout).expect("text");
    let looks: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(looks.len(), 4, "{name}: {text}");
    looks
}

/// What is wrong.
fn problems(looks: &[Value]) -> Vec<String> {
    let of_one = |look: &Value| {
        let problems = look["problems"].as_array().expect("a list").clone();
        let (scheme, width) = (look["scheme"].clone(), look["width"].clone());
        problems.into_iter().map(move |problem| format!("{scheme} {width}: {problem}"))
    };
    looks.iter().flat_map(of_one).collect()
}

fn check(name: &str, runs: &[Named<'_>], pictures: u64) -> Vec<Value> {
    let looks = look(name, &page(runs).expect("sound histograms"));
    let problems = problems(&looks);
    assert!(problems.is_empty(), "{name}: {problems:#?}");
    assert!(looks.iter().all(|look| look["pictures"] == pictures), "{name}: not {pictures} pictures");
    looks
}

#[test]
fn a_run_on_a_hot_board_reads_well() {
    check("one", &[Named { name: "one", run: &sample::hot(60, 1.0) }], 3);
}

#[test]
fn several_runs_read_well() {
    let (hot, slow, short) = (sample::hot(60, 1.0), variants::unwatched(58, 0.8), sample::hot(45, 0.6));
    let name = "a-name-that-somebody-has-made-longer-than-a-phone-is-wide-which-happens";
    let runs = [("hot", &hot), (name, &slow), ("short", &short)].map(|(name, run)| Named { name, run });
    check("several", &runs, 2 + 2 + 1 + 2);
}

#[test]
fn a_run_of_which_much_was_asked_reads_well() {
    let looks = check("asked", &[Named { name: "asked", run: &variants::asked() }], 3);
    let words = looks[0]["words"].as_str().expect("text").replace('\u{a0}', " ");
    for expected in
        ["p99<20ms: not kept", "9000/s, which held", "13,500 requests a second", "orange-pi-c100", "2017"]
    {
        assert!(words.contains(expected), "no {expected:?} in {words}");
    }
}

#[test]
fn an_hour_reads_well() {
    check("hour", &[Named { name: "hour", run: &sample::hot(3600, 1.0) }], 3);
}

#[test]
fn a_run_in_which_nothing_finished_reads_well() {
    check("nothing", &[Named { name: "nothing", run: &variants::nothing() }], 0);
}

#[test]
fn a_run_from_somebody_who_wishes_ill_does_nothing() {
    let looks = check("hostile", &[Named { name: variants::HOSTILE, run: &variants::hostile() }], 3);
    for look in looks {
        let words = look["words"].as_str().expect("text");
        assert!(words.matches("<svg onload=alert(1)>").count() > 5, "it is there to be read: {words}");
    }
}

#[test]
fn the_checks_themselves_find_what_they_should() {
    let broken = "<!DOCTYPE html><html lang=en><meta charset=utf-8><title>broken</title><style>body{background:#fff}</style>\
        <body><h1>A</h1><h3>B</h3><p style='color:#bbb'>pale</p><p style='font-size:6px'>tiny</p><p style='width:1em;word-break:break-all'>18\u{a0}ms</p>\
        <div style='width:2000px'>wide</div><img src='http://127.0.0.1:9/x.png'><script>console.log('x')</script>\
        <table><tr><td>1</table><svg viewBox='0 0 100 20' width=100><text x=90 y=15>outside</text>\
        <text x=5 y=15>one</text><text x=8 y=15>two</text></svg>\
        <svg viewBox='0 0 100 100' width=100><polyline points='9,0 9,90' stroke=red /><text x=20 y=50>within</text></svg>";
    let problems = problems(&look("broken", broken));
    for expected in [
        "scrolls sideways",
        "the paper is",
        "scripts",
        "contrast",
        " px",
        "asks for http://127.0.0.1:9/x.png",
        "console",
        "is cut off",
        "lie over each other",
        "lies in a plot",
        "is broken",
        "no words for those",
        "headings jump",
        "without a caption",
    ] {
        assert!(
            problems.iter().any(|problem| problem.contains(expected)),
            "no {expected:?} in {problems:#?}"
        );
    }
}
