//! An answer as a whole, as handlers that await give it.

use std::borrow::Cow;
use std::fmt;
use std::io;

use serde::Serialize;
use smol::stream::{Stream, StreamExt};

use crate::http::Status;

use super::body::Body;
use super::flow::BodyError;
use super::pool::Refused;

/// An answer as a whole: status, headers and body.
#[derive(Debug)]
pub struct Response {
    pub(super) status: Status,
    pub(super) content_type: Option<Cow<'static, str>>,
    /// Further header lines, each with its line end.
    pub(super) extra: Vec<u8>,
    pub(super) body: Body,
    /// The connection ends after it.
    pub(super) last: bool,
}

impl Response {
    /// `200 OK` without a body.
    #[must_use]
    pub const fn empty() -> Self {
        Self { status: Status::OK, content_type: None, extra: Vec::new(), body: Body::Empty, last: false }
    }

    /// `200 OK` with a body of this media type, from bytes, a string or a [`Body`]. Control bytes in the media type are left
    /// out.
    #[must_use]
    pub fn new(content_type: impl Into<Cow<'static, str>>, body: impl Into<Body>) -> Self {
        Self { content_type: Some(without_controls(content_type.into())), body: body.into(), ..Self::empty() }
    }

    /// `200 OK` with a text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::new("text/plain", Body::Bytes(text.into().into_bytes()))
    }

    /// `200 OK` with a value serialised now, as application/json. A value that cannot be is answered with 500.
    #[must_use]
    pub fn json<T: Serialize>(value: &T) -> Self {
        match serde_json::to_vec(value) {
            Ok(bytes) => Self::new("application/json", Body::Bytes(bytes)),
            Err(_) => Self::error(Status::INTERNAL_SERVER_ERROR),
        }
    }

    /// `200 OK` with a body in pieces, each sent when it is made; no more than [`super::Incoming::WINDOW`] bytes are made
    /// ahead of a slow client. An error, or the end of the program, leaves the client without the body's end.
    #[must_use]
    pub fn stream<S>(content_type: impl Into<Cow<'static, str>>, pieces: S) -> Self
    where
        S: Stream<Item = io::Result<Vec<u8>>> + 'static,
    {
        Self::new(content_type, Body::Pieces(Pieces(Box::pin(pieces))))
    }

    /// `200 OK` with server-sent events: each item is the data of one event, of one line or several.
    #[must_use]
    pub fn events<S>(data: S) -> Self
    where
        S: Stream<Item = String> + 'static,
    {
        let event = |data: String| {
            let mut event = Vec::with_capacity(data.len() + 16);
            for line in data.split('\n') {
                event.extend_from_slice(b"data: ");
                event.extend(line.bytes().filter(|b| *b != b'\r'));
                event.push(b'\n');
            }
            event.push(b'\n');
            Ok(event)
        };
        Self::stream("text/event-stream", data.map(event)).with_header("Cache-Control", "no-cache")
    }

    /// A status and its name as the text, for people who look.
    #[must_use]
    pub fn error(status: Status) -> Self {
        let mut text = status.text().to_owned();
        text.push('\n');
        Self::text(text).with_status(status)
    }

    /// The same answer with another status.
    #[must_use]
    pub fn with_status(self, status: Status) -> Self {
        Self { status, ..self }
    }

    /// Adds a header. What is no part of a name is left out of the name, and control bytes, which could start a header of
    /// their own, out of the value. Connection, Content-Length and Transfer-Encoding say what the server does, not what a
    /// handler wishes: they are not added. To end the connection there is [`Response::as_last`].
    #[must_use]
    pub fn with_header(mut self, name: &str, value: &str) -> Self {
        push_header(&mut self.extra, name, value);
        self
    }

    /// Ends the connection after this answer, which says so.
    #[must_use]
    pub fn as_last(self) -> Self {
        Self { last: true, ..self }
    }

    /// Adds header lines that are known to be whole.
    pub(super) fn with_lines(mut self, lines: &[u8]) -> Self {
        self.extra.extend_from_slice(lines);
        self
    }

    /// The status.
    #[must_use]
    pub const fn status(&self) -> Status {
        self.status
    }
}

/// Appends a header line, without what could start another or make the client look for another end of the body.
pub(super) fn push_header(lines: &mut Vec<u8>, name: &str, value: &str) {
    const OF_THE_SERVER: [&[u8]; 3] = [b"connection", b"content-length", b"transfer-encoding"];
    let begin = lines.len();
    lines.extend(name.bytes().filter(|byte| byte.is_ascii_graphic() && *byte != b':'));
    let name = &lines[begin..];
    if name.is_empty() || OF_THE_SERVER.iter().any(|known| name.eq_ignore_ascii_case(known)) {
        return lines.truncate(begin);
    }
    lines.extend_from_slice(b": ");
    lines.extend(value.bytes().filter(|byte| !byte.is_ascii_control()));
    lines.extend_from_slice(b"\r\n");
}

