//! An answer as a whole, as handlers that await give it.

use std::borrow::Cow;
use std::fmt;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use serde::Serialize;
use smol::stream::{Stream, StreamExt};

use crate::http::{Status, media_type};

use super::body::Body;
use super::failure::Failure;
use super::file::FilePart;
use super::pool::Pools;

/// The media types of texts and pages; both say their encoding, as browsers guess an older one.
pub(super) const TEXT: &str = "text/plain; charset=utf-8";
pub(super) const HTML: &str = "text/html; charset=utf-8";

/// An answer as a whole: status, headers and body.
///
/// ```
/// use boardkit::server::{Response, Status};
///
/// let created = Response::text("21 °C\n").with_status(Status::CREATED).with_header("Location", "/readings/7");
/// let moved = Response::redirect(Status::SEE_OTHER, "/readings");
/// let gone = Response::from(Status::GONE);
/// # let _ = (created, moved, gone);
/// ```
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
        Self::new(TEXT, Body::Bytes(text.into().into_bytes()))
    }

    /// `200 OK` with a page. What comes from outside goes through [`crate::http::escape_html`] first.
    #[must_use]
    pub fn html(page: impl Into<String>) -> Self {
        Self::new(HTML, Body::Bytes(page.into().into_bytes()))
    }

    /// Sends the client elsewhere: with [`Status::SEE_OTHER`] to what it should GET now, with
    /// [`Status::PERMANENT_REDIRECT`] to where the same request belongs, and so on. The location is sent as it is; what was
    /// made from a client's words could be the name of another host.
    #[must_use]
    pub fn redirect(status: Status, location: &str) -> Self {
        Self::error(status).with_header("Location", location)
    }

    /// `200 OK` with a whole file, opened by a thread that may wait for the disk, and sent by the kernel; the media type is
    /// that of the name's ending. To be awaited in a handler. Ranges, conditions and compressed neighbours are
    /// [`Files`](super::Files)' alone.
    ///
    /// # Errors
    /// A [`Failure`] that answers with 404 when there is no such file, 503 when too many wait for the disk, else 500.
    pub async fn file(path: impl Into<PathBuf>) -> Result<Self, Failure> {
        let path = path.into();
        let content_type = media_type(path.as_os_str().as_bytes());
        let part = Pools::current().disk.run(move || FilePart::open(&path)).await??;
        Ok(Self::new(content_type, Body::File(part)))
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
fn without_controls(text: Cow<'_, str>) -> Cow<'_, str> {
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

impl From<Status> for Response {
    /// [`Response::error`].
    fn from(status: Status) -> Self {
        Self::error(status)
    }
}

impl<E: Into<Response>> From<Result<Response, E>> for Response {
    fn from(result: Result<Response, E>) -> Self {
        result.unwrap_or_else(Into::into)
    }
}

#[cfg(test)]
mod tests;
