//! The Range header for one range of bytes (RFC 9110 §14).

/// What a Range header asks for, of a body whose length is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ByteRange {
    /// All of it: the header is one to be ignored, as it is malformed, of another unit, or asks for several ranges.
    Whole,
    /// From the first to the last byte, both included, counted from 0: 206.
    Part {
        /// Where it begins.
        first: u64,
        /// Its last byte; below the length, and not before `first`.
        last: u64,
    },
    /// Nothing of what is there: 416.
    Unsatisfiable,
}

impl ByteRange {
    /// Reads the value of a Range header for a body of `length` bytes.
    ///
    /// Several ranges are answered as a whole, which a server may do (RFC 9110 §14.2): no browser asks for them, and
    /// overlapping ones make little effort into much work.
    #[must_use]
    pub fn of(value: &[u8], length: u64) -> Self {
        let Some(range) = read(value) else { return Self::Whole };
        let end = length.checked_sub(1);
        match (range, end) {
            (Asked::Last(0), _) | (Asked::From(..), None) => Self::Unsatisfiable,
            (Asked::Last(_), None) => Self::Whole,
            (Asked::From(first, _), Some(end)) if first > end => Self::Unsatisfiable,
            (Asked::From(first, last), Some(end)) => Self::Part { first, last: last.min(end) },
            (Asked::Last(count), Some(end)) => Self::Part { first: length.saturating_sub(count), last: end },
        }
    }
}

/// One range, before the length is known.
enum Asked {
    /// `first-last`, or `first-` with the largest number as its last.
    From(u64, u64),
    /// `-count`: so many bytes from the end.
    Last(u64),
}

/// The one range in `bytes=…`; none when it is not one.
fn read(value: &[u8]) -> Option<Asked> {
    const UNIT: &[u8] = b"bytes=";
    let (unit, range) = value.split_at_checked(UNIT.len())?;
    if !unit.eq_ignore_ascii_case(UNIT) {
        return None;
    }
    let range = range.trim_ascii();
    let dash = range.iter().position(|&byte| byte == b'-')?;
    match (&range[..dash], &range[dash + 1..]) {
        (b"", count) => Some(Asked::Last(number(count)?)),
        (first, b"") => Some(Asked::From(number(first)?, u64::MAX)),
        (first, last) => {
            let (first, last) = (number(first)?, number(last)?);
            (first <= last).then_some(Asked::From(first, last))
        }
    }
}

/// Digits and nothing else; what is beyond any length counts as the largest number.
fn number(digits: &[u8]) -> Option<u64> {
    let add = |sum: u64, byte: &u8| {
        let digit = byte.is_ascii_digit().then(|| u64::from(byte - b'0'))?;
        Some(sum.saturating_mul(10).saturating_add(digit))
    };
    if digits.is_empty() { None } else { digits.iter().try_fold(0, add) }
}

#[cfg(test)]
mod tests {
    use super::ByteRange::{self, Unsatisfiable, Whole};

    fn part(first: u64, last: u64) -> ByteRange {
        ByteRange::Part { first, last }
    }

    #[test]
    fn the_three_forms() {
        let cases = [
            ("bytes=0-0", part(0, 0)),
            ("bytes=0-99", part(0, 99)),
            ("bytes=0-499", part(0, 99)),
            ("bytes=10-", part(10, 99)),
            ("bytes=99-", part(99, 99)),
            ("bytes=-1", part(99, 99)),
            ("bytes=-100", part(0, 99)),
            ("bytes=-101", part(0, 99)),
            ("BYTES=00-007", part(0, 7)),
            ("bytes= 5-6\t", part(5, 6)),
            ("bytes=5-18446744073709551616", part(5, 99)),
            ("bytes=-99999999999999999999999", part(0, 99)),
        ];
        for (value, expected) in cases {
            assert_eq!(ByteRange::of(value.as_bytes(), 100), expected, "{value}");
        }
    }

    #[test]
    fn what_is_not_there() {
        for value in ["bytes=100-", "bytes=100-200", "bytes=18446744073709551616-", "bytes=-0"] {
            assert_eq!(ByteRange::of(value.as_bytes(), 100), Unsatisfiable, "{value}");
        }
        assert_eq!(ByteRange::of(b"bytes=0-", 0), Unsatisfiable);
        assert_eq!(ByteRange::of(b"bytes=0-0", 0), Unsatisfiable);
        assert_eq!(ByteRange::of(b"bytes=-5", 0), Whole, "the last bytes of none are all of them");
    }

    #[test]
    fn what_is_ignored() {
        for value in [
            "",
            "bytes",
            "bytes=",
            "bytes=-",
            "bytes=a-b",
            "bytes=5",
            "bytes=5-4",
            "bytes=1-2,4-5",
            "bytes=1-2,",
            "bytes=--1",
            "bytes=1--2",
            "bytes=+1-2",
            "bytes=1-+2",
            "bytes=1 - 2",
            "bytes=0x1-2",
            "bytes =0-1",
            "items=0-1",
            "byte=0-1",
            "bytes:0-1",
            "bytes=0-1;x",
            "0-1",
        ] {
            assert_eq!(ByteRange::of(value.as_bytes(), 100), Whole, "{value}");
        }
    }

    #[test]
    fn the_largest_length() {
        let last = u64::MAX - 1;
        assert_eq!(ByteRange::of(b"bytes=0-", u64::MAX), part(0, last));
        assert_eq!(ByteRange::of(b"bytes=-1", u64::MAX), part(last, last));
        assert_eq!(
            ByteRange::of(b"bytes=18446744073709551614-18446744073709551615", u64::MAX),
            part(last, last)
        );
        assert_eq!(ByteRange::of(b"bytes=18446744073709551615-", u64::MAX), Unsatisfiable);
    }
}
