//! What limited a run, whether it is good as a measurement, and what else its reader should know.

use super::html::Html;
use crate::report::chart::slowed;
use crate::report::figures;
use crate::report::{Mark, RunReport, State, Validity, Verdict};

/// Stretches that are told one by one.
const MOST_STRETCHES: usize = 8;

/// All of it, as far as it is there.
pub(super) fn judgement(html: &mut Html, run: &RunReport) {
    if run.partial {
        html.markup(
            "<p class=\"warning\"><strong>Partial:</strong> this run was not carried out to its end, or had not been when \
             the file was written.</p>\n",
        );
    }
    if run.requests == 0 {
        html.markup("<p class=\"warning\"><strong>Nothing finished:</strong> no request got a complete answer, so there are no \
             latencies and no pictures of them.</p>\n");
    }
    run.verdict.as_ref().into_iter().for_each(|found| verdict(html, found));
    match &run.validity {
        Some(found) => validity(html, found),
        None => slow(html, run),
    }
    if !run.notes.is_empty() {
        html.markup("<h3>Notes</h3>\n").sentences(run.notes.iter().map(String::as_str));
    }
}

fn verdict(html: &mut Html, verdict: &Verdict) {
    html.markup("<h3>What limited it</h3>\n");
    let headline =
        if verdict.headline.is_empty() { verdict.limited_by.to_string() } else { verdict.headline.clone() };
    html.element("<p class=\"verdict\">", &headline, "</p>\n");
    if !verdict.candidates.is_empty() {
        html.markup("<details><summary>The evidence for and against each candidate</summary>\n");
        let row = |one: &crate::report::Candidate| {
            vec![one.name.to_string(), said(one.state), one.evidence.clone()]
        };
        let rows: Vec<_> = verdict.candidates.iter().map(row).collect();
        html.table_of_words("What can limit a run", &["Candidate", "Verdict", "Evidence"], &rows)
            .markup("</details>\n");
    }
    if !verdict.missing.is_empty() {
        html.markup("<p>Evidence that is missing:</p>\n")
            .sentences(verdict.missing.iter().map(String::as_str));
    }
}

fn said(state: State) -> String {
    match state {
        State::Limits => "limits".to_owned(),
        State::Clear => "does not".to_owned(),
        State::Unknown => figures::UNKNOWN.to_owned(),
    }
}

fn validity(html: &mut Html, validity: &Validity) {
    html.markup("<h3>Is it a good measurement?</h3>\n");
    html.markup(match validity.valid {
        Some(true) => "<p>Yes: nothing that was watched speaks against it.</p>\n",
        Some(false) => "<p class=\"warning\"><strong>Not valid</strong> as a measurement of the board:</p>\n",
        None => "<p>Nothing speaks against it, but not everything could be watched.</p>\n",
    });
    let (against, notes): (Vec<&Mark>, Vec<&Mark>) = validity.marks.iter().partition(|mark| mark.invalid);
    marks(html, &against);
    if !against.is_empty() && !notes.is_empty() {
        html.markup("<p>Also seen:</p>\n");
    }
    marks(html, &notes);
    if !validity.unknown.is_empty() {
        html.markup("<p>Not known:</p>\n").sentences(validity.unknown.iter().map(String::as_str));
    }
}

fn marks(html: &mut Html, marks: &[&Mark]) {
    let texts: Vec<String> = marks.iter().map(|mark| marked(mark)).collect();
    html.sentences(texts.iter().map(String::as_str));
}

/// A mark with its time.
fn marked(mark: &Mark) -> String {
    match (mark.from_s, mark.to_s) {
        (Some(from), Some(to)) => {
            format!("{} to {}: {}", figures::moment(from), figures::moment(to), mark.text)
        }
        _ => mark.text.clone(),
    }
}

/// When the machine was slowed down, of a run that nobody has judged.
fn slow(html: &mut Html, run: &RunReport) {
    let stretches = slowed(&run.series);
    if stretches.is_empty() {
        return;
    }
    html.markup("<h3>Slowed down</h3>\n");
    let text = |one: &crate::report::chart::Slowed| {
        format!("{} to {}: {}", figures::moment(one.from_s), figures::moment(one.to_s), one.text)
    };
    let mut texts: Vec<String> = stretches.iter().take(MOST_STRETCHES).map(text).collect();
    if let Some(more) = stretches.len().checked_sub(MOST_STRETCHES).filter(|more| *more > 0) {
        texts.push(format!("and {more} more times"));
    }
    html.sentences(texts.iter().map(String::as_str));
}
