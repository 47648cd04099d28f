//! Why nothing finished, in one line.

use super::RunReport;

impl RunReport {
    /// The errors of a run in which nothing finished, and what to do; `None` when something did.
    #[must_use]
    pub fn why_nothing(&self) -> Option<String> {
        if self.requests > 0 {
            return None;
        }
        let errors = &self.errors;
        let broken = errors.read + errors.write;
        let advice = if self.partial && errors.socket() == 0 {
            "the run was stopped before anything was measured"
        } else if errors.connect > 0 && self.connections.opened == 0 {
            "is the server running, on that address and port?"
        } else if broken > errors.timeout {
            "it closes without an answer, or does not speak HTTP"
        } else if self.bytes > 0 {
            "its answers begin and do not end; a longer --timeout or --duration may help"
        } else {
            "it takes connections and does not answer; a longer --timeout or --duration may help"
        };
        let (connect, timeout) = (errors.connect, errors.timeout);
        Some(format!(
            "connect {connect}, read {}, write {}, timeout {timeout}; {advice}",
            errors.read, errors.write
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Connections;
    use super::*;
    use crate::load::ErrorCounts;

    #[test]
    fn each_reason_has_its_advice() {
        let opened = |opened: usize| Connections { asked: 10, opened, ..Connections::default() };
        let empty = || RunReport { connections: opened(10), ..RunReport::default() };
        let with = |connect, read, timeout| RunReport {
            errors: ErrorCounts { connect, read, timeout, ..ErrorCounts::default() },
            ..empty()
        };
        let mut unreachable = with(1, 0, 0);
        unreachable.connections = opened(0);
        let cases = [
            (RunReport { partial: true, ..empty() }, "stopped before"),
            (unreachable, "is the server running"),
            (with(2, 5, 0), "closes without an answer"),
            (with(0, 5, 1), "closes without an answer"),
            (with(0, 0, 8), "does not answer"),
            (RunReport { bytes: 100, ..with(0, 0, 8) }, "begin and do not end"),
            (empty(), "does not answer"),
        ];
        for (report, said) in cases {
            let why = report.why_nothing().unwrap();
            assert!(why.contains(said), "{said}: {why}");
        }
        assert_eq!(RunReport { requests: 1, ..empty() }.why_nothing(), None);
    }
}
