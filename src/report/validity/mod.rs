//! Whether a run is good as a measurement of the board, and what speaks against it.
//!
//! A run is **not valid** for what makes its figures another machine's than the board's: a clock held down by heat or by the
//! supply (a fact of that cooling and that supply, and gone with better ones), memory that was swapped, cores that went off,
//! processor time of the board that went elsewhere (another program with more than 5 % of a core, the host of a virtual
//! machine), a load tester that was at its limit, or was kept from working, and errors in one of a hundred requests, which
//! cost something else than what was asked for.
//!
//! A **note** is what the reader should know, and what does not by itself change what the board did: a clock that somebody
//! set, other programs on the laptop as long as the load tester kept up, late starts that are few, packets sent again (a full
//! link drops some), refusals (503, 429), with which a server says what it can, and server and load tester on one machine.

mod marks;
#[cfg(test)]
mod tests;
mod unseen;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::RunReport;
use super::verdict::{Case, wrapped};

/// So many marks are printed; all are in the JSON.
const PRINTED: usize = 12;

/// What was found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MarkKind {
    /// The board's highest allowed clock was below the highest of its hardware: invalid for heat, a note if somebody set it.
    #[default]
    ClockCapped,
    /// The firmware held the clock down.
    Throttled,
    /// The supply was too low.
    UnderVoltage,
    /// The board's memory was swapped.
    Swapped,
    /// Cores of the board went off.
    CoresLost,
    /// Another program took processor time of the board.
    OtherProcess,
    /// The host of a virtual machine took processor time of the board.
    Steal,
    /// The laptop was at its limit.
    LaptopSaturated,
    /// The load tester was kept from running.
    LaptopHeldBack,
    /// The load tester started requests late.
    LateStarts,
    /// Another program took processor time of the laptop.
    LaptopOtherProcess,
    /// Packets were dropped or sent again.
    LinkErrors,
    /// Server and load tester shared one machine.
    SharedMachine,
    /// Requests failed or were answered with an error: invalid from one in a hundred on; a note for refusals (503, 429).
    Errors,
}

/// Something that the reader of the figures should know.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Mark {
    /// What it is.
    pub kind: MarkKind,
    /// Whether the run is not valid for it; else it is a note.
    pub invalid: bool,
    /// When it began, in seconds after measuring began; `null` when that is not known.
    pub from_s: Option<f64>,
    /// When it ended.
    pub to_s: Option<f64>,
    /// What happened, with its numbers, in one line.
    pub text: String,
}

/// Whether a run is good as a measurement of the board.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Validity {
    /// `false` when a mark speaks against it, `true` when none does; `null` when none does, but something that could have
    /// spoken against it was not seen, or nothing finished.
    pub valid: Option<bool>,
    /// What was found, one for each stretch of time.
    pub marks: Vec<Mark>,
    /// What could not be checked, one sentence each.
    pub unknown: Vec<String>,
}

impl Validity {
    /// Looks at a run by its report.
    #[must_use]
    pub fn of(report: &RunReport) -> Self {
        Self::of_case(&Case::new(report))
    }

    pub(super) fn of_case(case: &Case<'_>) -> Self {
        let (marks, unknown) = (marks::all(case), unseen::all(case));
        let valid = match marks.iter().any(|mark| mark.invalid) {
            true => Some(false),
            false => unknown.is_empty().then_some(true),
        };
        Self { valid, marks, unknown }
    }

    /// As text: a heading, and a line for each mark.
    #[must_use]
    pub fn render(&self) -> String {
        let mut text = match self.valid {
            Some(true) => "Validity: valid as a measurement of the board\n",
            Some(false) => "Validity: not valid as a measurement of the board:\n",
            None => "Validity: nothing was found against it, but not all was seen:\n",
        }
        .to_owned();
        let mut marks: Vec<_> = self.marks.iter().collect();
        marks.sort_by_key(|mark| !mark.invalid);
        for mark in marks.iter().take(PRINTED) {
            text += &wrapped(if mark.invalid { "  not valid: " } else { "  note: " }, &mark.text);
        }
        if marks.len() > PRINTED {
            text += &format!("  and {} more\n", marks.len() - PRINTED);
        }
        for unknown in &self.unknown {
            text += &wrapped("  not seen: ", unknown);
        }
        text
    }
}
