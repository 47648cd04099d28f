//! The tools that people use, run for real.

use std::process::Command;

use crate::support::boardd::Boardd;

/// What `ab` prints behind `label`.
fn figure<'a>(report: &'a str, label: &str) -> &'a str {
    let line = report.lines().find_map(|line| line.strip_prefix(label));
    line.unwrap_or_else(|| panic!("no {label:?} in {report}")).trim()
}

#[test]
fn ab_keeps_its_http_1_0_connections_and_loses_nothing() {
    let boardd = Boardd::start(&[]);
    for path in ["/plaintext", "/bytes/20000"] {
        let url = format!("http://{}{path}", boardd.address);
        let output = Command::new("ab").args(["-k", "-q", "-n", "2000", "-c", "10", &url]).output();
        let output = output.expect("ab is missing: ./test installs it, it is in apache2-utils");
        let report = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{report}{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(figure(&report, "Complete requests:"), "2000");
        assert_eq!(figure(&report, "Failed requests:"), "0");
        assert_eq!(figure(&report, "Keep-Alive requests:"), "2000");
    }
}
