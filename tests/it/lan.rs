//! A board and a laptop with a cable of 100 Mbit/s between them.

use std::process::{Command, Stdio};

use serde_json::Value;

use crate::support::boardctl::{BOARDCTL, Run, TempFile};
use crate::support::lan::Lan;
use crate::verdict::{evidence, run_while, staged};

/// What a cable of 100 Mbit/s carries of TCP's payload at most, in bytes per second: 1448 of each 1538 bytes on the wire.
const MOST: f64 = 100e6 / 8.0 * 1448.0 / 1538.0;

/// boardctl on the laptop, its streams piped.
fn on_the_laptop(lan: &Lan) -> Command {
    let mut command = lan.laptop(BOARDCTL.as_ref());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Fails the test if more came than the cable carries; a little more is what its own queue had room for.
fn expect_the_cables_rate(report: &Value) {
    let rate = report["bytes_per_s"].as_f64().expect("a rate");
    assert!(rate > 0.0 && rate < 1.05 * MOST, "{rate} of {MOST}");
}

#[test]
fn what_passes_the_cable_is_measured_and_the_cable_is_what_limits_it() {
    let lan = Lan::start("100mbit");
    let boardd = lan.boardd(&[]);
    let url = lan.url(boardd.address, "/bytes/65536");
    let run = staged("link", || {
        run_while(on_the_laptop(&lan), &url, &["-c", "4", "-d", "3s", "--link-speed", "100M"], |_| {})
    });
    run.expect_clean();
    expect_the_cables_rate(&run.report);
    assert!(evidence(&run.report, "link").contains("of the 100 Mbit/s of --link-speed"), "{}", run.stdout);
    // The device itself claims far more than what the cable lets through: an even rate near a usual one tells all the same.
    let run = staged("link", || run_while(on_the_laptop(&lan), &url, &["-c", "4", "-d", "5s"], |_| {}));
    assert!(evidence(&run.report, "link").contains("looks like a 100 Mbit/s link"), "{}", run.stdout);
}

#[test]
fn over_the_cable_two_servers_are_as_fast_as_it_is() {
    let lan = Lan::start("100mbit");
    let boards = [lan.boardd(&[]), lan.boardd(&[])];
    let urls = ["a", "b"].iter().zip(&boards);
    let urls = urls.map(|(name, board)| format!("{name}={}", lan.url(board.address, "/bytes/16384")));
    let file = TempFile::new("compare.json");
    let mut command = on_the_laptop(&lan);
    command.args(["compare", "-c", "4", "--rounds", "12", "-d", "200ms", "--json"]).arg(&file.0).args(urls);
    let run = Run::new(&command.output().expect("boardctl runs on the laptop"), file.json());
    assert_eq!(run.code, 0, "{}", run.stderr);
    let rates = &run.report["pairs"][0]["metrics"]["requests_per_s"];
    assert_eq!(rates["verdict"], "no_difference", "{rates:#}\n{}", run.stdout);
    let ratio = &rates["ratio"]["value"];
    assert!(ratio.as_f64().is_some_and(|ratio| (0.9..1.1).contains(&ratio)), "{ratio}\n{}", run.stdout);
}
