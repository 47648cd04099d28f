//! Requests that the server turned away.

use super::case::{Case, REFUSED_SHARE, percent, refused_in};
use super::{Candidate, LimitedBy, State};

/// Whether it turned away so many that what was served says more of its admission than of its speed.
pub(super) fn judge(case: &Case<'_>) -> Candidate {
    let (share, requests) = (case.refused(), case.report.requests);
    let name = LimitedBy::Admission;
    if requests == 0 {
        let evidence = "there was no answer to look at".to_owned();
        return Candidate { name, state: State::Unknown, evidence };
    }
    let mut evidence = if share > 0.0 {
        let first = case.report.series.iter().find(|row| refused_in(row) > 0.0);
        let since = first.map_or(String::new(), |row| format!(", from second {:.0} on", row.begin_s));
        format!("{} of the answers said \"not now\" (503, 429){since}", percent_of_few(share))
    } else {
        "no answer said \"not now\" (503, 429)".to_owned()
    };
    let overflows = case.board.listen_overflows;
    if overflows > 0 {
        evidence += &format!("; {overflows} connections found the server's accept queue full");
    }
    let state = if share >= REFUSED_SHARE { State::Limits } else { State::Clear };
    Candidate { name, state, evidence }
}

/// Less than half a percent is not 0 %.
fn percent_of_few(share: f64) -> String {
    if share < 0.01 { format!("{:.2} %", share * 100.0) } else { percent(share) }
}
