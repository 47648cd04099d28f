//! Units: each is one table that both the parser and the printer read.
//!
//! [`Span`], [`Bytes`] and [`BitRate`] are what people type and what we print back. [`WrkTime`], [`WrkMetric`] and [`WrkBinary`]
//! print the way wrk prints, so that eyes and scripts used to wrk read our report too.

mod wrk;

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

pub use wrk::{WrkBinary, WrkMetric, WrkSpan, WrkTime};

/// Microseconds in a second.
pub const SECOND_US: f64 = 1_000_000.0;

/// One row of a unit table: what is written behind the number, and how many base units it stands for.
struct Unit {
    suffix: &'static str,
    scale: u64,
}

/// Time in nanoseconds, largest first: the printer takes the first row that divides exactly.
const TIME: &[Unit] = &[
    Unit { suffix: "h", scale: 3_600_000_000_000 },
    Unit { suffix: "m", scale: 60_000_000_000 },
    Unit { suffix: "s", scale: 1_000_000_000 },
    Unit { suffix: "ms", scale: 1_000_000 },
    Unit { suffix: "us", scale: 1_000 },
    Unit { suffix: "ns", scale: 1 },
];

/// Bytes, largest first; powers of 1024 have the `i`, powers of 1000 have not.
const BYTES: &[Unit] = &[
    Unit { suffix: "GiB", scale: 1 << 30 },
    Unit { suffix: "GB", scale: 1_000_000_000 },
    Unit { suffix: "MiB", scale: 1 << 20 },
    Unit { suffix: "MB", scale: 1_000_000 },
    Unit { suffix: "KiB", scale: 1 << 10 },
    Unit { suffix: "kB", scale: 1_000 },
    Unit { suffix: "B", scale: 1 },
];

/// Bits per second, largest first; the first spelling of each size is printed.
const BITS: &[Unit] = &[
    Unit { suffix: "Gbit/s", scale: 1_000_000_000 },
    Unit { suffix: "Gbit", scale: 1_000_000_000 },
    Unit { suffix: "G", scale: 1_000_000_000 },
    Unit { suffix: "Mbit/s", scale: 1_000_000 },
    Unit { suffix: "Mbit", scale: 1_000_000 },
    Unit { suffix: "M", scale: 1_000_000 },
    Unit { suffix: "kbit/s", scale: 1_000 },
    Unit { suffix: "kbit", scale: 1_000 },
    Unit { suffix: "k", scale: 1_000 },
    Unit { suffix: "bit/s", scale: 1 },
];

/// Why a quantity could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnitError {
    /// There is no number before the unit, or it is not a plain decimal one.
    #[error("`{0}` does not begin with a number")]
    Number(String),
    /// The unit is not in the table; the second field lists what is.
    #[error("`{0}` has an unknown unit (known: {1})")]
    Suffix(String, String),
    /// The quantity does not fit.
    #[error("`{0}` is too large")]
    Range(String),
}

/// A length of time as it is typed: `500us`, `3s`, `2m`, `1.5h`; a bare number is seconds, as with wrk.
///
/// ```
/// use boardkit::units::Span;
/// let span: Span = "1.5s".parse().unwrap();
/// assert_eq!(span.0.as_millis(), 1500);
/// assert_eq!(span.to_string(), "1500ms");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span(pub Duration);

/// A count of bytes as it is typed: `512`, `16KiB`, `1MB`; a bare number is bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bytes(pub u64);

/// The speed of a link in bits per second as it is typed: `100M`, `2.5Gbit`, `10Mbit/s`; a bare number is bits per second.
///
/// ```
/// use boardkit::units::BitRate;
/// assert_eq!("2.5G".parse::<BitRate>().unwrap().to_string(), "2500Mbit/s");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct BitRate(pub u64);

impl FromStr for Span {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        parse(text, TIME, "s").map(|ns| Self(Duration::from_nanos(ns)))
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match u64::try_from(self.0.as_nanos()) {
            // Zero divides by every unit; hours would be an odd way to say it.
            Ok(0) => f.pad("0s"),
            Ok(ns) => f.pad(&exact(ns, TIME)),
            Err(_) => f.pad(&format!("{}s", self.0.as_secs())),
        }
    }
}

impl FromStr for Bytes {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        parse(text, BYTES, "B").map(Self)
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == 0 { f.pad("0B") } else { f.pad(&exact(self.0, BYTES)) }
    }
}

