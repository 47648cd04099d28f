//! The response head, appended to a buffer that many answers share.

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
    /// Content-Length in bytes; left out where the status forbids it.
    pub length: u64,
    /// Connection header.
    pub connection: ConnectionHeader,
    /// Further header lines, each with its line end.
    pub extra: &'a [u8],
}

impl ResponseHead<'_> {
    /// Appends the head, its empty line included. Order: status, Server, Date, Content-Type, Content-Length,
    /// Connection, the rest.
    #[inline]
    pub fn write(&self, out: &mut Vec<u8>, date: &DateHeader) {
        if self.status == Status::OK {
            out.extend_from_slice(date.ok_and_lines());
        } else {
            out.extend_from_slice(self.status.line().as_bytes());
            out.extend_from_slice(date.lines());
        }
        if let Some(media_type) = self.content_type {
            out.extend_from_slice(b"Content-Type: ");
            out.extend_from_slice(media_type.as_bytes());
            // Pieces of a fixed length cost a move each, so they are as few and as long as can be.
            out.extend_from_slice(b"\r\nContent-Length: ");
            out.extend_from_slice(itoa::Buffer::new().format(self.length).as_bytes());
            out.extend_from_slice(b"\r\n");
        } else if self.status.has_length() {
            out.extend_from_slice(b"Content-Length: ");
            out.extend_from_slice(itoa::Buffer::new().format(self.length).as_bytes());
            out.extend_from_slice(b"\r\n");
        }
        if self.connection != ConnectionHeader::Implied {
            out.extend_from_slice(self.connection.line().as_bytes());
        }
        if !self.extra.is_empty() {
            out.extend_from_slice(self.extra);
        }
        out.extend_from_slice(b"\r\n");
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
            length: 13,
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
            length: 0,
            connection: ConnectionHeader::answer(0, true),
            extra: b"Allow: GET\r\n",
        };
        let text = render(head);
        assert!(text.ends_with("GMT\r\nConnection: keep-alive\r\nAllow: GET\r\n\r\n"), "{text}");
        assert!(!text.contains("Content-Length"));
    }
}
