//! The headers that are the same in every answer of a second: rendered once, then copied.

use std::time::{Duration, UNIX_EPOCH};

use super::Status;

/// Length of `HTTP/1.1 200 OK\r\n` in bytes.
const OK_BYTES: usize = 17;

/// Length of that and `Server: boardd\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n` in bytes.
const LINES_END: usize = OK_BYTES + 16 + 37;

/// The name that follows in an answer with a body, which most are.
const CONTENT_TYPE: &str = "Content-Type: ";

/// Length of all of it. A constant, so that the copy into each answer is one of a known length.
const BYTES: usize = LINES_END + CONTENT_TYPE.len();

/// Length of `Sun, 06 Nov 1994 08:49:37 GMT`, which is the end of that but for the line end.
pub const DATE_BYTES: usize = 29;

/// The Server and Date headers (IMF-fixdate, RFC 9110 §5.6.7) of one second, between the status line that most answers
/// begin with and the name of the header that most go on with.
#[derive(Debug, Clone)]
pub struct DateHeader {
    bytes: [u8; BYTES],
}

/// A point in time, in whole seconds since 1970 UTC, as headers have it (IMF-fixdate, RFC 9110 §5.6.7).
///
/// Years past 9999, which the format cannot hold, are shown as its last second.
#[must_use]
pub fn http_date(unix_seconds: u64) -> String {
    /// 9999-12-31 23:59:59, the last second that four digits of a year can name.
    const LAST: u64 = 253_402_300_799;
    httpdate::fmt_http_date(UNIX_EPOCH + Duration::from_secs(unix_seconds.min(LAST)))
}

impl DateHeader {
    /// Renders the headers for a point in time; see [`http_date`].
    #[must_use]
    pub fn at(unix_seconds: u64) -> Self {
        let (status, date) = (Status::OK.line(), http_date(unix_seconds));
        let text = format!("{status}Server: boardd\r\nDate: {date}\r\n{CONTENT_TYPE}");
        let mut bytes = [b' '; BYTES];
        bytes.copy_from_slice(text.as_bytes());
        Self { bytes }
    }

    /// Length of what [`DateHeader::ok_to_content_type`] gives, in bytes.
    pub(super) const OK_TO_CONTENT_TYPE_BYTES: usize = BYTES;

    /// The status line of 200, both header lines, and `Content-Type: `, which wants its value next.
    #[must_use]
    #[inline]
    pub const fn ok_to_content_type(&self) -> &[u8; BYTES] {
        &self.bytes
    }

    /// Both header lines and `Content-Type: `.
    #[must_use]
    pub fn lines_to_content_type(&self) -> &[u8] {
        &self.bytes[OK_BYTES..]
    }

    /// Both header lines with their line ends.
    #[must_use]
    pub fn lines(&self) -> &[u8] {
        &self.bytes[OK_BYTES..LINES_END]
    }

    /// The date alone: `Sun, 06 Nov 1994 08:49:37 GMT`.
    #[must_use]
    pub fn date(&self) -> &[u8; DATE_BYTES] {
        let end = self.lines().last_chunk::<{ DATE_BYTES + 2 }>();
        // Always there: the lines are longer, and so is their end.
        end.and_then(|end| end.first_chunk()).unwrap_or(&[b' '; DATE_BYTES])
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
        assert_eq!(DateHeader::at(784_111_777).date(), b"Sun, 06 Nov 1994 08:49:37 GMT");
    }

    #[test]
    fn a_clock_gone_mad_still_renders() {
        let date = |second| String::from_utf8_lossy(DateHeader::at(second).lines()).into_owned();
        assert!(date(u64::MAX).ends_with("Date: Fri, 31 Dec 9999 23:59:59 GMT\r\n"));
        assert!(date(0).ends_with("Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n"));
    }
}
