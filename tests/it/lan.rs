//! A board and a laptop with a cable of 100 Mbit/s between them.

use crate::support::boardctl::{BOARDCTL, TempFile};
use crate::support::lan::Lan;

/// What a cable of 100 Mbit/s carries of TCP's payload at most, in bytes per second: 1448 of each 1538 bytes on the wire.
const MOST: f64 = 100e6 / 8.0 * 1448.0 / 1538.0;

/// Loads over the cable for two seconds; the report.
fn load(lan: &Lan, url: &str, connections: &str) -> serde_json::Value {
    let file = TempFile::new("lan.json");
    let mut command = lan.laptop(BOARDCTL.as_ref());
    command.args(["load", "-c", connections, "-d", "2s", "--timeout", "10s", "--json"]).arg(&file.0).arg(url);
    let output = command.output().expect("boardctl runs on the laptop");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    file.json()
}

#[test]
fn what_passes_the_cable_is_measured_and_is_no_more_than_it_carries() {
    let lan = Lan::start("100mbit");
    let boardd = lan.boardd(&[]);
    let report = load(&lan, &lan.url(boardd.address, "/bytes/65536"), "4");
    let (rate, requests) = (&report["bytes_per_s"], &report["requests"]);
    assert!(requests.as_u64().is_some_and(|count| count > 0), "{report:#}");
    // A little more for what the cable's own queue had room for.
    assert!(rate.as_f64().is_some_and(|rate| rate > 0.0 && rate < 1.05 * MOST), "{rate} of {MOST}");
    let errors: u64 =
        report["errors"].as_object().expect("kinds").values().filter_map(serde_json::Value::as_u64).sum();
    assert_eq!(errors, 0, "{report:#}");
}