impl FromStr for BitRate {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        parse(text, BITS, "bit/s").map(Self)
    }
}

impl fmt::Display for BitRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == 0 { f.pad("0bit/s") } else { f.pad(&exact(self.0, BITS)) }
    }
}

/// Prints `amount` in the largest unit of `table` that leaves no remainder, so that reading it back gives the same.
fn exact(amount: u64, table: &[Unit]) -> String {
    table
        .iter()
        .find(|unit| amount.is_multiple_of(unit.scale))
        .map_or_else(|| amount.to_string(), |unit| format!("{}{}", amount / unit.scale, unit.suffix))
}

/// Reads a decimal number and its unit; without a unit, `bare` is meant. The result is in the table's base unit.
fn parse(text: &str, table: &[Unit], bare: &str) -> Result<u64, UnitError> {
    let text = text.trim();
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, suffix) = text.split_at(split);
    let suffix = if suffix.is_empty() { bare } else { suffix.trim_start() };
    let unit = table.iter().find(|unit| unit.suffix.eq_ignore_ascii_case(suffix)).ok_or_else(|| {
        let known: Vec<_> = table.iter().rev().map(|unit| unit.suffix).collect();
        UnitError::Suffix(text.to_owned(), known.join(" "))
    })?;
    let not_a_number = || UnitError::Number(text.to_owned());
    let too_large = || UnitError::Range(text.to_owned());
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() || fraction.contains('.') || (number.contains('.') && fraction.is_empty()) {
        return Err(not_a_number());
    }
    let whole: u64 = whole.parse().map_err(|_| too_large())?;
    // In integers, digit by digit: 0.1 has no exact binary form, and "0.1s" must be 100 ms and nothing else.
    let mut place = unit.scale;
    let mut rest = 0;
    for digit in fraction.bytes() {
        place /= 10;
        rest += u64::from(digit - b'0') * place;
    }
    whole.checked_mul(unit.scale).and_then(|total| total.checked_add(rest)).ok_or_else(too_large)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_read_as_typed_and_print_back() {
        for (text, ns) in [("500us", 500_000), ("3s", 3_000_000_000), ("2m", 120_000_000_000), ("0s", 0)] {
            let span: Span = text.parse().unwrap();
            assert_eq!(span.0, Duration::from_nanos(ns), "{text}");
            assert_eq!(span.to_string(), text);
        }
        assert_eq!("2".parse::<Span>().unwrap().to_string(), "2s");
        assert_eq!("0.1s".parse::<Span>().unwrap().to_string(), "100ms");
        assert_eq!("1.5h".parse::<Span>().unwrap().to_string(), "90m");
    }

    #[test]
    fn bytes_read_as_typed_and_print_back() {
        for (text, bytes) in [("16KiB", 16_384), ("1MB", 1_000_000), ("1500B", 1500), ("0B", 0)] {
            assert_eq!(text.parse::<Bytes>().unwrap(), Bytes(bytes), "{text}");
            assert_eq!(Bytes(bytes).to_string(), text);
        }
        assert_eq!("512".parse::<Bytes>().unwrap(), Bytes(512));
    }

    #[test]
    fn speeds_of_links_read_as_typed() {
        for (text, bits, printed) in [
            ("100M", 100_000_000, "100Mbit/s"),
            ("1Gbit", 1_000_000_000, "1Gbit/s"),
            ("2.5g", 2_500_000_000, "2500Mbit/s"),
            ("10 Mbit/s", 10_000_000, "10Mbit/s"),
        ] {
            let rate: BitRate = text.parse().unwrap();
            assert_eq!((rate.0, rate.to_string().as_str()), (bits, printed), "{text}");
        }
        assert!(matches!("100MB".parse::<BitRate>(), Err(UnitError::Suffix(..))));
    }

    #[test]
    fn what_is_not_a_quantity_says_what_is_wrong() {
        assert!(matches!("".parse::<Span>(), Err(UnitError::Number(_))));
        assert!(matches!("-3s".parse::<Span>(), Err(UnitError::Suffix(..))));
        assert!(matches!("1.2.3s".parse::<Span>(), Err(UnitError::Number(_))));
        assert!(matches!("3parsec".parse::<Span>(), Err(UnitError::Suffix(..))));
        assert!(matches!("99999999999999h".parse::<Span>(), Err(UnitError::Range(_))));
    }
}
