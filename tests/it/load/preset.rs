//! `--preset`: a published test's shape, with its figures beside ours and never in their place.

use serde_json::Value;

use crate::support::boardctl::{boardctl, load};
use crate::support::boardd::Boardd;

#[test]
fn the_shape_is_the_presets_and_what_differs_is_said() {
    let boardd = Boardd::start(&[]);
    let base = format!("http://{}", boardd.address);
    // Name, path of the URL, flags; connections, threads, path that was asked for, and what differs besides the time.
    type Case = (
        &'static str,
        &'static str,
        &'static [&'static str],
        u64,
        u64,
        &'static str,
        &'static [&'static str],
    );
    let cases: [Case; 6] = [
        ("techempower-json", "", &[], 100, 4, "/json", &[]),
        ("zinc-16k", "", &[], 10, 1, "/bytes/16384", &[]),
        ("orange-pi-c100", "", &[], 100, 10, "/bytes/18", &["on one machine"]),
        (
            "orange-pi-c500",
            "",
            &["-c", "20", "-t", "2"],
            20,
            2,
            "/bytes/18",
            &["20 connections", "2 threads", "on one"],
        ),
        (
            "nxweb-c400",
            "/nothing",
            &["-c", "16"],
            16,
            16,
            "/nothing",
            &["16 c", "path", "on one", "14 bytes", "2xx"],
        ),
        (
            "techempower-json",
            "/",
            &["-t", "1"],
            100,
            1,
            "/",
            &["1 thread ", "path /, given by hand", "answers of 13"],
        ),
    ];
    for (name, path, flags, connections, threads, asked, differs) in cases {
        let run = load(&format!("{base}{path}"), &[&["--preset", name, "-d", "300ms"], flags].concat());
        assert_eq!(run.code, 0, "{}", run.stderr);
        let report = &run.report;
        assert_eq!((run.count("connections/asked"), run.count("threads")), (connections, threads), "{name}");
        assert_eq!(report["url"], format!("{base}{asked}"), "{name}");
        let preset = &report["preset"];
        assert_eq!(preset["name"], name);
        let figures = preset["published"].as_array().expect("figures");
        for field in ["server", "requests_per_s", "tool", "hardware", "year"] {
            assert!(figures.iter().all(|figure| !figure[field].is_null()), "{preset:#}");
        }
        let differences: Vec<_> =
            preset["differences"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
        let expected = [&["300ms instead of "], differs].concat();
        for part in &expected {
            assert!(
                differences.iter().any(|difference| difference.contains(part)),
                "{part}: {differences:?}"
            );
        }
        assert_eq!(differences.len(), expected.len(), "{differences:?}");
        assert!(run.stdout.contains(&format!("\nPreset {name}\n")), "{}", run.stdout);
        assert!(run.stdout.contains("  Measured now, by this machine:\n"), "{}", run.stdout);
        assert!(run.stdout.contains(", on OTHER hardware, with "), "{}", run.stdout);
    }
}

#[test]
fn with_another_tools_layout_the_figures_are_on_the_error_output() {
    let boardd = Boardd::start(&[]);
    let url = format!("http://{}", boardd.address);
    let run = boardctl(&["load", &url, "--preset", "zinc-16k", "-d", "300ms", "--like", "ab"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stderr.contains("\nPreset zinc-16k\n") && !run.stdout.contains("Preset"), "{}", run.stdout);
    assert!(run.stdout.contains("\nDocument Length:        16384 bytes\n"), "{}", run.stdout);
}

#[test]
fn presets_are_listed_and_an_unknown_one_is_refused_with_the_list() {
    let help = boardctl(&["load", "--help"]).stdout;
    let refused = boardctl(&["load", "http://board", "--preset", "bogus"]);
    assert_eq!((refused.code, refused.stderr.lines().count()), (2, 1), "{}", refused.stderr);
    for name in ["techempower-json", "zinc-16k", "orange-pi-c100", "orange-pi-c500", "nxweb-c400"] {
        assert!(help.lines().any(|line| line.trim_start().starts_with(name)), "{name}: {help}");
        assert!(refused.stderr.contains(name), "{}", refused.stderr);
    }
}
