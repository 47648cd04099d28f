//! Reports in the layout of other tools, for eyes and scripts that are used to them: the same lines in the same order, the
//! same widths, units and punctuation.
//!
//! The figures are this program's own, counted as [`crate::load`] says: latency has microseconds in it where the other
//! tool rounds, a request that timed out is in it with the least it took, and what the other tool prints for nothing at all
//! (`-nan%`, a division by zero) is a dash here. What does not belong to the layout is left out; [`super::text::warnings`]
//! has it.

mod ab;
mod httpress;
pub(super) mod wrk;

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use super::RunReport;
use crate::load::{ProbeAnswer, Url};

/// A tool whose layout is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Like {
    /// `wrk --latency`, version 4.
    Wrk,
    /// `ab -q`, version 2.3, from `Server Software` on: who wrote ab is not for us to say.
    Ab,
    /// `httpress -q`.
    Httpress,
}

/// The names by which the layouts are asked for.
const NAMES: [(&str, Like); 3] = [("wrk", Like::Wrk), ("ab", Like::Ab), ("httpress", Like::Httpress)];

/// What these tools print and a report does not hold.
#[derive(Debug, Clone, Copy)]
pub struct Conditions<'a> {
    /// The URL that was loaded.
    pub url: &'a Url,
    /// Whether connections were used again.
    pub keep_alive: bool,
    /// Whether the requests had a body.
    pub sent_body: bool,
    /// One answer of the server, for what ab says of the first: who made it, and its length.
    pub first: Option<&'a ProbeAnswer>,
}

impl Like {
    /// The line that is printed before the load starts; only wrk has one.
    #[must_use]
    pub fn headline(self, duration: Duration, url: &Url) -> Option<String> {
        (self == Self::Wrk).then(|| wrk::headline(duration, url))
    }

    /// Whether [`Conditions::first`] is printed.
    #[must_use]
    pub fn needs_first(self) -> bool {
        self == Self::Ab
    }

    /// The whole output below the headline.
    #[must_use]
    pub fn render(self, report: &RunReport, conditions: &Conditions<'_>) -> String {
        let mut out = String::new();
        // Writing to a string can't fail.
        let _ = match self {
            Self::Wrk => wrk::all(&mut out, report),
            Self::Ab => ab::all(&mut out, report, conditions),
            Self::Httpress => httpress::all(&mut out, report),
        };
        out
    }
}

impl FromStr for Like {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = NAMES.iter().find(|(name, _)| *name == text).map(|(_, like)| *like);
        known.ok_or_else(|| format!("must be one of {}", NAMES.map(|(name, _)| name).join(", ")))
    }
}

impl fmt::Display for Like {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = NAMES.iter().find(|(_, like)| like == self).map_or("", |(name, _)| name);
        f.pad(name)
    }
}

/// What stands for a number that does not exist.
const DASH: &str = "-";

/// The number as `print` has it, or a dash.
fn or_dash<T>(value: Option<T>, print: impl FnOnce(T) -> String) -> String {
    value.map_or_else(|| DASH.to_owned(), print)
}

#[cfg(test)]
mod tests;
