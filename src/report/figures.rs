//! Figures as people read them: three digits, the unit that fits, a dash for what is not known. Between a number and its unit
//! no line breaks.

use std::time::{Duration, SystemTime};

use super::ErrorCounts;

/// What is not known.
pub(super) const UNKNOWN: &str = "–";

/// The last second that a date is written for; later ones have more digits than the form has room for.
const LAST_DATE_S: f64 = 253_402_300_799.0;

/// A number with at most three digits, more if it is larger: 0.012, 1.23, 12.3, 123, 1234.
pub(super) fn digits(value: f64) -> String {
    let size = value.abs();
    if !value.is_finite() {
        return UNKNOWN.to_owned();
    } else if size >= 1e15 {
        return format!("{value:.1e}");
    }
    let decimals = match size {
        _ if size >= 99.95 => 0,
        _ if size >= 9.995 => 1,
        _ if size >= 0.9995 || size == 0.0 => 2,
        _ => 3,
    };
    let text = format!("{value:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// A time in microseconds: `635 µs`, `12.9 ms`, `1.2 s`.
pub(super) fn latency(us: f64) -> String {
    match us {
        _ if us < 999.5 => format!("{}\u{a0}µs", digits(us)),
        _ if us < 999_500.0 => format!("{}\u{a0}ms", digits(us / 1e3)),
        _ => format!("{}\u{a0}s", digits(us / 1e6)),
    }
}

/// A time in microseconds, or a dash.
pub(super) fn maybe_latency(us: Option<f64>) -> String {
    us.map_or_else(|| UNKNOWN.to_owned(), latency)
}

/// A count with its thousands apart: 1,234,567.
pub(super) fn count(number: u64) -> String {
    let text = number.to_string();
    let mut out = String::with_capacity(text.len() * 4 / 3);
    for (at, digit) in text.chars().enumerate() {
        if at > 0 && (text.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Errors of all kinds; a file may hold any numbers.
pub(super) fn errors(errors: &ErrorCounts) -> u64 {
    let kinds = [errors.connect, errors.read, errors.write, errors.timeout, errors.status];
    kinds.iter().fold(0, |sum, count| sum.saturating_add(*count))
}

/// A rate: whole and with its thousands apart from a hundred on, three digits below.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a rate is not below 0, and saturates"
)]
pub(super) fn rate(per_s: f64) -> String {
    if per_s >= 99.95 { count(per_s.round() as u64) } else { digits(per_s) }
}

/// A number on an axis: 500, 1.5k, 20k, 3M.
pub(super) fn short(value: f64) -> String {
    let (scaled, unit) = match value.abs() {
        size if size >= 1e9 => (value / 1e9, "G"),
        size if size >= 1e6 => (value / 1e6, "M"),
        size if size >= 1e3 => (value / 1e3, "k"),
        _ => (value, ""),
    };
    format!("{}{unit}", digits(scaled))
}

/// Seconds since the beginning: `31 s`, `2.5 min`, `3 h`.
pub(super) fn moment(s: f64) -> String {
    match s {
        _ if s < 180.0 => format!("{}\u{a0}s", digits(s)),
        _ if s < 10_800.0 => format!("{}\u{a0}min", digits(s / 60.0)),
        _ => format!("{}\u{a0}h", digits(s / 3600.0)),
    }
}

/// Bytes with a unit of a power of 1000: `1.5 MB`.
pub(super) fn bytes(number: f64) -> String {
    match number {
        _ if number < 999.5 => format!("{}\u{a0}B", digits(number)),
        _ if number < 999_500.0 => format!("{}\u{a0}kB", digits(number / 1e3)),
        _ if number < 999_500_000.0 => format!("{}\u{a0}MB", digits(number / 1e6)),
        _ => format!("{}\u{a0}GB", digits(number / 1e9)),
    }
}

/// A share as a percentage without decimals: `71 %`.
pub(super) fn percent(share: f64) -> String {
    format!("{}\u{a0}%", digits((share * 100.0).round()))
}

/// A temperature in degrees Celsius.
pub(super) fn degrees(c: f64) -> String {
    format!("{}\u{a0}°C", digits(c))
}

/// A clock given in kHz: `1.8 GHz`, `480 MHz`.
pub(super) fn clock(khz: f64) -> String {
    if khz >= 1e6 {
        format!("{}\u{a0}GHz", digits(khz / 1e6))
    } else {
        format!("{}\u{a0}MHz", digits(khz / 1e3))
    }
}

/// A date from seconds since 1970; a dash where there is none.
pub(super) fn date(unix_s: f64) -> String {
    if !(unix_s > 0.0 && unix_s < LAST_DATE_S) {
        return UNKNOWN.to_owned();
    }
    httpdate::fmt_http_date(SystemTime::UNIX_EPOCH + Duration::from_secs_f64(unix_s))
}

/// A text from a file without what a document may not contain and without what turns its reader's direction around: such
/// characters become spaces.
pub(super) fn plain(text: &str) -> String {
    let turns = |c| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let barred = |c: char| c.is_control() || turns(c) || matches!(c, '\u{fffe}' | '\u{ffff}');
    text.chars().map(|c| if barred(c) { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_three_digits_and_a_unit() {
        let table = [
            (latency(0.0), "0 µs"),
            (latency(63.51), "63.5 µs"),
            (latency(999.6), "1 ms"),
            (latency(12_921.0), "12.9 ms"),
            (latency(2_000_000.0), "2 s"),
            (count(7), "7"),
            (count(1_234_567), "1,234,567"),
            (rate(748_868.53), "748,869"),
            (rate(12.345), "12.3"),
            (short(0.0), "0"),
            (short(1500.0), "1.5k"),
            (short(20_000.0), "20k"),
            (moment(31.0), "31 s"),
            (moment(600.0), "10 min"),
            (moment(86_400.0), "24 h"),
            (bytes(1.5e6), "1.5 MB"),
            (clock(1_800_000.0), "1.8 GHz"),
            (clock(480_000.0), "480 MHz"),
            (maybe_latency(None), "–"),
            (date(0.0), "–"),
            (date(1e300), "–"),
            (date(784_111_777.0), "Sun, 06 Nov 1994 08:49:37 GMT"),
            (plain("a\u{0}b\nc"), "a b c"),
        ];
        for (got, expected) in table {
            assert_eq!(got.replace('\u{a0}', " "), expected);
        }
    }
}
