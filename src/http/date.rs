//! The headers that are the same in every answer of a second: rendered once, then copied.

use std::time::{Duration, UNIX_EPOCH};

/// Length of `Server: boardd\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n` in bytes. A constant, so that the copy
/// into each answer is a few moves and not a call.
const LINES_BYTES: usize = 16 + 37;

/// The Server and Date headers (IMF-fixdate, RFC 9110 §5.6.7) of one second.
#[derive(Debug, Clone)]
pub struct DateHeader {
    lines: [u8; LINES_BYTES],
}

impl DateHeader {
    /// Renders the headers for a point in time, in whole seconds since 1970 UTC.
    ///
    /// Years past 9999, which the format cannot hold, are shown as its last second.
    #[must_use]
    pub fn at(unix_seconds: u64) -> Self {
        /// 9999-12-31 23:59:59, the last second that four digits of a year can name.
        const LAST: u64 = 253_402_300_799;
        let time = UNIX_EPOCH + Duration::from_secs(unix_seconds.min(LAST));
        let text = format!("Server: boardd\r\nDate: {}\r\n", httpdate::fmt_http_date(time));
        let mut lines = [b' '; LINES_BYTES];
        lines.copy_from_slice(text.as_bytes());
        Self { lines }
    }

    /// Both header lines with their line ends.
    #[must_use]
    #[inline]
    pub const fn lines(&self) -> &[u8; LINES_BYTES] {
        &self.lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn renders_the_rfc_example() {
        assert_eq!(
            DateHeader::at(784_111_777).lines(),
            b"Server: boardd\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
        );
    }

    #[test]
    fn a_clock_gone_mad_still_renders() {
        let date = |second| String::from_utf8_lossy(DateHeader::at(second).lines()).into_owned();
        assert!(date(u64::MAX).ends_with("Date: Fri, 31 Dec 9999 23:59:59 GMT\r\n"));
        assert!(date(0).ends_with("Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n"));
    }
}
