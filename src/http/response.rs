//! The response head, appended to a buffer that many answers share.

use super::decimal::{MAX_DIGITS, write_digits};
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
    ///
    /// Each piece costs a call, so they are as few and as long as can be.
    #[inline]
    pub fn write(&self, out: &mut Vec<u8>, date: &DateHeader) {
        match (self.status == Status::OK, self.content_type) {
            (true, Some(media_type)) => {
                out.extend_from_slice(date.ok_to_content_type());
                out.extend_from_slice(media_type.as_bytes());
            }
            (_, media_type) => self.write_unusual_start(out, date, media_type),
        }
        let length = self.length.filter(|_| self.status.has_length());
        let ends = self.connection == ConnectionHeader::Implied && self.extra.is_empty();
        if let Some(length) = length {
            let line = LengthLine::new(length, ends);
            // Without a Content-Type the line before has its end already.
            out.extend_from_slice(line.bytes(self.content_type.is_some()));
        } else if self.content_type.is_some() {
            out.extend_from_slice(b"\r\n");
        }
        if !ends || length.is_none() {
            out.extend_from_slice(self.connection.line().as_bytes());
            out.extend_from_slice(self.extra);
            out.extend_from_slice(b"\r\n");
        }
    }

    /// Everything up to the value of Content-Type, or up to the line end before it.
    #[cold]
    fn write_unusual_start(&self, out: &mut Vec<u8>, date: &DateHeader, media_type: Option<&str>) {
        out.extend_from_slice(self.status.line().as_bytes());
        match media_type {
            Some(media_type) => {
                out.extend_from_slice(date.lines_to_content_type());
                out.extend_from_slice(media_type.as_bytes());
            }
            None => out.extend_from_slice(date.lines()),
        }
    }
}

/// `Content-Length` with the line end before it, written from its end so that only the name is copied.
struct LengthLine {
    bytes: [u8; Self::ROOM],
    begin: usize,
    end: usize,
}

impl LengthLine {
    const NAME: &[u8; 18] = b"\r\nContent-Length: ";
    const END: &[u8; 4] = b"\r\n\r\n";
    const ROOM: usize = Self::NAME.len() + MAX_DIGITS + Self::END.len();

    /// The line; with the empty line after it if the head `ends` there.
    #[inline]
    fn new(length: u64, ends: bool) -> Self {
        let mut bytes = [0; Self::ROOM];
        let end = Self::ROOM - Self::END.len();
        bytes[end..].copy_from_slice(Self::END);
        let begin = write_digits(&mut bytes, end, length) - Self::NAME.len();
        bytes[begin..begin + Self::NAME.len()].copy_from_slice(Self::NAME);
        Self { bytes, begin, end: if ends { Self::ROOM } else { Self::ROOM - 2 } }
    }

    #[inline]
    fn bytes(&self, with_line_end_before: bool) -> &[u8] {
        let begin = if with_line_end_before { self.begin } else { self.begin + 2 };
        &self.bytes[begin..self.end]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn render(head: ResponseHead<'_>) -> String {
        let mut out = Vec::new();
        head.write(&mut out, &DateHeader::at(784_111_777));
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
