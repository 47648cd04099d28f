//! The verdict in one sentence, and as text.

use super::case::Case;
use super::{Candidate, LimitedBy, State, Verdict};

/// Lines are no wider, unless a single word is: a terminal that is wider is seldom read to its edge.
const WIDTH: usize = 100;

/// The sentence for `limited_by`, with what comes next if that were not there.
pub(super) fn headline(case: &Case<'_>, limited_by: LimitedBy, candidates: &[Candidate]) -> String {
    let mut line = match limited_by {
        LimitedBy::Laptop => "this laptop was at its limit: the figures say little of the board",
        LimitedBy::Link => "the link was full: the board may have had time left",
        LimitedBy::Admission => "the server turned requests away: it serves what it lets in",
        LimitedBy::Clock => "the board's clock was held down while its cores were busy",
        LimitedBy::OneCore => "one core, or a server that works on few of them, could do no more",
        LimitedBy::AllCores if case.local => {
            "all cores were busy; with a laptop for the load tester, the server has them all"
        }
        LimitedBy::AllCores => "all cores of the board were busy: this is what it can do",
        LimitedBy::TooLittleLoad if case.report.open_loop.is_some() => {
            "nothing was busy, but arrivals waited for a connection: more of them (-c) would show more"
        }
        LimitedBy::TooLittleLoad => "nothing was busy: more connections (-c) would show more",
        LimitedBy::Nothing => "nothing: all that was offered was answered",
        LimitedBy::Unknown if case.report.requests == 0 => "not known: nothing finished",
        LimitedBy::Unknown if only_link_unknown(candidates) => {
            "not known: nothing that was seen was busy, but the link may have been full; --link-speed says how fast it is"
        }
        LimitedBy::Unknown => "not known: what was seen was not the limit, and not all was seen",
    }
    .to_owned();
    let behind: Vec<_> = candidates
        .iter()
        .filter(|candidate| candidate.state == State::Limits && candidate.name != limited_by)
        .map(|candidate| candidate.name.to_string())
        .collect();
    if !behind.is_empty() {
        line += &format!(" (and behind that: {})", behind.join(", "));
    }
    line
}

/// Whether the board was seen, and how fast the link is not known.
fn only_link_unknown(candidates: &[Candidate]) -> bool {
    let unknown = |name| candidates.iter().any(|one| one.name == name && one.state == State::Unknown);
    unknown(LimitedBy::Link) && !unknown(LimitedBy::OneCore)
}

impl Verdict {
    /// As text, a few lines with their heading.
    #[must_use]
    pub fn render(&self) -> String {
        let mut text = format!("What limited it\n  {}\n", self.headline);
        for Candidate { name, state, evidence } in &self.candidates {
            text += &wrapped(&format!("  {name:<16} {state:<8} "), evidence);
        }
        for missing in &self.missing {
            text += &wrapped("  missing: ", missing);
        }
        text
    }
}

/// The words of a text; a number and its unit are one.
fn unbreakable(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut number = false;
    for word in text.split(' ') {
        match words.last_mut() {
            Some(last) if number => *last += &format!(" {word}"),
            _ => words.push(word.to_owned()),
        }
        number = word.parse::<f64>().is_ok();
    }
    words
}

/// A line that goes on below where its text begins when it is too long.
pub(in crate::report) fn wrapped(head: &str, text: &str) -> String {
    let margin = head.chars().count();
    let (mut lines, mut width) = (head.to_owned(), margin);
    for word in unbreakable(text) {
        let letters = word.chars().count();
        if width > margin && width + 1 + letters > WIDTH {
            lines += &format!("\n{:margin$}", "");
            width = margin;
        } else if width > margin {
            lines.push(' ');
            width += 1;
        }
        lines += &word;
        width += letters;
    }
    lines + "\n"
}
