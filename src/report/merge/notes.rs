//! What the reader of a sum should know.

use super::super::RunReport;
use super::different::Difference;
use super::{Merged, Ramps, Together};

/// How the runs were made, in what they differ, and what each says of itself.
pub(super) fn notes(sum: &RunReport, differences: &[Difference]) -> Vec<String> {
    let Some(merged) = &sum.merged else { return Vec::new() };
    let mut notes = vec![times(sum, merged)];
    notes.extend(differences.iter().map(Difference::note));
    let open = |wanted: bool| merged.runs.iter().any(|run| run.settings.rate.is_some() == wanted);
    if open(true) && open(false) {
        notes.push("what became of the arrivals is left out, as not all runs are open loops".to_owned());
    } else if merged.runs.iter().any(|run| run.settings.steps.is_some()) && Ramps::of(&merged.runs).is_none()
    {
        notes
            .push("the steps are left out, as the runs did not go through the same ones together".to_owned());
    }
    for run in &merged.runs {
        let partial = run.partial.then(|| "stopped before its time".to_owned());
        notes.extend(partial.iter().chain(&run.notes).map(|note| format!("{}: {note}", run.name)));
    }
    notes
}

fn times(sum: &RunReport, merged: &Merged) -> String {
    let (count, covered) = (merged.runs.len(), sum.duration_s);
    match merged.together {
        _ if merged.sequential => format!(
            "{count} runs, not all at the same time: rates are over the {covered:.1} s in which any measured"
        ),
        Some(Together { length_s, requests_per_s, arrivals_per_s, .. }) => {
            let due = arrivals_per_s.map_or_else(String::new, |due| format!(" of {due:.2} due"));
            format!(
                "{count} runs, by the clocks of their machines {length_s:.0} s at the same time, {requests_per_s:.2} \
                 requests/s{due} in those; rates above are over the {covered:.1} s in which any measured"
            )
        }
        None => format!(
            "{count} runs that did not all measure at the same time: rates are over the {covered:.1} s in which any did"
        ),
    }
}