/// The same text, without control bytes if it has any.
pub(super) fn without_controls(text: Cow<'_, str>) -> Cow<'_, str> {
    if text.bytes().any(|byte| byte.is_ascii_control()) {
        return text.chars().filter(|char| !char.is_ascii_control()).collect();
    }
    text
}

/// A body that is made piece by piece.
pub struct Pieces(pub(super) super::flow::PieceStream);

impl fmt::Debug for Pieces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Pieces(..)")
    }
}

/// Why a handler that awaits has no better answer, so that `?` works in it: each kind of error with its status.
#[derive(Debug)]
pub struct Failure(Response);

impl From<BodyError> for Failure {
    /// 413, 400 or 408, and the connection ends.
    fn from(error: BodyError) -> Self {
        let status = match error {
            BodyError::TooLarge(_) => Status::CONTENT_TOO_LARGE,
            BodyError::Malformed | BodyError::Ended => Status::BAD_REQUEST,
            BodyError::Late => Status::REQUEST_TIMEOUT,
        };
        let text = format!("{}: {error}\n", status.text());
        Self(Response::text(text).with_status(status).as_last())
    }
}

impl From<Refused> for Failure {
    /// 503 with Retry-After.
    fn from(refused: Refused) -> Self {
        Self(refused.response())
    }
}

impl From<io::Error> for Failure {
    /// 404 for a file that is not there, else 500; what went wrong is nobody's business outside.
    fn from(error: io::Error) -> Self {
        let status = match error.kind() {
            io::ErrorKind::NotFound => Status::NOT_FOUND,
            _ => Status::INTERNAL_SERVER_ERROR,
        };
        Self(Response::error(status))
    }
}

impl From<Response> for Failure {
    /// That answer.
    fn from(response: Response) -> Self {
        Self(response)
    }
}

impl From<Failure> for Response {
    fn from(failure: Failure) -> Self {
        failure.0
    }
}

impl<E: Into<Response>> From<Result<Response, E>> for Response {
    fn from(result: Result<Response, E>) -> Self {
        result.unwrap_or_else(Into::into)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(response: &Response) -> String {
        match &response.body {
            Body::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
            other => panic!("no bytes: {other:?}"),
        }
    }

    #[test]
    fn errors_become_answers() {
        let too_large: Response = Failure::from(BodyError::TooLarge(9)).into();
        assert_eq!(too_large.status(), Status::CONTENT_TOO_LARGE);
        assert_eq!(body(&too_large), "413 Content Too Large: the body is longer than 9 bytes\n");
        let result: Result<Response, Failure> = Err(io::Error::other("the disk's serial number").into());
        let failed = Response::from(result);
        assert_eq!(
            (failed.status(), &*body(&failed)),
            (Status::INTERNAL_SERVER_ERROR, "500 Internal Server Error\n")
        );
    }

    #[test]
    fn a_header_cannot_start_another_or_move_the_end_of_the_body() {
        for (name, value, line) in [
            ("X-\r\nName: ", "a\r\nSet-Cookie: b", "X-Name: aSet-Cookie: b\r\n"),
            ("X-Tab", "ä\tb\u{7f}", "X-Tab: äb\r\n"),
            ("content-length", "1", ""),
            (" Transfer-Encoding\n", "chunked", ""),
            ("Connection", "close", ""),
            (":", "a", ""),
        ] {
            let response = Response::empty().with_header(name, value);
            assert_eq!(String::from_utf8_lossy(&response.extra), line);
        }
        let response = Response::new("text/plain\r\nX: y", "");
        assert_eq!(response.content_type.as_deref(), Some("text/plainX: y"));
    }

    #[test]
    fn events_have_a_line_of_data_for_each_line() {
        let response = Response::events(smol::stream::iter(["one".to_owned(), "two\r\nlines".to_owned()]));
        let Body::Pieces(Pieces(pieces)) = response.body else { panic!("no pieces") };
        let wire: Vec<u8> =
            smol::block_on(pieces.map(Result::unwrap_or_default).collect::<Vec<_>>()).concat();
        assert_eq!(String::from_utf8_lossy(&wire), "data: one\n\ndata: two\ndata: lines\n\n");
    }
}
