//! Whether a run is good as a measurement of the board, and what speaks against it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What was found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MarkKind {
    /// The board's highest allowed clock was below the highest of its hardware.
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
    /// The load tester was not allowed to run, or not in time.
    LaptopHeldBack,
    /// Another program took processor time of the laptop.
    LaptopOtherProcess,
    /// Packets were dropped or sent again.
    LinkErrors,
    /// Server and load tester shared one machine.
    SharedMachine,
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
    /// spoken against it was not seen.
    pub valid: Option<bool>,
    /// What was found, one for each stretch of time.
    pub marks: Vec<Mark>,
    /// What could not be checked, one sentence each.
    pub unknown: Vec<String>,
}
