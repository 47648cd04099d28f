//! The Date header, rendered once a second and copied into every answer.

use std::time::{Duration, UNIX_EPOCH};

/// Length of `Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n` in bytes.
const DATE_LINE_BYTES: usize = 37;

/// A rendered Date header (IMF-fixdate, RFC 9110 §5.6.7) and the second that it stands for.
#[derive(Debug, Clone)]
pub struct DateHeader {
    second: u64,
    line: [u8; DATE_LINE_BYTES],
}

impl DateHeader {
    /// Renders the header for a point in time, in whole seconds since 1970 UTC.
    ///
    /// Years past 9999, which the format cannot hold, are shown as its last second.
    #[must_use]
    pub fn at(unix_seconds: u64) -> Self {
        /// 9999-12-31 23:59:59, the last second that four digits of a year can name.
        const LAST: u64 = 253_402_300_799;
        let time = UNIX_EPOCH + Duration::from_secs(unix_seconds.min(LAST));
        let text = format!("Date: {}\r\n", httpdate::fmt_http_date(time));
        let mut line = [b' '; DATE_LINE_BYTES];
        line.copy_from_slice(text.as_bytes());
        Self {
            second: unix_seconds,
            line,
        }
    }

    /// The second that was rendered, since 1970 UTC.
    #[must_use]
    pub const fn second(&self) -> u64 {
        self.second
    }

    /// The whole header line with its line end.
    #[must_use]
    #[inline]
    pub const fn line(&self) -> &[u8; DATE_LINE_BYTES] {
        &self.line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn renders_the_rfc_example() {
        assert_eq!(
            DateHeader::at(784_111_777).line(),
            b"Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
        );
    }

    #[test]
    fn a_clock_gone_mad_still_renders() {
        assert_eq!(
            DateHeader::at(u64::MAX).line(),
            b"Date: Fri, 31 Dec 9999 23:59:59 GMT\r\n"
        );
        assert_eq!(
            DateHeader::at(0).line(),
            b"Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n"
        );
    }
}
