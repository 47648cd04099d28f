//! The response head, appended to a buffer that many answers share.

use super::decimal::{MAX_DIGITS, append_decimal, write_digits};
use super::{DateHeader, Status};

/// What an answer says about the connection (RFC 9112 §9.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectionHeader {
    /// Nothing: HTTP/1.1 keeps the connection unless told otherwise.
    Implied,
    /// `Connection: keep-alive`, which an HTTP/1.0 client must read to keep it.
    KeepAlive,
    /// `Connection: close`: this answer is the last.
    Close,
}

impl ConnectionHeader {
    /// The header for a request's wish.
    #[must_use]
    #[inline]
    pub const fn answer(minor: u8, keep_alive: bool) -> Self {
        match (keep_alive, minor) {
            (false, _) => Self::Close,
            (true, 0) => Self::KeepAlive,
            (true, _) => Self::Implied,
        }
    }

    const fn line(self) -> &'static str {
        match self {
            Self::Implied => "",
            Self::KeepAlive => "Connection: keep-alive\r\n",
            Self::Close => "Connection: close\r\n",
        }
    }
}

/// The parts of a response head that every answer has.
#[derive(Debug, Clone, Copy)]
pub struct ResponseHead<'a> {
    /// Status line.
    pub status: Status,
    /// Media type of the body; `None` leaves the header out.
    pub content_type: Option<&'a str>,
    /// Content-Length in bytes; left out where the status forbids it, and when `None`: then the body is chunked, or ends
    /// with the connection.
    pub length: Option<u64>,
    /// Connection header.
    pub connection: ConnectionHeader,
    /// Further header lines, each with its line end.
    pub extra: &'a [u8],
}

impl ResponseHead<'_> {
    /// Appends the head, its empty line included. Order: status, Server, Date, Content-Type, Content-Length,
    /// Connection, the rest.
    #[inline]
    pub fn write(&self, out: &mut Vec<u8>, date: &DateHeader, room: &mut HeadRoom) {
        match (self.content_type, self.length) {
            (Some(media_type), Some(length))
                if self.status == Status::OK
                    && self.connection == ConnectionHeader::Implied
                    && media_type.len() <= MAX_USUAL_TYPE_BYTES =>
            {
                self.write_usual(out, date, room, media_type, length);
            }
            _ => self.write_unusual(out, date),
        }
    }

    /// What nearly all answers have. Each piece appended by itself would cost a call: put together from its end, so that
    /// the digits need not be counted first, it is one.
    #[inline]
    fn write_usual(
        &self,
        out: &mut Vec<u8>,
        date: &DateHeader,
        room: &mut HeadRoom,
        media_type: &str,
        length: u64,
    ) {
        let head = &mut room.0;
        let digits = write_digits(head, ROOM - END.len(), length);
        let name = digits - LENGTH_NAME.len();
        head[name..name + LENGTH_NAME.len()].copy_from_slice(LENGTH_NAME);
        let kind = name - media_type.len();
        head[kind..name].copy_from_slice(media_type.as_bytes());
        let begin = kind - START;
        head[begin..begin + START].copy_from_slice(date.ok_to_content_type());
        if self.extra.is_empty() {
            return out.extend_from_slice(&head[begin..]);
        }
        out.extend_from_slice(&head[begin..ROOM - 2]);
        out.extend_from_slice(self.extra);
        out.extend_from_slice(b"\r\n");
    }

    #[cold]
    fn write_unusual(&self, out: &mut Vec<u8>, date: &DateHeader) {
        out.extend_from_slice(self.status.line().as_bytes());
        match self.content_type {
            Some(media_type) => {
                out.extend_from_slice(date.lines_to_content_type());
                out.extend_from_slice(media_type.as_bytes());
                out.extend_from_slice(b"\r\n");
            }
            None => out.extend_from_slice(date.lines()),
        }
        if let Some(length) = self.length.filter(|_| self.status.has_length()) {
            // Behind the line end, which is there already.
            out.extend_from_slice(&LENGTH_NAME[2..]);
            append_decimal(length, out);
            out.extend_from_slice(b"\r\n");
        }
        out.extend_from_slice(self.connection.line().as_bytes());
        out.extend_from_slice(self.extra);
        out.extend_from_slice(b"\r\n");
    }
}

/// Where a head of the usual form is put together: kept from one answer to the next, its end stays what it is and nothing
/// has to be cleared.
#[derive(Debug, Clone)]
pub struct HeadRoom([u8; ROOM]);

impl Default for HeadRoom {
    fn default() -> Self {
        let mut room = [0; ROOM];
        room[ROOM - END.len()..].copy_from_slice(END);
        Self(room)
    }
}

/// The status line and the headers before the media type, in bytes.
const START: usize = DateHeader::OK_TO_CONTENT_TYPE_BYTES;

/// Room for the longest head of the usual form.
const ROOM: usize = START + MAX_USUAL_TYPE_BYTES + LENGTH_NAME.len() + MAX_DIGITS + END.len();

/// Longest media type in an answer of the usual form, in bytes: `application/manifest+json` and those of text with their
/// encoding fit.
const MAX_USUAL_TYPE_BYTES: usize = 40;

/// The header with the line end before it.
const LENGTH_NAME: &[u8; 18] = b"\r\nContent-Length: ";

/// The end of a line, and of the head.
const END: &[u8; 4] = b"\r\n\r\n";

#[cfg(test)]
mod tests {
    use super::*;

    fn render(head: ResponseHead<'_>) -> String {
        let mut out = Vec::new();
        head.write(&mut out, &DateHeader::at(784_111_777), &mut HeadRoom::default());
        String::from_utf8(out).expect("ASCII")
    }

    #[test]
    fn a_whole_head() {
        let head = ResponseHead {
            status: Status::OK,
            content_type: Some("text/plain"),
            length: Some(13),
            connection: ConnectionHeader::Implied,
            extra: b"",
        };
        assert_eq!(
            render(head),
            "HTTP/1.1 200 OK\r\nServer: boardd\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n\
             Content-Type: text/plain\r\nContent-Length: 13\r\n\r\n"
        );
    }

    #[test]
    fn no_content_has_no_length_and_extras_come_last() {
        let head = ResponseHead {
            status: Status::NO_CONTENT,
            content_type: None,
            length: Some(0),
            connection: ConnectionHeader::answer(0, true),
            extra: b"Allow: GET\r\n",
        };
        let text = render(head);
        assert!(text.ends_with("GMT\r\nConnection: keep-alive\r\nAllow: GET\r\n\r\n"), "{text}");
        assert!(!text.contains("Content-Length"));
    }

    #[test]
    fn every_length_is_written_whole() {
        for length in [0, 7, 10, 99, 100, u64::from(u32::MAX), u64::MAX] {
            for content_type in [None, Some("text/plain")] {
                let connection = ConnectionHeader::Implied;
                let text = render(ResponseHead {
                    status: Status::NOT_FOUND,
                    content_type,
                    length: Some(length),
                    connection,
                    extra: b"",
                });
                assert!(text.ends_with(&format!("\r\nContent-Length: {length}\r\n\r\n")), "{text}");
                assert_eq!(text.matches("\r\n\r\n").count(), 1, "{text}");
            }
        }
    }
}
